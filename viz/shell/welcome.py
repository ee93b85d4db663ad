"""Three scenes to begin with, on the line over the first view, until somebody has chosen one; and the examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from model.trace import HeadRef
from viz.parts.over.bar import bar
from viz.shell.frame import examples
from viz.shell.views import ViewSpec
from viz.state import models
from viz.state.answers.translations import translation
from viz.state.going import open_view
from viz.state.language import say
from viz.state.view import choose_token, subject

PRONOUN = "它"
_SEEN = "_welcomed"


@dataclass(frozen=True)
class Scene:
    """A view to begin in: at a token, or with the head muted that links words best."""

    view: str
    at: str = ""
    muted: bool = False


SCENES: Mapping[str, Scene] = {
    "where": Scene("translate", at=PRONOUN),
    "watch": Scene("step_by_step"),
    "break": Scene("mixing_desk", muted=True),
}


def draw(spec: ViewSpec) -> None:
    """The examples, on the first view; and on that of the checkpoint that the app opens on the scenes."""
    if spec.name != "translate":
        return
    model = models.current()
    if model.reads not in ("picture", "maps"):
        with bar().popover(say("app.examples"), width="content", key="hl_examples"):
            examples(model)
    if model.name != models.default_model() or _SEEN in st.session_state:
        return
    with bar():
        for name, scene in SCENES.items():
            help_ = say(f"welcome.{name}.line")
            st.button(say(f"welcome.{name}"), key=f"welcome_{name}", help=help_, on_click=_open, args=(scene,))
        st.button("✕", key="welcome_skip", type="tertiary", help=say("welcome.skip"), on_click=_enough)


def _open(scene: Scene) -> None:
    """Set the scene: the opening sentence, its token or its head."""
    _enough()
    state, model = st.session_state, models.current()
    state["text"] = model.default_text
    tokens = [label.text for label in translation(subject()).tgt]
    choose_token(tokens.index(scene.at) if scene.at in tokens else None)
    if scene.muted:
        start = model.opening
        state["mix"] = f"{HeadRef(start['kind'], start['layer'], start['head']).code}:0"
    open_view(scene.view)


def _enough() -> None:
    st.session_state[_SEEN] = True
