"""What the app is told behind ``--``: ``streamlit run app.py -- --models DIR --class``."""

from __future__ import annotations

from collections.abc import Sequence


def argument_of(option: str, arguments: Sequence[str]) -> str | None:
    """What stands behind an option, or after its ``=``; "" where nothing does, None without the option.

    >>> argument_of("--models", ["--class", "--models", "m"]), argument_of("--class", ["--class", "--models", "m"])
    ('m', '')
    >>> argument_of("--class=", ["--class=there"]), argument_of("--class", ["--class=there"])
    (None, 'there')
    """
    for place, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name == option:
            after = next(iter(arguments[place + 1 :]), "")
            return value or ("" if after.startswith("-") else after)
    return None
