"""A checkpoint over its training: translations and maps then, and curves of what its heads learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from model.analysis.heads.over_time import found_at
from model.attribution.methods import SHIFTS
from model.history import History
from viz.charts.heatmap import HeatmapText
from viz.charts.layout import chart_config
from viz.charts.marked import marked_text
from viz.charts.markup import line
from viz.charts.pair import Beside
from viz.core.answers import past
from viz.core.language import say, within
from viz.core.session import Session, choose_head
from viz.views.training.course import Course, courses_figure
from viz.widgets.compared_heads import show_pair
from viz.widgets.head_board import Board, head_board
from viz.widgets.head_facts import role_name, title


@dataclass(frozen=True)
class Measured:
    """A measure of every head of a kind at every point.

    Attributes:
        name: of CHOICES["course"].
        values: [N, L, H].
        falls: a smaller value is the better one.
        least: what a head must have gained to have found something.
        job: of the chosen head, in words; "" where the measure has none.
    """

    name: str
    values: np.ndarray
    falls: bool
    least: float
    job: str = ""


def measured(now: Session, found: History, name: str) -> Measured | None:
    """A measure of the chosen kind; None where this kind, or this checkpoint, has none."""
    weights = now.model.sha256
    if name == "aer":
        values = found.aer[:, SHIFTS.index(now.shift)] if now.kind == "cross" else None
        return None if values is None else Measured(name, values, True, 10.0)
    if name == "job":
        jobs = past.jobs(now.checkpoint, weights, now.kind)
        kind, layer, head = now.head
        offset = int(jobs.offset[layer, head])
        near = {} if kind == "cross" else {-1: "previous", 1: "next"}
        on = ("diagonal" if kind == "cross" else "itself") if offset == 0 else near.get(offset, "offset")
        role = "sink" if jobs.names[layer][head] == "sink" else on
        return Measured(name, 100 * jobs.shares, False, 15.0, role_name(role, kind, offset))
    costs = past.importance(now.checkpoint, weights, now.kind)
    return None if costs is None else Measured(name, costs, False, 0.02)


def point_slider(now: Session, steps: Sequence[int]) -> int:
    """Which point of training is looked at; where nobody chose, the one at which the model was half trained."""
    state, half = st.session_state, past.half_trained(now.checkpoint)
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
