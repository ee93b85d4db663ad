"""Which heads are drawn as one, and how: two widgets, and what they say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from model.attribution.labelled_map import combine
from model.attribution.methods import METHODS
from model.trace import HeadRef, Kind
from viz.core.answers.heads import ablation
from viz.core.choice import picked
from viz.core.language import say
from viz.core.models import ModelEntry
from viz.core.session import Session, Subject

_CODE = re.compile(r"L(\d+)(?: H(\d+))?")


@dataclass(frozen=True)
class Combination:
    """One head, or several as one.

    Attributes:
        how: "head", "mean", "max" or "importance".
        head: the head, for "head".
        over: names of layers ("L3") and heads ("L3 H2") that are combined; () is all.
        subject: the translation, whose heads' importance may weigh them.
    """

    how: str
    head: HeadRef
    over: tuple[str, ...]
    subject: Subject

    def of(self, maps: np.ndarray, kind: Kind) -> np.ndarray:
        """The map [Q, K] that this makes of a kind's maps [L, H, Q, K]."""
        if self.how == "head":
            return maps[self.head[1:]]
        layers, heads = maps.shape[:2]
        places = [layer * heads + head for layer, head in members(self.over, layers, heads)]
        importance = None
        if self.how == "importance":
            importance = ablation(self.subject).importance[kind].reshape(-1)[places]
        return combine(maps.reshape(-1, *maps.shape[2:])[places], self.how, importance)

    @property
    def name(self) -> str:
        """What is combined and how, for a title."""
        if self.how == "head":
            return self.head.title
        return say(f"combine.{self.how}.name", heads=", ".join(self.over) or say("combine.everything"))


def members(codes: Sequence[str], layers: int, heads: int) -> list[tuple[int, int]]:
    """Layer and head of everything that the codes name, each once, in order; all where there is no code.

    >>> members(["L1", "L0 H1", "L1 H0", "nonsense"], 2, 2)
    [(0, 1), (1, 0), (1, 1)]
    """
    if not codes:
        return [(layer, head) for layer in range(layers) for head in range(heads)]
    found = set()
    for match in filter(None, map(_CODE.fullmatch, codes)):
        layer = int(match[1])
        found |= {(layer, head) for head in (range(heads) if match[2] is None else [int(match[2])])}
    return sorted(place for place in found if place[0] < layers and place[1] < heads)


def combination(now: Session) -> Combination:
    """What the frame's pickers ``combine`` and ``over`` hold."""
    state = st.session_state
    known = codes(now.model, now.kind)
    over = tuple(code for code in state.get("over", ()) if code in known)
    # What is one map for all heads leaves nothing to combine.
    how = "head" if METHODS[now.method].per != "head" else picked("combine")
    return Combination(how, now.head, over, now.subject)


def codes(model: ModelEntry, kind: Kind) -> list[str]:
    """Everything of a kind that can be combined: layers, then heads."""
    sizes = model.facts.anatomy.kinds[kind]
    layers, heads = range(sizes.layers), range(sizes.heads)
    return [f"L{layer}" for layer in layers] + [f"L{layer} H{n}" for layer in layers for n in heads]
