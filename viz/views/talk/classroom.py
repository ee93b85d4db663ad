"""The class on stage, and the lecturer's desk: a window of its own, which alone shows what the hall has written."""

from __future__ import annotations

from typing import NamedTuple, cast

import streamlit as st

from model.analysis.lessons.gains import HALVES
from model.errors import HeadlightError
from viz.charts.markup import alert, line
from viz.core.choice import language, say, speak
from viz.core.classroom.questions import MOST_WORDING, ClassError, ClassQuestion, read_wording
from viz.core.classroom.room import MOST_PEOPLE, Room, the_room
from viz.export.show.staged import Stage
from viz.export.show.storyboard import Storyboard
from viz.views.talk import hall
from viz.widgets import class_bars, talks
from viz.widgets.errors import message, part, sentence_of
from viz.widgets.places import register

ASKED_EVERY = 2.0  # seconds
DESK_IN_LINK = "desk"
MOST_SHOWN = 8  # sentences of the queue
_HOST, _OPEN = "class_host", "class_open"  # keys of widgets
_SEEN, _STAGED, _SHOWN, _LED = "_class_seen", "_class_staged", "_class_shown", "_class_led"  # in the visitor's session
_REFUSED = "_class_refused"  # there, too: why the desk's question was not asked
_OWN = {"en": "class_own_en", "zh": "class_own_zh"}  # keys of the desk's question
_SPLIT, PLACE = "class_split", "class_place"
_component = register("class_place")


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


def ask_to_point(room: Room, shown: Stage) -> None:
    """The buttons that ask for a token or a head of the scene that is on; none at a sentence of the hall.

    The desk can ask the same in other words.
    """
    room.pointable = (0, ())
    if (told := message(PLACE, "place")) is None:
        return  # what is asked before the browser has said its place would be stopped when it does
    now = place_in(told, len(shown.scenes))
    scene = shown.scenes[now.scene]
    if now.is_hall or scene.scene.view or not scene.selection.heads:
        return
    found = hall.token_question(scene, now.scene), hall.head_question(scene, now.scene)
    room.pointable = (now.scene + 1, found)
    for asked in found:
        st.button(say(f"class.{asked.kind}"), key=f"class_ask_{asked.kind}", on_click=room.ask, args=(asked,))


def follow(room: Room, shown: Stage) -> None:
    """Ask what the scene asks while it stands there; stop when its picture, or a scene of the hall, is shown."""
    if (told := message(PLACE, "place")) is None:
        return  # the browser has not said yet
    now = place_in(told, len(shown.scenes))
    scene = shown.scenes[now.scene]
    question = None if now.is_hall else hall.question_of(scene)
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
        pictures = hall.pictures_of(shown.scenes[now.scene], room.split, is_asking=now.click == 0)
    except HeadlightError as error:
        pictures, wrong = (None, None), sentence_of(error)
    room.show((None, None) if now.is_hall else pictures)
    st.session_state[_SHOWN] = (now, room.split), wrong
    return wrong


def lead(room: Room, shown: Stage) -> None:
    """Offer phones the scene as it stands on stage, to be computed on the phone; nothing while its question stands."""
    if (told := message(PLACE, "place")) is None:
        return
    now = place_in(told, len(shown.scenes))
    scene = shown.scenes[now.scene]
    is_asking = scene.predict is not None and now.click == 0 and not now.is_hall
    said, typed = str(part(told, "shown") or ""), str(part(told, "text") or "") if now.is_hall else ""
    is_offered = scene.scene.phones != "none" and not is_asking
    led = hall.on_phones(scene, said, typed) if is_offered else "", scene.scene.phones == "open"
    if st.session_state.get(_LED) != led:  # a lesson may lead meanwhile
        st.session_state[_LED] = led
        room.lead(led[0], opens=led[1])


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
    return typed if class_bars.is_host(typed) else next(iter(class_bars.own_addresses()), "127.0.0.1")


def class_link(room: Room) -> str:
    """The link that the code holds."""
    port, prefix = st.get_option("server.port"), st.get_option("server.baseUrlPath")
    return class_bars.room_link(host(), int(port), str(prefix or ""), room.code)


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
    lead(room, talks.staged(board))
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
            st.html(class_bars.asked(room, is_below=is_below(room, talks.staged(board))))


def is_below(room: Room, shown: Stage) -> bool:
    """Whether the room's question is that of the scene in the talk below, where it can be read."""
    if (told := message(PLACE, "place")) is None:
        return False
    now = place_in(told, len(shown.scenes))
    return not now.is_hall and room.question == hall.question_of(shown.scenes[now.scene])


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
        for each in (_SHOWN, _LED):
            st.session_state.pop(each, None)  # a lesson may have taken both away
        st.link_button(say("class.desk.open"), f"?{DESK_IN_LINK}=1&lang={language()}", help=say("class.desk.help"))
        st.fragment(on_stage, run_every=ASKED_EVERY if room.is_open else None)(board, room)


def is_desk() -> bool:
    """Whether this window is the lecturer's desk."""
    return the_room() is not None and st.query_params.get(DESK_IN_LINK) == "1"


def ask_own(room: Room, kind: str) -> None:
    """Ask the desk's question, or keep why it is none; to be called in a widget's callback.

    Args:
        room: whom.
        kind: "number"; "token" or "head" of the scene that is on, where an empty question has the class's own words.
    """
    state = st.session_state
    try:
        words = cast("tuple[str, str]", tuple(read_wording(state.get(_OWN[each], "")) for each in ("en", "zh")))
    except ClassError:
        state[_REFUSED] = say("class.own.wrong", most=MOST_WORDING)
        return
    state[_REFUSED] = say("class.own.empty") if kind == "number" and not any(words) else ""
    number, known = room.pointable
    own = [hall.worded(each, number, words) for each in known if each.kind == kind]
    own += [ClassQuestion("number", words)] if kind == "number" and any(words) else []
    for question in own:
        room.ask(question)


def asking(room: Room) -> None:
    """The buttons of the desk's question; tokens and heads are those of the scene that is on stage."""
    number, known = room.pointable
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for kind in ("number", "token", "head"):
            is_there = kind == "number" or any(each.kind == kind for each in known)
            label = say("class.number.ask") if kind == "number" else say(f"class.{kind}")
            key, off = f"class_own_{kind}", not (room.is_open and is_there)
            st.button(label, key=key, on_click=ask_own, args=(room, kind), disabled=off)
        if known:
            st.html(line("alt", say("class.own.scene", scene=number)))
    if refused := st.session_state.get(_REFUSED):
        st.html(alert(refused))


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
    asking(room)
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
    st.container(key="talk_desk").html(line("alt", say("class.desk.lead", folder=str(room.folder))))
    asked, found = st.columns((2, 1), gap="large")
    with asked, st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for each, key in _OWN.items():
            st.text_input(say(f"class.own.{each}"), key=key, max_chars=MOST_WORDING)
    found.text_input(say("class.host"), key=_HOST, placeholder=host(), help=say("class.host.help"), max_chars=253)
    st.fragment(on_desk, run_every=ASKED_EVERY)(room)
