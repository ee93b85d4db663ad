"""What surrounds every view: the sentence, the translation, the status."""

from __future__ import annotations

import time
from importlib import import_module

import streamlit as st

from model.errors import HeadlightError
from model.source import LacksAbilityError, require
from model.trace import Translation
from viz.app import header, pickers, verdict
from viz.app import style as look
from viz.app.given import told_line
from viz.app.sentences import choose_shown_part, parts_line, shown_parts
from viz.app.settings import LINKED_MODEL, choose_checkpoint
from viz.app.style import STYLE
from viz.charts.markup import alert, line
from viz.core import models
from viz.core.answers.translations import translation
from viz.core.language import say, speak
from viz.core.model_pool import has_pytorch
from viz.core.numbers import number
from viz.core.session import Subject, force, read_session, subject
from viz.core.views import ViewSpec
from viz.widgets import chips, examples
from viz.widgets.errors import OtherFormError, show_error, told

_VERDICT = "_verdict"  # where it stands in this run, until it is whole


def draw(spec: ViewSpec) -> None:
    """The frame above a view, up to the pickers."""
    st.html(STYLE)
    st.session_state.setdefault(LINKED_MODEL, st.query_params.get("checkpoint", ""))
    model = models.current()
    st.session_state.setdefault("text", str(st.query_params.get("text") or model.default_text))
    header.draw(spec, model)
    if not has_pytorch():
        time.sleep(0.05)  # the first visit: the box is sent before libraries, while they load, let nothing be sent
    chips.keep_sentence()
    look.follow()
    _missing_model(model)
    is_there = _translation_row(spec, model)
    if spec.sentence and not is_there:
        examples.draw(model)
        status_line()
        st.stop()


def _missing_model(model: models.ModelEntry) -> None:
    """One sentence where the link asks for a model that is not here, until another is chosen."""
    linked = st.session_state[LINKED_MODEL]
    if linked and linked not in models.names() and model.name == models.default_model():
        st.html(alert(say("app.no_such_model", linked=linked[:100], checkpoint=model.name)))


def _translation_row(spec: ViewSpec, model: models.ModelEntry) -> bool:
    """The sentence and its translation, or one sentence that says why there is none; whether there is one."""
    st.session_state.pop(_VERDICT, None)
    with st.container(key="hl_sentence", horizontal=True, vertical_alignment="center", gap="small"):
        place = st.container(width="stretch", gap=None)
        status = st.container(width="content")
    st.session_state["_status"] = status.empty()
    st.session_state["_status"].html(line("status", say("app.status.loading", checkpoint=model.name)))
    with place:
        about = subject()
        try:
            several = shown_parts()
            found = translation(about)
        except HeadlightError as error:
            show_error(error)
            return False
        if several:
            parts_line(about, found)
        else:
            told_line(found, model)
        if (spec.chips or several) and (found.trace.src or found.tgt_ids):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                if several:
                    choose_shown_part()
                if spec.chips:
                    chips.draw(found, bool(st.session_state.get("pinyin")), spec.name == "step_by_step")
        if found.log_probs and verdict.is_judged(about):
            st.session_state[_VERDICT] = verdict.draw(about, found)
    _inspected_row(about, found)
    if not found.finished and model.reads == "text":
        notice = say("app.truncated", limit=len(found.tgt))
        st.html(alert(notice))
    return True


def verdict_line() -> None:
    """The verdict once more, by a look into the model; after everything that does not need it."""
    place = st.session_state.pop(_VERDICT, None)
    if place is not None:
        about = subject()
        verdict.draw_looked_into(place, about, translation(about))


def _inspected_row(about: Subject, found: Translation) -> None:
    """A notice where the translation under inspection is not the one that the model chose."""
    if not about.forced or found.tgt_ids == (chosen := translation(about.own)).tgt_ids:
        return
    own, best = (number(sum(each.log_probs)) for each in (found, chosen))
    with st.container(key="hl_inspected", horizontal=True, vertical_alignment="center", width="content"):
        st.html(line("alt", say("app.inspected", own=own, best=best)), width="content")
        st.button(say("app.inspected.back"), key="back_to_best", on_click=force, args=("hyp", ()))


@st.fragment
def by_itself(spec: ViewSpec) -> None:
    """A view with its pickers: a choice draws them anew and not the frame around them."""
    speak()  # it runs without the frame
    with told():
        pickers.settle()
        with st.container():  # where every view has its pickers
            pickers.row(spec)
        import_module(spec.module).view(read_session())


def check(spec: ViewSpec) -> None:
    """Nothing, where the view is about such models, and the chosen one offers what it needs.

    Raises:
        OtherFormError: it is about others.
        LacksAbilityError: the model does not offer it.
    """
    model = models.current()
    reads = model.reads
    if reads not in spec.reads:
        raise OtherFormError(reads, spec.reads)
    if "gains" in spec.needs and reads == "sentence" and not translation(subject()).log_probs:
        raise LacksAbilityError("gains", model.name, "no_mask")
    if spec.needs:
        require(model.opened, *sorted(spec.needs))


def opened() -> bool:
    """Whether the chosen model could be opened; where not, one sentence says why, and another can be chosen."""
    if (problem := models.problem()) is not None:
        show_error(problem)
    try:
        _ = models.current().facts
    except HeadlightError as error:
        st.html(STYLE)
        with st.container(key="hl_header", horizontal=True, vertical_alignment="center"):
            header.logo()
            with st.popover(say("app.settings"), width="content"):
                choose_checkpoint()
        show_error(error)
        return False
    return True


def status_line() -> None:
    """Checkpoint and device, once the model is there; loading it is the last thing that a first visit does."""
    place, model = st.session_state["_status"], models.current()
    try:
        device = model.opened.device_name
    except HeadlightError as error:
        show_error(error)
        return
    place.html(line("status", say("app.status", checkpoint=model.name, device=device)))
