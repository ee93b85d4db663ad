"""What a browser's messages say; whatever does not look like one says nothing."""

from __future__ import annotations

import streamlit as st


def message(key: str, name: str) -> object:
    """What the component with this key last sent under a name; None where it has sent nothing."""
    return st.session_state.get(key, {}).get(name)


def part(value: object, name: str) -> object:
    """An entry of a message; None where the message is no such thing."""
    return value.get(name) if isinstance(value, dict) else None


def serial(key: str, name: str) -> int:
    """The number of the newest change that a component has sent; 0 before its first."""
    number = part(message(key, name), "serial")
    return number if type(number) is int else 0


def reported_step(value: object, steps: int) -> int | None:
    """The step that a browser's message or a link names, from 1; None where there is no such step."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:9])
    return value if type(value) is int and 1 <= value <= steps else None
