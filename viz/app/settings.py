"""What one sets once: model, beam, languages, files; one button in the first row."""

from __future__ import annotations

import streamlit as st

from model.errors import HeadlightError
from viz.app.given import maps_uploader
from viz.charts.markup import line
from viz.core import models
from viz.core.choice import UNSEEN, browser_language, say
from viz.core.session import choose_part
from viz.widgets.picker import pick

LINKED_MODEL = "_linked_model"  # in a visitor's session: the model of the link that it began with


def settings() -> None:
    """The button, and what is behind it."""
    with st.popover(say("app.settings"), width="content", key="hl_settings"):
        choose_checkpoint()
        model = models.listed()
        if model.kind != "own":
            st.html(line("alt", describe(model)))
        _languages(model)
        st.select_slider(say("app.beam"), range(1, 9), 1, key="beam", help=say("app.beam.help"), bind="query-params")
        if model.kind == "own":
            st.toggle(say("app.read_back"), key="read_back", help=say("app.read_back.help"), bind="query-params")
        pick("lang", browser_language(), explained=False)
        st.toggle(say("app.pinyin"), key="pinyin", help=say("app.pinyin.help"), bind="query-params")
        maps_uploader()
        with st.container(key="hl_forced"):
            if models.current().reads in (
                "picture",
                "maps",
            ):  # the link holds it
                default = models.current().default_text
                st.text_input("text", default, key="text", bind="query-params")
            for unseen in UNSEEN:  # their boxes are out of sight, even while styles load
                st.text_input(unseen, key=unseen, bind="query-params")


def choose_checkpoint() -> None:
    """The list of models."""
    st.selectbox(
        say("app.checkpoint"),
        models.names(),
        index=models.names().index(models.default_model()),
        key="checkpoint",
        help=say("app.checkpoint.help"),
        bind="query-params",
        on_change=_checkpoint_changed,
    )


def describe(model: models.ModelEntry) -> str:
    """What a model is, in one sentence."""
    anatomy = model.facts.anatomy
    sizes = [f"{say(f'kind.{kind}')} {each.layers} × {each.heads}" for kind, each in anatomy.kinds.items()]
    return say("app.model", what=say(f"reads.{anatomy.reads}"), sizes=", ".join(sizes))


def _languages(model: models.ModelEntry) -> None:
    """From which language into which, where a model must be told."""
    sources, targets, source, target = model.languages
    for key, options, start in (("from", sources, source), ("into", targets, target)):
        if options:
            index = options.index(start)
            st.selectbox(say(f"app.{key}"), options, index, key=key, bind="query-params")


def _checkpoint_changed() -> None:
    """Another checkpoint opens on its own first example, with its own head."""
    state = st.session_state
    state[LINKED_MODEL] = ""
    model = models.entry_of(str(state["checkpoint"]))
    for key in ("from", "into"):
        state.pop(key, None)
    choose_part()
    try:
        state.update(text=model.default_text, **model.opening)
    except HeadlightError:  # said when the frame is drawn
        state["text"] = ""
