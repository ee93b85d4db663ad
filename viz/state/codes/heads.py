"""A choice of heads as a short string for a link: ``c3.2,e0.7`` is cross L3 H2 and encoder self L0 H7."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

import numpy as np

from model.trace import KINDS, HeadRef, Kind

MOST_HEADS = 6


def every_head(sizes: Mapping[Kind, tuple[int, int]]) -> dict[str, HeadRef]:
    """All heads of a model with so many layers and heads of each kind, by their codes."""
    places = ((kind, *place) for kind in KINDS if kind in sizes for place in np.ndindex(*sizes[kind]))
    return {head.code: head for head in (HeadRef(*place) for place in places)}


def chosen_heads(codes: Iterable[str], known: Container[str]) -> list[str]:
    """The codes of the known heads that are named, each once, in their order, at most six; the rest is ignored.

    >>> chosen_heads(["c0.1", "x9.9", "c.0.1", "e0.0"], ["c0.1", "e0.0"])
    ['c0.1', 'e0.0']
    """
    named = dict.fromkeys(head.code for head in map(HeadRef.parse, codes) if head)
    return [code for code in named if code in known][:MOST_HEADS]
