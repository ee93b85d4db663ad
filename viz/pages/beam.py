"""What beam search tried, and three ways to decode side by side."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from model.vocab import EOS_ID
from viz import cached, chart, session
from viz.components.beam_tree import LABELS, beam_tree, tree_payload
from viz.figures.versions import versions_html
from viz.numbers import number
from viz.session import say
from viz.versions import compared

if TYPE_CHECKING:
    from model.analysis.beam_tree import BeamTree
    from model.decoding import Hypothesis

SAMPLING: tuple[tuple[str, Any, Any, Any, Any], ...] = (  # name, lowest, highest, where it starts, step
    ("temperature", 0.1, 2.0, 1.0, 0.1),
    ("top_k", 0, 50, 0, 1),
    ("top_p", 0.05, 1.0, 1.0, 0.05),
    ("seed", 0, 99, 0, 1),
)
now = session.view()
tokenizer = session.translator(now.checkpoint).tgt_tokenizer


def draw_tree(width: int) -> None:
    """The tree, and the hypotheses that can be opened."""
    tree, hypotheses = cached.tree(now.text, now.checkpoint, width)
    about = f"{say('beam.tree.lead', nodes=len(tree.nodes), width=width)} {overtaken(tree, hypotheses)}"
    st.html(f'<p class="hl-lead" id="hl-overtaken" style="max-width:none">{html.escape(about)}</p>')
    beam_tree(
        tree_payload(tree, hypotheses, tokenizer.decode, tokenizer.piece, session.translation().tgt_ids),
        theme=session.theme(),
        labels={name: say(f"beam.{name}") for name in LABELS},
        key="beam_tree",
        on_open=lambda rank: open_hypothesis(hypotheses, rank),
    )


def open_hypothesis(hypotheses: Sequence[Hypothesis], rank: int) -> None:
    """Make a hypothesis the translation under inspection, or go back to the model's own choice."""
    if rank < len(hypotheses):
        chosen = hypotheses[rank]
        own = chosen.ids == session.chosen_translation().tgt_ids
        session.force("hyp", () if own else (*chosen.ids, EOS_ID) if chosen.finished else chosen.ids)


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
        start=tokenizer.decode(list(lost.rival.hypothesis.ids)),
        score=number(lost.rival.score),
        winner=tokenizer.decode(list(lost.winner_start.hypothesis.ids)),
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
    greedy = cached.continued(now.text, now.checkpoint, 1)
    beam = cached.continued(now.text, now.checkpoint, width)
    sampled = cached.sampled(now.text, now.checkpoint, *settings)
    titles = say("sampling.greedy"), say("sampling.beam", width=width), say("sampling.sampled", seed=settings[-1])
    chart.lead("sampling.lead")
    st.html(versions_html(compared(titles, (greedy, beam, sampled)), session.theme()))
    chart.lead("sampling.note")


with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    shown = chart.pick("beam.view", "decoded", ("tree", "ways"), labelled=False)
    label, explained = say("beam.width"), say("beam.width.help")
    width = st.slider(label, 2, 8, 5, key="width", help=explained, bind="query-params", width=250)
(draw_tree if shown == "tree" else draw_ways)(width)
