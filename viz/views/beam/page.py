"""What beam search tried, and three ways to decode side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from viz.charts.markup import line
from viz.charts.versions import versions_html
from viz.core.answers import what_if
from viz.core.answers.translations import translation
from viz.core.language import say, within
from viz.core.numbers import number
from viz.core.session import Subject, current_session, force
from viz.views.beam.beam_tree import beam_tree, tree_payload
from viz.widgets import chart
from viz.widgets.bar import bar
from viz.widgets.picker import pick
from viz.widgets.versions import compared

if TYPE_CHECKING:
    from model.analysis.what_if.beam_tree import BeamTree
    from model.writing import Hypothesis

SAMPLING: tuple[tuple[str, Any, Any, Any, Any], ...] = (  # name, lowest, highest, where it starts, step
    ("temperature", 0.1, 2.0, 1.0, 0.1),
    ("top_k", 0, 50, 0, 1),
    ("top_p", 0.05, 1.0, 1.0, 0.05),
    ("seed", 0, 99, 0, 1),
)
now = current_session()
text, name, model = now.subject.text, now.checkpoint, now.model.opened


def draw_tree(width: int) -> None:
    """The tree, and the hypotheses that can be opened."""
    with st.spinner(say("wait.beam")):
        tree, hypotheses = what_if.tree(text, name, width)
    about = f"{say('beam.tree.lead', nodes=len(tree.nodes), width=width)} {overtaken(tree, hypotheses)}"
    beam_tree(
        tree_payload(tree, hypotheses, model.decode_target, model.piece, translation(now.subject).tgt_ids),
        theme=now.theme,
        labels=within("beam"),
        key="beam_tree",
        on_open=lambda rank: open_hypothesis(hypotheses, rank),
    )
    st.html(line("lead", about, id="hl-overtaken", style="max-width:none"))


def open_hypothesis(hypotheses: Sequence[Hypothesis], rank: int) -> None:
    """Make a hypothesis the translation under inspection, or go back to the model's own choice."""
    if rank < len(hypotheses):
        chosen = hypotheses[rank]
        end_id = now.model.facts.end_id
        own = chosen.ids == translation(now.subject.own).tgt_ids
        force("hyp", () if own else (*chosen.ids, end_id) if chosen.finished else chosen.ids)


def overtaken(tree: BeamTree, hypotheses: Sequence[Hypothesis]) -> str:
    """One sentence on the first better-looking start that lost."""
    lost = tree.lost_lead(hypotheses[0])
    if lost is None:
        return say("beam.never")
    end = lost.best_end
    fate = (
        say("beam.lost.score", score=number(end.score))
        if end is not None
        else say("beam.lost.dropped", step=lost.last_kept + 2)
    )
    return say(
        "beam.lost",
        step=lost.rival.depth + 1,
        start=model.decode_target(lost.rival.hypothesis.ids),
        score=number(lost.rival.score),
        winner=model.decode_target(lost.winner_start.hypothesis.ids),
        winner_score=number(lost.winner_start.score),
        fate=fate,
    )


def draw_setting(name: str, low: Any, high: Any, start: Any, step: Any) -> Any:
    """One setting of the draw, called by its name in the URL."""
    label, explained = say(f"sampling.{name}"), say(f"sampling.{name}.help")
    return st.slider(label, low, high, start, step, key=name, help=explained, bind="query-params", width=250)


def draw_ways(width: int) -> None:
    """Greedy, beam and sampled translations in one table."""
    with st.container(horizontal=True, gap="medium"):
        settings = [draw_setting(*setting) for setting in SAMPLING]
    with st.spinner(say("wait.ways")):
        greedy, beam = (what_if.continued(Subject(text, name, each)) for each in (1, width))
        sampled = what_if.sampled(text, name, *settings)
    titles = say("sampling.greedy"), say("sampling.beam", width=width), say("sampling.sampled", seed=settings[-1])
    st.html(versions_html(compared(titles, (greedy, beam, sampled)), now.theme))
    chart.lead("sampling.lead")
    chart.lead("sampling.note")


with bar():
    shown = pick("decoded", labelled=False)
    st.html(line("alt", say("beam.width")), width="content")
    width = st.slider(
        say("beam.width"), 2, 8, 5, key="width", label_visibility="collapsed", bind="query-params", width=200
    )
(draw_tree if shown == "tree" else draw_ways)(width)
