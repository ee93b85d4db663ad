"""Every head as one coloured cell, and heads in order with their small maps; a click opens one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from model.attribution.labelled_map import LabelledMap
from model.trace import KINDS, HeadRef, Kind
from viz.core.choice import Labels
from viz.core.theme import Theme
from viz.web.message import check_shape, pack_coarse
from viz.widgets.places import mount_heads, register

LABELS = ("hint", "legend")
_component = register("head_board", LABELS)


@dataclass(frozen=True)
class Board:
    """What the board shows."""

    # of every head by kind, [L, H]; NaN where there is none. Kinds that are not in it are not shown.
    values: Mapping[Kind, np.ndarray]
    titles: Mapping[Kind, str]  # each kind's name in the visitor's language
    written: Callable[[float], str]  # a value as it stands in a cell: few letters
    said: Callable[[float], str]  # a value as a sentence says it
    top: float  # the value that has the scale's last colour; its first stands for 0, or for −top where signed
    signed: bool = False  # values have either sign
    marks: Mapping[Kind, np.ndarray] | None = None  # a sign that stands after each head's number, by kind, [L, H]
    muted: Collection[HeadRef] = ()  # heads that are shown as muted

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that are shown, in order."""
        return tuple(kind for kind in KINDS if kind in self.values)

    @property
    def places(self) -> list[HeadRef]:
        """The heads that are shown, in order."""
        return [HeadRef(kind, *place) for kind in self.kinds for place in np.ndindex(*self.values[kind].shape)]


def head_board(
    board: Board,
    *,
    selected: HeadRef | None,
    theme: Theme,
    labels: Labels,
    key: str,
    on_open: Callable[[HeadRef], None],
) -> HeadRef | None:
    """The board; returns the head that was just opened by click or Enter, else None.

    Args:
        selected: kind, layer and head to mark; None for none.
        on_open: called with the head before the script runs again.
    """
    data = board_payload(board)
    return mount_heads(
        _component, data, board.places, selected=selected, theme=theme, labels=labels, key=key, on_open=on_open
    )


def board_payload(board: Board) -> dict[str, object]:
    """What ``head_board`` sends to the browser, less look, labels and what is selected."""
    return {
        "kinds": [
            {
                "kind": kind,
                "title": board.titles[kind],
                "values": [[None if np.isnan(v) else round(float(v), 4) for v in row] for row in board.values[kind]],
                "texts": _texts(board, kind, board.written, ""),
                "long": _texts(board, kind, board.said, "–"),
            }
            for kind in board.kinds
        ],
        "top": float(board.top),
        "low": board.written(-board.top) if board.signed else board.written(0.0),
        "high": board.written(board.top),
        "signed": board.signed,
        "muted": sorted(map(list, board.muted)),
    }


def _texts(board: Board, kind: Kind, written: Callable[[float], str], none: str) -> list[list[str]]:
    values = board.values[kind]
    marks = np.full(values.shape, "") if board.marks is None else board.marks[kind]
    return [
        [_text(value, mark, written, none) for value, mark in zip(*row, strict=True)]
        for row in zip(values, marks, strict=True)
    ]


def _text(value: float, mark: str, written: Callable[[float], str], none: str) -> str:
    return none if np.isnan(value) else f"{written(float(value))} {mark}".rstrip()


LIST_LABELS = ("list", "open")
_head_list = register("head_list", LIST_LABELS)


@dataclass(frozen=True)
class Listed:
    """One head of the list."""

    place: HeadRef  # kind, layer and head
    title: str  # its name in the visitor's language
    value: float  # what the list is ordered by
    said: str  # that number as the visitor reads it
    share: float  # length of its bar, 0 to 1
    note: str = ""  # one short sentence


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
        maps: weights [L, H, Q, K] of each kind with their labels.
        on_open: called with the head before the script runs again.
    """
    places = [each.place for each in heads]
    data = list_payload(heads, maps)
    return mount_heads(
        _head_list, data, places, selected=selected, theme=theme, labels=labels, key=key, on_open=on_open
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
