"""A storyboard's file, read; the first thing that is wrong with it is said in one sentence."""

from __future__ import annotations

import re

from model.limits import MAX_CHARACTERS
from viz.export.show.expect import parse_expectation
from viz.export.show.fields import Field, parse
from viz.export.show.storyboard import (
    FORMAT,
    MOST_EXPECTATIONS,
    MOST_MINUTES,
    MOST_SCENES,
    MOST_SIGNS,
    MOST_STEPS,
    OPTION_LETTERS,
    OPTIONS,
    Both,
    Light,
    Predict,
    Step,
    Storyboard,
    StoryboardError,
    TalkScene,
    parse_link,
)

_SCENE = ("text", "target", "checkpoint", "link", "app", "title", "note", "steps", "predict", "expect", "minutes")
_APP = re.compile(r"[a-z_]{0,30}(?:\?[\w.~%+=&,:*!'()-]*)?", re.ASCII)


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
    )


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
