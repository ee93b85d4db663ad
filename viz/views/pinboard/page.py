"""The pinboard: what was pinned while exploring, to be put in order, told and asked about in a form, or as YAML."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from model.errors import HeadlightError
from viz.charts.markup import line, tag
from viz.core.choice import language, say
from viz.core.going import open_view
from viz.core.session import Session
from viz.core.views import VIEWS
from viz.export.show.storyboard import (
    MOST_FILE_BYTES,
    MOST_POINTS,
    MOST_SIGNS,
    OPTION_LETTERS,
    OPTIONS,
    PHONES,
    Both,
    Pointing,
    Predict,
    TalkScene,
)
from viz.widgets import pins, talks
from viz.widgets.errors import show_error
from viz.widgets.picker import bar

_FILE, _WRONG, _YAML = "pins_file", "_pins_wrong", "pins_yaml"
YAML_HIGH = 560  # pixels of the YAML


def open_file() -> None:
    """Pins from a file, beside those that are there."""
    if (file := st.session_state.get(_FILE)) is None:
        return
    try:
        pins.add(file.getvalue())
    except HeadlightError as error:
        st.session_state[_WRONG] = error


def retitle() -> None:
    """The board under the name that was typed."""
    pins.rename(Both(str(st.session_state["pins_title"])[: pins.MOST_CAPTION]))


def rewritten(key: str) -> None:
    """The board as its YAML was changed; YAML that cannot be read changes nothing."""
    try:
        pins.rewrite(str(st.session_state[key]))
    except HeadlightError as error:
        st.session_state[_WRONG] = error


def play() -> None:
    """The board as a talk."""
    st.session_state[talks.CHOSEN] = talks.PINS
    open_view("talk")


def view(_session: Session) -> None:
    """Every pin in a form, the same as YAML beside it, and what can be made of them."""
    board = pins.board()
    if (wrong := st.session_state.pop(_WRONG, None)) is not None:
        show_error(wrong)
    with bar():
        if board.scenes:
            st.button(say("pins.play"), type="primary", key="pins_play", on_click=play)
            st.download_button(say("pins.save"), pins.written(), "headlight-pinboard.yaml", on_click="ignore")
        with st.popover(say("pins.open")):
            st.file_uploader(say("show.file", most=talks.MOST_KB), talks.FILE_TYPES, key=_FILE, on_change=open_file)
    if not board.scenes:
        st.html(line("lead", say("pins.none")))
        st.html(line("lead", say("pins.lead")))
        return
    forms, text = st.columns([5, 3], gap="medium")
    with forms:
        st.session_state["pins_title"] = spoken(board.title)
        st.text_input(say("pins.title"), key="pins_title", on_change=retitle, max_chars=pins.MOST_CAPTION)
        for place in range(len(board.scenes)):
            card(place, len(board.scenes))
    with text:
        key = f"{_YAML}_{hash(board)}"
        st.text_area(
            say("pins.yaml"), pins.written(), key=key, height=YAML_HIGH, on_change=rewritten, args=(key,),
            max_chars=MOST_FILE_BYTES, help=say("pins.yaml.help"),
        )  # fmt: skip
        st.html(line("alt", say("pins.lead")))


FIELDS = ("title", "points", "note", "ask", "options", "answer", "row", "live", "token", "head", "phones")


def spoken(both: Both) -> str:
    """A text in the visitor's language."""
    return both.of(language())


def changed(both: Both, said: str, most: int) -> Both:
    """A text with what was typed in the visitor's language; the other language keeps its own."""
    said = said.strip()[:most]
    return both if said == spoken(both) else replace(both, **{language(): said})


def predicted(before: Predict | None, typed: dict[str, str]) -> Predict | None:
    """The question that was typed; None where none is whole: it needs a row, or two to four options.

    Args:
        before: the question so far, whose other language is kept.
        typed: what stands in the fields.
    """
    known = before or Predict(Both())
    ask = changed(known.ask, typed["ask"], MOST_SIGNS["ask"])
    if not ask:
        return None
    if row := typed["row"].strip()[: MOST_SIGNS["token"]]:
        return Predict(ask, row=row)
    lines = [each.strip() for each in typed["options"].splitlines() if each.strip()][: OPTIONS[1]]
    if len(lines) < OPTIONS[0]:
        return None
    kept = (*known.options, *[Both()] * len(lines))
    options = tuple(changed(one, said, MOST_SIGNS["option"]) for one, said in zip(kept, lines, strict=False))
    answer = OPTION_LETTERS.find(typed["answer"] or OPTION_LETTERS[0])
    return Predict(ask, options, min(max(answer, 0), len(options) - 1))


def filled(scene: TalkScene, typed: dict[str, str]) -> TalkScene:
    """The scene as its form says."""
    lines = [each.strip() for each in typed["points"].splitlines() if each.strip()][:MOST_POINTS]
    before = (*scene.points, *[Both()] * len(lines))
    points = tuple(changed(one, said, MOST_SIGNS["point"]) for one, said in zip(before, lines, strict=False))
    token, head = (changed(getattr(scene.point, each), typed[each], MOST_SIGNS["ask"]) for each in ("token", "head"))
    return replace(
        scene,
        title=changed(scene.title, typed["title"], MOST_SIGNS["title"]),
        note=changed(scene.note, typed["note"], MOST_SIGNS["note"]),
        points=points,
        predict=predicted(scene.predict, typed),
        live=bool(typed["live"]),
        point=Pointing() if scene.view else Pointing(token, head),
        phones=typed["phones"] or PHONES[0],
    )


def edited(place: int, key: str) -> None:
    """Take what was typed; in a callback."""
    typed = {name: str(st.session_state.get(f"{key}_{name}") or "") for name in FIELDS}
    pins.change(place, filled(pins.board().scenes[place], typed))


def card(place: int, count: int) -> None:
    """One pin with its form."""
    scene = pins.board().scenes[place]
    key = f"pin_{hash(scene)}_{place}"
    with st.container(border=True):
        sight, fields = st.columns([2, 5])
        with sight:
            _picture(scene)
            _buttons(scene, place, count, key)
        with fields:
            _fields(scene, place, key)


def _picture(scene: TalkScene) -> None:
    """What the scene shows: its map small, or the name of its view."""
    if scene.view:
        name = say(f"page.{scene.view.partition('?')[0]}")
        st.html(tag("p", tag("strong", name), tag("br"), scene.text, class_="hl-lead"))
        return
    try:
        st.image(talks.small_picture(scene, language()), width="stretch")
    except HeadlightError as error:
        show_error(error)


def _buttons(scene: TalkScene, place: int, count: int, key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        up, down = (place, -1), (place, 1)
        st.button("↑", key=f"{key}b", help=say("pins.earlier"), disabled=not place, on_click=pins.move, args=up)
        last = place == count - 1
        st.button("↓", key=f"{key}a", help=say("pins.later"), disabled=last, on_click=pins.move, args=down)
        st.button(say("pins.off"), key=f"{key}x", on_click=pins.move, args=(place, 0))
        view, _, query = scene.app.partition("?")
        if view in VIEWS:
            st.html(tag("a", say("pins.back"), href=f"./{view}?{query}", target="_self"), width="content")


def _fields(scene: TalkScene, place: int, key: str) -> None:
    asks = scene.predict or Predict(Both())
    taken: dict[str, Any] = {"on_change": edited, "args": (place, key)}
    most = pins.MOST_CAPTION
    st.text_input(say("pins.caption"), spoken(scene.title), most, key=f"{key}_title", **taken)
    said, shown = st.columns(2)
    said.text_area(
        say("pins.note"),
        spoken(scene.note),
        90,
        MOST_SIGNS["note"],
        key=f"{key}_note",
        help=say("pins.note.help"),
        **taken,
    )
    points = "\n".join(map(spoken, scene.points))
    shown.text_area(say("pins.points"), points, 90, key=f"{key}_points", help=say("pins.points.help"), **taken)
    if not scene.view:
        st.checkbox(say("pins.live"), scene.live, key=f"{key}_live", help=say("pins.live.help"), **taken)
    with st.expander(say("pins.question"), expanded=bool(asks.ask)):
        st.text_input(say("pins.ask"), spoken(asks.ask), MOST_SIGNS["ask"], key=f"{key}_ask", **taken)
        options, answers = st.columns([3, 2])
        listed = "\n".join(map(spoken, asks.options))
        options.text_area(say("pins.options"), listed, 90, key=f"{key}_options", **taken)
        answers.selectbox(say("pins.answer"), list(OPTION_LETTERS), asks.answer, key=f"{key}_answer", **taken)
        answers.text_input(say("pins.row"), asks.row, 60, key=f"{key}_row", help=say("pins.row.help"), **taken)
        if not asks.ask and st.session_state.get(f"{key}_ask"):
            st.html(line("alt", say("pins.question.open")))
    _of_class(scene, key, taken)


def _of_class(scene: TalkScene, key: str, taken: dict[str, Any]) -> None:
    """What a class is asked of the scene, and whether phones come to it."""
    with st.expander(say("pins.class"), expanded=bool(scene.point.token or scene.point.head)):
        if not scene.view:
            for each, said in (("token", scene.point.token), ("head", scene.point.head)):
                st.text_input(say(f"pins.{each}"), spoken(said), MOST_SIGNS["ask"], key=f"{key}_{each}", **taken)
        ways = PHONES.index(scene.phones)
        st.selectbox(
            say("pins.phones"),
            PHONES,
            ways,
            format_func=lambda way: say(f"pins.phones.{way}"),
            key=f"{key}_phones",
            help=say("pins.phones.help"),
            **taken,
        )
