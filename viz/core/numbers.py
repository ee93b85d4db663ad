"""Numbers as people write them: with a real minus sign, and none before zero."""

from __future__ import annotations


def number(value: float, digits: int = 2) -> str:
    """A number with so many decimals.

    >>> number(-1.5), number(-0.001)
    ('−1.50', '0.00')
    """
    return f"{round(float(value), digits) + 0.0:.{digits}f}".replace("-", "−")


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign, whichever it is; zero has none.

    >>> signed(-0.251), signed(0.251), signed(0.001)
    ('−0.25', '+0.25', '0.00')
    """
    text = number(value, digits)
    return f"+{text}" if text[0] != "−" and text.strip("0.") else text


def cell_number(value: float, digits: int = 2) -> str:
    """A score or weight as a cell shows it: minus infinity and an exact zero are told apart from small numbers.

    >>> cell_number(float("-inf")), cell_number(0.0), cell_number(-0.004)
    ('−∞', '0', '−0.00')
    """
    if value == float("-inf"):
        return "−∞"
    return "0" if value == 0 else f"{value:.{digits}f}".replace("-", "−")


_SPACE_BEFORE = "▁"  # as SentencePiece writes it: a word begins here


def shown_piece(piece: str) -> str:
    """A piece without the sign of the space before it; a lone space is ␣.

    >>> shown_piece("▁I"), shown_piece("▁")
    ('I', '␣')
    """
    return piece.replace(_SPACE_BEFORE, " ").strip() or "␣"
