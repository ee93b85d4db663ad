"""What is chosen in a notebook's viewer: heads, a row, a column; as Python says them and as the viewer's link does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from model.trace import HeadRef
from viz.web.codes import listed, read_link, write_link


class Selection(NamedTuple):
    """What is chosen.

    Attributes:
        heads: codes of the heads that stand large, the first one first: ``("c2.5",)``.
        token: number of the token whose row is pinned, from 0; None where none is. Of a translation by Headlight it is
            the token that the row writes, of attentions that were given the token in the list of tokens.
        key: number of the token whose column is pinned, from 0; None where none is.
    """

    heads: tuple[str, ...]
    token: int | None = None
    key: int | None = None

    @property
    def head(self) -> HeadRef | None:
        """The first head: kind, layer, head."""
        return HeadRef.parse(self.heads[0]) if self.heads else None


def selection_of(value: Any) -> Selection:
    """A selection of whatever says one: a code, a head, a pair of one of these and a token, or a dictionary.

    Raises:
        ValueError: it says none, or names no head.

    >>> selection_of("c2.5"), selection_of(("e0.1", 3))
    (Selection(heads=('c2.5',), token=None, key=None), Selection(heads=('e0.1',), token=3, key=None))
    """
    if isinstance(value, dict):
        found = Selection(tuple(map(_code, value.get("heads", ()))), value.get("token"), value.get("key"))
    elif isinstance(value, Selection):
        found = Selection(tuple(map(_code, value.heads)), value.token, value.key)
    elif isinstance(value, (str, HeadRef)):
        found = Selection((_code(value),))
    elif isinstance(value, Sequence) and 1 <= len(value) <= 3:
        heads, *places = value
        several = [heads] if isinstance(heads, (str, HeadRef)) else heads
        found = Selection(tuple(map(_code, several)), *places)
    else:
        raise ValueError(f"{value!r} is no selection: write 'c2.5', or ('c2.5', 3) with a token")
    for place in (found.token, found.key):
        if place is not None and (isinstance(place, bool) or not isinstance(place, int)):
            raise ValueError(f"a token is chosen by its number, got {place!r}")
    return found


def read_selection(link: str, first: int) -> Selection:
    """What a viewer's link has chosen.

    Args:
        link: as the viewer tells it.
        first: what the first row of a decoder's map is called: see ``ShownMaps.first``.
    """
    choices = read_link(link)
    heads = tuple(listed(choices, "h"))
    row, column = (next(iter(listed(choices, letter)), None) for letter in "pq")
    return Selection(heads, _place(row, first), _place(column, first))


def write_selection(selection: Selection, link: str, first: int) -> str:
    """The link with this chosen; a selection without heads keeps those that are chosen.

    Args:
        selection: to be written.
        link: whose other choices stay.
        first: as ``read_selection``.
    """
    choices = read_link(link)
    heads = selection.heads or tuple(listed(choices, "h"))
    kind = heads[0][:1] if heads else "c"
    rows, columns = ("s" if kind == "e" else "t"), ("t" if kind == "d" else "s")
    pinned = {"p": _key(rows, selection.token, first), "q": _key(columns, selection.key, first)}
    return write_link({**choices, "h": ",".join(heads), **pinned})


def _code(head: Any) -> str:
    found = head if isinstance(head, HeadRef) else HeadRef.parse(head) if isinstance(head, str) else None
    if found is None:
        raise ValueError(f"{head!r} is no head; c2.5 is head 5 of layer 2 of cross-attention")
    return found.code


def _key(letter: str, place: int | None, first: int) -> str:
    if place is None:
        return ""
    return f"{letter}{place - _shift(letter, first)}"


def _place(key: str | None, first: int) -> int | None:
    return None if key is None else int(key[1:]) + _shift(key[0], first)


def _shift(letter: str, first: int) -> int:
    """The viewer calls what a decoder reads first t-1, since it is what is written before token 0."""
    return first + 1 if letter == "t" else 0
