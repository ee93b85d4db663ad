"""Layers by heads, each with its score; a click chooses one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from viz.core.language import Labels
from viz.core.theme import Theme
from viz.widgets.messages import message
from viz.widgets.registry import register

LABELS = ("caption", "all", "cell")
_component = register("score_grid", LABELS)


def score_grid(
    here: Sequence[Sequence[float]],
    everywhere: Sequence[Sequence[float]] | None,
    *,
    chosen: tuple[int | str, int | str],
    best: tuple[int, int] | None,
    theme: Theme,
    labels: Labels,
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
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        on_open: called with the layer and head, or "all", that was clicked, before the script runs again.

    Raises:
        ValueError: the shapes differ.
    """

    def opened() -> None:
        place = opened_place(message(key, "open"), len(here), len(here[0]) - 1)
        if place is not None:
            on_open(*place)

    data = {**scores_payload(here, everywhere), "chosen": list(chosen), "best": list(best) if best else None}
    _component.mount(data, theme=theme, labels=labels, key=key, on_open_change=opened)


def scores_payload(here: Sequence[Sequence[float]], everywhere: Sequence[Sequence[float]] | None) -> dict[str, object]:
    """What ``score_grid`` sends to the browser, less look, labels and what is marked.

    Raises:
        ValueError: as ``score_grid``.
    """
    sizes = [len(row) for row in here]
    if everywhere is not None and [len(row) for row in everywhere] != sizes:
        raise ValueError(f"scores of all sentences have rows of {[len(row) for row in everywhere]}, expected {sizes}")
    return {
        "here": [[round(float(score), 1) for score in row] for row in here],
        "everywhere": everywhere,
        "heads": [*range(sizes[0] - 1), "all"],
    }


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
