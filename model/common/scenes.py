"""Scenes whose answer is known to depend on certain patches: a few coloured shapes, one of them ringed; its colour is
the answer. Whatever else is in a scene says nothing about it."""

from __future__ import annotations

import io
import random
import re
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from model.errors import PictureError

SIZE, PATCH = 48, 8  # pixels
COLOURS = {
    "red": "#D1495B",
    "orange": "#EE8434",
    "yellow": "#F5C542",
    "green": "#5B8C5A",
    "blue": "#2E86AB",
    "purple": "#8E5EA2",
}
_SHAPES = ("disc", "square", "triangle")
_GROUND, _RING = "#F7F4EC", "#1A1A1A"
_OBJECTS = 4
_RADIUS, _RINGED = 4, 7  # of a shape, and of the ring around one
_NAME = re.compile(r"scene-(\d{1,6})")


class RingedScene(NamedTuple):
    """One scene.

    Attributes:
        image: 48 × 48 pixels.
        answer: the colour of the ringed shape.
        decides: which patches show the ring or the shape in it, bool [6, 6].
    """

    image: Image.Image
    answer: str
    decides: np.ndarray


def scene(number: int) -> RingedScene:
    """The scene of a number: always the same one."""
    rng = random.Random(number)
    colours = rng.sample(sorted(COLOURS), _OBJECTS)
    places = _places(rng)
    kinds = [rng.choice(_SHAPES) for _ in places]
    image, alone = (Image.new("RGB", (SIZE, SIZE), _GROUND) for _ in range(2))
    for kind, place, colour in zip(kinds[1:], places[1:], colours[1:], strict=True):
        _shape(ImageDraw.Draw(image), kind, place, COLOURS[colour])
    for each in (image, alone):
        _ringed(ImageDraw.Draw(each), kinds[0], places[0], COLOURS[colours[0]])
    method = (np.asarray(alone) != np.asarray(Image.new("RGB", (1, 1), _GROUND))).any(-1)
    side = SIZE // PATCH
    return RingedScene(image, colours[0], method.reshape(side, PATCH, side, PATCH).any((1, 3)))


def scene_of(name: str) -> RingedScene | None:
    """The scene that a picture's name stands for: "scene-7"; None where it stands for none."""
    found = _NAME.fullmatch(name)
    return scene(int(found[1])) if found else None


def scene_png(name: str) -> bytes:
    """A scene as the bytes of a PNG file.

    Raises:
        PictureError: the name stands for no scene.
    """
    found = scene_of(name)
    if found is None:
        raise PictureError(f"There is no scene {name!r}: a scene is called scene-7, with a number of its own.")
    out = io.BytesIO()
    found.image.save(out, "PNG")
    return out.getvalue()


def _places(rng: random.Random) -> list[tuple[int, int]]:
    """Middles of the shapes, the ringed one's first; no two touch."""
    while True:
        found: list[tuple[int, int]] = []
        for _ in range(100):
            spare = (_RADIUS if found else _RINGED) + 1
            at = (rng.randrange(spare, SIZE - spare), rng.randrange(spare, SIZE - spare))
            if all(_apart(at, other, _RINGED if index == 0 else _RADIUS) for index, other in enumerate(found)):
                found.append(at)
            if len(found) == _OBJECTS:
                return found


def _apart(one: tuple[int, int], other: tuple[int, int], radius: int) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) > radius + _RADIUS + 1


def _ringed(on: ImageDraw.ImageDraw, kind: str, place: tuple[int, int], colour: str) -> None:
    x, y = place
    _shape(on, kind, place, colour)
    on.ellipse((x - _RINGED, y - _RINGED, x + _RINGED, y + _RINGED), outline=_RING, width=2)


def _shape(on: ImageDraw.ImageDraw, kind: str, place: tuple[int, int], colour: str) -> None:
    x, y = place
    box = (x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS)
    if kind == "disc":
        on.ellipse(box, fill=colour)
    elif kind == "square":
        on.rectangle(box, fill=colour)
    else:
        on.polygon(((x - _RADIUS, y + _RADIUS), (x + _RADIUS, y + _RADIUS), (x, y - _RADIUS)), fill=colour)
