"""The pictures that come with the program, for models that see."""

from __future__ import annotations

from model.common.drawings import DRAWINGS, drawing
from model.common.scenes import scene_of, scene_png


def shipped_picture(name: str) -> bytes | None:
    """A drawing ("house") or a scene ("scene-7") as the bytes of a PNG file; None where the name stands for none."""
    if name in DRAWINGS:
        return drawing(name)
    return None if scene_of(name) is None else scene_png(name)
