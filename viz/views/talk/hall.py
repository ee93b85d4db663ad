"""What the hall says, and what it gets of a scene: its question, its picture, its place on phones."""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import replace
from typing import Literal

import streamlit as st

from model.errors import HeadlightError
from model.trace import KIND_LETTERS, HeadRef
from viz.core.choice import language, live_link
from viz.core.classroom.halves import PhonePicture
from viz.core.classroom.questions import ClassQuestion, of
from viz.core.selection import REST, Selection, read_link
from viz.core.text import text
from viz.export.show.sights import Sight, selected, word_map
from viz.export.show.staged import Stage, Staged
from viz.export.show.storyboard import Both, Storyboard, TalkScene
from viz.export.show.talk import message_of, scene_part
from viz.widgets import talks
from viz.widgets.errors import message, part, sentence_of
from viz.widgets.places import register

HALL_KEY = "hall_box"
MOST_ASKED = 300  # characters
_ASKED = "_hall_asked"  # in the visitor's session: the sentence, the scene that was on, and how manyth it is
_component = register("hall_box")
HalvesPictures = tuple[PhonePicture | None, PhonePicture | None]


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


def on_phones(scene: Staged, shown: str, typed: str = "") -> str:
    """Where a phone computes a scene itself; "" where this server has no such page of the scene's model.

    Args:
        scene: which.
        shown: what is chosen of it on stage, as the viewer's link writes it; what is none of that is dropped.
        typed: the sentence that was typed in place of the scene's own; "" for that.
    """
    seen = of_view(scene) if scene.scene.view else read_link(shown, scene.selection)
    ids = ".".join(map(str, (0, *scene.sight.translation.tgt_ids))) if scene.scene.target and not typed else ""
    forced = {"y": ids} if ids else {}
    text = " ".join(typed.split())[:MOST_ASKED] or scene.scene.text
    return live_link(text, scene.sight.source.name, seen.in_app.link, **forced) or ""


def of_view(scene: Staged) -> Selection:
    """The sentence's head and token that a scene of a view is about, as its link says them; else the best head."""
    said, best = scene.scene.choices, selected(scene.sight, "h=best")
    kind, layer, head = (said.get(name, str(value)) for name, value in best.head._asdict().items())
    link = [said.get(REST, ""), f"h={KIND_LETTERS.get(kind, '')}{layer}.{head}", f"d={said.get('method', '')}"]  # type: ignore[call-overload]
    link += [f"p=t{int(said['step']) - 1}"] if said.get("step", "").isdecimal() and said["step"] != "0" else []
    return read_link("&".join(link), best)


def question_of(scene: Staged) -> ClassQuestion | None:
    """A scene's question as phones get it, without the key."""
    if (predict := scene.predict) is None:
        return None
    return ClassQuestion(
        "choice",
        (predict.ask.of("en"), predict.ask.of("zh")),
        tuple((option.of("en"), option.of("zh")) for option in predict.options),
    )


def token_question(scene: Staged, place: int) -> ClassQuestion:
    """Which token, of those that the scene's first head can look at; a repeated one is told by its number.

    Args:
        scene: which.
        place: its place in the talk, from 0, which the question says: another scene's answers are counted apart.
    """
    labels = scene.sight.trace.axis_labels(scene.selection.head.kind)[1]
    return _pointing("token", scene, place, unique([label.text for label in labels]))


def head_question(scene: Staged, place: int) -> ClassQuestion:
    """Which head, of the scene's kind, layer by layer; as ``token_question``."""
    kind = scene.selection.head.kind
    layers, heads = scene.sight.trace.weights[kind].shape[:2]
    names = [HeadRef(kind, layer, head).title for layer in range(layers) for head in range(heads)]
    return _pointing("head", scene, place, names)


def _pointing(asked: Literal["token", "head"], scene: Staged, place: int, names: list[str]) -> ClassQuestion:
    kind = scene.selection.head.kind
    english, chinese = (
        text(each, f"class.{asked}.which", scene=place + 1, kind=text(each, f"kind.{kind}")) for each in ("en", "zh")
    )
    question = ClassQuestion(asked, (english, chinese), tuple((name, name) for name in names))
    words = scene.scene.point.token if asked == "token" else scene.scene.point.head
    return worded(question, place + 1, (words.en, words.zh))


def worded(question: ClassQuestion, number: int, words: tuple[str, str]) -> ClassQuestion:
    """A question that asks to point in the lecturer's words, English and Chinese, after the scene's number from 1.

    Where there are none, it stays as it is.
    """
    if not any(words):
        return question
    english, chinese = (text(each, "class.own.which", scene=number, ask=of(words, each)) for each in ("en", "zh"))
    return replace(question, ask=(english, chinese))


def unique(names: list[str]) -> list[str]:
    """Names with the later ones of a kind numbered.

    >>> unique(["the", "cat", "the"])
    ['the', 'cat', 'the (2)']
    """
    found: dict[str, None] = {}
    for name in names:
        tried, number = name, 1
        while tried in found:
            number += 1
            tried = f"{name} ({number})"
        found[tried] = None
    return list(found)


def pictures_of(scene: Staged, split: str, is_asking: bool) -> HalvesPictures:
    """What each half sees of a scene: its map or none, or its first head by weights and by votes.

    While a question stands that the map itself answers, neither sees one.

    Args:
        scene: which, of a map.
        split: a key of ``HALVES``; "" where the hall is one.
        is_asking: whether its question stands.

    Raises:
        HeadlightError: the model has no votes, or the map is too large for a phone.
    """
    is_key = is_asking and scene.predict is not None and bool(scene.predict.row)
    if not split or scene.scene.view or is_key:
        return None, None
    if split == "picture":
        return phone_picture(scene.sight, scene.selection), None
    weights, votes = (replace(scene.selection, method=method, step=None) for method in ("weights", "votes"))
    return phone_picture(scene.sight, weights), phone_picture(scene.sight, votes)


def phone_picture(sight: Sight, selection: Selection) -> PhonePicture:
    """The first map that a selection shows, word by word.

    Raises:
        HeadlightError: the model does not offer the method, or the map is too large for a phone.
    """
    try:
        found = word_map(sight, selection)
    except ValueError as error:
        raise HeadlightError(str(error)) from error
    titles = [f"{selection.head.title} · {text(each, f'method.{selection.method}')}" for each in ("en", "zh")]
    return PhonePicture(
        (titles[0], titles[1]),
        tuple(label.text for label in found.rows),
        tuple(label.text for label in found.columns),
        tuple(tuple(round(100 * float(value)) for value in row) for row in found.weights),
    )


def packed(envelope: dict[str, object], sent: bytes) -> bytes:
    """Length of the envelope (uint32, little-endian), envelope (JSON, UTF-8), message."""
    said = json.dumps(envelope).encode()
    return struct.pack("<I", len(said)) + said + sent
