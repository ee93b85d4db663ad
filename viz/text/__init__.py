"""Interface strings: English and Chinese, the same keys in both."""

from __future__ import annotations

from viz.text import en, zh

LANGUAGES: dict[str, dict[str, str]] = {"en": en.STRINGS, "zh": zh.STRINGS}


def text(language: str, key: str, **values: object) -> str:
    """One interface string, its ``{name}`` places filled; English where the language is unknown.

    Raises:
        KeyError: there is no such key.
    """
    string = LANGUAGES.get(language, en.STRINGS)[key]
    return string.format(**values) if values else string
