"""What was learned: three questions before a lesson, three after, three a week later; here or on phones."""

from __future__ import annotations

import re
from time import time
from urllib.parse import urlencode

import streamlit as st

from model.analysis.lessons.items import Item
from model.errors import HeadlightError
from viz.charts.markup import line, tag
from viz.core.answers.lessons import lesson_items
from viz.core.choice import language, live_link, say, speak
from viz.core.classroom.book import GivenAnswer
from viz.core.classroom.questions import ClassError, ClassQuestion, new_learner, read_learner
from viz.core.classroom.room import Room, the_room
from viz.core.session import Session, Subject, read_session
from viz.core.text import text
from viz.export.show.storyboard import OPTION_LETTERS
from viz.widgets import class_bars
from viz.widgets.errors import show_error

LEARNER_IN_LINK = "learner"
TALLIED_EVERY = 2.0  # seconds
_GIVEN, _FIRST, _DONE, _LEARNER = "_items_given", "_items_first", "_items_done", "_items_learner"  # of the session
_MARKS = re.compile(r"([!-/:-@\[-`{-~])")


def literal(said: str) -> str:
    """A text that Streamlit's Markdown shows as it is.

    >>> literal("**a** :red[b]")
    '\\\\*\\\\*a\\\\*\\\\* \\\\:red\\\\[b\\\\]'
    """
    return _MARKS.sub(r"\\\1", said)


def learner() -> str:
    """The learner's code, of which all draws are made: the link's, or a new one."""
    try:
        return read_learner(st.query_params.get(LEARNER_IN_LINK))
    except ClassError:
        return str(st.session_state.setdefault(_LEARNER, new_learner()))


def question_of(item: Item, form: str) -> ClassQuestion:
    """An item as phones get it, without its key."""
    english, chinese = (text(each, f"item.{item.name}", **item.values) for each in ("en", "zh"))
    return ClassQuestion("choice", (english, chinese), tuple((each, each) for each in item.options), item.name, form)


def moved(key: str) -> None:
    """Remember the first option that was chosen; to be called in a widget's callback."""
    st.session_state.setdefault(_FIRST, {}).setdefault(key, st.session_state[key])


def answered(items: list[Item], form: str, keys: list[str]) -> None:
    """Keep the answers, once; to be called in a widget's callback."""
    state = st.session_state
    if keys[0] in state.setdefault(_DONE, {}) or any(state.get(key) is None for key in keys):
        return
    firsts = state.get(_FIRST, {})
    for item, key in zip(items, keys, strict=True):
        question, chosen = question_of(item, form), state[key]
        state[_DONE][key] = chosen
        given = GivenAnswer(
            question.packed(), str(chosen), str(firsts.get(key, chosen)), time(), str(item.key), learner()
        )
        state.setdefault(_GIVEN, []).append(given)


def asked(item: Item, key: str, number: int) -> None:
    """One question with its options; after the answers were sent, what is right, and why what was chosen is not."""
    done: int | None = st.session_state.get(_DONE, {}).get(key)
    ask = say(f"item.{item.name}", **item.values)
    st.html(line("alt", item.sentence) + line("lead", f"{number}. {ask}"))
    st.radio(
        literal(ask),
        range(len(item.options)),
        index=done,
        format_func=lambda place: f"{OPTION_LETTERS[place]} · {literal(item.options[place])}",
        key=key,
        on_change=moved,
        args=(key,),
        disabled=done is not None,
        label_visibility="collapsed",
    )
    if done is not None:
        st.html(verdict(item, done))


def verdict(item: Item, chosen: int) -> str:
    """Whether an answer is right; where not, the right one, and why the chosen one is not."""
    if chosen == item.key:
        return line("holds", say("lesson.form.right"))
    return line(
        "fails", say("lesson.form.wrong", right=item.options[item.key]), " ", say(f"item.why.{item.whys[chosen]}")
    )


def on_phones(room: Room, item: Item, form: str, key: str) -> None:
    """Ask a class, see its tally, and show the answer with what stands behind the others."""
    question = question_of(item, form)
    is_asked = room.question == question
    with st.container(horizontal=True, gap="small"):
        st.button(say("lesson.form.ask"), key=f"{key}_ask", on_click=room.ask, args=(question, item.key))
        if is_asked:
            st.button(say("lesson.form.show"), key=f"{key}_show", on_click=room.stop_asking, args=(item.key,))
    if not is_asked:
        return
    told = say("class.asking" if room.is_asking else "class.over", answers=len(room.answers()))
    st.html(class_bars.tally(room, question) + line("alt", told))
    if room.right is not None:
        st.html(line("holds", say("lesson.form.wrong", right=f"{OPTION_LETTERS[item.key]} · {item.options[item.key]}")))
        for place, why in enumerate(item.whys):
            if why:
                st.html(line("alt", f"{OPTION_LETTERS[place]} · {item.options[place]}: ", say(f"item.why.{why}")))


def lead_phones(now: Session, *, is_offered: bool) -> None:
    """Offer the phones of a class that is open the lesson's sentence and head, to be computed on the phone itself.

    Args:
        now: what the lesson shows.
        is_offered: it is about the sentence, and asks nothing that a map would answer.
    """
    if (room := the_room()) is None or not room.is_open:
        return
    about, beam = now.subject, {"b": str(now.subject.beam)} if now.subject.beam > 1 else {}
    is_own = about == about.own
    link = live_link(about.text, about.checkpoint, now.selection.in_app.link, **beam) if is_offered and is_own else None
    room.lead(link or "")


def week_link(number: str, about: Subject) -> str:
    """The link of the questions for a week later."""
    said = {"lesson": number, "form": "week", LEARNER_IN_LINK: learner(), "text": about.text, "lang": language()}
    return "?" + urlencode(said | {"checkpoint": about.checkpoint})


@st.fragment
def measured(number: str, form: str) -> None:
    """The questions of a lesson in a form: to be answered here, or asked of the class that is open."""
    speak()
    now = read_session()
    room = the_room()
    has_class = room is not None and room.is_open
    try:
        items = lesson_items(now.subject.own, number, form, room.code if room and has_class else learner())
    except HeadlightError as error:
        return show_error(error)
    if has_class:
        return st.fragment(class_asked, run_every=TALLIED_EVERY)(items, form)
    keys = [f"item_{number}_{form}_{learner()}_{place}" for place in range(len(items))]
    for place, (item, key) in enumerate(zip(items, keys, strict=True)):
        asked(item, key, place + 1)
    if keys[0] not in st.session_state.get(_DONE, {}):
        st.button(
            say("lesson.form.send"),
            key=f"item_{number}_send",
            on_click=answered,
            args=(items, form, keys),
            disabled=any(st.session_state.get(key) is None for key in keys),
        )
    elif form == "after":
        st.html(line("alt", tag("a", say("lesson.form.later"), href=week_link(number, now.subject), target="_blank")))
    if given := st.session_state.get(_GIVEN):
        st.download_button(say("class.csv"), class_bars.table(given), "headlight-lessons.csv", on_click="ignore")


def class_asked(items: list[Item], form: str) -> None:
    """The questions for a class, with their tallies, asked again every two seconds."""
    speak()
    if (room := the_room()) is None:
        return
    for place, item in enumerate(items):
        st.html(line("alt", item.sentence) + line("lead", f"{place + 1}. ", say(f"item.{item.name}", **item.values)))
        st.html(line("alt", " · ".join(f"{OPTION_LETTERS[i]} {each}" for i, each in enumerate(item.options))))
        on_phones(room, item, form, f"class_item_{place}")
