"""Layers by heads, each with its score; a click chooses one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from viz.components.payload import look
from viz.components.registry import register
from viz.theme import Theme

LABELS = ("caption", "all", "cell")
_mount = register("score_grid")


def score_grid(
    here: Sequence[Sequence[float]],
    everywhere: Sequence[Sequence[float]] | None,
    *,
    chosen: tuple[int | str, int | str],
    best: tuple[int, int] | None,
    theme: Theme,
    labels: dict[str, str],
    key: str,
    on_open: Callable[[int, int | str], None],
) -> None:
    """A grid of error rates in percent, one row a layer, one column a head, the last column for all heads together.

    Args:
        here: this sentence's, [L, H + 1]; drawn large and as colour.
        everywhere: all sentences', of the same shape; drawn small.
        chosen: layer and head to mark; the head may be "all".
        best: the head to mark with a star.
        theme: the look.
        labels: the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        on_open: called with the layer and head, or "all", that was clicked, before the script runs again.

    Raises:
        ValueError: the shapes differ.
    """
    sizes = [len(row) for row in here]
    if everywhere is not None and [len(row) for row in everywhere] != sizes:
        raise ValueError(f"scores of all sentences have rows of {[len(row) for row in everywhere]}, expected {sizes}")

    def opened() -> None:
        place = opened_place(st.session_state[key].get("open"), len(here), sizes[0] - 1)
        if place is not None:
            on_open(*place)

    data = {
        "here": [[round(float(score), 1) for score in row] for row in here],
        "everywhere": everywhere,
        "heads": [*range(sizes[0] - 1), "all"],
        "chosen": list(chosen),
        "best": list(best) if best else None,
        "look": look(theme),
        "labels": {name: labels[name] for name in LABELS},
    }
    _mount(key=key, data=data, on_open_change=opened)


def opened_place(value: Any, n_layers: int, n_heads: int) -> tuple[int, int | str] | None:
    """The layer and head, or "all", that a browser's message names; None where there is no such place."""
    if not isinstance(value, dict):
        return None
    layer, head = value.get("layer"), value.get("head")
    if type(layer) is not int or not 0 <= layer < n_layers:
        return None
    if head == "all" or (type(head) is int and 0 <= head < n_heads):
        return layer, head
    return None
