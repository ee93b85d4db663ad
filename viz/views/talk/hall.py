"""A sentence from the hall: the scene that is on, made of it while the talk goes on."""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import replace

import streamlit as st

from model.errors import HeadlightError
from viz.core.choice import language
from viz.export.show.staged import Stage
from viz.export.show.storyboard import Both, Storyboard, TalkScene
from viz.export.show.talk import message_of, scene_part
from viz.widgets import talks
from viz.widgets.errors import message, part, sentence_of
from viz.widgets.places import register

HALL_KEY = "hall_box"
MOST_ASKED = 300  # characters
_ASKED = "_hall_asked"  # in the visitor's session: the sentence, the scene that was on, and how manyth it is
_component = register("hall_box")


def box(board: Storyboard) -> None:
    """Nothing to be seen: hears what the talk asks, and hands it the scene."""
    text, place, number = st.session_state.get(_ASKED, ("", 0, 0))
    sent = answer(board, text, place, number) if text and place < len(board.scenes) else packed({"id": ""}, b"")
    _component.send(sent, key=HALL_KEY, on_asked_change=asked)


def asked() -> None:
    """Keep what the talk has asked; what is no such thing is dropped."""
    said = message(HALL_KEY, "asked")
    text, place = part(said, "text"), part(said, "scene")
    if isinstance(text, str) and text.strip() and type(place) is int and place >= 0:
        show(text, place)


def show(text: str, place: int) -> None:
    """Let the next run make a scene of a sentence, as the scene at a place shows it."""
    number = st.session_state.get(_ASKED, ("", 0, 0))[2] + 1
    st.session_state[_ASKED] = (text.strip()[:MOST_ASKED], place, number)


def answer(board: Storyboard, text: str, place: int, number: int) -> bytes:
    """The scene as the talk reads it, with its message; or one sentence that says why there is none."""
    scene = of_hall(board.scenes[place], board.checkpoint, text)
    name = hashlib.sha256(repr((board, text, place, number)).encode()).hexdigest()[:16]
    try:
        shown = talks.staged(Storyboard(Both(), (scene,), board.checkpoint))
    except HeadlightError as error:
        return packed({"id": name, "error": sentence_of(error)}, b"")
    [each] = shown.scenes
    made = {**scene_part(each, 0, language()), "place": place}
    return packed({"id": name, "error": "", "scene": made}, message_of(each.sight, Stage(board, (each,)), language()))


def of_hall(scene: TalkScene, checkpoint: str, text: str) -> TalkScene:
    """The scene with another sentence: the same heads and sort, and nothing that was said of the first one's words."""
    kept = [each for each in scene.link.split("&") if each and each[0] not in "pq" and "@" not in each]
    return replace(
        TalkScene(text),
        checkpoint=scene.checkpoint or checkpoint,
        link="&".join(kept) or "h=best&s=1",
        title=Both(text),
    )


def packed(envelope: dict[str, object], sent: bytes) -> bytes:
    """Length of the envelope (uint32, little-endian), envelope (JSON, UTF-8), message."""
    said = json.dumps(envelope).encode()
    return struct.pack("<I", len(said)) + said + sent
