"""A storyboard: what a talk shows, says, asks and expects of the model. Plain data; nothing in it is ever run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import yaml

from model.errors import HeadlightError
from viz.core.selection import DEFAULTS, LINK_FIELDS, Selection, read_link

FORMAT = 1
MOST_FILE_BYTES = 131_072
MOST_SCENES = 40
MOST_MINUTES = 600
CLICK = "[click]"
# Most characters, and most entries of lists.
MOST_SIGNS = {
    "title": 200,
    "note": 4_000,
    "ask": 300,
    "option": 120,
    "link": 400,
    "expect": 200,
    "token": 60,
    "app": 2_000,
    "view": 2_000,
    "point": 200,
}
MOST_STEPS, MOST_EXPECTATIONS, MOST_POINTS = 20, 20, 8
OPTIONS = (2, 4)
OPTION_LETTERS = "ABCD"
OWN_CHOICES = (
    "text",
    "part",
    "checkpoint",
    "lang",
    "storyboard",
    "scene",
    "click",
    "hall",
)  # a scene says them, or the talk does
PHONES = ("tap", "open", "none")  # how phones of a class come to a scene
_HEADS = re.compile(r"[a-z][a-z0-9.]{0,20}(?:,[a-z][a-z0-9.]{0,20}){0,199}")  # by code or by job, see ``heads``


def write_storyboard(board: Storyboard) -> str:
    """The file's text; what is empty is left out."""
    said = {
        "format": FORMAT,
        "title": _both(board.title),
        "minutes": board.minutes,
        "checkpoint": board.checkpoint,
        "scenes": [_scene(scene) for scene in board.scenes],
    }
    return yaml.safe_dump(_full(said) | {"scenes": said["scenes"]}, allow_unicode=True, sort_keys=False, width=110)


def _scene(scene: TalkScene) -> dict[str, Any]:
    return _full(
        {
            "text": scene.text,
            "target": scene.target,
            "checkpoint": scene.checkpoint,
            "link": scene.link,
            "view": scene.view,
            "live": scene.live,
            "app": scene.app,
            "title": _both(scene.title),
            "points": [_both(point) for point in scene.points],
            "note": _both(scene.note),
            "steps": [_step(step) for step in scene.steps],
            "predict": _predict(scene.predict) if scene.predict else None,
            "point": _full({"token": _both(scene.point.token), "head": _both(scene.point.head)}),
            "phones": scene.phones if scene.phones != PHONES[0] else "",
            "expect": list(scene.expect),
            "minutes": scene.minutes,
        }
    )


def _step(step: Step) -> dict[str, Any]:
    light = {"light": _full({"row": step.light.row, "column": step.light.column})} if step.light else {}
    return _full({"link": step.link}) | light


def _predict(predict: Predict) -> dict[str, Any]:
    if predict.row:
        return {"ask": _both(predict.ask), "row": predict.row}
    options = [_both(option) for option in predict.options]
    return {"ask": _both(predict.ask), "options": options, "answer": OPTION_LETTERS[predict.answer]}


def _both(both: Both) -> dict[str, str]:
    return _full({"en": both.en, "zh": both.zh})


def _full(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value}


class StoryboardError(HeadlightError):
    """A storyboard cannot be read or played; the sentence names the line and the field."""


@dataclass(frozen=True)
class Both:
    """A text in both languages; where only one was given, it stands for the other."""

    en: str = ""
    zh: str = ""

    def of(self, language: str) -> str:
        """The text in a language."""
        return (self.zh or self.en) if language == "zh" else (self.en or self.zh)

    def __bool__(self) -> bool:
        return bool(self.en or self.zh)


@dataclass(frozen=True)
class Light:
    """What stands in the light: a row and a column by their tokens; one of them may be ""."""

    row: str = ""
    column: str = ""


@dataclass(frozen=True)
class Step:
    """What a click changes: some of the viewer's choices, or what stands in the light."""

    link: str = ""
    light: Light | None = None


@dataclass(frozen=True)
class Predict:
    """What the audience is asked before the picture is shown.

    Attributes:
        ask: the question.
        options: two to four; () where the map gives them.
        answer: place of the right option.
        row: whose strongest columns are the options, and the strongest of them the answer.
    """

    ask: Both
    options: tuple[Both, ...] = ()
    answer: int = 0
    row: str = ""


@dataclass(frozen=True)
class Pointing:
    """How a class is asked to point at a token or at a head of a scene; empty for the app's own words."""

    token: Both = Both()
    head: Both = Both()


@dataclass(frozen=True)
class TalkScene:
    """One picture, and what belongs to it.

    Attributes:
        text: the sentence.
        target: the translation to look at; "" for the model's own.
        checkpoint: name of the model; "" for the storyboard's.
        link: what is chosen, as the viewer's link writes it; heads also by their job, see ``heads``.
        view: of the app, where that is the picture and not a map: its name, then what its link says besides.
        app: where in the app it was pinned; "" where nowhere.
        live: in a file of its own another sentence can be typed, which is translated there.
        point: how a class is asked to point.
        phones: of ``PHONES``: phones of a class open it with a tap, by themselves, or not at all.
        points: sentences that stand beside the picture, one more with each click.
        title, note: a note's ``[click]`` marks are where the speaker goes on.
        steps: one a click.
        expect: what must hold of the model, see ``expect``.
        minutes: planned; 0 where nobody planned any.
        line: where in its file it begins; 0 where it comes from no file.
    """

    text: str
    target: str = ""
    checkpoint: str = ""
    link: str = ""
    app: str = ""
    title: Both = Both()
    note: Both = Both()
    steps: tuple[Step, ...] = ()
    predict: Predict | None = None
    expect: tuple[str, ...] = ()
    minutes: float = 0.0
    line: int = field(default=0, compare=False)
    view: str = ""
    points: tuple[Both, ...] = ()
    live: bool = False
    point: Pointing = Pointing()
    phones: str = PHONES[0]

    @property
    def choices(self) -> dict[str, str]:
        """What the link of its view says, less what the scene says itself."""
        found = dict(parse_qsl(self.view.partition("?")[2], max_num_fields=60))
        return {name: value for name, value in found.items() if name not in OWN_CHOICES}

    def fragments(self, language: str) -> list[str]:
        """The note, cut at its clicks."""
        note = self.note.of(language)
        return [" ".join(part.split()) for part in note.split(CLICK)] if note.strip() else []


@dataclass(frozen=True)
class Storyboard:
    """A talk."""

    title: Both
    scenes: tuple[TalkScene, ...]
    checkpoint: str = ""
    minutes: int = 0

    @property
    def planned(self) -> float:
        """Minutes of the whole: as it says itself, or of its scenes together."""
        return self.minutes or sum(scene.minutes for scene in self.scenes)


def parse_link(link: str, before: Selection = DEFAULTS) -> tuple[str, Selection]:
    """The heads that a viewer's link names, by code or by job, and what else is chosen after ``before``.

    Raises:
        ValueError: a part of it is no choice of the viewer's link.

    >>> parse_link("h=e.previous&w=1")
    ('e.previous', Selection(words=True))
    """
    parts = link.removeprefix("#").split("&")
    names = [part for part in parts if part.startswith("h=")]
    if wrong := [name for name in names if not _HEADS.fullmatch(name[2:])]:
        raise ValueError(f"{wrong[0][:40]!r} is no choice of the viewer's link")
    rest = read_link("&".join(part for part in parts if part not in names), before, strict=True)
    return names[-1][2:] if names else "", rest


_CELL = re.compile(r"(argmax|value) row (\S+) column (\S+)(?: (above|below) (-?\d{1,6}(?:\.\d{1,6})?))?((?: \w+ \S+)*)")
_SAID = re.compile(r"translation (contains|is) (.+)")
_LETTERS = {name: LINK_FIELDS[name].letter for name in ("method", "heads", "shift", "together")}


@dataclass(frozen=True)
class Expectation:
    """One expectation.

    Attributes:
        what: "argmax", "value", "contains" or "is".
        row, column: tokens; "" for what is about the translation.
        text: that the translation contains or is.
        than: "above" or "below"; with the ``number`` that a value is compared with.
        link: the viewer's choices that differ from the scene's.
    """

    what: str
    row: str = ""
    column: str = ""
    text: str = ""
    than: str = ""
    number: float = 0.0
    link: str = ""


def parse_expectation(said: str) -> Expectation:
    """The expectation that a sentence of the language says.

    Raises:
        StoryboardError: it is none.
    """
    said = " ".join(said.split())
    if found := _SAID.fullmatch(said):
        return Expectation(found[1], text=found[2])
    found = _CELL.fullmatch(said)
    if found is None or (found[1] == "value") != bool(found[4]):
        raise StoryboardError(f"{said[:60]!r} is no expectation, such as 'argmax row it column animal'")
    return Expectation(
        found[1], found[2], found[3], than=found[4] or "", number=float(found[5] or 0), link=_changed(found[6], said)
    )


def _changed(options: str, said: str) -> str:
    words = options.split()
    names, values = words[::2], words[1::2]
    if unknown := [name for name in names if name not in _LETTERS]:
        raise StoryboardError(f"{unknown[0][:30]!r} in {said[:60]!r} is none of {', '.join(_LETTERS)}")
    link = "&".join(f"{_LETTERS[name]}={value}" for name, value in zip(names, values, strict=True))
    try:
        parse_link(link)
    except ValueError as error:
        raise StoryboardError(f"{error} in {said[:60]!r}") from error
    return link
