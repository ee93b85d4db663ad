"""What a scene expects of the model: sentences of a small language, each of which holds or does not.

``argmax row ROW column COLUMN`` · ``value row ROW column COLUMN above|below NUMBER`` ·
``translation contains TEXT`` · ``translation is TEXT``. The first two are of the scene's own heads and method;
``method METHOD``, ``heads HEADS`` and ``shift written|read`` at their end say others. A token that stands several
times is ``it#2``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from viz.core.selection import LINK_FIELDS
from viz.export.show.storyboard import StoryboardError, parse_link

_CELL = re.compile(r"(argmax|value) row (\S+) column (\S+)(?: (above|below) (-?\d{1,6}(?:\.\d{1,6})?))?((?: \w+ \S+)*)")
_SAID = re.compile(r"translation (contains|is) (.+)")
_LETTERS = {name: LINK_FIELDS[name].letter for name in ("method", "heads", "shift", "together")}


@dataclass(frozen=True)
class Expectation:
    """One expectation.

    Attributes:
        what: "argmax", "value", "contains" or "is".
        row, column: tokens; "" for what is about the translation.
        text: that the translation contains or is.
        than: "above" or "below"; with the ``number`` that a value is compared with.
        link: the viewer's choices that differ from the scene's.
    """

    what: str
    row: str = ""
    column: str = ""
    text: str = ""
    than: str = ""
    number: float = 0.0
    link: str = ""


def parse_expectation(said: str) -> Expectation:
    """The expectation that a sentence of the language says.

    Raises:
        StoryboardError: it is none.
    """
    said = " ".join(said.split())
    if found := _SAID.fullmatch(said):
        return Expectation(found[1], text=found[2])
    found = _CELL.fullmatch(said)
    if found is None or (found[1] == "value") != bool(found[4]):
        raise StoryboardError(f"{said[:60]!r} is no expectation, such as 'argmax row it column animal'")
    return Expectation(
        found[1], found[2], found[3], than=found[4] or "", number=float(found[5] or 0), link=_changed(found[6], said)
    )


def _changed(options: str, said: str) -> str:
    words = options.split()
    names, values = words[::2], words[1::2]
    if unknown := [name for name in names if name not in _LETTERS]:
        raise StoryboardError(f"{unknown[0][:30]!r} in {said[:60]!r} is none of {', '.join(_LETTERS)}")
    link = "&".join(f"{_LETTERS[name]}={value}" for name, value in zip(names, values, strict=True))
    try:
        parse_link(link)
    except ValueError as error:
        raise StoryboardError(f"{error} in {said[:60]!r}") from error
    return link
