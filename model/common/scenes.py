"""Scenes whose answer is known to depend on certain patches: a few coloured shapes, one of them ringed; its colour is
the answer. Whatever else is in a scene says nothing about it."""

from __future__ import annotations

import io
import random
import re
import struct
from collections.abc import Callable, Sequence
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
    """One scene."""

    image: Image.Image  # 48 × 48 pixels
    answer: str  # the colour of the ringed shape
    decides: np.ndarray  # which patches show the ring or the shape in it, bool [6, 6]


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


_PHOTO = 448  # pixels
SKY, GRASS, WALL, ROOF, SUN, DOOR = "#BFE3FF", "#7DB46C", "#E8D3A9", "#A8452F", "#F5C542", "#6B4A2B"


def drawing(name: str) -> bytes:
    """A drawing as the bytes of a PNG file.

    Raises:
        PictureError: there is none of this name.
    """
    if name not in DRAWINGS:
        raise PictureError(f"There is no picture {name!r}; there are: {', '.join(DRAWINGS)}.")
    image = Image.new("RGB", (_PHOTO, _PHOTO), SKY)
    DRAWINGS[name](ImageDraw.Draw(image))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _house(on: ImageDraw.ImageDraw) -> None:
    on.rectangle((0, 330, _PHOTO, _PHOTO), fill=GRASS)
    on.ellipse((340, 30, 410, 100), fill=SUN)
    on.rectangle((110, 190, 310, 370), fill=WALL)
    on.polygon(((90, 190), (330, 190), (210, 90)), fill=ROOF)
    on.rectangle((185, 275, 235, 370), fill=DOOR)
    for left in (130, 250):
        on.rectangle((left, 220, left + 40, 260), fill="#FFFFFF", outline=DOOR, width=4)


def _shapes(on: ImageDraw.ImageDraw) -> None:
    on.rectangle((0, 0, _PHOTO, _PHOTO), fill="#F7F4EC")
    on.ellipse((30, 40, 190, 200), fill="#D1495B")
    on.rectangle((250, 50, 400, 200), fill="#2E86AB")
    on.polygon(((60, 410), (210, 410), (135, 260)), fill="#F5C542")
    on.regular_polygon((330, 330, 85), 6, fill="#5B8C5A")


def _ball(on: ImageDraw.ImageDraw) -> None:
    on.rectangle((0, 300, _PHOTO, _PHOTO), fill=GRASS)
    on.ellipse((110, 320, 350, 370), fill="#5E8B50")
    on.ellipse((130, 130, 330, 330), fill="#D1495B")
    on.chord((130, 130, 330, 330), 20, 160, fill="#B23A4C")
    on.ellipse((180, 165, 225, 205), fill="#F2A0AC")


DRAWINGS: dict[str, Callable[[ImageDraw.ImageDraw], None]] = {"house": _house, "shapes": _shapes, "ball": _ball}


SOUND_RATE = 16_000  # samples a second
SOUNDS: dict[str, tuple[tuple[float, float], ...]] = {  # tones of half a second: the Hz that each begins and ends with
    "tones": ((440, 440), (880, 880), (1760, 1760)),
    "glide": ((200, 800), (800, 3200), (3200, 400)),
}


def tones(each: Sequence[tuple[float, float]]) -> bytes:
    """Tones of half a second, one after the other, as the bytes of a WAV file; what it holds is no speech."""
    steps = SOUND_RATE // 2
    fade = np.minimum(1, np.minimum(np.arange(steps), np.arange(steps)[::-1]) / 400)
    waves = [fade * np.sin(2 * np.pi * np.cumsum(np.linspace(*ends, steps)) / SOUND_RATE) for ends in each]
    data = (np.concatenate(waves) * 16_000).astype("<i2").tobytes()
    told = struct.pack("<IHHIIHH", 16, 1, 1, SOUND_RATE, 2 * SOUND_RATE, 2, 16)  # one channel of 16 bits
    parts = b"WAVEfmt " + told + b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(parts)) + parts


def shipped_picture(name: str) -> bytes | None:
    """What ships under a name, as the bytes of a file: a drawing ("house"), a scene ("scene-7"), a sound ("tones").

    None where the name stands for none.
    """
    if name in DRAWINGS:
        return drawing(name)
    if name in SOUNDS:
        return tones(SOUNDS[name])
    return None if scene_of(name) is None else scene_png(name)
