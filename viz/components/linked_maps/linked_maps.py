"""Several heads' maps on one scale, in which the same token lights up everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model.analysis.maps.reading import Reading
from model.trace import Kind
from viz.components.shared.payload import check_shape, pack_fine
from viz.components.shared.registry import register
from viz.state.language import Labels
from viz.theme import Theme

LABELS = ("hint", "legend", "legend_difference", "strongest", "nothing")
MOST_MAPS = 7
_component = register("linked_maps", LABELS)


@dataclass(frozen=True)
class LinkedMap:
    """One map among several.

    Attributes:
        title: what stands above it.
        kind, layer, head: which head it shows; of a difference, the first head.
        reading: weights [Q, K] with their labels.
        difference: the weights are one head's minus another's, from -1 to 1.
    """

    title: str
    kind: Kind
    layer: int
    head: int
    reading: Reading
    difference: bool = False

    def __post_init__(self) -> None:
        check_shape(f"{self.title} weights", self.reading.weights, self.reading.rows, self.reading.columns)
        if self.reading.weights.ndim != 2:
            raise ValueError(f"{self.title} weights must be [Q, K], got shape {self.reading.weights.shape}")


def linked_maps(
    maps: Sequence[LinkedMap],
    *,
    theme: Theme,
    labels: Labels,
    key: str,
    common_maximum: bool = False,
    high: float = 1.0,
    signed: bool = False,
) -> None:
    """Labelled maps side by side; pointing at a token marks it in all of them and tells the weights.

    Args:
        maps: one to seven; maps of one kind have the same tokens.
        theme: the look.
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        common_maximum: colours run to the largest size among all maps instead of ``high``.
        high: where the colour scale ends; no value is larger.
        signed: values have either sign.

    Raises:
        ValueError: there are none or too many maps, or two of a kind disagree in shape.
    """
    payload = linked_payload(maps, common_maximum, high, signed)
    _component.mount(payload, theme=theme, labels=labels, key=key)


def linked_payload(
    maps: Sequence[LinkedMap], common_maximum: bool = False, high: float = 1.0, signed: bool = False
) -> dict[str, object]:
    """What ``linked_maps`` sends to the browser, less look and labels.

    ``pack_fine`` packs the values as parts of ``unit``, which is ``high``, or twice that where there is
    a difference that needs it.

    Raises:
        ValueError: as ``linked_maps``.
    """
    if not 1 <= len(maps) <= MOST_MAPS:
        raise ValueError(f"one to {MOST_MAPS} maps can stand side by side, got {len(maps)}")
    shapes: dict[Kind, tuple[int, ...]] = {}
    for each in maps:
        shape = shapes.setdefault(each.kind, each.reading.weights.shape)
        if each.reading.weights.shape != shape:
            raise ValueError(f"{each.kind} maps have shapes {shape} and {each.reading.weights.shape}")
    plain = [each.reading.weights for each in maps if not each.difference]
    differences = [each.reading.weights for each in maps if each.difference]
    unit = max(high, _largest(differences))
    return {
        "unit": unit,
        "signed": signed,
        "high": _scale_end(plain, common_maximum, high),
        "difference_high": _scale_end(differences, common_maximum, unit) if differences else None,
        "maps": [_map_payload(each, unit) for each in maps],
    }


def _largest(values: Sequence[np.ndarray]) -> float:
    return max((float(np.abs(each).max()) for each in values if each.size), default=0.0)


def _scale_end(values: Sequence[np.ndarray], common_maximum: bool, high: float) -> float:
    """``high``, or the largest size; ``high`` where there is none above 0."""
    largest = _largest(values)
    return round(largest, 4) if common_maximum and largest > 0 else high


def _map_payload(each: LinkedMap, unit: float) -> dict[str, object]:
    return {
        "title": each.title,
        "kind": each.kind,
        "layer": each.layer,
        "head": each.head,
        "difference": each.difference,
        "rows": [label.text for label in each.reading.rows],
        "columns": [label.text for label in each.reading.columns],
        "values": pack_fine(each.reading.weights / unit),
    }
