"""A choice of heads as a short string for a link: ``c.3.2,e.0.7`` is cross L3 H2 and encoder self L0 H7."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from model.trace import KINDS, Kind

MOST = 6
_LETTERS: dict[Kind, str] = {"encoder_self": "e", "decoder_self": "d", "cross": "c"}


def head_code(kind: Kind, layer: int, head: int) -> str:
    """Short name of a head.

    >>> head_code("cross", 3, 2)
    'c.3.2'
    """
    return f"{_LETTERS[kind]}.{layer}.{head}"


def every_head(layers: Mapping[Kind, int], heads: int) -> dict[str, tuple[Kind, int, int]]:
    """All heads of a checkpoint with this many layers a kind, by their codes."""
    places = ((kind, layer, head) for kind in KINDS for layer in range(layers[kind]) for head in range(heads))
    return {head_code(*place): place for place in places}


def chosen_heads(codes: Iterable[str], known: Iterable[str]) -> list[str]:
    """The codes that name known heads, each once, in their order, at most six; the rest is ignored.

    >>> chosen_heads(["c.0.1", "x.9.9", "c.0.1", "e.0.0"], ["c.0.1", "e.0.0"])
    ['c.0.1', 'e.0.0']
    """
    allowed = set(known)
    return [code for code in dict.fromkeys(codes) if code in allowed][:MOST]
