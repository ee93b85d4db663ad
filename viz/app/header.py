"""The first row over every view: what this is, the modes, the sentence, the settings; views, and going to one."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from model.errors import HeadlightError
from model.source import Reads
from viz.app.given import given_row
from viz.app.settings import settings
from viz.charts.markup import tag
from viz.core import live, models
from viz.core.choice import is_gone_back, say, say_again
from viz.core.going import OPENS, page_of
from viz.core.models import ModelEntry
from viz.core.views import SECTIONS, VIEWS, Section, ViewSpec
from viz.widgets.picker import shown_key

_HERE = "_here"  # the view that the run before showed
_CAME_BACK = "_came_back"  # whether the visitor had just gone back or forward to it


def form() -> Reads | None:
    """What the chosen model is given; None where it cannot be opened."""
    try:
        return models.current().reads
    except HeadlightError:
        return None


def visibility(spec: ViewSpec, reads: Reads | None) -> Literal["visible", "hidden"]:
    """Whether a view stands in the navigation: not where it is about other forms of model than the chosen one."""
    return "visible" if reads is None or reads in spec.reads else "hidden"


def titles(name: str, reads: Reads | None) -> str:
    """The key of a view's title; the first view is called after what the model does."""
    return f"page.{name}.{reads}" if name == "translate" and reads not in (None, "text") else f"page.{name}"


def asked() -> str:
    """The view that a callback asked for before this run; "" for none."""
    return str(st.session_state.pop(OPENS, ""))


def follow(name: str) -> None:
    """Go where a callback asked to; to be called last, or the link would lose what widgets have not said yet."""
    if name:
        st.switch_page(page_of(VIEWS[name]), query_params=[])


def arrive(spec: ViewSpec) -> bool:
    """Bring what the views share along to another view; to be called before anything is shown.

    True where the visitor went back or forward to it, and the script must run again: Streamlit has then taken from
    the link what widgets that are folded away have read there, and here they write it anew.
    """
    state = st.session_state
    is_another = state.get(_HERE, spec.name) != spec.name
    if is_another:
        live.leave()
    if (is_another or state.get(_CAME_BACK)) and not is_gone_back():
        say_again()
    if state.get(_CAME_BACK):
        for name in [key for key in state if str(key).startswith(shown_key(""))]:
            del state[name]  # so that what a folded picker shows is sent once more
    state[_HERE], state[_CAME_BACK] = spec.name, is_another and is_gone_back()
    return bool(state[_CAME_BACK])


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
