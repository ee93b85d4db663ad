"""Heads in order, each with its small map, a number and a sentence; a click opens one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from model.attribution.labelled_map import LabelledMap
from model.trace import HeadRef, Kind
from viz.core.language import Labels
from viz.core.theme import Theme
from viz.web.codes import check_shape, pack_coarse
from viz.widgets.places import mount_heads
from viz.widgets.registry import register

LABELS = ("list", "open")
_component = register("head_list", LABELS)


@dataclass(frozen=True)
class Listed:
    """One head of the list.

    Attributes:
        place: kind, layer and head.
        title: its name in the visitor's language.
        value: what the list is ordered by.
        said: that number as the visitor reads it.
        share: length of its bar, 0 to 1.
        note: one short sentence.
    """

    place: HeadRef
    title: str
    value: float
    said: str
    share: float
    note: str = ""


def head_list(
    heads: Sequence[Listed],
    maps: Mapping[Kind, LabelledMap],
    *,
    theme: Theme,
    labels: Labels,
    key: str,
    on_open: Callable[[HeadRef], None],
    selected: HeadRef | None = None,
) -> HeadRef | None:
    """The list; returns the head that was just opened by click or Enter, else None.

    Args:
        heads: in the order of drawing.
        maps: weights [L, H, Q, K] of each kind with their labels.
        theme: the look.
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        on_open: called with the head before the script runs again.
        selected: a head to mark.
    """
    places = [each.place for each in heads]
    data = list_payload(heads, maps)
    return mount_heads(
        _component, data, places, selected=selected, theme=theme, labels=labels, key=key, on_open=on_open
    )


def list_payload(heads: Sequence[Listed], maps: Mapping[Kind, LabelledMap]) -> dict[str, object]:
    """What ``head_list`` sends to the browser, less look and labels; weights as ``pack_coarse`` packs them.

    Raises:
        ValueError: maps do not fit their labels.
    """
    for kind, reading in maps.items():
        check_shape(f"{kind} weights", reading.weights, reading.rows, reading.columns)
    return {
        "axes": {
            kind: {"rows": [each.text for each in reading.rows], "columns": [each.text for each in reading.columns]}
            for kind, reading in maps.items()
        },
        "heads": [_payload(each, maps[each.place[0]].weights[each.place[1:]]) for each in heads],
    }


def _payload(each: Listed, weights: np.ndarray) -> dict[str, object]:
    kind, layer, head = each.place
    return {
        "kind": kind,
        "layer": layer,
        "head": head,
        "title": each.title,
        "value": round(float(each.value), 4),
        "said": each.said,
        "share": round(float(each.share), 4),
        "note": each.note,
        "map": pack_coarse(weights),
    }
