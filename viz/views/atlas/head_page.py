"""The page of one head: what it does over the corpus, its sentences, its neighbours, and this sentence beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from markupsafe import Markup

from model.analysis.atlas.book import Atlas
from model.analysis.atlas.usual import RARE, Usual, usual
from model.analysis.residual.composition import Composition, chance
from model.errors import HeadlightError
from model.trace import HeadRef
from viz.charts.layout import base_layout
from viz.charts.lesson_charts import bars, cells
from viz.charts.markup import line, tag
from viz.charts.plain_shapes import PlainChart
from viz.charts.sheet.files import svg
from viz.charts.sheet.sheet import SheetMap, sheet
from viz.core.answers import heads as answers
from viz.core.answers.translations import trace
from viz.core.choice import language, say, within
from viz.core.going import open_head
from viz.core.numbers import number, shown_piece
from viz.core.session import Session, choose_head, force
from viz.core.theme import HEAD_COLOURS, LIGHT, Theme
from viz.views.atlas.habits import error_of, habit, measure_of, said
from viz.widgets import chart, head_facts
from viz.widgets.chart import draw_row, plain_chart
from viz.widgets.head_board import Listed, head_list
from viz.widgets.head_facts import title
from viz.widgets.picker import pick

_REACH = 8
_ON_PAGE = ("cost", "entropy", "distance", "confidence", "previous", "next", "sink", "rare", "aligned", "aer", "vote")
_ACROSS = 3  # small maps beside each other
_MOST_TOKENS = 12
_LARGEST = 36  # tokens of a side; a longer sentence has too small cells to be read


def draw(atlas: Atlas, now: Session) -> None:
    """All of it, of the head that is chosen."""
    page = answers.head_page(atlas, now.head)
    if page is None:
        st.info(say("atlas.no_page"))
        return
    st.subheader(head_facts.title(now.head), anchor=False)
    st.html(line("lead", habit(atlas, now.head, head_facts.alignment_errors(now.model))))
    st.html(line("alt", numbers(atlas, now)))
    own = st.container()  # filled last: it needs the model, and nothing else does
    draw_row(histograms(page), "atlas.histograms")
    _tokens(page["tokens"])
    _sentences(now, page)
    _neighbours(now, page)
    with own:
        _own_sentence(now, page, atlas)
    draw_feeding(now)
    _take_away(atlas, now, page)


def numbers(atlas: Atlas, now: Session) -> str:
    """A head's measures in a line."""
    place = atlas.heads.index(now.head)
    values = {name: float(measure_of(atlas, now.checkpoint, name)[place]) for name in _ON_PAGE}
    found = {name: said(value, name) for name, value in values.items() if np.isfinite(value)}
    error = error_of(atlas, now.checkpoint, now.head, "cost")
    if "cost" in found and np.isfinite(error):
        found["cost"] = say("atlas.with_error", value=found["cost"], error=number(error, 4))
    return " · ".join(f"{say(f'atlas.measure.{name}')} {value}" for name, value in found.items())


def histograms(page: Mapping[str, Any]) -> list[PlainChart]:
    """Where its weight lies, how large the largest weight of a row is, and how evenly rows look."""
    names = [f"≤−{_REACH}", *(str(n).replace("-", "−") for n in range(1 - _REACH, _REACH)), f"≥{_REACH}"]
    charts = [bars(names, {say("atlas.mass"): np.array(page["mass"])}, say("atlas.mass.axis"), width=440, height=180)]
    for name in ("hist_peak", "hist_even"):
        rows = np.array(page[name], float)
        ends = [f"{100 * place // len(rows)}" if place % 5 == 0 else "" for place in range(len(rows))]
        share = rows / max(1.0, rows.sum())
        charts.append(bars(ends, {say(f"atlas.{name}"): share}, say(f"atlas.{name}.axis"), width=300, height=180))
    return charts


def _own_sentence(now: Session, page: Mapping[str, Any], atlas: Atlas) -> None:
    """What the head does on the visitor's sentence, beside the corpus."""
    try:
        measured = answers.own_measures(now.subject, now.head.kind)
    except HeadlightError:
        return
    if not measured:
        return
    place = atlas.place(now.head)
    found = usual({name: float(values[place]) for name, values in measured.items()}, page["by"])
    if not found:
        return
    st.html(line("holds" if min(each.share for each in found) >= RARE else "fails", verdict(found)))
    rows = [_beside(each) for each in found]
    with st.expander(say("atlas.own.how")):
        columns = ("measure", "here", "corpus", "share")
        st.dataframe(
            {say(f"atlas.own.{name}"): [row[place] for row in rows] for place, name in enumerate(columns)},
            hide_index=True,
            key="atlas_own",
        )


def verdict(found: Sequence[Usual]) -> str:
    """Whether a sentence is a usual one for the head: by the measure that is farthest out."""
    least = min(found, key=lambda each: each.share)
    name = say(f"atlas.measure.{least.measure}")
    here = said(least.value, least.measure)
    middle = f"{1 - least.share:.0%}"
    if least.share >= RARE:
        return say("atlas.own.usual", measure=name, here=here, share=f"{least.share:.0%}")
    return say("atlas.own.unusual", measure=name, here=here, share=middle)


def _beside(each: Usual) -> tuple[str, str, str, str]:
    between = f"{said(each.low, each.measure)} – {said(each.high, each.measure)}"
    return say(f"atlas.measure.{each.measure}"), said(each.value, each.measure), between, f"{each.share:.0%}"


def _tokens(tokens: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
    """Which tokens it looks at, and from which it looks hard."""
    for name, said_of_them in token_lines(tokens):
        st.html(line("alt hl-line", tag("strong", name), " ", said_of_them))


def token_lines(tokens: Mapping[str, Mapping[str, Sequence[Any]]]) -> list[tuple[str, str]]:
    """What each list of tokens is called, and the list."""
    lines = []
    for way in ("at", "hard"):
        for order in ("most", "more"):
            found = [
                f"{bare(text)} ({count:,})" if order == "most" else f"{bare(text)} ({count / max(expected, 0.1):.0f}×)"
                for text, count, expected in tokens[way][order][:_MOST_TOKENS]
            ]
            lines += [(say(f"atlas.tokens.{way}.{order}"), "  ".join(found))] * bool(found)
    return lines


def _sentences(now: Session, page: Mapping[str, Any]) -> None:
    """Its strongest sentences, or some of each fifth of the corpus, with their maps."""
    which = pick("atlas_show", explained=False)
    entries = page[which]
    st.html(line("alt", say(f"atlas.sentences.{which}")))
    for start in range(0, len(entries), _ACROSS):
        for column, entry in zip(st.columns(_ACROSS), entries[start : start + _ACROSS], strict=False):
            with column:
                _one_sentence(now, entry, f"{which}_{start}_{entries.index(entry)}")


def _one_sentence(now: Session, entry: Mapping[str, Any], key: str) -> None:
    fifth = say("atlas.fifth", number=entry["fifth"] + 1) + " · " if "fifth" in entry else ""
    st.html(line("alt", fifth, said(entry["strength"], "confidence"), " · ", entry["src"], tag("br"), entry["tgt"]))
    if max(len(entry["rows"]), len(entry["columns"])) <= _LARGEST:
        chart = small_map(entry)
        plain_chart(chart.sent(), say("atlas.map.alt", src=entry["src"]), theme=now.theme, key=f"atlas_map_{key}")
    st.button(say("atlas.open"), key=f"atlas_open_{key}", on_click=partial(_open, now, entry["src"], entry["tgt"]))


def small_map(entry: Mapping[str, Any]) -> PlainChart:
    """The map of a sentence as the file holds it: what is below half a percent is 0."""
    rows, columns = (tokens_of(entry, side) for side in ("rows", "columns"))
    return cells(values_of(entry), rows, columns, limits=(0.0, 1.0), most_height=240, width=370)


def _open(now: Session, src: str, tgt: str) -> None:
    """Show the head on a sentence of the corpus, with the translation that stands there."""
    st.session_state.update(text=src, part="", step="")
    if now.model.reads == "text":
        force("hyp", [token.id for token in now.model.opened.encode_target(tgt)])
    open_head(now.head)


def _neighbours(now: Session, page: Mapping[str, Any]) -> None:
    """The heads whose maps overlap most with its own, each with its map of the visitor's sentence."""
    near = [(HeadRef.parse(code), float(share)) for code, share in page["neighbours"]]
    kinds = trace(now.subject).kinds
    entries = [
        Listed(head, head_facts.title(head), share, say("atlas.overlap", value=f"{share:.0%}"), share)
        for head, share in near
        if head is not None and head.kind in kinds
    ]
    if not entries:
        return
    st.subheader(say("find.like", head=head_facts.title(now.head)), anchor=False)
    labels = within("heads", list=say("find.like", head=head_facts.title(now.head)))
    maps = head_facts.readings(now)
    head_list(entries, maps, labels=labels, key="atlas_near", theme=now.theme, on_open=choose_head)
    st.html(line("alt", say("atlas.overlap.how")))


def _take_away(atlas: Atlas, now: Session, page: Mapping[str, Any]) -> None:
    """The page as a file: numbers, tokens, and every sentence with its map."""
    about = say("atlas.made", sentences=f"{atlas.kinds[now.head.kind]['sentences']:,}", **_origin(atlas))
    lines = [habit(atlas, now.head, head_facts.alignment_errors(now.model)), numbers(atlas, now)]
    lines += [f"{name} {said_of_them}" for name, said_of_them in token_lines(page["tokens"])]
    sections = {say(f"atlas.sentences.{which}"): page[which] for which in ("strongest", "sample")}
    name, spoken = f"{now.checkpoint} · {head_facts.title(now.head)}", language()
    st.download_button(
        say("atlas.take_away"),
        lambda: head_html(spoken, name, [*lines, about], sections),
        file_name=f"{now.checkpoint}-{now.head.code}.html",
        mime="text/html",
        key="atlas_take_away",
        on_click="ignore",
    )


def _origin(atlas: Atlas) -> dict[str, str]:
    return {name: str(atlas.facts[name]) for name in ("file", "command")}


_COLOURS: Mapping[str, str] = {"Q": HEAD_COLOURS[0], "K": HEAD_COLOURS[5], "V": HEAD_COLOURS[2]}
_MOST = 6  # heads on either side
_HEIGHT = 340
_WIDEST = 24.0  # pixels of a line whose score is 1


def draw_feeding(now: Session) -> None:
    """All of it; nothing of a model that does not show its projections."""
    anatomy = now.model.opened.anatomy
    if not {"projections", "internals"} <= anatomy.abilities:
        return
    found = answers.compositions(now.checkpoint, now.head)
    before = [each for each in found if each.reader == now.head][:_MOST]
    after = [each for each in found if each.writer == now.head][:_MOST]
    if not (before or after):
        return
    st.subheader(say("atlas.feeds"), anchor=False)
    by_chance = number(chance(now.model.facts.d_model))
    chart.draw(
        feeding_figure(now.head, before, after, now.theme), "atlas.feeds", head=title(now.head), chance=by_chance
    )
    with st.expander(say("atlas.feeds.table")):
        st.dataframe(rows_of([*before, *after]), hide_index=True, key="atlas_feeds_table")
    if "votes" in anatomy.abilities and now.head.kind != "encoder_self":
        for share, up, down in answers.written_words(now.checkpoint, now.head):
            words = {"up": "  ".join(map(shown_piece, up)), "down": "  ".join(map(shown_piece, down))}
            st.html(line("alt hl-line", say("atlas.writes", share=f"{share:.0%}", **words)))


def rows_of(found: Sequence[Composition]) -> dict[str, list[Any]]:
    """Compositions as columns of a table."""
    return {
        say("atlas.feeds.writer"): [title(each.writer) for each in found],
        say("atlas.feeds.reader"): [title(each.reader) for each in found],
        say("atlas.feeds.way"): [say(f"atlas.feeds.{each.way}") for each in found],
        say("atlas.feeds.score"): [round(each.score, 3) for each in found],
    }


def feeding_figure(
    head: HeadRef, before: Sequence[Composition], after: Sequence[Composition], theme: Theme
) -> go.Figure:
    """The head in the middle, those that it reads left and those that read it right, lines as wide as the scores."""
    middle = -(max(len(before), len(after), 1) - 1) / 2
    sides = ((0, before), (2, after))
    data = [_line(each, side, (-float(place), middle)) for side, found in sides for place, each in enumerate(found)]
    points = [
        (side, -float(place), f"{title(each.reader if side else each.writer)} · {each.way} {number(each.score, 3)}")
        for side, found in sides
        for place, each in enumerate(found)
    ]
    data.append(_names([*points, (1, middle, title(head))], theme))
    bare = {"visible": False, "fixedrange": True}
    layout = base_layout(theme, height=_HEIGHT, showlegend=False, margin={"l": 16, "r": 16, "t": 16, "b": 16})
    layout |= {"xaxis": bare | {"range": [-0.8, 2.8]}, "yaxis": bare}
    return go.Figure({"data": data, "layout": layout}, skip_invalid=False)


def _line(each: Composition, side: int, y: tuple[float, float]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [side, 1],
        "y": list(y),
        "line": {"color": _COLOURS[each.way], "width": max(1.0, _WIDEST * each.score)},
        "hoverinfo": "skip",
    }


def _names(points: Sequence[tuple[int, float, str]], theme: Theme) -> dict[str, Any]:
    """The heads' names, beside their dots."""
    where = {0: "middle left", 1: "top center", 2: "middle right"}
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [x for x, _, _ in points],
        "y": [y for _, y, _ in points],
        "text": [escape(name) for _, _, name in points],
        "textposition": [where[x] for x, _, _ in points],
        "textfont": {"color": theme.text},
        "marker": {"size": 10, "color": theme.accent},
        "hoverinfo": "skip",
    }


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
    for heading, entries in sections.items():
        parts += [tag("h2", heading), *(_sentence(entry) for entry in entries)]
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
    return tuple(map(bare, entry[side]))


def bare(token: str) -> str:
    """A token without the sign of a piece within a word, unless the sign is all of it."""
    return token.removeprefix("##") or token


def values_of(entry: Mapping[str, Any]) -> np.ndarray:
    """The map of a sentence, [Q, K]: of each row the eight largest weights; what is below half a percent is 0."""
    values = np.zeros((len(entry["rows"]), len(entry["columns"])))
    for row, pairs in enumerate(entry["cells"]):
        for key, level in zip(pairs[::2], pairs[1::2], strict=True):
            values[row, key] = level / 255
    return values
