"""The first row over every view: what this is, the modes, the sentence, the settings; and the views of a mode."""

from __future__ import annotations

import streamlit as st

from model.source import Reads
from viz.app.given import given_row
from viz.app.navigation import form, titles, visibility
from viz.app.settings import settings
from viz.charts.markup import tag
from viz.core.going import page_of
from viz.core.language import say
from viz.core.models import ModelEntry
from viz.core.views import SECTIONS, VIEWS, Section, ViewSpec


def draw(spec: ViewSpec, model: ModelEntry) -> None:
    """The row over a view, for a checkpoint."""
    st.session_state[_last(spec.section)] = spec.name
    with st.container(key="hl_header", horizontal=True, vertical_alignment="center", gap="small"):
        logo()
        with st.container(key="hl_modes", horizontal=True, gap=None, width="content"):
            reads = form()
            for section in SECTIONS:
                _mode(section, reads)
        with st.container(key="hl_given", width="stretch"):
            given_row(model)
        settings()


def logo() -> None:
    """The mark of the program."""
    st.html(tag("span", class_="hl-logo", role="img", aria_label="Headlight"), width="content")


def tabs(spec: ViewSpec) -> None:
    """The views of a view's mode; where it is the only one, nothing."""
    reads = form()
    views = _views(spec.section, reads)
    if len(views) < 2:
        return
    with st.container(key="hl_views", horizontal=True, gap=None, width="content"):
        for each in views:
            st.page_link(page_of(each), label=say(titles(each.name, reads)))


def _mode(section: Section, reads: Reads | None) -> None:
    """The way to a mode: to the view of it that was looked at last."""
    views = {each.name: each for each in _views(section, reads)}
    if not views:
        return
    view = views.get(str(st.session_state.get(_last(section))), next(iter(views.values())))
    st.page_link(page_of(view), label=say(f"section.{section}"))


def _views(section: Section, reads: Reads | None) -> list[ViewSpec]:
    return [VIEWS[name] for name in SECTIONS[section] if visibility(VIEWS[name], reads) == "visible"]


def _last(section: Section) -> str:
    return f"_last_{section}"
