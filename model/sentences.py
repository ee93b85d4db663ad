"""Where the sentences of an English text begin and end. Needs no PyTorch."""

from __future__ import annotations

import re
from itertools import pairwise

from model.trace import Span

QUOTES = str.maketrans("“”‘’", "\"\"''")
PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
STOP = re.compile(r"(?P<stop>[.!?…]+[\"')\]]*)\s+(?=[\"'(\[]*(?P<next>\w+))")
BEFORE_NAME = {
    "mr",
    "mrs",
    "ms",
    "dr",
    "prof",
    "st",
    "mt",
    "gen",
    "col",
    "capt",
    "lt",
    "sgt",
    "rev",
    "gov",
    "sen",
    "vs",
}
BEFORE_NAME |= {"e.g", "i.e", "cf", "messrs", "mme"}
BEFORE_NUMBER = {"no", "nos", "fig", "figs", "vol", "p", "pp", "ch", "sec", "eq", "approx", "ca", "art", "par"}
WITHIN = {"inc", "ltd", "co", "corp", "jr", "sr", "etc", "ph.d", "dept", "a.m", "p.m", "a.d", "b.c"}
INITIALS = re.compile(r"(?:[A-Za-z]\.)*[A-HJ-Za-z]")  # "I." ends a sentence
STARTERS = re.compile(
    "A|An|And|Are|As|At|But|By|Can|Did|Do|Does|For|From|He|Her|Here|His|How|I|If|In|Is|It|Its|Let|Many"
    "|Most|My|No|Not|Now|On|One|Our|Please|She|So|Some|That|The|Their|Then|There|These|They|This|Those|To"
    "|Today|Was|We|What|When|Where|Which|Who|Why|Will|Yes|Yesterday|You|Your"
)
LONG_QUOTE = 150  # characters; a longer one is split inside


def parts_of(text: str, src_tokenizer: str) -> list[Span]:
    """Where the parts of a text lie that are translated one by one; at least one.

    A text of one sentence, or for a checkpoint that reads letters (by the kind of its source tokenizer),
    is one part, with the white space around it.
    """
    found = sentence_spans(text) if src_tokenizer == "english" else []
    return found if len(found) > 1 else [(0, len(text))]


def sentence_spans(text: str) -> list[Span]:
    """Spans of the sentences of a text, without the white space between them; none for blank text.

    A sentence ends with ``.``, ``!``, ``?`` or ``…`` before white space and a capital letter or a digit
    (before any letter, in a text that has no capital), and with a blank line; other line breaks count
    as spaces. It does not end after a title or an initial ("Mr. Lee", "J. Smith", "U.S. Army"), before
    the number of "No. 5", or inside a quotation of up to LONG_QUOTE characters.
    """
    text = text.translate(QUOTES)
    spans, start = [], 0
    for end, after in [*((m.start(), m.end()) for m in PARAGRAPH.finditer(text)), (len(text), len(text))]:
        spans += _of_paragraph(text, start, end)
        start = after
    return spans


def _of_paragraph(text: str, start: int, end: int) -> list[Span]:
    paragraph = text[start:end]
    quotes = _quotations(paragraph)
    lower = paragraph == paragraph.lower()
    cuts = [0]
    for match in STOP.finditer(paragraph):
        place = match.end("stop")
        if _ends(paragraph[cuts[-1] : match.end("stop")], match, lower) and not any(a < place < b for a, b in quotes):
            cuts.append(match.end())
    cuts.append(len(paragraph))
    found = []
    for begin, stop in pairwise(cuts):
        piece = paragraph[begin:stop]
        if piece.strip():
            left = begin + len(piece) - len(piece.lstrip())
            found.append((start + left, start + left + len(piece.strip())))
    return found


def _quotations(paragraph: str) -> list[Span]:
    """The quotations that are to stay in one piece; none where the marks do not pair."""
    marks = [match.start() for match in re.finditer('"', paragraph)]
    if len(marks) % 2:
        return []
    return [(a, b) for a, b in zip(marks[::2], marks[1::2], strict=True) if b - a <= LONG_QUOTE]


def _ends(sentence: str, match: re.Match[str], lower: bool) -> bool:
    """Whether a sentence ends with this stop, by the word before and the word after it."""
    stop, following = match["stop"], match["next"]
    if following[0].islower() and not lower:
        return False
    if stop.startswith(("..", "…")):
        return not following.startswith("I")  # "Well… I don't know"
    if stop[0] != ".":
        return True
    word = sentence[: -len(stop)].rsplit(maxsplit=1)[-1].lstrip("\"'([") if sentence[: -len(stop)].split() else ""
    return _may_end(word, following, lower)


def _may_end(word: str, following: str, lower: bool) -> bool:
    """Whether a full stop after ``word`` can end a sentence before ``following``, or only shortens the word."""
    short = word.lower()
    starts = bool(STARTERS.fullmatch(following.capitalize() if lower else following))
    if short in BEFORE_NAME:
        return False
    if short in BEFORE_NUMBER and following[0].isdigit():
        return False
    if short in WITHIN or ("." in short and INITIALS.fullmatch(word)):
        return starts
    return not (len(word) == 1 and word.isupper() and INITIALS.fullmatch(word))
