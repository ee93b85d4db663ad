"""Lessons on what the documents behind the project teach, on the model's own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import streamlit as st

from model.errors import HeadlightError
from model.source import require
from viz.core.answers.translations import translation
from viz.core.choice import is_gone_back, picked, say, speak, within
from viz.core.codes.choices import CHOICES
from viz.core.going import page_of
from viz.core.session import Session, read_session
from viz.core.views import LESSON_MODULES, VIEWS
from viz.views.lessons import predict
from viz.views.lessons.lesson import FILLED_LAST, Lesson
from viz.views.lessons.measured import lead_phones, measured
from viz.widgets.chart import lead
from viz.widgets.errors import OtherFormError, show_error, told
from viz.widgets.picker import coded, pick
from viz.widgets.places import register

LESSONS: Mapping[str, Lesson] = {
    number: import_module(f".{module}", __package__).LESSON for number, module in LESSON_MODULES.items()
}


_component = register("page_top", ())


def page_top(shown: str, key: str) -> None:
    """Scroll up whenever ``shown`` has changed.

    Args:
        shown: names the page's subject.
    """
    _component.mount({"shown": shown}, labels=within(""), key=key)


def choose() -> str:
    """The chosen lesson, from the list of all."""
    labels = {number: f"{number} · {say(f'lesson.{number}')}" for number in LESSONS}
    read, label = CHOICES["lesson"].read, say("lesson.choose")
    return coded(st.radio, "lesson", label, labels, "1", read, label_visibility="collapsed")


def go(number: str) -> None:
    """Open another lesson; to be called in a widget's callback."""
    st.session_state["lesson"] = number


def can_show(number: str, now: Session) -> bool:
    """Whether there is something to show; where not, one sentence says why.

    Raises:
        OtherFormError: the lesson is about other forms of model.
        LacksAbilityError: the model does not offer what it needs.
    """
    lesson, model = LESSONS[number], now.model
    if (reads := model.reads) not in lesson.reads:
        raise OtherFormError(reads, lesson.reads)
    if lesson.own and model.kind != "own":
        lead("lesson.own", checkpoint=model.name)
        return False
    if lesson.needs:
        require(model.opened, *sorted(lesson.needs))
    try:
        if lesson.sentence:
            translation(now.subject)
    except HeadlightError:  # which the frame has said
        lead("lesson.sentence")
        return False
    return True


def idea(number: str) -> None:
    """A lesson's idea and its formula, which no slider moves."""
    told_in, written = st.columns([5, 4], gap="medium", vertical_alignment="center")
    written.latex(LESSONS[number].equations)
    with told_in:
        lead(f"lesson.{number}.idea")
        st.markdown(say(f"lesson.{number}.where"))


@st.fragment
def taught(number: str) -> None:
    """A lesson from its picture to its questions; a slider draws this anew and nothing around it."""
    speak()  # it runs without the frame
    now, lesson = read_session(), LESSONS[number]
    predict.lock(number)
    first, asked, below = st.container(), st.container(), st.container()
    with below:
        idea(number)
        seen = st.container()
    with told():
        if not can_show(number, now):
            return
        try:
            with first:
                values = lesson.picture(now)
            values |= lesson.more(now)
            later = values.pop(FILLED_LAST, None)
        except HeadlightError as error:  # of what is typed in the lesson itself
            show_error(error)
            return
        with asked:
            predict.ask(number, values)
        with seen:
            lead(f"lesson.{number}.see", **values)
        with st.container(key="hl_lesson_row", horizontal=True, vertical_alignment="center", gap="medium"):
            st.markdown(f"**{say('lesson.questions')}**", width="content")
            predict.switch(number)
            form = pick("form", labelled=False) if now.model.kind == "own" else "off"
        for which in (1, 2):
            with st.expander(say(f"lesson.{number}.ask.{which}", **values)):
                lead(f"lesson.{number}.answer.{which}", **values)
        lead_phones(now, is_offered=lesson.sentence and form == "off")
        if form != "off":
            measured(number, form)
        if later:
            place, fill = later
            with place:
                fill()


def further(number: str) -> None:
    """Views that show more, and the lessons before and after."""
    numbers = list(LESSONS)
    place = numbers.index(number)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for way, near in (("back", place - 1), ("next", place + 1)):
            if 0 <= near < len(numbers):
                label = say(f"lesson.{way}", title=say(f"lesson.{numbers[near]}"))
                st.button(label, key=f"lesson_{way}", on_click=go, args=(numbers[near],))
        for name in LESSONS[number].views:
            st.page_link(page_of(VIEWS[name]), label=say("lesson.more", view=say(f"page.{name}")), width="content")


def view(session: Session) -> None:
    """The list of lessons, and the chosen one."""
    listed, shown = st.columns([1, 4], gap="medium")
    with listed:
        number = choose()
        page_top(number, key="lesson_top")
    with shown, st.container(key="hl_lesson", gap="small"):
        st.subheader(f"{number} · {say(f'lesson.{number}')}")
        body = st.container()
        further(number)
        with body:  # last, since a lesson may have what takes long
            taught(number)


def own_pickers() -> tuple[str, ...]:
    """The frame's pickers that the chosen lesson uses."""
    link = CHOICES["lesson"].read(st.query_params.get("lesson"))
    return LESSONS[(link or next(iter(LESSONS))) if is_gone_back() else picked("lesson")].pickers
