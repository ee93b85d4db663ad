"""Heads in order, each with its small map, a number and a sentence; a click opens one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from model.analysis.reading import Reading
from model.trace import Kind
from viz.components.payload import check_shape, look, pack_coarse
from viz.components.places import Place, mount_heads
from viz.components.registry import register
from viz.theme import Theme

LABELS = ("list", "open")
_mount = register("head_list", scripts=("heatmap", "small_map", "preview"))


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

    place: Place
    title: str
    value: float
    said: str
    share: float
    note: str = ""


def head_list(
    heads: Sequence[Listed],
    maps: Mapping[Kind, Reading],
    *,
    theme: Theme,
    labels: Mapping[str, str],
    key: str,
    on_open: Callable[[Kind, int, int], None],
    selected: Place | None = None,
) -> Place | None:
    """The list; returns the head that was just opened by click or Enter, else None.

    Args:
        heads: in the order of drawing.
        maps: weights [L, H, Q, K] of each kind with their labels.
        theme: the look.
        labels: the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        on_open: called with kind, layer and head before the script runs again.
        selected: a head to mark.
    """
    places = [each.place for each in heads]

    data = {
        **list_payload(heads, maps),
        "look": look(theme),
        "labels": {name: labels[name] for name in LABELS},
    }
    return mount_heads(_mount, data, places, selected=selected, key=key, on_open=on_open)


def list_payload(heads: Sequence[Listed], maps: Mapping[Kind, Reading]) -> dict[str, object]:
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
