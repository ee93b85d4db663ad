"""A storyboard's file, read; the first thing that is wrong with it is said in one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

import yaml

from model.errors import MAX_CHARACTERS
from model.folders import argument_of
from viz.core.views import VIEWS
from viz.export.show.storyboard import (
    FORMAT,
    MOST_EXPECTATIONS,
    MOST_FILE_BYTES,
    MOST_MINUTES,
    MOST_POINTS,
    MOST_SCENES,
    MOST_SIGNS,
    MOST_STEPS,
    OPTION_LETTERS,
    OPTIONS,
    PHONES,
    Both,
    Light,
    Pointing,
    Predict,
    Step,
    Storyboard,
    StoryboardError,
    TalkScene,
    parse_expectation,
    parse_link,
)

MOST_DEPTH = 8
MOST_NODES = 10_000
_NOTHING = "tag:yaml.org,2002:null"
_SCENE = (
    *("text", "target", "checkpoint", "link", "view", "app", "title", "points", "note", "steps", "predict", "expect"),
    *("minutes", "live", "point", "phones"),
)
_APP = re.compile(r"[a-z_]{0,30}(?:\?[\w.~%+=&,:*!'()-]*)?", re.ASCII)


@dataclass(frozen=True)
class Field:
    """A place in the file: its node, and what it is called."""

    node: yaml.Node
    name: str

    @property
    def line(self) -> int:
        """The line on which it begins, from 1."""
        return int(self.node.start_mark.line) + 1

    def fail(self, why: str) -> NoReturn:
        """Say what is wrong here.

        Raises:
            StoryboardError: always.
        """
        raise StoryboardError(f"Line {self.line}, {self.name}: {why}.")

    def mapping(self, known: Iterable[str], needed: Iterable[str] = ()) -> dict[str, Field]:
        """Its entries by name.

        Raises:
            StoryboardError: it is no mapping, an entry stands twice or is unknown, or a needed one is missing.
        """
        if not isinstance(self.node, yaml.MappingNode):
            self.fail(f"must be a mapping, not {_form(self.node)}")
        found: dict[str, Field] = {}
        known = tuple(known)
        for key, value in self.node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else "?"
            entry = Field(value, f"{self.name}.{name[:30]}".lstrip("."))
            if name not in known:
                Field(key, self.name or "the file").fail(f"{name[:40]!r} is unknown; known are {', '.join(known)}")
            if name in found:
                entry.fail("stands twice")
            found[name] = entry
        for name in set(needed) - set(found):
            self.fail(f"{name} is missing")
        return found

    def items(self, least: int, most: int) -> list[Field]:
        """Its entries in order.

        Raises:
            StoryboardError: it is no list, or has too few or too many.
        """
        if not isinstance(self.node, yaml.SequenceNode):
            self.fail(f"must be a list, not {_form(self.node)}")
        if not least <= len(self.node.value) <= most:
            self.fail(f"must have {least} to {most} entries, and has {len(self.node.value)}")
        return [Field(value, f"{self.name}[{place}]") for place, value in enumerate(self.node.value, 1)]

    def text(self, most: int, least: int = 1) -> str:
        """Its text.

        Raises:
            StoryboardError: it is no text, empty, or too long.
        """
        if not isinstance(self.node, yaml.ScalarNode) or self.node.tag == _NOTHING:
            self.fail(f"must be text, not {_form(self.node)}")
        value: str = self.node.value.strip()
        if not least <= len(value) <= most:
            self.fail(f"must have {least} to {most:,} characters, and has {len(value):,}")
        return value

    def number(self, low: int, high: int) -> int:
        """Its whole number.

        Raises:
            StoryboardError: it is none, or out of bounds.
        """
        said = self.text(40)
        if not (said.isascii() and said.isdecimal()) or len(said) > 9 or not low <= int(said) <= high:
            self.fail(f"must be a whole number from {low} to {high}, not {said!r}")
        return int(said)

    def amount(self, most: int) -> float:
        """Its number from 0 on, with at most two decimals.

        Raises:
            StoryboardError: it is none, or too large.
        """
        said = self.text(40)
        if not re.fullmatch(r"\d{1,6}(?:\.\d{1,2})?", said, re.ASCII) or not float(said) <= most:
            self.fail(f"must be a number from 0 to {most}, such as 1.5, not {said!r}")
        return float(said)


def _flag(given: Field | None) -> bool:
    said = given.text(10) if given else "false"
    if given and said not in ("true", "false"):
        given.fail(f"must be true or false, not {said!r}")
    return said == "true"


def _form(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return "nothing" if node.tag == _NOTHING else "text"


def parse(data: bytes | str) -> Field:
    """The whole file as one field.

    Raises:
        StoryboardError: it is too large or no UTF-8, no YAML, or has tags, aliases, several documents, or too much.
    """
    raw = data.encode() if isinstance(data, str) else data
    if len(raw) > MOST_FILE_BYTES:
        raise StoryboardError(f"The file has {len(raw):,} bytes; a storyboard has at most {MOST_FILE_BYTES:,}.")
    try:
        text = raw.decode("utf-8-sig")
        _check(text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise StoryboardError("The file is no text in UTF-8.") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"Line {mark.line + 1}" if mark else "The file"
        raise StoryboardError(
            f"{place}: this is no YAML: {getattr(error, 'problem', None) or 'it breaks off'}."
        ) from error
    if node is None:
        raise StoryboardError("The file is empty.")
    return Field(node, "")


def _check(text: str) -> None:
    """Nothing, where the file is plain YAML of a reasonable size; told by its events, before anything is built."""
    depth, nodes, documents = 0, 0, 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise StoryboardError(f"Line {line}: anchors and aliases (& and *) are not allowed.")
        if getattr(event, "tag", None):
            raise StoryboardError(f"Line {line}: tags (!) are not allowed.")
        documents += isinstance(event, yaml.DocumentStartEvent)
        nodes += isinstance(event, yaml.NodeEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH or nodes > MOST_NODES or documents > 1:
            raise StoryboardError(
                f"Line {line}: a storyboard is one document, {MOST_DEPTH} levels deep and of {MOST_NODES:,} entries "
                "at most."
            )


def read_storyboard(data: bytes | str) -> Storyboard:
    """The storyboard in a file's bytes, or in a text.

    Raises:
        StoryboardError: the first thing that is wrong, with its line and field.
    """
    top = parse(data).mapping(("format", "title", "minutes", "checkpoint", "scenes"), ("format", "scenes"))
    top["format"].number(FORMAT, FORMAT)
    return Storyboard(
        _both(top.get("title"), MOST_SIGNS["title"]),
        tuple(_scene(each) for each in top["scenes"].items(0, MOST_SCENES)),
        _name(top.get("checkpoint")),
        top["minutes"].number(0, MOST_MINUTES) if "minutes" in top else 0,
    )


def _scene(given: Field) -> TalkScene:
    parts = given.mapping(_SCENE, ("text",))
    if "view" in parts and {"link", "steps"} & set(parts):
        given.fail("has either a view, or a link with steps")
    if "view" in parts and _flag(parts.get("live")):
        given.fail("has either a view, or is live: a view's picture is made before the talk")
    if {"view", "point"} <= set(parts):
        given.fail("has either a view, or words that ask a class to point: a view has no tokens and heads to point at")
    return TalkScene(
        text=parts["text"].text(MAX_CHARACTERS),
        target=_text(parts.get("target"), MAX_CHARACTERS),
        checkpoint=_name(parts.get("checkpoint")),
        link=_link(parts.get("link")),
        app=_app(parts.get("app")),
        title=_both(parts.get("title"), MOST_SIGNS["title"]),
        note=_both(parts.get("note"), MOST_SIGNS["note"]),
        steps=tuple(_step(each) for each in parts["steps"].items(0, MOST_STEPS)) if "steps" in parts else (),
        predict=_predict(parts["predict"]) if "predict" in parts else None,
        expect=tuple(map(_expectation, parts["expect"].items(0, MOST_EXPECTATIONS))) if "expect" in parts else (),
        minutes=parts["minutes"].amount(MOST_MINUTES) if "minutes" in parts else 0.0,
        line=given.line,
        view=_view(parts.get("view")),
        points=tuple(_both(each, MOST_SIGNS["point"]) for each in parts["points"].items(0, MOST_POINTS))
        if "points" in parts
        else (),
        live=_flag(parts.get("live")),
        point=_point(parts["point"]) if "point" in parts else Pointing(),
        phones=_phones(parts.get("phones")),
    )


def _point(given: Field) -> Pointing:
    parts = given.mapping(("token", "head"))
    return Pointing(*(_both(parts.get(name), MOST_SIGNS["ask"]) for name in ("token", "head")))


def _phones(given: Field | None) -> str:
    said = given.text(10) if given else PHONES[0]
    if given and said not in PHONES:
        given.fail(f"must be one of {', '.join(PHONES)}, not {said!r}")
    return said


def _text(given: Field | None, most: int) -> str:
    return given.text(most, 0) if given else ""


def _both(given: Field | None, most: int) -> Both:
    """A text in both languages, or one for both."""
    if given is None:
        return Both()
    if not hasattr(given.node.value, "isalnum"):  # a mapping or a list
        parts = given.mapping(("en", "zh"))
        return Both(*(_text(parts.get(language), most) for language in ("en", "zh")))
    return Both(given.text(most, 0))


def _name(given: Field | None) -> str:
    return _text(given, MOST_SIGNS["token"])


def _link(given: Field | None) -> str:
    said = _text(given, MOST_SIGNS["link"])
    try:
        parse_link(said)
    except ValueError as error:
        assert given
        given.fail(str(error))
    return said


def _app(given: Field | None) -> str:
    said = _text(given, MOST_SIGNS["app"])
    if given and not _APP.fullmatch(said):
        given.fail("is no place in the app")
    return said


def _view(given: Field | None) -> str:
    said = _text(given, MOST_SIGNS["view"])
    name = said.partition("?")[0]
    if given and (name not in VIEWS or not _APP.fullmatch(said)):
        given.fail(f"{name[:30]!r} is no view of the app, such as 'flow?step=3'")
    if given and VIEWS[name].section == "show":
        given.fail(f"{name!r} has no picture of its own")
    return said


def _step(given: Field) -> Step:
    parts = given.mapping(("link", "light"))
    return Step(_link(parts.get("link")), _light(parts["light"]) if "light" in parts else None)


def _light(given: Field) -> Light:
    parts = given.mapping(("row", "column"))
    return Light(*(_text(parts.get(side), MOST_SIGNS["token"]) for side in ("row", "column")))


def _predict(given: Field) -> Predict:
    parts = given.mapping(("ask", "options", "answer", "row"), ("ask",))
    ask = _both(parts["ask"], MOST_SIGNS["ask"])
    if "row" in parts:
        if {"options", "answer"} & set(parts):
            given.fail("has either a row, whose map answers, or options and an answer")
        return Predict(ask, row=parts["row"].text(MOST_SIGNS["token"]))
    if not {"options", "answer"} <= set(parts):
        given.fail("needs options and an answer, or a row, whose map answers")
    options = tuple(_both(each, MOST_SIGNS["option"]) for each in parts["options"].items(*OPTIONS))
    answer = parts["answer"].text(1).upper()
    if answer not in OPTION_LETTERS[: len(options)]:
        parts["answer"].fail(f"must be one of {', '.join(OPTION_LETTERS[: len(options)])}, not {answer!r}")
    return Predict(ask, options, OPTION_LETTERS.index(answer))


def _expectation(given: Field) -> str:
    said = given.text(MOST_SIGNS["expect"])
    try:
        parse_expectation(said)
    except StoryboardError as error:
        given.fail(str(error))
    return said


STORYBOARDS = Path(__file__).resolve().parent / "storyboards"
ENDINGS = (".yaml", ".yml")
OPTION = "--storyboard"


def shipped() -> tuple[str, ...]:
    """Names of the talks that ship, in the order of their files."""
    return tuple(path.stem for path in sorted(STORYBOARDS.glob("*.yaml")))


@lru_cache(maxsize=16)
def shipped_storyboard(name: str) -> Storyboard:
    """A talk that ships.

    Raises:
        StoryboardError: there is none of that name.
    """
    if name not in shipped():
        raise StoryboardError(f"There is no talk {name[:60]!r}; there are: {', '.join(shipped())}.")
    return open_storyboard(STORYBOARDS / f"{name}.yaml")


def open_storyboard(path: Path) -> Storyboard:
    """The storyboard in a file, of which no more is read than a storyboard may have.

    Raises:
        OSError: it cannot be read.
        StoryboardError: something is wrong with it.
    """
    with path.open("rb") as file:
        return read_storyboard(file.read(MOST_FILE_BYTES + 1))


def storyboard_in(arguments: Sequence[str]) -> Path | None:
    """The file that arguments name, ``--storyboard FILE``; None where they name none."""
    said = argument_of(OPTION, arguments)
    return None if said is None else Path(said)
