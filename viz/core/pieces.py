"""Pieces of words as a person reads them."""

from __future__ import annotations

_SPACE_BEFORE = "▁"  # as SentencePiece writes it: a word begins here


def shown_piece(piece: str) -> str:
    """A piece without the sign of the space before it; a lone space is ␣.

    >>> shown_piece("▁I"), shown_piece("▁")
    ('I', '␣')
    """
    return piece.replace(_SPACE_BEFORE, " ").strip() or "␣"
