"""Every head's map in one overview; a click opens one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from model.analysis.maps.reading import Reading
from model.trace import HeadRef, Kind
from viz.components.shared.payload import check_shape, pack_coarse, pack_signed
from viz.components.shared.places import mount_heads
from viz.components.shared.registry import register
from viz.state.language import Labels
from viz.theme import Theme

LABELS = ("hint", "legend", "legend_pooled", "own_maximum", "selected", "nothing", "writes", "has_read", "sort")
_component = register("head_grid", LABELS)


@dataclass(frozen=True)
class KindMaps:
    """Every map of one kind.

    Attributes:
        kind: which attention.
        title: its name in the visitor's language.
        reading: weights or other values [L, H, Q, K] with the labels of their rows and columns.
        writes: the token that each row went on to write, or has read, where rows belong to decoder steps.
        beside: which of both it is: "writes" or "has_read".
        high: the size that has the scale's last colour; no value is larger.
        signed: values have either sign.
    """

    kind: Kind
    title: str
    reading: Reading
    writes: tuple[str, ...] | None = None
    beside: str = "writes"
    high: float = 1.0
    signed: bool = False

    def __post_init__(self) -> None:
        check_shape(f"{self.kind} weights", self.reading.weights, self.reading.rows, self.reading.columns)
        if self.reading.weights.ndim != 4:
            raise ValueError(f"{self.kind} weights must be [L, H, Q, K], got shape {self.reading.weights.shape}")
        if self.writes is not None and len(self.writes) != len(self.reading.rows):
            raise ValueError(f"{self.kind} writes {len(self.writes)} tokens in {len(self.reading.rows)} rows")


def head_grid(
    maps: Sequence[KindMaps],
    *,
    selected: HeadRef,
    theme: Theme,
    labels: Labels,
    key: str,
    on_open: Callable[[HeadRef], None],
    own_scale: bool = False,
) -> HeadRef | None:
    """The overview; returns the head that was just opened by click or Enter, else None.

    Args:
        maps: one entry a kind, in the order of drawing.
        selected: kind, layer and head to mark.
        theme: the look.
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        on_open: called with the head before the script runs again.
        own_scale: colours run to each map's own maximum instead of the kind's ``high``.
    """
    data = {"kinds": [grid_payload(each) for each in maps], "own": own_scale}
    places = map_places(maps)
    return mount_heads(
        _component, data, places, selected=selected, theme=theme, labels=labels, key=key, on_open=on_open
    )


def grid_payload(maps: KindMaps) -> dict[str, object]:
    """One kind's maps as they travel: parts of ``high`` in a byte each, and each map's strongest cell exactly.

    Packed by ``pack_coarse``, or by ``pack_signed`` where values have either sign.
    """
    weights = maps.reading.weights
    return {
        "kind": maps.kind,
        "title": maps.title,
        "layers": weights.shape[0],
        "heads": weights.shape[1],
        "rows": [label.text for label in maps.reading.rows],
        "columns": [label.text for label in maps.reading.columns],
        "writes": list(maps.writes) if maps.writes is not None else None,
        "weights": (pack_signed if maps.signed else pack_coarse)(weights / maps.high),
        "beside": maps.beside,
        "high": maps.high,
        "signed": maps.signed,
        "strongest": [strongest_cell(each) for each in weights.reshape(-1, *weights.shape[2:])],
    }


def strongest_cell(weights: np.ndarray) -> tuple[int, int, float] | None:
    """Row, column and value of the largest value of a map [query, key], by its size; None where all are 0."""
    if not weights.any():
        return None
    row, column = np.unravel_index(int(np.abs(weights).argmax()), weights.shape)
    return int(row), int(column), round(float(weights[row, column]), 4)


def map_places(maps: Sequence[KindMaps]) -> list[HeadRef]:
    """Every head of the overview."""
    return [HeadRef(each.kind, *place) for each in maps for place in np.ndindex(*each.reading.weights.shape[:2])]
