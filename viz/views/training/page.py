"""A checkpoint over its training: a sentence and a head then and now, and when each head found its job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model.analysis.heads.over_time import found_at
from model.attribution.methods import SHIFTS
from model.history import History
from viz.charts.heatmap import HeatmapText
from viz.charts.layout import base_layout, chart_config, number_axis, panel_place, panel_title
from viz.charts.marked import marked_text
from viz.charts.markup import line
from viz.charts.pair import Beside
from viz.core.answers import lessons
from viz.core.answers.lessons import past_of
from viz.core.choice import say, within
from viz.core.session import Session, choose_head
from viz.core.theme import Theme
from viz.widgets.compared_sentences import show_pair
from viz.widgets.errors import end_view
from viz.widgets.head_board import Board, head_board
from viz.widgets.head_facts import role_name, title
from viz.widgets.picker import bar, pick

_GAP, _TICKS = 0.08, 7


@dataclass(frozen=True)
class Course:
    """One panel."""

    title: str  # above it
    values: np.ndarray  # [N, curves]; NaN where there is none
    names: Sequence[str]  # of the curves, shown where they are pointed at
    chosen: int | None = None  # the curve that is picked out


def courses_figure(panels: Sequence[Course], steps: Sequence[int], point: int, theme: Theme, axis: str) -> go.Figure:
    """Curves over the points of training, which stand in order at equal distances; a line marks one of them.

    Args:
        steps: of the points, N of them.
        point: the marked one.

    Raises:
        ValueError: a panel has not N values, or not a name for each curve.
    """
    for panel in panels:
        if panel.values.shape != (len(steps), len(panel.names)):
            raise ValueError(f"values {panel.values.shape} for {len(steps)} points and {len(panel.names)} names")
    data: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    titles, marks = [], []
    ticks = sorted({round(place) for place in np.linspace(0, len(steps) - 1, min(_TICKS, len(steps)))})
    for number, panel in enumerate(panels):
        place, domain = panel_place(number, len(panels), _GAP)
        shown = {"tickmode": "array", "tickvals": ticks, "ticktext": [f"{steps[tick]:,}" for tick in ticks]}
        axes[f"xaxis{place}"] = number_axis(theme, axis, domain=domain, anchor=f"y{place}", showgrid=False, **shown)
        axes[f"yaxis{place}"] = number_axis(theme, "", anchor=f"x{place}", nticks=6)
        titles.append(panel_title(panel.title, domain[0], theme, whole=True))
        ends = {"x0": point, "x1": point, "y0": 0, "y1": 1, "xref": f"x{place}", "yref": f"y{place} domain"}
        marks.append({"type": "line", "line": {"color": theme.accent, "width": 1.5, "dash": "dash"}, **ends})
        order = sorted(range(len(panel.names)), key=lambda curve: curve == panel.chosen)
        data += [_curve(panel, curve, steps, place, theme) for curve in order]
    layout = base_layout(theme, height=300, showlegend=False, annotations=titles, shapes=marks, **axes)
    return go.Figure({"data": data, "layout": layout | {"margin": {"l": 56, "r": 16, "t": 34, "b": 52}}})


def _curve(panel: Course, curve: int, steps: Sequence[int], place: str, theme: Theme) -> dict[str, Any]:
    is_chosen = curve == panel.chosen or len(panel.names) == 1
    return {
        "type": "scatter",
        "mode": "lines+markers" if is_chosen else "lines",
        "x": list(range(len(steps))),
        "y": panel.values[:, curve],
        "name": panel.names[curve],
        "line": {"color": theme.accent if is_chosen else theme.muted, "width": 3 if is_chosen else 1},
        "marker": {"size": 6},
        "opacity": 1.0 if is_chosen else 0.35,
        "customdata": [f"{step:,}" for step in steps],
        "hovertemplate": f"{panel.names[curve]}, %{{customdata}}: <b>%{{y:.3~g}}</b><extra></extra>",
        "xaxis": f"x{place}",
        "yaxis": f"y{place}",
    }


@dataclass(frozen=True)
class Measured:
    """A measure of every head of a kind at every point."""

    name: str  # of CHOICES["course"]
    values: np.ndarray  # [N, L, H]
    falls: bool  # a smaller value is the better one
    least: float  # what a head must have gained to have found something
    job: str = ""  # of the chosen head, in words; "" where the measure has none


def measured(now: Session, found: History, name: str) -> Measured | None:
    """A measure of the chosen kind; None where this kind, or this checkpoint, has none."""
    weights = now.model.sha256
    if name == "aer":
        values = found.aer[:, SHIFTS.index(now.shift)] if now.kind == "cross" else None
        return None if values is None else Measured(name, values, True, 10.0)
    if name == "job":
        jobs = lessons.jobs(now.checkpoint, weights, now.kind)
        kind, layer, head = now.head
        offset = int(jobs.offset[layer, head])
        near = {} if kind == "cross" else {-1: "previous", 1: "next"}
        on = ("diagonal" if kind == "cross" else "itself") if offset == 0 else near.get(offset, "offset")
        role = "sink" if jobs.names[layer][head] == "sink" else on
        return Measured(name, 100 * jobs.shares, False, 15.0, role_name(role, kind, offset))
    costs = lessons.importance(now.checkpoint, weights, now.kind)
    return None if costs is None else Measured(name, costs, False, 0.02)


def point_slider(now: Session, steps: Sequence[int]) -> int:
    """Which point of training is looked at; where nobody chose, the one at which the model was half trained."""
    state, half = st.session_state, lessons.half_trained(now.checkpoint)
    first = steps[-1] if half is None else half
    if "trained" in state and state["trained"] not in steps:
        state["trained"] = first
    step = st.select_slider(
        say("past.point"), list(steps), first, key="trained", help=say("past.point.help"), bind="query-params"
    )
    return list(steps).index(step)


def then_and_now(now: Session, found: History, example: int, point: int) -> None:
    """An example's translation at a point over the finished one, and the chosen head's maps of both."""
    facts, last = found.examples[example], len(found.step) - 1
    titles = [
        say("past.then", step=f"{found.step[each]:,}", bleu=f"{found.dev_bleu[each]:.1f}") for each in (point, last)
    ]
    for column, each, name in zip(st.columns(2), (point, last), titles, strict=True):
        with column:
            st.html(line("alt", name))
            st.html(marked_text([found.translation(each, example)], (), now.theme))
    rows, columns = facts["rows"][now.kind], facts["columns"][now.kind]
    if now.kind == "cross" and now.shift == "written":
        rows = [*facts["rows"]["decoder_self"][1:], columns[-1]]
    maps = (found.maps_at(example, now.kind, each)[now.head[1:]] for each in (point, last))
    one, other = (
        Beside(f"{title(now.head)} · {say('past.step', step=f'{found.step[each]:,}')}", values, rows, columns)
        for each, values in zip((point, last), maps, strict=True)
    )
    show_pair(now, (one, other), replace(HeatmapText.said_by(say), weight=say("method.weights")))


def curves(now: Session, found: History, chosen: Measured, point: int) -> None:
    """The measure of every head of the kind, the chosen one picked out, beside BLEU."""
    points, layers, heads = chosen.values.shape
    names = [f"L{layer} H{head}" for layer in range(layers) for head in range(heads)]
    place = now.head.layer * heads + now.head.head
    steps = found.step.tolist()
    panels = [
        Course(say(f"past.axis.{chosen.name}", job=chosen.job), chosen.values.reshape(points, -1), names, place),
        Course(say("past.bleu", pairs=found.facts["dev"]["sentences"]), found.dev_bleu[:, None], ["BLEU"]),
    ]
    figure = courses_figure(panels, steps, point, now.theme, say("past.axis"))
    at = found_at(chosen.values, chosen.falls, chosen.least)[now.head[1:]]
    said = (
        say("past.found", head=title(now.head), step=f"{steps[at]:,}")
        if at >= 0
        else say("past.not_found", head=title(now.head))
    )
    st.plotly_chart(figure, key="courses", theme=None, config=chart_config("headlight-training"), alt=said)
    st.html(line("lead", said))


def when_found(now: Session, found: History, chosen: Measured) -> None:
    """At which step each head of the kind found what the measure tells; a click chooses a head."""
    at = found_at(chosen.values, chosen.falls, chosen.least).astype(float)
    steps = found.step.tolist()

    def written(value: float) -> str:
        step = steps[int(value)]
        return f"{step / 1000:.1f}k" if step >= 1000 else str(step)

    board = Board(
        {now.kind: np.where(at < 0, np.nan, at)},
        {now.kind: say(f"kind.{now.kind}")},
        written,
        lambda value: say("past.step", step=f"{steps[int(value)]:,}"),
        top=len(steps) - 1.0,
    )
    head_board(board, selected=now.head, theme=now.theme, labels=within("past"), key="found_heads", on_open=choose_head)


def take_sentence() -> None:
    """Look at the sentence that was chosen."""
    if text := st.session_state.get("past_sentence"):
        st.session_state.update(text=text, part="")


def view(session: Session) -> None:
    """The checkpoint at a point of its training beside the finished one, and the course of a measure."""
    found, why = past_of(session.checkpoint)
    if found is None:
        st.html(line("error", say(f"past.{why}", checkpoint=session.checkpoint), role="alert"))
        end_view()
    with bar():
        name = pick("course", "aer" if session.kind == "cross" else "job", labelled=False)
    point = point_slider(session, found.step.tolist())
    sentences = [each["source"] for each in found.examples]
    if session.subject.text in sentences:
        then_and_now(session, found, sentences.index(session.subject.text), point)
    else:
        st.html(line("lead", say("past.others")))
        label = say("past.sentences")
        st.pills(label, sentences, key="past_sentence", label_visibility="collapsed", on_change=take_sentence)
    chosen = measured(session, found, name)
    if chosen is None:
        st.info(say(f"past.none.{name}"))
        end_view()
    curves(session, found, chosen, point)
    when_found(session, found, chosen)
    st.html(line("alt", say(f"past.meaning.{name}")))
