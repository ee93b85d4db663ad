"""One table of strings made of several: every module of a package is a wing."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def wings(package: str, path: Iterable[str]) -> tuple[ModuleType, ...]:
    """The modules of a package, by name; ``path`` is its ``__path__``."""
    return tuple(import_module(f"{package}.{each.name}") for each in iter_modules(path))


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
