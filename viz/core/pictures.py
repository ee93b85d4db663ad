"""Pictures and sounds that a model is given: those that ship, and a visitor's own, which nobody else gets."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from model.errors import PictureError

if TYPE_CHECKING:
    import numpy as np

    from model.source import Reads

_OWN = "_pictures"  # in a visitor's session: his pictures and sounds by their names
MOST_OWN = 4


def picture(name: str) -> bytes:
    """The bytes of a picture, or of a sound.

    Raises:
        PictureError: there is no such picture, or another visitor brought it.
    """
    from model.common.scenes import shipped_picture

    if shipped := shipped_picture(name):
        return shipped
    if name not in own():
        raise PictureError("This is not here: a picture or a sound of one's own is kept for its visitor alone.")
    return own()[name]


def deciding(name: str) -> np.ndarray | None:
    """Which patches of a scene its answer depends on, bool [rows, columns]; None where the picture is no scene."""
    from model.common.scenes import scene_of

    found = scene_of(name)
    return None if found is None else found.decides


def own() -> Mapping[str, bytes]:
    """This visitor's pictures and sounds, by their names."""
    found: Mapping[str, bytes] = st.session_state.get(_OWN, {})
    return found


def is_own(name: str) -> bool:
    """Whether a name is that of a picture or a sound which some visitor brought, see ``take``."""
    return name.startswith(("picture-", "sound-"))


def take(data: bytes, reads: Reads = "picture") -> str:
    """Keep a picture or a sound for this visitor's session; its name, which tells nothing of it."""
    name = f"{reads}-{hashlib.sha256(data).hexdigest()[:16]}"
    kept = {**own(), name: data}
    st.session_state[_OWN] = dict(list(kept.items())[-MOST_OWN:])
    return name


def check_picture(name: str) -> None:
    """Nothing, where a picture or a sound may be seen: answers are shared by all visitors, a visitor's pictures not.

    Raises:
        PictureError: it may not.
    """
    if is_own(name):
        picture(name)
