"""What beam search tried, and three ways to decode side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from viz.charts.marked import versions_html
from viz.charts.markup import line
from viz.core.answers import what_if
from viz.core.answers.translations import translation
from viz.core.choice import say, within
from viz.core.numbers import number, shown_piece
from viz.core.session import Session, Subject, force
from viz.core.theme import Theme
from viz.widgets import chart
from viz.widgets.compared_sentences import compared
from viz.widgets.errors import message
from viz.widgets.picker import bar, pick
from viz.widgets.places import register

if TYPE_CHECKING:
    from model.analysis.what_if.beam_tree import BeamNode, BeamTree
    from model.writing import Hypothesis

LABELS = (
    "hint",
    "kept",
    "dropped",
    "finished",
    "left",
    "won",
    "rival",
    "readout",
    "finished_title",
    "row",
    "unfinished",
    "open",
    "shown",
)
_component = register("beam_tree", LABELS)
Number = TypeVar("Number", int, float)
SAMPLING: tuple[tuple[str, Any, Any, Any, Any], ...] = (  # name, lowest, highest, where it starts, step
    ("temperature", 0.1, 2.0, 1.0, 0.1),
    ("top_k", 0, 50, 0, 1),
    ("top_p", 0.05, 1.0, 1.0, 0.05),
    ("seed", 0, 99, 0, 1),
)


def beam_tree(data: dict[str, object], theme: Theme, on_open: Callable[[int], None]) -> None:
    """The tree, and the finished hypotheses under it; a click or Enter on one of them opens it.

    Args:
        data: what ``tree_payload`` made.
        on_open: called with the rank of the opened hypothesis, from 0, before the script runs again.
    """

    def opened() -> None:
        rank = message("beam_tree", "open")
        if type(rank) is int and rank >= 0:
            on_open(rank)

    _component.mount(data, theme=theme, labels=within("beam"), key="beam_tree", on_open_change=opened)


def tree_payload(
    tree: BeamTree,
    hypotheses: Sequence[Hypothesis],
    decode: Callable[[list[int]], str],
    piece: Callable[[int], str],
    shown: tuple[int, ...] = (),
) -> dict[str, object]:
    """What ``beam_tree`` sends to the browser, less look and labels.

    Args:
        tree: all that the search looked at.
        hypotheses: what it returned, best first.
        decode, piece: the text of target ids, and of one id.
        shown: ids of the translation under inspection.
    """
    ranks = {hypothesis: rank for rank, hypothesis in enumerate(hypotheses)}
    lost = tree.lost_lead(hypotheses[0])
    return {
        "nodes": [_node(node, ranks, decode, piece) for node in tree.nodes],
        "won": tree.path(hypotheses[0]),
        "rival": tree.nodes.index(lost.rival) if lost else -1,
        "hypotheses": [
            {
                "text": decode(list(each.ids)),
                "score": round(tree.nodes[tree.path(each)[-1]].score, 4),
                "log_prob": round(each.log_prob, 4),
                "tokens": len(each.log_probs),
                "finished": each.finished,
                "shown": each.ids == shown,
            }
            for each in hypotheses
        ],
    }


def _node(
    node: BeamNode, ranks: dict[Hypothesis, int], decode: Callable[[list[int]], str], piece: Callable[[int], str]
) -> dict[str, object]:
    return {
        "parent": node.parent,
        "depth": node.depth,
        "token": shown_piece(piece(node.token)),
        "text": decode(list(node.hypothesis.ids)),
        "score": round(node.score, 4),
        "log_prob": round(node.hypothesis.log_prob, 4),
        "probability": round(math.exp(node.hypothesis.log_probs[-1]), 4),
        "fate": node.fate,
        "rank": ranks.get(node.hypothesis, -1),
    }


def draw_tree(now: Session, width: int) -> None:
    """The tree, and the hypotheses that can be opened."""
    model = now.model.opened
    with st.spinner(say("wait.beam")):
        tree, hypotheses = what_if.tree(now.subject.text, now.checkpoint, width)
    lost = overtaken(tree, hypotheses, model.decode_target)
    about = f"{say('beam.tree.lead', nodes=len(tree.nodes), width=width)} {lost}"
    beam_tree(
        tree_payload(tree, hypotheses, model.decode_target, model.piece, translation(now.subject).tgt_ids),
        now.theme,
        lambda rank: open_hypothesis(now, hypotheses, rank),
    )
    st.html(line("lead", about, id="hl-overtaken", style="max-width:none"))


def open_hypothesis(now: Session, hypotheses: Sequence[Hypothesis], rank: int) -> None:
    """Make a hypothesis the translation under inspection, or go back to the model's own choice."""
    if rank < len(hypotheses):
        chosen = hypotheses[rank]
        end_id = now.model.facts.end_id
        own = chosen.ids == translation(now.subject.own).tgt_ids
        force("hyp", () if own else (*chosen.ids, end_id) if chosen.finished else chosen.ids)


def overtaken(tree: BeamTree, hypotheses: Sequence[Hypothesis], decode: Callable[[list[int]], str]) -> str:
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
        start=decode(list(lost.rival.hypothesis.ids)),
        score=number(lost.rival.score),
        winner=decode(list(lost.winner_start.hypothesis.ids)),
        winner_score=number(lost.winner_start.score),
        fate=fate,
    )


def draw_setting(name: str, low: Number, high: Number, start: Number, step: Number) -> Number:
    """One setting of the draw, called by its name in the URL."""
    label, explained = say(f"sampling.{name}"), say(f"sampling.{name}.help")
    return st.slider(label, low, high, start, step, key=name, help=explained, bind="query-params", width=250)


def draw_ways(now: Session, width: int) -> None:
    """Greedy, beam and sampled translations in one table."""
    with st.container(horizontal=True, gap="medium"):
        settings = [draw_setting(*setting) for setting in SAMPLING]
    with st.spinner(say("wait.ways")):
        about = now.subject.text, now.checkpoint
        greedy, beam = (what_if.continued(Subject(*about, each)) for each in (1, width))
        sampled = what_if.sampled(*about, *settings)
    titles = say("sampling.greedy"), say("sampling.beam", width=width), say("sampling.sampled", seed=settings[-1])
    st.html(versions_html(compared(titles, (greedy, beam, sampled)), now.theme))
    chart.lead("sampling.lead")
    chart.lead("sampling.note")


def view(session: Session) -> None:
    """The search as a tree, or three ways to decode."""
    with bar():
        shown = pick("decoded", labelled=False)
        st.html(line("alt", say("beam.width")), width="content")
        width = st.slider(
            say("beam.width"), 2, 8, 5, key="width", label_visibility="collapsed", bind="query-params", width=200
        )
    (draw_tree if shown == "tree" else draw_ways)(session, width)
