"""A picture with a row of a map over it, patch by patch; a click looks from another patch."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from viz.core.language import Labels
from viz.core.theme import Theme
from viz.web.codes import pack_fine
from viz.widgets.messages import message, part
from viz.widgets.registry import register

LABELS = ("grid", "cell", "marked", "hint")
_component = register("patch_picture", LABELS)


@dataclass(frozen=True)
class Patched:
    """What lies over a picture.

    Attributes:
        picture: the part that the model sees, as the bytes of a PNG file.
        values: of each patch, [rows, columns], of any size.
        selected: the patch that is looked from, row by row; None for a token that is no patch.
        signed: values have either sign.
        marked: patches to be outlined, bool [rows, columns]; None for none.
    """

    picture: bytes
    values: np.ndarray
    selected: int | None
    signed: bool = False
    marked: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or not self.values.size:
            raise ValueError(f"a picture's patches are [rows, columns], got {self.values.shape}")
        if self.marked is not None and self.marked.shape != self.values.shape:
            raise ValueError(f"marks of shape {self.marked.shape} do not fit patches of {self.values.shape}")


def patch_picture(shown: Patched, *, theme: Theme, labels: Labels, key: str, on_look: Callable[[int], None]) -> None:
    """The picture; ``on_look`` is called with the patch that was clicked, before the script runs again."""

    def looked() -> None:
        patch = part(message(key, "look"), "patch")
        if type(patch) is int and 0 <= patch < shown.values.size:
            on_look(patch)

    _component.mount(patch_payload(shown), theme=theme, labels=labels, key=key, on_look_change=looked)


def patch_payload(shown: Patched) -> dict[str, object]:
    """What ``patch_picture`` sends to the browser, less look and labels: values as parts of the largest."""
    high = float(np.abs(shown.values).max()) or 1.0
    rows, columns = shown.values.shape
    return {
        "picture": f"data:image/png;base64,{base64.b64encode(shown.picture).decode('ascii')}",
        "rows": rows,
        "columns": columns,
        "values": pack_fine(shown.values / high),
        "high": high,
        "selected": -1 if shown.selected is None else shown.selected,
        "signed": shown.signed,
        "marked": [] if shown.marked is None else np.flatnonzero(shown.marked).tolist(),
    }
