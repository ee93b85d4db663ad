"""What surrounds every view: the sentence, the translation, the status."""

from __future__ import annotations

import html
from pathlib import Path

import streamlit as st

from model.errors import HeadlightError
from model.trace import Translation
from viz import session
from viz.numbers import number
from viz.session import say
from viz.text import LANGUAGES
from viz.theme import FONTS

# Bound choices whose labels are translated.
TRANSLATED = (
    "kind",
    "drawn",
    "of",
    "shift",
    "combine",
    "lines",
    "masks",
    "positions",
    "decoded",
    "inside",
    "inside_view",
    "trust",
    "flow_by",
    "pattern",
    "measure",
    "scope",
    "align_view",
    "align_from",
    "align_drawn",
    "align_links",
)
# Target ids, gains and a pattern in the link; nobody types them: their boxes are out of sight, even while styles load.
FORCED = ("hyp", "fork", "mix", "paint")
WITHOUT_SENTENCE = ("masks", "positions", "about")
LOGO = Path(__file__).parent / "logo.svg"
STYLE = f"""<style>
.stApp, .stApp button, .stApp input, .stApp textarea {{ font-family: {FONTS}; }}
.stMainBlockContainer {{ padding: 4.25rem 2rem 2rem; max-width: 100rem; }}
.stAppDeployButton, [data-testid="stMainMenu"] {{ display: none; }}
.stForm {{ border: 0; padding: 0; }}
[data-testid="stBaseButton-primaryFormSubmit"], [data-testid="stBaseButton-primaryFormSubmit"] p {{
  color: light-dark(#FFFFFF, #10151C) !important; font-weight: 600; }}
.hl-translation {{ font-size: 1.75rem; line-height: 1.35; margin: 0; }}
.hl-error {{ font-size: 1.05rem; margin: 0; padding: .7rem 1rem; border-left: .3rem solid #D55E00;
  background: rgba(213, 94, 0, .12); border-radius: .3rem; overflow-wrap: anywhere; }}
.hl-status {{ font-size: .85rem; opacity: .75; text-align: right; margin: .35rem 0 0; white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis; }}
.hl-holds, .hl-fails, .hl-alt {{ font-size: .95rem; margin: 0; opacity: .85; overflow-wrap: anywhere; }}
.hl-line + .hl-line {{ margin-top: .4rem; }}
.hl-fails {{ color: #D55E00; opacity: 1; font-weight: 600; }}
div:has(> .st-key-hl_forced) {{ display: none; }}
.st-key-hl_inspected {{ padding: .2rem .8rem; border: 1px solid light-dark(#B4530A, #F2B14A); border-radius: .5rem; }}
.hl-lead {{ font-size: 1rem; opacity: .85; margin: 0 0 .25rem; max-width: 60rem; }}
</style>"""


def draw(page: str) -> None:
    """The frame above a view, up to the pickers."""
    st.html(STYLE)
    st.logo(str(LOGO), size="large")
    name = session.checkpoint()
    st.session_state.setdefault("text", session.default_text(name))
    _sentence_row(name)
    _translation_row(name, stop=page not in WITHOUT_SENTENCE)
    if page == "translate":
        _examples(name)


def _sentence_row(name: str) -> None:
    sentence, settings = st.columns([7, 1], vertical_alignment="bottom")
    with sentence.form("sentence", enter_to_submit=True, border=False):
        box, button = st.columns([5, 1], vertical_alignment="bottom")
        box.text_input(
            say("app.sentence"),
            key="text",
            placeholder=say("app.placeholder"),
            label_visibility="collapsed",
            bind="query-params",
        )
        button.form_submit_button(say("app.translate"), type="primary", width="stretch")
    with settings.popover(say("app.settings"), width="stretch"):
        _settings()
        with st.container(key="hl_forced"):
            for forced in FORCED:
                st.text_input(forced, key=forced, bind="query-params")


def _translation_row(name: str, stop: bool) -> None:
    """The translation, or one sentence that says why there is none; then ``stop`` ends the page."""
    line, status = st.columns([6, 2], vertical_alignment="center")
    st.session_state["_status"] = status.empty()
    st.session_state["_status"].html(_status_line(say("app.status.loading", checkpoint=name)))
    with line:
        try:
            translation = session.translation()
        except HeadlightError as error:
            session.show_error(error)
            if stop:
                status_line()
                st.stop()
            return
        st.html(f'<p class="hl-translation" lang="zh">{html.escape(translation.text) or "∅"}</p>')
        _inspected_row(translation)
        if not translation.finished:
            notice = say("app.truncated", limit=len(translation.tgt))
            st.html(f'<p role="alert" class="hl-error">{html.escape(notice)}</p>')


def _inspected_row(translation: Translation) -> None:
    """A notice where the translation under inspection is not the one that the model chose."""
    if not session.forced("hyp") or translation.tgt_ids == (chosen := session.chosen_translation()).tgt_ids:
        return
    own, best = (number(sum(each.log_probs)) for each in (translation, chosen))
    with st.container(key="hl_inspected", horizontal=True, vertical_alignment="center", width="content"):
        st.html(f'<p class="hl-alt">{html.escape(say("app.inspected", own=own, best=best))}</p>', width="content")
        st.button(say("app.inspected.back"), key="back_to_best", on_click=session.force, args=("hyp", ()))


def _examples(name: str) -> None:
    st.pills(
        say("app.examples"),
        session.example_sentences(name),
        key="example",
        label_visibility="collapsed",
        on_change=_take_example,
    )


def _settings() -> None:
    st.selectbox(
        say("app.checkpoint"),
        session.checkpoints(),
        index=session.checkpoints().index(session.default_checkpoint()),
        key="checkpoint",
        help=say("app.checkpoint.help"),
        bind="query-params",
        on_change=_checkpoint_changed,
    )
    st.select_slider(say("app.beam"), range(1, 9), 1, key="beam", help=say("app.beam.help"), bind="query-params")
    st.segmented_control(
        say("app.language"),
        list(LANGUAGES),
        default="en",
        key="lang",
        format_func=session.LANGUAGE_NAMES.__getitem__,
        required=True,
        bind="query-params",
        on_change=_language_changed,
    )


def _take_example() -> None:
    if sentence := st.session_state.get("example"):
        st.session_state["text"] = sentence
        st.session_state["example"] = None


def _checkpoint_changed() -> None:
    """Another checkpoint opens on its own first example, with its own head."""
    name = str(st.session_state["checkpoint"])
    st.session_state.update(text=session.default_text(name), **session.opening(name))


def _language_changed() -> None:
    """Write the choices into the URL anew: Streamlit puts their labels there, which are now in another language."""
    for key in TRANSLATED:
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]


def status_line() -> None:
    """Checkpoint and device, once the model is there; loading it is the last thing that a first visit does."""
    place, name = st.session_state["_status"], session.checkpoint()
    try:
        device = session.translator(name).device_name
    except HeadlightError as error:
        session.show_error(error)
        return
    place.html(_status_line(say("app.status", checkpoint=name, device=device)))


def _status_line(sentence: str) -> str:
    return f'<p class="hl-status">{html.escape(sentence)}</p>'
