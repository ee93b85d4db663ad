"""The class on stage, and the lecturer's desk: a window of its own, which alone shows what the hall has written."""

from __future__ import annotations

import re
import socket
from dataclasses import replace
from ipaddress import ip_address
from typing import Literal, NamedTuple

import streamlit as st

from model.analysis.lessons.gains import HALVES
from model.errors import HeadlightError
from model.trace import HeadRef
from viz.charts.markup import alert, line
from viz.core.choice import language, say, speak
from viz.core.classroom.halves import PhonePicture
from viz.core.classroom.questions import ClassQuestion
from viz.core.classroom.room import MOST_PEOPLE, Room, the_room
from viz.core.selection import Selection
from viz.core.text import text
from viz.export.show.sights import Sight, word_map
from viz.export.show.staged import Stage, Staged
from viz.export.show.storyboard import Storyboard
from viz.views.talk import hall
from viz.widgets import class_bars, talks
from viz.widgets.errors import message, part, sentence_of
from viz.widgets.places import register

# A UDP socket that is "connected" sends nothing; it only learns by which of this machine's addresses it would go.
_TOWARDS = ("10.255.255.255", "192.168.255.255", "172.31.255.255")
_HOST_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?|\[[0-9a-fA-F:.]{2,45}\]")
ASKED_EVERY = 2.0  # seconds
DESK_IN_LINK = "desk"
MOST_SHOWN = 8  # sentences of the queue
_HOST, _OPEN = "class_host", "class_open"  # keys of widgets
_SEEN, _STAGED, _SHOWN = "_class_seen", "_class_staged", "_class_shown"  # in the visitor's session
_NUMBER, _SPLIT, PLACE = "class_number", "class_split", "class_place"
_component = register("class_place")
HalvesPictures = tuple[PhonePicture | None, PhonePicture | None]


class TalkPlace(NamedTuple):
    """Where the talk is: which scene of its file, from 0, which click, and whether it is the hall's after it."""

    scene: int
    click: int
    is_hall: bool


def place_in(said: object, scenes: int) -> TalkPlace:
    """Where the talk is, as the browser tells it."""

    def number(name: str, otherwise: int) -> int:
        told = str(part(said, name) or "")
        return int(told) if told.isascii() and told.isdigit() and len(told) < 4 else otherwise

    scene, click, hall = (number(name, int(name == "scene")) for name in talks.PLACE_IN_LINK)
    return TalkPlace(min(max(scene, 1), scenes) - 1, click, hall > 0)


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
    return ClassQuestion(asked, (english, chinese), tuple((name, name) for name in names))


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


def ask_to_point(room: Room, shown: Stage) -> None:
    """The buttons that ask for a token or a head of the scene that is on; none at a sentence of the hall."""
    if (told := message(PLACE, "place")) is None:
        return  # what is asked before the browser has said its place would be stopped when it does
    now = place_in(told, len(shown.scenes))
    scene = shown.scenes[now.scene]
    if now.is_hall or scene.scene.view or not scene.selection.heads:
        return
    for kind, question in (("token", token_question), ("head", head_question)):
        asked = question(scene, now.scene)
        st.button(say(f"class.{kind}"), key=f"class_ask_{kind}", on_click=room.ask, args=(asked,))


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


def follow(room: Room, shown: Stage) -> None:
    """Ask what the scene asks while it stands there; stop when its picture, or a scene of the hall, is shown."""
    if (told := message(PLACE, "place")) is None:
        return  # the browser has not said yet
    now = place_in(told, len(shown.scenes))
    scene = shown.scenes[now.scene]
    question = None if now.is_hall else question_of(scene)
    if st.session_state.get(_SEEN) == now:
        return  # the lecturer may have asked something else meanwhile
    st.session_state[_SEEN] = now
    if question is None:
        room.stop_asking()
    elif now.click == 0:
        room.ask(question)
    elif room.question == question and scene.predict:
        room.stop_asking(scene.predict.answer)


def show_halves(room: Room, shown: Stage) -> str:
    """Send each half of a divided hall the scene's picture for it, once a place; none of a scene of the hall.

    Returns:
        One sentence, why there is none; "" where nothing is wrong.
    """
    if (told := message(PLACE, "place")) is None:
        return ""
    now = place_in(told, len(shown.scenes))
    seen, wrong = st.session_state.get(_SHOWN, (None, ""))
    if seen == (now, room.split):
        return str(wrong)
    wrong = ""
    try:
        pictures = pictures_of(shown.scenes[now.scene], room.split, is_asking=now.click == 0)
    except HeadlightError as error:
        pictures, wrong = (None, None), sentence_of(error)
    room.show((None, None) if now.is_hall else pictures)
    st.session_state[_SHOWN] = (now, room.split), wrong
    return wrong


def switch(room: Room) -> None:
    """Open or end the class; to be called in a widget's callback."""
    if room.is_open:
        room.end()
    else:
        room.open()
    st.session_state.pop(_SEEN, None)


def host() -> str:
    """The machine as phones call it: what the lecturer has typed, or the first address that it has."""
    typed = str(st.session_state.get(_HOST, "")).strip()
    return typed if is_host(typed) else next(iter(own_addresses()), "127.0.0.1")


def class_link(room: Room) -> str:
    """The link that the code holds."""
    port, prefix = st.get_option("server.port"), st.get_option("server.baseUrlPath")
    return room_link(host(), int(port), str(prefix or ""), room.code)


def pull(room: Room, board: Storyboard) -> None:
    """Put the sentence that the desk has chosen on stage, once."""
    number, said = room.staged
    if number == st.session_state.setdefault(_STAGED, number):
        return
    st.session_state[_STAGED] = number
    hall.show(said, place_in(message(PLACE, "place"), len(board.scenes)).scene)
    st.rerun()


def on_stage(board: Storyboard, room: Room) -> None:
    """What the room sees, asked again every two seconds while the class is open."""
    speak()
    if not room.is_open:
        return
    _component.send({}, key=PLACE, on_place_change=lambda: None)
    follow(room, talks.staged(board))
    if wrong := show_halves(room, talks.staged(board)):
        st.html(alert(wrong))
    pull(room, board)
    with st.container(key="class_stage", horizontal=True, vertical_alignment="top", gap="medium"):
        with st.popover(say("class.join"), key="class_join"):
            st.html(class_bars.joining(class_link(room), room.people, MOST_PEOPLE))
        ask_to_point(room, talks.staged(board))
        if room.question is None:
            st.html(line("alt", say("class.people", people=room.people, most=MOST_PEOPLE)))
        else:
            st.html(class_bars.asked(room))


def stage(board: Storyboard) -> None:
    """The class over the talk; nothing where the server was started without one."""
    if (room := the_room()) is None:
        return
    with st.container(key="class_row", horizontal=True, vertical_alignment="top", gap="small"):
        st.session_state[_OPEN] = room.is_open  # another window may have switched it
        st.toggle(
            say("class.switch"),
            key=_OPEN,
            on_change=switch,
            args=(room,),
            help=say("class.switch.help", most=MOST_PEOPLE),
        )
        st.session_state.pop(_SHOWN, None)  # a lesson may have taken the pictures away
        st.link_button(say("class.desk.open"), f"?{DESK_IN_LINK}=1&lang={language()}", help=say("class.desk.help"))
        st.fragment(on_stage, run_every=ASKED_EVERY if room.is_open else None)(board, room)


def is_desk() -> bool:
    """Whether this window is the lecturer's desk."""
    return the_room() is not None and st.query_params.get(DESK_IN_LINK) == "1"


def ask_number(room: Room) -> None:
    """Ask for a number; to be called in a widget's callback."""
    if said := " ".join(str(st.session_state.get(_NUMBER, "")).split())[:300]:
        room.ask(ClassQuestion("number", (said, said)))


def divide(room: Room) -> None:
    """What the halves of the hall differ in; to be called in a widget's callback."""
    room.divide(str(st.session_state.get(_SPLIT, "")))


def halves(room: Room) -> None:
    """The switch for two halves of the hall."""
    st.session_state[_SPLIT] = room.split  # another window may have switched it
    st.selectbox(
        say("class.halves"),
        ["", *HALVES],
        key=_SPLIT,
        format_func=lambda name: say(f"class.halves.{name or 'one'}"),
        on_change=divide,
        args=(room,),
        help=say("class.halves.help"),
    )


def queue(room: Room) -> None:
    """The sentences of the hall, which a click puts on stage."""
    waiting = room.sentences()
    st.subheader(say("class.queue", waiting=len(waiting)))
    for number, said in list(waiting.items())[:MOST_SHOWN]:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button(say("class.queue.show"), key=f"class_show_{number}", on_click=room.put_on_stage, args=(number,))
            st.button(say("class.queue.aside"), key=f"class_aside_{number}", on_click=room.put_aside, args=(number,))
            st.html(line("lead", said))


def on_desk(room: Room) -> None:
    """The desk's moving part, asked again every two seconds: what the hall says, and beside it how it is invited."""
    speak()
    if not room.is_open:
        st.html(line("alt", say("class.closed")))
    else:
        said, invited = st.columns((2, 1), gap="large")
        with invited:
            st.html(class_bars.joining(class_link(room), room.people, MOST_PEOPLE))
            halves(room)
        with said:
            if room.question is not None:
                st.html(class_bars.asked(room))
                if room.is_asking:
                    st.button(say("class.stop"), key="class_stop", on_click=room.stop_asking)
            queue(room)
    if room.given():
        st.download_button(
            say("class.csv"), class_bars.table(room.given()), "headlight-class.csv", "text/csv", on_click="ignore"
        )


def desk() -> None:
    """The lecturer's window: how to join, the tally, the queue, a question of his own, the answers as a table."""
    if (room := the_room()) is None:
        return
    st.html(line("alt", say("class.desk.lead", folder=str(room.folder))))
    asked, found = st.columns((2, 1), gap="large")
    with asked, st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input(say("class.number"), key=_NUMBER, max_chars=300)
        st.button(
            say("class.number.ask"),
            key="class_number_ask",
            on_click=ask_number,
            args=(room,),
            disabled=not room.is_open,
        )
    found.text_input(say("class.host"), key=_HOST, placeholder=host(), help=say("class.host.help"), max_chars=253)
    st.fragment(on_desk, run_every=ASKED_EVERY)(room)


def own_addresses() -> list[str]:
    """This machine's addresses in networks, the likeliest first; [] where it is in none."""
    found: dict[str, None] = {}
    for other in _TOWARDS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            try:
                asked.connect((other, 9))
                found[asked.getsockname()[0]] = None
            except OSError:  # no way there
                continue
    return [each for each in found if not ip_address(each).is_loopback and each != "0.0.0.0"]  # noqa: S104


def is_host(said: str) -> bool:
    """Whether a text is a name or an address that a link can hold."""
    return _HOST_NAME.fullmatch(said) is not None


def room_link(host: str, port: int, prefix: str, code: str) -> str:
    """The link of a room.

    >>> room_link("192.168.1.5", 8501, "", "abc234")
    'http://192.168.1.5:8501/class/abc234'
    """
    below = f"/{prefix.strip('/')}" if prefix.strip("/") else ""
    return f"http://{host}:{port}{below}/class/{code}"
