"""The pictures that come with the program, for models that see."""

from __future__ import annotations

import io
from collections.abc import Callable

from PIL import Image, ImageDraw

from model.common.scenes import scene_of, scene_png
from model.errors import PictureError

SIZE = 448  # pixels
SKY, GRASS, WALL, ROOF, SUN, DOOR = "#BFE3FF", "#7DB46C", "#E8D3A9", "#A8452F", "#F5C542", "#6B4A2B"


def drawing(name: str) -> bytes:
    """A drawing as the bytes of a PNG file.

    Raises:
        PictureError: there is none of this name.
    """
    if name not in DRAWINGS:
        raise PictureError(f"There is no picture {name!r}; there are: {', '.join(DRAWINGS)}.")
    image = Image.new("RGB", (SIZE, SIZE), SKY)
    DRAWINGS[name](ImageDraw.Draw(image))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _house(on: ImageDraw.ImageDraw) -> None:
    on.rectangle((0, 330, SIZE, SIZE), fill=GRASS)
    on.ellipse((340, 30, 410, 100), fill=SUN)
    on.rectangle((110, 190, 310, 370), fill=WALL)
    on.polygon(((90, 190), (330, 190), (210, 90)), fill=ROOF)
    on.rectangle((185, 275, 235, 370), fill=DOOR)
    for left in (130, 250):
        on.rectangle((left, 220, left + 40, 260), fill="#FFFFFF", outline=DOOR, width=4)


def _shapes(on: ImageDraw.ImageDraw) -> None:
    on.rectangle((0, 0, SIZE, SIZE), fill="#F7F4EC")
    on.ellipse((30, 40, 190, 200), fill="#D1495B")
    on.rectangle((250, 50, 400, 200), fill="#2E86AB")
    on.polygon(((60, 410), (210, 410), (135, 260)), fill="#F5C542")
    on.regular_polygon((330, 330, 85), 6, fill="#5B8C5A")


def _ball(on: ImageDraw.ImageDraw) -> None:
    on.rectangle((0, 300, SIZE, SIZE), fill=GRASS)
    on.ellipse((110, 320, 350, 370), fill="#5E8B50")
    on.ellipse((130, 130, 330, 330), fill="#D1495B")
    on.chord((130, 130, 330, 330), 20, 160, fill="#B23A4C")
    on.ellipse((180, 165, 225, 205), fill="#F2A0AC")


DRAWINGS: dict[str, Callable[[ImageDraw.ImageDraw], None]] = {"house": _house, "shapes": _shapes, "ball": _ball}


def shipped_picture(name: str) -> bytes | None:
    """A drawing ("house") or a scene ("scene-7") as the bytes of a PNG file; None where the name stands for none."""
    if name in DRAWINGS:
        return drawing(name)
    return None if scene_of(name) is None else scene_png(name)
