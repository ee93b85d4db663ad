"""One table of strings made of several."""

from __future__ import annotations

from collections.abc import Iterable


def joined(tables: Iterable[dict[str, str]]) -> dict[str, str]:
    """All strings of the tables in one.

    Raises:
        ValueError: two tables have a key in common.

    >>> joined([{"a": "1"}, {"b": "2"}])
    {'a': '1', 'b': '2'}
    """
    found: dict[str, str] = {}
    for table in tables:
        if twice := found.keys() & table.keys():
            raise ValueError(f"texts stand twice: {sorted(twice)}")
        found |= table
    return found
