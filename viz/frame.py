"""What surrounds every view: the sentence, the translation, the pickers, the status."""

from __future__ import annotations

import html
from typing import Any

import streamlit as st

from model.errors import HeadlightError
from model.folders import available
from model.trace import KINDS
from viz import session
from viz.session import say
from viz.text import LANGUAGES
from viz.theme import FONTS

LANGUAGE_NAMES = {"en": "English", "zh": "中文"}
STYLE = f"""<style>
.stApp, .stApp button, .stApp input, .stApp textarea {{ font-family: {FONTS}; }}
.stMainBlockContainer {{ padding: 4.25rem 2rem 2rem; max-width: 100rem; }}
.stAppDeployButton, [data-testid="stMainMenu"] {{ display: none; }}
.stForm {{ border: 0; padding: 0; }}
.hl-translation {{ font-size: 1.75rem; line-height: 1.35; margin: 0; }}
.hl-error {{ font-size: 1.05rem; margin: 0; padding: .7rem 1rem; border-left: .3rem solid #D55E00;
  background: rgba(213, 94, 0, .12); border-radius: .3rem; overflow-wrap: anywhere; }}
.hl-status {{ font-size: .85rem; opacity: .75; text-align: right; margin: .35rem 0 0; white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis; }}
.hl-lead {{ font-size: 1rem; opacity: .85; margin: 0 0 .25rem; max-width: 60rem; }}
</style>"""


def draw(pickers: tuple[str, ...]) -> None:
    """The frame above a view; ``pickers`` names the shared choices that this view uses."""
    st.html(STYLE)
    name = session.checkpoint()
    st.session_state.setdefault("text", session.default_text(name))
    with st.form("sentence", enter_to_submit=True, border=False):
        box, button = st.columns([6, 1], vertical_alignment="bottom")
        box.text_input(say("app.sentence"), key="text", placeholder=say("app.placeholder"), bind="query-params")
        button.form_submit_button(say("app.translate"), type="primary", width="stretch")
    _options(name)
    if pickers:
        _pickers(pickers, name)


def _options(name: str) -> None:
    examples, settings, status = st.columns([5, 1.2, 2], vertical_alignment="center")
    sentences = session.example_sentences(name)
    examples.pills(say("app.examples"), sentences, key="example", label_visibility="collapsed", on_change=_take_example)
    with settings.popover(say("app.settings"), width="stretch"):
        names = available()
        _keep("checkpoint", names, name)
        st.selectbox(
            say("app.checkpoint"),
            names,
            key="checkpoint",
            help=say("app.checkpoint.help"),
            bind="query-params",
            on_change=_checkpoint_changed,
        )
        _keep("beam", range(1, 9), 1)
        st.select_slider(say("app.beam"), range(1, 9), key="beam", help=say("app.beam.help"), bind="query-params")
        _keep("lang", LANGUAGES, "en")
        st.segmented_control(
            say("app.language"),
            list(LANGUAGES),
            key="lang",
            format_func=LANGUAGE_NAMES.__getitem__,
            required=True,
            bind="query-params",
        )
    st.session_state["_status"] = status.empty()


def _pickers(pickers: tuple[str, ...], name: str) -> None:
    sizes = session.config(name)
    kind = session.chosen("kind", "cross", KINDS)
    layers = range(sizes["n_encoder_layers" if kind == "encoder_self" else "n_decoder_layers"])
    choices: dict[str, dict[str, Any]] = {
        "kind": {"options": KINDS, "format_func": lambda value: say(f"kind.{value}")},
        "layer": {"options": layers},
        "head": {"options": range(sizes["n_heads"])},
    }
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        for picker in pickers:
            if picker in choices:
                options = choices[picker]["options"]
                _keep(picker, options, "cross" if picker == "kind" else options[-1] if picker == "layer" else 0)
                st.segmented_control(
                    say(f"app.{picker}"),
                    **choices[picker],
                    key=picker,
                    required=True,
                    help=say(f"app.{picker}.help"),
                    bind="query-params",
                )
            else:
                _keep(picker, (True, False), False)
                st.toggle(say(f"app.{picker}"), key=picker, help=say(f"app.{picker}.help"), bind="query-params")


def _keep(key: str, options: Any, default: Any) -> None:
    """Hold on to a choice that is still possible, else take the default."""
    st.session_state[key] = session.chosen(key, default, options)


def _take_example() -> None:
    if sentence := st.session_state.get("example"):
        st.session_state["text"] = sentence
        st.session_state["example"] = None


def _checkpoint_changed() -> None:
    """Another checkpoint opens on its own first example."""
    st.session_state["text"] = session.default_text(str(st.session_state["checkpoint"]))


def status() -> None:
    """Checkpoint and device, once the model is there; loading it is the last thing that a first visit does."""
    place, name = st.session_state["_status"], session.checkpoint()
    place.html(_status_line(say("app.status.loading", checkpoint=name)))
    try:
        device = session.translator(name).device_name
    except HeadlightError as error:
        session.show_error(error)
        return
    place.html(_status_line(say("app.status", checkpoint=name, device=device)))


def _status_line(sentence: str) -> str:
    return f'<p class="hl-status">{html.escape(sentence)}</p>'
