"""The page of a head as one file of plain HTML: no script, no server, no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from viz.charts.colour import on_scale
from viz.charts.markup import tag
from viz.core.theme import LIGHT
from viz.views.atlas.maps import values_of

_STYLE = Markup("""body {{ font: 16px/1.45 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  background: {background}; color: {text}; }}
table {{ border-collapse: collapse; font-size: 13px; margin: .4rem 0 1.6rem; }}
th {{ font-weight: 400; padding: 1px 4px; text-align: right; }} thead th {{ writing-mode: vertical-rl; }}
td {{ width: 22px; height: 20px; border: 1px solid {grid}; }} p {{ margin: .3rem 0; }}""")


def head_html(
    language: str, name: str, lines: Sequence[str], sections: Mapping[str, Sequence[Mapping[str, Any]]]
) -> str:
    """The whole file.

    Args:
        language: of the texts.
        name: of the head, the title.
        lines: what is said of it, shown literally.
        sections: sentences of its page, with their maps, under the line that says which they are.
    """
    parts = [tag("h1", name), *(tag("p", each) for each in lines)]
    for said, entries in sections.items():
        parts += [tag("h2", said), *(_sentence(entry) for entry in entries)]
    look = _STYLE.format(background=LIGHT.background, text=LIGHT.text, grid=LIGHT.grid)
    head = Markup('<meta charset="utf-8">'), tag("title", f"{name} · Headlight"), tag("style", look)
    whole = tag("html", tag("head", *head), tag("body", *parts), lang=language)
    return f"<!doctype html>\n{whole}\n"


def _sentence(entry: Mapping[str, Any]) -> Markup:
    """A sentence, its translation, and the map as a table whose cells say their weights."""
    values = values_of(entry)
    colours = on_scale(values, LIGHT.scale)
    header = tag("tr", tag("th"), *(tag("th", column, scope="col") for column in entry["columns"]))
    rows = [
        tag("tr", tag("th", label, scope="row"), *(_cell(value, colour) for value, colour in zip(*row, strict=True)))
        for label, row in zip(entry["rows"], zip(values, colours, strict=True), strict=True)
    ]
    text = tag("p", tag("strong", f"{entry['strength']:.0%}"), f" {entry['src']}"), tag("p", entry["tgt"])
    return tag("section", *text, tag("table", tag("thead", header), tag("tbody", *rows)))


def _cell(value: float, colour: Any) -> Markup:
    look = ", ".join(f"{round(255 * float(part))}" for part in colour)
    return tag("td", style=f"background: rgb({look})", title=f"{value:.3f}")
