"""A whole talk in one HTML file: every scene shown by the viewer itself, without a server or a network."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from model.own.translator import Translator
from viz.charts.layout import plotly_script
from viz.core.selection import read_link
from viz.core.text import text
from viz.export.live import ENGINE_METHODS, FILE_POLICY, engine_data, engine_parts, header_of
from viz.export.show.sights import Sight
from viz.export.show.staged import Stage, Staged
from viz.export.show.storyboard import OPTION_LETTERS, StoryboardError, TalkScene
from viz.web.bundles import STAGE, TALK_STYLE, VIEWER, markup, style
from viz.web.page import POLICY, document, packed
from viz.web.payload import pack

TALK_WORDS = (
    *("on", "before", "notes", "notes_here", "notes_window", "ask_hint", "right", "wrong", "revealed"),
    *("of_talk", "of_scene", "next_is", "asks", "last", "keys", "is_dark", "stage"),
    *("overview", "overview_open", "overview_hint", "hall", "hall_hint", "hall_send", "hall_wait", "whole_screen"),
    "live_weights",
)
LIVE_WORDS = (
    *("sentence", "translate", "opening", "ready", "working", "done", "cut", "failed", "simd", "empty", "long"),
    *("script", "tokens", "sentences"),
)
# What Streamlit would say of how a view's elements stand.
STILL_STYLE = """:host { font: 16px/1.45 "Source Sans", system-ui, "Noto Sans CJK SC", sans-serif; }
.row { display: flex; flex-wrap: wrap; align-items: flex-start; gap: .5rem 1rem; }
.row > * { min-width: 0; } .still-view > * + * { margin-top: .5rem; } p { margin: 0; }
.svg-container { position: relative; } .main-svg { position: absolute; left: 0; top: 0; }
.modebar-container { display: none; }
table { border-collapse: collapse; } td, th { padding: .15rem .6rem; text-align: left; }"""


MOST_PAGE = 30_000_000  # of a page, less what its engine takes
MOST_ENGINE = 30_000_000  # of the translator in a page with live scenes


def talk_page(shown: Stage, language: str, *, alone: bool = True) -> str:
    """The file.

    Args:
        shown: the talk.
        language: of all words, "en" or "zh".
        alone: it has no app around it that translates, so its live scenes bring a translator along.

    Raises:
        StoryboardError: it would be too large, or a view has no picture.
        HeadlightError: a scene is live, and the packages that make graphs are not installed.
    """
    sights: list[Sight] = []
    for each in shown.scenes:
        if each.sight not in sights:
            sights.append(each.sight)
    messages = [packed(message_of(sight, shown, language)) for sight in sights]
    found = view_stills(shown, language)
    if sum(map(len, messages)) > MOST_PAGE:
        raise StoryboardError(f"The talk would be larger than {MOST_PAGE // 1_000_000} MB; take scenes out.")
    live = next((each.sight for each in shown.scenes if each.scene.live), None) if alone else None
    engine = _engine(live) if live else {}
    title = shown.storyboard.title.of(language) or text(language, "talk.untitled")
    said = {
        "language": language,
        "title": title,
        "minutes": shown.storyboard.planned,
        "messages": messages,
        "scenes": [
            scene_part(each, sights.index(each.sight), language, number) for number, each in enumerate(shown.scenes, 1)
        ],
        "stills": {
            name: {look: rendered.parts for look, rendered in each.looks.items()} for name, each in found.items()
        },
        "words": {name: text(language, f"talk.{name}") for name in TALK_WORDS},
        "live": _live_part(live, language, engine) if live else None,
    }
    return _document(said, title, language, found, engine)


def _engine(sight: Sight) -> dict[str, bytes]:
    """The parts of the translator that live scenes ask.

    Raises:
        HeadlightError: they cannot be made, or are too large.
    """
    assert isinstance(sight.source, Translator)
    parts = engine_parts(sight.source, None)
    if (size := sum(map(len, parts.values())) * 8 // 7) > MOST_ENGINE:
        raise StoryboardError(
            f"The talk's live scenes would bring a translator of {size / 1e6:.0f} MB along; "
            f"{MOST_ENGINE // 1_000_000} MB is the most."
        )
    return parts


def _live_part(sight: Sight, language: str, engine: Mapping[str, bytes]) -> Mapping[str, Any]:
    """What the script needs to ask the translator: its parts, the header that all its answers have, its words."""
    maps = {name: sight.maps(name) for name in ENGINE_METHODS}
    header = header_of(pack(sight.translation, maps, language=language, model=sight.source.name))
    words = {name: text(language, f"live.{name}") for name in LIVE_WORDS}
    return {"parts": list(engine), "header": header, "words": words}


def _document(
    said: Mapping[str, Any], title: str, language: str, found: Mapping[str, ViewStill], engine: Mapping[str, bytes]
) -> str:
    """The file with everything that its script reads."""
    # No "<" can end the script that holds it.
    data = json.dumps(said, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    body = (
        f'<div id="talk"><noscript>{text(language, "viewer.script")}</noscript></div>\n{_templates(found)}'
        f'<script type="application/json" id="scenes">{data}</script>'
    )
    if engine:
        body += f"\n{engine_data(engine)}"
    return document(
        body,
        f"{title} · Headlight",
        language,
        TALK_STYLE.read_text(encoding="utf-8"),
        bundle=STAGE if found else VIEWER,
        policy=FILE_POLICY if engine else POLICY,
        before=plotly_script() if any("figure" in each.names for each in found.values()) else "",
        own=not found,
    )


def view_stills(shown: Stage, language: str) -> dict[str, ViewStill]:
    """The pictures of the scenes that are of views, by what they are called in the page.

    Raises:
        StoryboardError: a view has none.
    """
    scenes = {f"still-{place}": each for place, each in enumerate(shown.scenes, 1) if each.scene.view}
    asked = [asked_of(each.scene, each.sight.source.name, language) for each in scenes.values()]
    found = dict(zip(scenes, stills(asked), strict=True))
    for name, each in scenes.items():
        if wrong := found[name].wrong.rstrip("."):
            place = f"Scene {name.removeprefix('still-')}" + (f", line {each.scene.line}" if each.scene.line else "")
            raise StoryboardError(f"{place}: the view {each.scene.view.partition('?')[0]} has no picture: {wrong}.")
    return found


def _templates(found: Mapping[str, ViewStill]) -> str:
    """The markup of stills, and of each component in them, which the page's script puts where it belongs."""
    views = [
        f'<template id="{name}-{look}">{rendered.style}<style>{STILL_STYLE}</style>'
        f'<div class="still-view">{rendered.markup}</div></template>\n'
        for name, each in found.items()
        for look, rendered in each.looks.items()
    ]
    components = [
        f'<template id="component-{name}"><style>{style(name)}</style>{markup(name)}</template>\n'
        for name in mounted(found.values())
    ]
    return "".join([*views, *components])


def message_of(sight: Sight, shown: Stage, language: str) -> bytes:
    """The sight with the maps of all methods that its scenes show; weights first."""
    wanted: dict[str, None] = {"weights": None}
    for each in (each for each in shown.scenes if each.sight is sight):
        now = each.selection
        for step in ("", *each.steps):
            now = read_link(step, now)
            wanted[now.map_name] = None
    maps = {name: sight.maps(name) for name in wanted}
    return pack(sight.translation, maps, language=language, model=sight.source.name)


def scene_part(each: Staged, message: int, language: str, number: int = 0) -> Mapping[str, Any]:
    """A scene as the page's script reads it.

    Args:
        each: the scene.
        message: place of its sentence among those of the page.
        language: of all words.
        number: from 1, where it is a picture of a view.
    """
    scene, predict = each.scene, each.predict
    asked = predict and {
        "ask": predict.ask.of(language),
        "options": [option.of(language) for option in predict.options],
        "answer": predict.answer,
    }
    return {
        "title": scene.title.of(language) or scene.text,
        "message": message,
        "link": each.selection.link,
        "steps": list(each.steps),
        "note": scene.fragments(language),
        "predict": asked,
        "minutes": scene.minutes,
        "points": [point.of(language) for point in scene.points],
        "still": f"still-{number}" if scene.view and number else "",
        "place": number - 1,
        "live": scene.live,
    }


def answer_said(each: Staged, language: str) -> str:
    """The right answer to a scene's question, with its letter; "" where nothing is asked."""
    if each.predict is None:
        return ""
    return f"{OPTION_LETTERS[each.predict.answer]} {each.predict.options[each.predict.answer].of(language)}"


HOME = Path(__file__).resolve().parents[3]
MAKER = "viz.app.view_stills"
SECONDS_FIRST, SECONDS_EACH = 120, 60  # to load a model, and for a view


@dataclass(frozen=True)
class Asked:
    """A view of the app that is to be pictured."""

    view: str  # its name
    query: tuple[tuple[str, str], ...]  # what its link says besides, an entry a choice
    language: str  # "en" or "zh"


@dataclass(frozen=True)
class RenderedView:
    """A view's picture in one look."""

    markup: str  # of its own elements, with ``<div data-part="0">`` where the first of ``parts`` belongs
    style: str  # the style sheets that the app wrote into its page
    # name of a component, or "figure" for one of Plotly's, with the data that it shows
    parts: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class ViewStill:
    """A view's picture by look; ``wrong`` says why there is none."""

    looks: Mapping[str, RenderedView]
    wrong: str = ""

    @property
    def names(self) -> set[str]:
        """Of everything that is mounted in it."""
        return {str(part["name"]) for rendered in self.looks.values() for part in rendered.parts}


def asked_of(scene: TalkScene, checkpoint: str, language: str) -> Asked:
    """What a scene that is of a view asks for.

    Args:
        scene: with a ``view``.
        checkpoint: of the storyboard, where the scene names none.
        language: of all words.
    """
    view = scene.view.partition("?")[0]
    return Asked(view, (*scene.choices.items(), ("text", scene.text), ("checkpoint", checkpoint)), language)


def stills(asked: Sequence[Asked]) -> list[ViewStill]:
    """The pictures, in order.

    Raises:
        StoryboardError: the process that makes them failed.
    """
    return list(_made(tuple(asked))) if asked else []


@lru_cache(maxsize=16)
def _made(asked: tuple[Asked, ...]) -> tuple[ViewStill, ...]:
    try:
        done = subprocess.run(  # noqa: S603 - our own module, and what it reads is data
            [sys.executable, "-m", MAKER],
            input=json.dumps([asdict(each) for each in asked]),
            capture_output=True,
            text=True,
            cwd=HOME,
            timeout=SECONDS_FIRST + SECONDS_EACH * len(asked),
            check=True,
        )
    except subprocess.SubprocessError as error:
        raise StoryboardError("The pictures of views could not be made.") from error
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return tuple(_read(each) for each in found)


def _read(said: Mapping[str, Any]) -> ViewStill:
    looks = {
        look: RenderedView(each["markup"], each["style"], tuple(each["parts"])) for look, each in said["looks"].items()
    }
    return ViewStill(looks, said["wrong"])


def mounted(found: Iterable[ViewStill]) -> list[str]:
    """Names of the components in all of them, without Plotly's figures."""
    return sorted(set().union(*(each.names for each in found)) - {"figure"})
