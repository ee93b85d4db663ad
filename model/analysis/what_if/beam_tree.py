"""Everything that a beam search looked at, as a tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from model.source import Source
from model.writing import LENGTH_ALPHA, Expansion, Hypothesis

Fate = Literal["kept", "dropped", "finished"]


@dataclass(frozen=True)
class BeamNode:
    """One token that beam search considered writing."""

    parent: int  # index of the node it continues; -1 for the first token
    depth: int  # how many tokens stand before it
    token: int  # its id; <eos> for a finished hypothesis
    hypothesis: Hypothesis  # all that was written up to and with it
    score: float  # log-probability of the hypothesis over its length penalty
    fate: Fate  # whether it went on, was dropped from the beam, or ended its hypothesis


@dataclass(frozen=True)
class LostLead:
    """A start that scored better than the winner's, and what became of it."""

    rival: BeamNode  # the start; its hypothesis is all that was written by then
    winner_start: BeamNode  # the winner's own at the same step
    best_end: BeamNode | None  # the best finished hypothesis that it led to, if any
    last_kept: int  # the last depth at which the beam still held a continuation of it


class BeamTree:
    """Collects a beam search's expansions; hand ``watch`` to ``beam_search``."""

    def __init__(self, eos_id: int, alpha: float) -> None:
        self.nodes: list[BeamNode] = []
        self._eos_id, self._alpha = eos_id, alpha
        self._place: dict[tuple[int, ...], int] = {(): -1}

    def watch(self, step: Expansion) -> None:
        """Add one step's continuations."""
        fates: tuple[tuple[Fate, list[Hypothesis]], ...] = (
            ("finished", step.ended),
            ("kept", step.kept),
            ("dropped", step.dropped),
        )
        for fate, hypotheses in fates:
            for hypothesis in hypotheses:
                self._add(hypothesis, fate)

    def path(self, hypothesis: Hypothesis) -> list[int]:
        """Indices of the nodes from the first token to the hypothesis' last, <eos> included."""
        last = next(n for n, node in enumerate(self.nodes) if node.hypothesis == hypothesis)
        path = [last]
        while (parent := self.nodes[path[0]].parent) >= 0:
            path.insert(0, parent)
        return path

    def overtaken(self, winner: Hypothesis) -> int | None:
        """Depth of the first step at which a start other than the winner's scored better; None if never."""
        for node in sorted(self.nodes, key=lambda node: node.depth):
            if node.depth >= len(winner.ids):
                return None
            ahead = winner.ids[: node.depth + 1]
            rival = self.nodes[self._place[ahead]] if ahead in self._place else None
            if rival and node.fate == "kept" and node.hypothesis.ids != ahead and node.score > rival.score:
                return node.depth
        return None

    def lost_lead(self, winner: Hypothesis) -> LostLead | None:
        """The best-looking start that the winner overtook, at the first step where there was one."""
        depth = self.overtaken(winner)
        if depth is None:
            return None
        there = [node for node in self.nodes if node.depth == depth and node.fate == "kept"]
        rival = max(there, key=lambda node: node.score)
        start = rival.hypothesis.ids
        led_to = [node for node in self.nodes if node.hypothesis.ids[: depth + 1] == start and node.depth > depth]
        ends = [node for node in led_to if node.fate == "finished"]
        return LostLead(
            rival,
            winner_start=self.nodes[self._place[winner.ids[: depth + 1]]],
            best_end=max(ends, key=lambda node: node.score, default=None),
            last_kept=max((node.depth for node in led_to if node.fate == "kept"), default=depth),
        )

    def _add(self, hypothesis: Hypothesis, fate: Fate) -> None:
        ended = fate == "finished"
        before = hypothesis.ids if ended else hypothesis.ids[:-1]
        token = self._eos_id if ended else hypothesis.ids[-1]
        if fate == "kept":
            self._place[hypothesis.ids] = len(self.nodes)
        parent, score = self._place[before], hypothesis.score(self._alpha)
        self.nodes.append(BeamNode(parent, len(before), token, hypothesis, score, fate))


def grown_tree(model: Source, text: str, beam: int) -> tuple[BeamTree, list[Hypothesis]]:
    """All that beam search looks at while it translates a text, and what it finished, best first.

    The first hypothesis is what the model writes with this beam, for one of 2 or more.

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Source.ids``.
    """
    tree = BeamTree(model.end_id, LENGTH_ALPHA)
    return tree, model.search(text, beam, tree.watch)
