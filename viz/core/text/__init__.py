"""Interface strings: one flat catalogue a language, ``<language>.json``, with the same keys in each."""

from __future__ import annotations

import json
from pathlib import Path


def read_catalogue(path: Path) -> dict[str, str]:
    """The strings of a catalogue by their keys.

    Raises:
        ValueError: a key stands twice.
    """

    def once(pairs: list[tuple[str, str]]) -> dict[str, str]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            raise ValueError(f"{path.name}: texts stand twice: {sorted({key for key in keys if keys.count(key) > 1})}")
        return found

    strings: dict[str, str] = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=once)
    return strings


LANGUAGES: dict[str, dict[str, str]] = {
    path.stem: read_catalogue(path) for path in sorted(Path(__file__).parent.glob("*.json"))
}
ENGLISH = LANGUAGES["en"]


def text(language: str, key: str, **values: object) -> str:
    """One interface string, its ``{name}`` places filled; English where the language is unknown.

    Raises:
        KeyError: there is no such key.
    """
    string = LANGUAGES.get(language, ENGLISH)[key]
    return string.format(**values) if values else string
