"""What is chosen: which maps of which heads, and how they are read; and how links say it.

``selection.json`` beside this file has a row for each choice. The scripts are built of the same table
(``viz/web/src/core/state.js``), and a storyboard's links are held against it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

from model.attribution.methods import METHOD_NAMES, METHODS, MethodName, Shift
from model.trace import HeadRef

_WRITTEN = re.compile(r"t(\d{1,4})")


@dataclass(frozen=True)
class LinkField:
    """A row of the table: a choice, and how links say it."""

    name: str  # of the attribute, in Python and in the scripts
    # its parameters in the app's link; () for what the app has no picker of, and holds in ``viewer``
    app: tuple[str, ...]
    letter: str  # in the viewer's link; "" for what the viewer does not know
    type: str  # "text", "flag", "number", or "list" with commas
    legal: str  # regular expression of what may stand there; of a list, of each entry
    default: object  # what is not written

    @property
    def options(self) -> tuple[str, ...]:
        """What there is to choose, where that is one among a few words."""
        return tuple(self.legal.split("|"))

    def accepts(self, said: str) -> bool:
        """Whether a link may say this."""
        parts = said.split(",") if self.type == "list" else [said]
        return (self.type == "list" and not said) or all(re.fullmatch(self.legal, part, re.ASCII) for part in parts)


_ROWS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
LINK_FIELDS: Mapping[str, LinkField] = {row["name"]: LinkField(**{**row, "app": tuple(row["app"])}) for row in _ROWS}
REST = "viewer"  # the app's parameter for all that it has no picker of, as the viewer's link writes it
_BY_LETTER = {field.letter: field for field in LINK_FIELDS.values() if field.letter}


@dataclass(frozen=True, repr=False)
class Selection:
    """What is chosen; a field for each row of the table, and ``step``, which stands in a link behind the method.

    Attributes:
        heads: the first one first; () where the model's own first one is meant.
        view: "map", "lines", or "all" heads small.
        words: pieces are merged into words; ``hide_special``: special tokens are left out.
        method: what is shown of a head; ``step`` the output token, from 0, that it is of, None for all.
        shift: which step names a row of cross-attention, where the method leaves a choice.
        threshold: smaller parts of the scale are blank.
        log: colours follow the logarithm.
        scale: ends at the "full" range, at each map's "own" maximum, or at their "common" one.
        together: the heads side by side, the "difference" of two, their "mean" or "max".
        rows, columns: pinned tokens: "s2" of the source, "t3" of those that are written.
        theme: "light" or "dark", where a viewer has its own.
        present: the picture alone.
        combine: in the app, which head: "head", or "mean", "max", "importance" of those that ``over`` names: layers
            ("L3") and heads ("L3 H2"); () for all.
    """

    heads: tuple[HeadRef, ...] = ()
    view: str = "map"
    words: bool = False
    hide_special: bool = False
    method: MethodName = "weights"
    step: int | None = None
    shift: Shift = "written"
    threshold: float = 0.0
    log: bool = False
    scale: str = "full"
    together: str = "side"
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    theme: str = ""
    present: bool = False
    combine: str = "head"
    over: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """What differs from the defaults."""
        said = {field.name: getattr(self, field.name) for field in fields(self)}
        changed = (f"{name}={value!r}" for name, value in said.items() if value != getattr(DEFAULTS, name))
        return f"Selection({', '.join(changed)})"

    @property
    def head(self) -> HeadRef:
        """The first head; raises IndexError where none is chosen."""
        return self.heads[0]

    @property
    def map_name(self) -> str:
        """The method, with the token that it is of: "gradient@3" is of the third output token."""
        return self.method if self.step is None else f"{self.method}@{self.step + 1}"

    @property
    def row_shift(self) -> Shift:
        """Which step names a row of cross-attention; some methods are about what their step writes."""
        return "written" if METHODS[self.method].of_written else self.shift

    @property
    def merges(self) -> bool:
        """Whether several heads are one map."""
        return self.together in ("mean", "max")

    @property
    def fitting(self) -> Selection:
        """With the heads that go ``together``, which are of one kind; side by side where there are not enough."""
        alike = tuple(head for head in self.heads if head.kind == self.heads[0].kind)
        if self.together == "side" or len(alike) < 2:
            return replace(self, together="side")
        return replace(self, heads=alike[:2] if self.together == "difference" else alike)

    @property
    def token(self) -> int | None:
        """The written token whose row is pinned first, counted from 0; None where none is.

        >>> Selection(rows=("s2", "t3", "t4")).token
        3
        """
        found = (match for key in self.rows if (match := _WRITTEN.fullmatch(key)))
        return next((int(match[1]) for match in found), None)

    def at_token(self, token: int | None) -> Selection:
        """With this written token's row pinned, where it is not, and no other's; None lifts it.

        >>> Selection(rows=("t3", "s1")).at_token(5), Selection(rows=("t3", "s1")).at_token(None)
        (Selection(rows=('t5',)), Selection(rows=('s1',)))
        """
        if self.token == token:
            return self
        left = tuple(key for key in self.rows if not _WRITTEN.fullmatch(key))
        return replace(self, rows=left if token is None else (f"t{token}",))

    @property
    def in_app(self) -> Selection:
        """Without what is no choice in the app: a theme of its own, and whether the picture stands alone."""
        return replace(self, theme="", present=False)

    @property
    def link(self) -> str:
        """The viewer's link.

        >>> Selection((HeadRef("cross", 2, 5),), method="gradient", step=2, words=True, threshold=0.1).link
        'h=c2.5&w=1&d=gradient@3&t=0.1'
        """
        return write_link(self)

    @property
    def app(self) -> dict[str, Any]:
        """The app's choices by their parameter, as its pickers hold them; what is not chosen, or goes without saying,
        is not there.

        >>> Selection((HeadRef("cross", 2, 5),), words=True, log=True).app["viewer"]
        'g=1'
        """
        found: dict[str, Any] = self.heads[0]._asdict() if self.heads else {}
        found |= {"method": self.method, "step": "" if self.token is None else str(self.token + 1)}
        if METHODS[self.method].of_token:
            found["of"] = "0" if self.step is None else str(self.step + 1)
        if not METHODS[self.method].of_written:
            found["shift"] = self.shift
        found |= {"words": self.words, "special": self.hide_special}
        own = {field.name: getattr(self, field.name) for field in LINK_FIELDS.values() if not field.app}
        heads = self.heads if len(self.heads) > 1 else ()
        rows = () if self.rows == (f"t{self.token}",) else self.rows
        return found | {REST: replace(Selection(**own), heads=heads, rows=rows).in_app.link}


DEFAULTS = Selection()


def method_of(name: str) -> tuple[MethodName, int | None]:
    """The method that a name means, and the row of ``tgt_outputs`` that it is of: "gradient@3" is ("gradient", 2).

    Raises:
        ValueError: there is no such method, or none of one token.
    """
    method, at, token = name.partition("@")
    known = cast("MethodName", method)
    if method not in METHODS or (at and not (METHODS[known].of_token and token.isdecimal() and int(token))):
        raise ValueError(f"{name!r} is no attribution method; known are {', '.join(METHOD_NAMES)}")
    return known, int(token) - 1 if at else None


def _heads(said: str) -> tuple[HeadRef, ...]:
    return tuple(head for head in map(HeadRef.parse, filter(None, said.split(","))) if head)


_READ: Mapping[str, Callable[[str], Any]] = {
    "text": str,
    "flag": lambda said: said == "1",
    "number": float,
    "list": lambda said: tuple(dict.fromkeys(filter(None, said.split(",")))),
}
_WRITE: Mapping[str, Callable[[Any], str]] = {
    "text": str,
    "flag": lambda value: str(int(value)),
    "number": lambda value: f"{value:.4f}".rstrip("0").rstrip("."),
    "list": ",".join,
}


def _read(field: LinkField, said: str) -> dict[str, Any]:
    """The attributes that a legal part of a link says; raises as ``method_of``."""
    if field.name == "method":
        return dict(zip(("method", "step"), method_of(said), strict=True))
    return {field.name: _heads(said) if field.name == "heads" else _READ[field.type](said)}


def _written(selection: Selection, field: LinkField) -> str:
    if field.name == "method":
        return selection.map_name
    value = getattr(selection, field.name)
    return ",".join(head.code for head in value) if field.name == "heads" else _WRITE[field.type](value)


def read_link(link: str, start: Selection = DEFAULTS, *, strict: bool = False) -> Selection:
    """What a viewer's link says; what it says wrongly is as in ``start``.

    Args:
        link: with or without its ``#``.
        start: what is not said.
        strict: what is said wrongly is an error.

    Raises:
        ValueError: a part of the link is no choice of the viewer's, where ``strict``.

    >>> read_link("h=c2.5&v=lines&z=1&w=<b>")
    Selection(heads=(HeadRef(kind='cross', layer=2, head=5),), view='lines')
    """
    found: dict[str, Any] = {}
    for part in filter(None, link.removeprefix("#").split("&")):
        letter, equals, said = part.partition("=")
        field = _BY_LETTER.get(letter)
        try:
            if not equals or field is None or not field.accepts(said):
                raise ValueError(f"{part[:40]!r} is no choice of the viewer's link")
            found |= _read(field, said)
        except ValueError:
            if strict:
                raise
    return replace(start, **found)


def write_link(selection: Selection, start: Selection = DEFAULTS) -> str:
    """The viewer's link of what differs from ``start``.

    >>> write_link(Selection(words=True), Selection(log=True))
    'w=1&g=0'
    """
    said = ((field.letter, _written(selection, field), _written(start, field)) for field in _BY_LETTER.values())
    return "&".join(f"{letter}={value}" for letter, value, before in said if value != before)
