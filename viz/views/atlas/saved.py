"""The page of a head as one file of plain HTML: no script, no server, no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from viz.charts.markup import tag
from viz.charts.sheet.files import svg
from viz.charts.sheet.sheet import SheetMap, sheet
from viz.core.theme import LIGHT

_STYLE = Markup("""body {{ font: 16px/1.45 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  background: {background}; color: {text}; }}
svg {{ display: block; max-width: 100%; margin: .4rem 0 1.6rem; }} p {{ margin: .3rem 0; }}""")


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
    look = _STYLE.format(background=LIGHT.background, text=LIGHT.text)
    head = Markup('<meta charset="utf-8">'), tag("title", f"{name} · Headlight"), tag("style", look)
    whole = tag("html", tag("head", *head), tag("body", *parts), lang=language)
    return f"<!doctype html>\n{whole}\n"


def _sentence(entry: Mapping[str, Any]) -> Markup:
    """A sentence, its translation, and the map as a picture, as ``viz export`` draws it."""
    text = tag("p", tag("strong", f"{entry['strength']:.0%}"), f" {entry['src']}"), tag("p", entry["tgt"])
    drawing = SheetMap("", tokens_of(entry, "rows"), tokens_of(entry, "columns"), values_of(entry))
    picture = Markup(svg(sheet([drawing], "")).decode())  # noqa: S704 - its texts are escaped where it is made
    return tag("section", *text, picture)


def tokens_of(entry: Mapping[str, Any], side: str) -> tuple[str, ...]:
    """The rows or columns of a sentence's map, pieces within a word as they are written there."""
    return tuple(token.removeprefix("##") or token for token in entry[side])


def values_of(entry: Mapping[str, Any]) -> np.ndarray:
    """The map of a sentence, [Q, K]: of each row the eight largest weights; what is below half a percent is 0."""
    values = np.zeros((len(entry["rows"]), len(entry["columns"])))
    for row, pairs in enumerate(entry["cells"]):
        for key, level in zip(pairs[::2], pairs[1::2], strict=True):
            values[row, key] = level / 255
    return values
