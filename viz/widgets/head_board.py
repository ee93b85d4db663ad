"""Every head as one coloured cell with its number; a click opens one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np

from model.trace import KINDS, HeadRef, Kind
from viz.core.language import Labels
from viz.core.theme import Theme
from viz.widgets.places import mount_heads
from viz.widgets.registry import register

LABELS = ("hint", "legend")
_component = register("head_board", LABELS)


@dataclass(frozen=True)
class Board:
    """What the board shows.

    Attributes:
        values: of every head by kind, [L, H]; NaN where there is none. Kinds that are not in it are not shown.
        titles: each kind's name in the visitor's language.
        written: a value as it stands in a cell: few letters.
        said: a value as a sentence says it.
        top: the value that has the scale's last colour; its first stands for 0, or for −top where signed.
        signed: values have either sign.
        marks: a sign that stands after each head's number, by kind, [L, H].
        muted: heads that are shown as muted.
    """

    values: Mapping[Kind, np.ndarray]
    titles: Mapping[Kind, str]
    written: Callable[[float], str]
    said: Callable[[float], str]
    top: float
    signed: bool = False
    marks: Mapping[Kind, np.ndarray] | None = None
    muted: Collection[HeadRef] = ()

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
        board: what it shows.
        selected: kind, layer and head to mark; None for none.
        theme: the look.
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
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
