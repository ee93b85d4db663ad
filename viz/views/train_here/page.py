"""A tiny Transformer that the visitor trains in the page: its loss, and its attention as it forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
import streamlit as st

from viz.charts.lesson_charts import cells
from viz.charts.markup import line
from viz.charts.plain_shapes import curves
from viz.core import live
from viz.core.choice import say, speak
from viz.core.numbers import number
from viz.core.session import Session
from viz.widgets.chart import draw, lead
from viz.widgets.errors import show_error
from viz.widgets.picker import pick

if TYPE_CHECKING:
    from model.live.task import LiveTask
    from model.live.training import Seen, Training

EVERY = 1.0  # seconds between two looks


def controls(running: bool) -> LiveTask:
    """The task, a button that starts and one that stops, and why a start was refused."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        task = pick("task", labelled=False)
        st.button(
            say("train.start"), "train_start", type="primary", on_click=live.begin, args=(task,), disabled=running
        )
        st.button(say("train.stop"), "train_stop", on_click=live.stop, disabled=not running)
    if (error := live.refused()) is not None:
        show_error(error)
    return cast("LiveTask", task)


def pictures(own: Training, seen: Seen) -> None:
    """The loss, and each head's attention from what is written to what is read."""
    steps, losses = (np.array(column, dtype=float) for column in zip(*seen.losses, strict=True))
    curve, map_ = st.columns([2, 3], gap="medium")
    with curve:
        axes = (say("train.step"), say("train.loss.axis"))
        figure = curves(steps, {say("train.loss.axis"): losses}, axes, height=300)
        draw(figure, "train.loss", first=number(losses[0]), last=number(losses[-1]))
    with map_:
        assert seen.weights is not None  # whoever has a loss has a map
        lead("train.maps")
        end = say("train.end_token")
        rows, columns = [*own.answer, end], [*own.probe, end]
        for head, (place, weights) in enumerate(zip(st.columns(len(seen.weights)), seen.weights, strict=True)):
            figure = cells(weights, rows, columns, limits=(0, 1), width=340)
            right = int((weights.argmax(-1) == own.sought).sum())
            with place:
                draw(figure, "train.map", twin=str(head), head=f"H{head}", right=right, rows=len(rows))


def made_of_probe(own: Training, seen: Seen) -> None:
    """What it writes by now, and the pictures of it."""
    told = {"probe": own.probe, "written": seen.written or "∅", "wanted": own.answer}
    st.html(line("lead", say("train.written", **told)))
    pictures(own, seen)


def shown(own: Training, polled: bool) -> None:
    """How far it is; asked again every second while it goes on."""
    speak()  # it runs without the frame
    seen = own.look()
    share = max(seen.step / own.steps, seen.seconds / own.seconds)
    said = {"step": seen.step, "seconds": number(seen.seconds, 0), "right": f"{seen.right:.0%}"}
    st.progress(1.0 if seen.end else min(1.0, share), say("train.progress", **said))
    if seen.losses:
        made_of_probe(own, seen)
    if seen.end:
        lead(f"train.end.{seen.end}", **said)
        if polled:
            st.rerun()  # nobody need ask again, and another can be started


def view(_session: Session) -> None:
    """A run of one's own: started, watched, stopped; until then one that was recorded."""
    lead("train.lead")
    own = live.training()
    is_running = own is not None and not own.is_over
    task = controls(is_running)
    if own is not None:
        st.fragment(shown, run_every=EVERY if is_running else None)(own, is_running)
        return
    past = live.recorded(task)
    lead("train.recorded", step=past.seen.step, right=f"{past.seen.right:.0%}")
    made_of_probe(past, past.seen)
