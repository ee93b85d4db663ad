"""What is chosen in the viewer, as its link says it: ``h=c2.5,c3.1&v=lines``; see ``src/reckon/state.js``."""

from __future__ import annotations

import re
from collections.abc import Mapping

# In the order in which the viewer writes them: heads, view, drawn, words, special, row rule, threshold, logarithm,
# scale, together, rows and columns that are pinned. Its theme is the app's.
PARAMETERS = "hvdwsrtgoxpq"
_PAIR = re.compile(r"([a-z])=([\w.,@-]{0,2000})")
_WRITTEN = re.compile(r"t(\d{1,4})")


def read_link(said: object) -> dict[str, str]:
    """Choices by letter; what is none of the viewer's is left out.

    >>> read_link("h=c2.5&v=lines&z=1&w=<b>")
    {'h': 'c2.5', 'v': 'lines'}
    """
    pairs = [match.groups() for part in str(said).split("&") if (match := _PAIR.fullmatch(part))]
    return {letter: value for letter, value in pairs if letter in PARAMETERS}


def write_link(choices: Mapping[str, str]) -> str:
    """A link that ``read_link`` reads as these choices; those that are "" do not stand in it.

    >>> write_link({"v": "lines", "h": "c2.5", "w": ""})
    'h=c2.5&v=lines'
    """
    return "&".join(f"{letter}={choices[letter]}" for letter in PARAMETERS if choices.get(letter))


def listed(choices: Mapping[str, str], letter: str) -> list[str]:
    """The entries of a list, as heads or pinned rows are."""
    return [each for each in choices.get(letter, "").split(",") if each]


def token_of(choices: Mapping[str, str]) -> int | None:
    """The written token whose row is pinned first, counted from 0; None where none is.

    >>> token_of({"p": "s2,t3,t4"}), token_of({"p": "s2"})
    (3, None)
    """
    found = (match for key in listed(choices, "p") if (match := _WRITTEN.fullmatch(key)))
    return next((int(match[1]) for match in found), None)


def with_token(choices: Mapping[str, str], token: int | None) -> dict[str, str]:
    """The choices with this written token's row pinned, where it is not, and no other's; None lifts it.

    >>> with_token({"p": "t3,t4"}, 3), with_token({"p": "t3,s1"}, 5), with_token({"p": "t3,s1"}, None)
    ({'p': 't3,t4'}, {'p': 't5'}, {'p': 's1'})
    """
    if token_of(choices) == token:
        return dict(choices)
    left = [] if token is not None else [key for key in listed(choices, "p") if not _WRITTEN.fullmatch(key)]
    return {**choices, "p": ",".join([f"t{token}"] if token is not None else left)}
