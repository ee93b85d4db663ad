"""Beam search as a tree of tokens: what it kept, dropped, finished, and which path won."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from viz.core.language import Labels
from viz.core.pieces import shown_piece
from viz.core.theme import Theme
from viz.widgets.messages import message
from viz.widgets.registry import register

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


def beam_tree(
    data: dict[str, object],
    *,
    theme: Theme,
    labels: Labels,
    key: str,
    on_open: Callable[[int], None],
) -> None:
    """The tree, and the finished hypotheses under it; a click or Enter on one of them opens it.

    Args:
        data: what ``tree_payload`` made.
        theme: the look.
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        on_open: called with the rank of the opened hypothesis, from 0, before the script runs again.
    """

    def opened() -> None:
        rank = message(key, "open")
        if type(rank) is int and rank >= 0:
            on_open(rank)

    _component.mount(data, theme=theme, labels=labels, key=key, on_open_change=opened)


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
