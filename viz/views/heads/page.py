"""The heads ranked: the ten best first, then all, coloured and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model.analysis.heads.roles import POSITIONAL, RARE, SINK
from model.analysis.heads.table import HeadTable
from model.attribution.labelled_map import LabelledMap
from model.source import LacksAbilityError
from model.trace import KINDS, HeadRef, Kind
from viz.charts.layout import base_layout
from viz.charts.markup import line, tag
from viz.core.answers.translations import translation
from viz.core.choice import say, within
from viz.core.codes.choices import ALIGNED, CHOICES, HEAD_MEASURES
from viz.core.going import open_head
from viz.core.numbers import number
from viz.core.session import Session
from viz.core.theme import Theme
from viz.views.heads import patterns
from viz.widgets import chart, head_facts
from viz.widgets.errors import show_error
from viz.widgets.head_board import Board, head_board, head_list
from viz.widgets.head_facts import SHARES, HeadFacts, role_name, title
from viz.widgets.picker import bar, pick

_COLOURS = ("#D55E00", "#0072B2", "#009E73")
_HEIGHT = 320
_BARS = {"previous": POSITIONAL, "next": POSITIONAL, "offset": POSITIONAL, "rare": RARE, "sink": SINK}
_SETS = ("most", "least", "greedy")
_MOST = 10
BY_PATTERN = tuple(each for each in CHOICES["by"].options if each not in HEAD_MEASURES)
_Maps = Mapping[Kind, LabelledMap]


@dataclass(frozen=True)
class Curve:
    """One way to choose heads: how many go, what that costs, its standard error, and the sum of single costs."""

    name: str
    sizes: tuple[int, ...]
    costs: tuple[float, ...]
    errors: tuple[float, ...]
    alone: tuple[float, ...]


def joint_figure(curves: Sequence[Curve], theme: Theme, axes: tuple[str, str], alone: str) -> go.Figure:
    """A line a curve with two standard errors either way, and a dotted one of the sums; ``alone`` names these."""
    data: list[dict[str, Any]] = []
    for curve, colour in zip(curves, _COLOURS, strict=False):
        common = {"type": "scatter", "x": list(curve.sizes), "mode": "lines+markers"}
        errors = {"type": "data", "array": [2 * each for each in curve.errors], "thickness": 1.2}
        line = {"color": colour, "width": 2.5}
        data.append({**common, "y": list(curve.costs), "name": curve.name, "line": line, "error_y": errors})
        dotted = {**line, "dash": "dot", "width": 1.5}
        name = f"{curve.name}, {alone}"
        data.append({**common, "y": list(curve.alone), "name": name, "mode": "lines", "line": dotted})
    grid = {"gridcolor": theme.grid, "zerolinecolor": theme.grid}
    layout = base_layout(theme, height=_HEIGHT) | {
        "xaxis": grid
        | {"title": {"text": axes[0]}, "type": "log", "tickvals": list(curves[0].sizes) if curves else []},
        "yaxis": grid | {"title": {"text": axes[1]}},
        "legend": {"orientation": "h", "y": 1.15},
        "margin": {"l": 64, "r": 16, "t": 56, "b": 48},
    }
    return go.Figure({"data": data, "layout": layout}, skip_invalid=False)


def draw_together(table: HeadTable, theme: Theme) -> None:
    """Of a corpus: how many heads cost nothing for sure, and the curve of muting them together."""
    st.html(line("alt", how_sure(table)))
    sets = table.facts.get("together", {}).get("sets", [])
    if not sets:
        return
    figure = joint_figure(curves(sets), theme, (say("joint.heads"), say("joint.cost")), say("joint.alone"))
    largest = next(each for each in reversed(sets) if each["which"] == "greedy")
    named = ", ".join(title(head) for head in map(HeadRef.parse, largest["heads"]) if head is not None)
    costs: Any = {name: number(largest[name], 3) for name in ("cost", "alone")}
    sentences, k = table.facts["together"]["sentences"], len(largest["heads"])
    chart.draw(figure, "joint", sentences=sentences, greedy=named, k=k, **costs)


def how_sure(table: HeadTable) -> str:
    """How many heads' importance is within two standard errors of zero, and the range of the best; "" if unknown."""
    values = np.concatenate([each.ravel() for each in table.importance.values()])
    errors = np.concatenate([table.errors[kind].ravel() for kind in table.importance])
    if np.isnan(errors).any():
        return ""
    best = int(values.argmax())
    facts = {"best": number(float(values[best]), 3), "error": number(float(errors[best]), 3), "heads": values.size}
    return say("joint.sure", unsure=int((np.abs(values) < 2 * errors).sum()), **facts)


def curves(sets: list[dict[str, Any]]) -> list[Curve]:
    """The sets of a table as curves."""
    found = []
    for which in _SETS:
        own = [each for each in sets if each["which"] == which]
        found.append(
            Curve(
                say(f"joint.{which}"),
                tuple(len(each["heads"]) for each in own),
                tuple(each["cost"] for each in own),
                tuple(each["se"] or 0.0 for each in own),
                tuple(each["alone"] for each in own),
            )
        )
    return found


def draw_nearest(facts: HeadFacts) -> None:
    """Of each kind and role the head that comes nearest, beside the others of its kind and the published bar."""
    rows = nearest(facts)
    if not rows:
        return
    st.html(line("alt", say("nearest.lead")))
    columns = ("role", "head", "share", "others", "bar")
    shown = {
        say(f"nearest.{name}"): [row[place] if place < 2 else f"{row[place]:.0%}" for row in rows]
        for place, name in enumerate(columns)
    }
    st.dataframe(shown, hide_index=True, key="nearest_heads")


def nearest(facts: HeadFacts) -> list[tuple[str, str, float, float, float]]:
    """Role, head, its share of rows, the mean share of its kind's other heads, and the bar; shares from 0 to 1."""
    found = []
    for kind, measures in facts.measures.items():
        for role, least in _BARS.items():
            values = measures[role]
            if values.size < 2 or np.isnan(values).all():
                continue
            layer, head = (int(place) for place in np.unravel_index(np.nanargmax(values), values.shape))
            best = float(values[layer, head])
            others = float(np.nanmean(np.delete(values.ravel(), layer * values.shape[1] + head)))
            offset = int(facts.offset_at[kind][layer, head])
            if role == "offset" and offset in (-1, 1) and kind != "cross":
                continue  # that is the token before, or after
            named = "itself" if role == "offset" and offset == 0 else role
            name = role_name(named, kind, offset, facts.sinks.get(kind, ""))
            found.append((name, title(HeadRef(kind, layer, head)), best, others, least))
    return found


def open_row(facts: head_facts.HeadFacts) -> None:
    """Choose the head of the row that was selected in the table."""
    rows = st.session_state["all_heads_table"]["selection"]["rows"]
    if rows:
        open_head(facts.ranked()[rows[0]])


def board_of(session: Session, facts: head_facts.HeadFacts, measure: str) -> None:
    """Every head in colour, by a measure, and its extremes in words."""
    values = facts.values(measure)
    every = np.concatenate([each.ravel() for each in values.values()])
    top = 1.0 if measure in SHARES else float(np.nanmax(np.abs(every), initial=0.0)) or 1.0
    _board(
        session,
        Board(
            values,
            {kind: say(f"kind.{kind}") for kind in KINDS},
            lambda value: head_facts.written(value, measure),
            lambda value: head_facts.said(value, measure),
            top,
            signed=measure == "importance",
        ),
        say(f"heads.legend.{measure}"),
    )
    summary = head_facts.extremes(values, measure)
    st.html(line("alt", say(f"heads.meaning.{measure}"), tag("br"), summary))


def _board(session: Session, board: Board, legend: str) -> None:
    labels = within("heads", legend=legend)
    head_board(board, selected=session.head, labels=labels, key="head_board", theme=session.theme, on_open=open_head)


def by_measure(session: Session, facts: head_facts.HeadFacts, measure: str, scope: str, maps: _Maps) -> None:
    """The ten heads with the most of a measure, then all of them in colour."""
    looks: dict[str, Any] = {"theme": session.theme, "on_open": open_head, "selected": session.head}
    labels = within("heads", list=say("heads.list", by=say(f"by.{measure}")))
    found = head_facts.listed(facts, _MOST, measure)
    with bar():
        head_facts.beside_button([each.place for each in found])
    head_list(found, maps, labels=labels, key="best_heads", **looks)
    if measure == "importance":
        about_model = scope == "sentence" and session.model.reads != "text"
        st.html(line("lead", say("heads.lead.model" if about_model else f"heads.lead.{scope}")))
    board_of(session, facts, measure)


def by_pattern(session: Session, pattern: str, scope: str, maps: _Maps) -> None:
    """The ten heads that match a pattern best, the pattern beside them; then all of them in colour."""
    scores, meaning = patterns.ranked(session, pattern, scope, maps)
    place = st.container()
    if pattern != ALIGNED:  # which no grid can show
        grid, place = st.columns([1, 3.4], gap="medium")
        with grid:
            patterns.draw_grid(pattern, session.theme)
    with place:
        looks: dict[str, Any] = {"theme": session.theme, "on_open": open_head, "selected": session.head}
        labels = within("heads", list=say("heads.list", by=say(f"by.{pattern}")))
        found = patterns.best(scores, _MOST, "find.match")
        with bar():
            head_facts.beside_button([each.place for each in found])
        head_list(found, maps, labels=labels, key="best_heads", **looks)
        if not found:
            chart.lead("find.nothing")
        st.html(line("alt", meaning))
    if scores:
        titles = {kind: say(f"kind.{kind}") for kind in KINDS}
        board = Board(scores, titles, lambda value: f"{100 * value:.0f}", lambda value: f"{value:.0%}", 1.0)
        _board(session, board, say("find.legend"))


def table_of(facts: head_facts.HeadFacts) -> None:
    """Every measure of every head as a table, whose rows open their heads."""
    formats = {say(f"heads.column.{name}"): "%.0f" if name in SHARES else "%.2f" for name in HEAD_MEASURES}
    numbers = {name: st.column_config.NumberColumn(format=form) for name, form in formats.items()}
    st.dataframe(
        head_facts.columns(facts),
        hide_index=True,
        height=360,
        column_config=numbers,
        key="all_heads_table",
        on_select=partial(open_row, facts),
        selection_mode="single-row",
    )


def view(session: Session) -> None:
    """The heads ranked: by what muting them costs, by how well they align words, by a habit, or by a pattern."""
    nothing = session.model.reads == "sentence" and not translation(session.subject).log_probs
    mutes = "gains" in session.model.opened.anatomy.abilities and not nothing
    with bar():
        by = pick("by", only=None if mutes else BY_PATTERN, labelled=False, as_list=True, width=190)
        scope = pick("scope", labelled=False)
    maps = head_facts.readings(session)
    if by in BY_PATTERN:
        by_pattern(session, by, scope, maps)
        patterns.draw_alike(session, scope, maps)
        if nothing:
            show_error(LacksAbilityError("gains", session.model.name, "no_mask"))
        return
    table, about = head_facts.corpus_table(session.checkpoint)
    if scope == "corpus" and table:
        facts, shown = head_facts.of_corpus(table, session.model), "corpus"
    else:
        with st.spinner(say("heads.computing")):
            facts, shown = head_facts.of_sentence(session), "sentence"
    if shown != scope:
        st.info(about)
    by_measure(session, facts, by, shown, maps)
    if table and shown == "corpus" and by == "importance":
        draw_together(table, session.theme)
    if not any(role for layers in facts.roles.values() for roles in layers for role in roles):
        st.html(line("alt", say("heads.no_role")))
    table_of(facts)
    draw_nearest(facts)
    if shown == "corpus":
        st.html(line("alt", about))
