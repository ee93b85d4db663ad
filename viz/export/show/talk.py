"""A whole talk in one HTML file: every scene shown by the viewer itself, without a server or a network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from viz.core.text import text
from viz.export.show.sights import Sight, state_of
from viz.export.show.staged import Stage, Staged
from viz.export.show.storyboard import OPTION_LETTERS, StoryboardError
from viz.web.bundles import TALK_STYLE
from viz.web.page import document, packed
from viz.web.payload import pack

TALK_WORDS = (
    *("on", "before", "notes", "notes_here", "notes_window", "ask_hint", "right", "wrong", "revealed"),
    *("of_talk", "of_scene", "next_is", "asks", "last", "keys", "is_dark", "stage"),
    *("overview", "overview_open", "overview_hint"),
)


MOST_PAGE = 30_000_000  # of a page


def talk_page(shown: Stage, language: str) -> str:
    """The file.

    Args:
        shown: the talk.
        language: of all words, "en" or "zh".

    Raises:
        StoryboardError: it would be too large.
    """
    sights: list[Sight] = []
    for each in shown.scenes:
        if each.sight not in sights:
            sights.append(each.sight)
    messages = [packed(_message(sight, shown, language)) for sight in sights]
    if sum(map(len, messages)) > MOST_PAGE:
        raise StoryboardError(f"The talk would be larger than {MOST_PAGE // 1_000_000} MB; take scenes out.")
    title = shown.storyboard.title.of(language) or text(language, "talk.untitled")
    said = {
        "language": language,
        "title": title,
        "minutes": shown.storyboard.planned,
        "messages": messages,
        "scenes": [_scene(each, sights.index(each.sight), language) for each in shown.scenes],
        "words": {name: text(language, f"talk.{name}") for name in TALK_WORDS},
    }
    # No "<" can end the script that holds it.
    data = json.dumps(said, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    body = (
        f'<div id="talk"><noscript>{text(language, "viewer.script")}</noscript></div>\n'
        f'<script type="application/json" id="scenes">{data}</script>'
    )
    return document(body, f"{title} · Headlight", language, TALK_STYLE.read_text(encoding="utf-8"))


def _message(sight: Sight, shown: Stage, language: str) -> bytes:
    """The sight with the sorts of map that its scenes show; weights first."""
    wanted = {"weights": None}
    for each in (each for each in shown.scenes if each.sight is sight):
        links = [each.state.link]
        for step in each.steps:
            links.append(f"{links[-1]}&{step}")
        wanted |= {state_of(sight, link).sort: None for link in links}
    maps = {name: sight.maps(name) for name in wanted}
    return pack(sight.translation, maps, language=language, model=sight.source.name)


def _scene(each: Staged, message: int, language: str) -> Mapping[str, Any]:
    scene, predict = each.scene, each.predict
    asked = predict and {
        "ask": predict.ask.of(language),
        "options": [option.of(language) for option in predict.options],
        "answer": predict.answer,
    }
    return {
        "title": scene.title.of(language) or scene.text,
        "message": message,
        "link": each.state.link,
        "steps": list(each.steps),
        "note": scene.fragments(language),
        "predict": asked,
        "minutes": scene.minutes,
    }


def answer_said(each: Staged, language: str) -> str:
    """The right answer to a scene's question, with its letter; "" where nothing is asked."""
    if each.predict is None:
        return ""
    return f"{OPTION_LETTERS[each.predict.answer]} {each.predict.options[each.predict.answer].of(language)}"
