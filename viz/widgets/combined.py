"""Which heads are drawn as one, and how: what the pickers ``combine`` and ``over`` ask for."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from model.attribution.labelled_map import combine
from model.trace import Kind
from viz.core.answers.heads import ablation
from viz.core.language import say
from viz.core.session import Session

_CODE = re.compile(r"L(\d+)(?: H(\d+))?")


def merged(now: Session, maps: np.ndarray, kind: Kind) -> np.ndarray:
    """The chosen head's map [Q, K] of a kind's maps [L, H, Q, K], or that of several as one."""
    chosen = now.selection
    if chosen.combine == "head":
        return maps[chosen.head[1:]]
    layers, heads = maps.shape[:2]
    places = [layer * heads + head for layer, head in members(chosen.over, layers, heads)]
    importance = None
    if chosen.combine == "importance":
        importance = ablation(now.subject).importance[kind].reshape(-1)[places]
    return combine(maps.reshape(-1, *maps.shape[2:])[places], chosen.combine, importance)


def merged_name(now: Session) -> str:
    """What is drawn, for a title: a head, or what is combined and how."""
    chosen = now.selection
    if chosen.combine == "head":
        return chosen.head.title
    return say(f"combine.{chosen.combine}.name", heads=", ".join(chosen.over) or say("combine.everything"))


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
