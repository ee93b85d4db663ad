"""Tokens as the axes of a map show them: spelling, word, and span."""

from __future__ import annotations

from collections.abc import Sequence

from model.own.text.tokenize import BYTE
from model.own.text.vocab import BOS_ID, EOS_ID, SPECIAL_TOKENS
from model.trace import Label
from model.writing import WORD_START, Token

BOS, EOS = Label(SPECIAL_TOKENS[BOS_ID]), Label(SPECIAL_TOKENS[EOS_ID])


def source_labels(text: str, tokens: Sequence[Token], by_letter: bool = False) -> tuple[Label, ...]:
    """Labels of source tokens: their own spelling in the text; ``##`` before a piece inside a word.

    With ``by_letter`` every token is a word of its own.
    """
    if by_letter:
        return tuple(Label(text[t.start : t.end].strip() or "␣", n, t.start, t.end) for n, t in enumerate(tokens))
    labels = []
    for number, token in enumerate(tokens):
        earlier = tokens[number - 1] if number else None
        inside = earlier is not None and earlier.word == token.word
        surface = text[token.start : token.end]
        if earlier is not None and inside and BYTE.fullmatch(token.text) and earlier.start == token.start:
            surface = token.text  # a later byte of the same character
        labels.append(Label(f"##{surface}" if inside else surface, token.word, token.start, token.end))
    return tuple(labels)


def target_labels(pieces: Sequence[str], by_letter: bool = False) -> tuple[Label, ...]:
    """Labels of target pieces; Latin pieces that continue a word begin with ``##``; a lone space is ␣.

    With ``by_letter`` every piece is a word of its own.
    """
    labels: list[Label] = []
    text = "".join(pieces).replace(WORD_START, " ")
    position, word = len(text.lstrip()) - len(text), -1  # a translation is shown without its leading space
    for number, piece in enumerate(pieces):
        surface = piece.replace(WORD_START, " ")
        inside = not by_letter and number > 0 and _is_latin(piece[0]) and _is_latin(pieces[number - 1][-1])
        word += 0 if inside else 1
        start = position + (len(surface) - len(surface.lstrip()))
        shown = surface.strip() or "␣"
        end = position + len(surface)
        labels.append(Label(f"##{shown}" if inside else shown, word, max(0, min(start, end)), max(0, end)))
        position = end
    return tuple(labels)


def _is_latin(char: str) -> bool:
    return char.isalpha() and char < "\u2e80"
