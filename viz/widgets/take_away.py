"""What a page offers to be taken away: pictures, the page of a whole trace, and the view as code."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from model.attribution.labelled_map import LabelledMap
from model.folders import MODELS
from model.source import SEEN_OR_HEARD
from viz.charts.sheet.files import FILES
from viz.charts.sheet.sheet import SheetStyle
from viz.core.answers.translations import translation
from viz.core.choice import language, live_link, say
from viz.core.models import entries, entry_of
from viz.core.pictures import is_own
from viz.core.selection import Selection
from viz.core.session import Session, Subject
from viz.export.code import ModelCode, command, patching_lines, python_lines
from viz.export.pages import page_of
from viz.export.shown import caption, sheet_of

OWN_FILES = {"picture": "picture.png", "sound": "sound.wav"}  # a visitor's own file, whose name nobody knows


def page_button(now: Session, asked: Selection, key: str) -> None:
    """The page of the whole trace, made when it is asked for; beside it the one that translates, where it is served."""
    spoken = language()

    def made() -> str:
        return page_of(now.model.opened, translation(now.subject), asked, spoken).html

    st.download_button(
        say("viewer.page"),
        made,
        f"headlight-{asked.heads[0].code}.html",
        "text/html",
        key=key,
        on_click="ignore",
        help=say("viewer.page.help"),
    )
    if now.subject == now.subject.own and (address := live_link(now.subject.text, now.checkpoint, asked.in_app.link)):
        st.link_button(say("live.share"), address, help=say("live.share.help"))


def take_away(
    now: Session, asked: Selection, named: Sequence[tuple[str, LabelledMap]], stem: str, numbers: Callable[[], None]
) -> None:
    """A popover with pictures of these maps in a chosen size, what ``numbers`` draws, and the page."""
    with st.popover(say("export.title")):
        st.caption(say("export.lead"))
        left, right = st.columns(2)
        width = left.number_input(say("export.width"), 4.0, 100.0, 16.0, 0.5, key="export_width")
        size = right.number_input(say("export.type"), 4.0, 40.0, 9.0, 0.5, key="export_type")
        about, spoken = translation(now.subject), language()
        titles = [title for title, _ in named]
        said = caption(asked, titles, (about.source, about.text, now.checkpoint), spoken)

        def made(ending: str) -> bytes:
            return FILES[ending](sheet_of(asked, named, spoken, said, SheetStyle(width, size)))

        with st.container(horizontal=True):
            for ending in FILES:
                name, key = f"{stem}.{ending}", f"export_{ending}"
                st.download_button(ending.upper(), partial(made, ending), name, key=key, on_click="ignore")
            numbers()
        page_button(now, asked, "export_page")


def as_code(now: Session, asked: Selection) -> None:
    """The lines of Python, and the command, that make the numbers of the first map."""
    about = now.subject
    model = _model_code(about)
    given = (asked, OWN_FILES[about.model.reads] if model.reads_file else about.text, model, about.beam, about.forced)
    with st.popover(say("export.code")):
        for name, lines, grammar in (("command", command(*given), "bash"), ("python", python_lines(*given), "python")):
            if lines:
                st.caption(say(f"export.{name}"))
                st.code(lines, language=grammar, wrap_lines=True)


def patching_code(one: Subject, other: Subject, site: str) -> None:
    """The lines of Python that carry a site from one subject into the other, and sweep over all sites."""
    sides = ((one.text, _model_code(one)), (other.text, _model_code(other)))
    with st.popover(say("export.code"), width="content"):
        st.caption(say("export.python"))
        st.code(patching_lines(*sides, site, one.beam, one.forced), language="python", wrap_lines=True)


def _model_code(about: Subject) -> ModelCode:
    """How code opens a subject's model; uploaded maps, which have no name, by their file's."""
    model, name = about.model, about.checkpoint
    if model.base not in entries() and model.kind == "maps":
        return ModelCode(f"./{name.rpartition(' · ')[0]}")
    folder = "" if model.base not in entries() or entry_of(model.base).ships else os.environ.get(MODELS, "")
    return ModelCode(name, folder, is_own(about.text) and model.reads in SEEN_OR_HEARD)
