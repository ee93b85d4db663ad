"""What surrounds every view: the sentence, the translation, the status."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from model.errors import HeadlightError
from model.source import require
from model.trace import Translation
from viz.figures.markup import alert, line
from viz.numbers import number
from viz.parts.picker import pick
from viz.shell.errors import show_error
from viz.shell.sentences import choose_part, parts_row, said, shown_parts
from viz.shell.views import ViewSpec
from viz.state import checkpoints
from viz.state.answers.translations import translation, translator
from viz.state.codes.choices import CHOICES
from viz.state.language import browser_language, say
from viz.state.view import Subject, force, subject
from viz.theme import FONTS

# Target ids, gains, a pattern and the number of a sentence in the link; nobody types them: their boxes are out of
# sight, even while styles load.
FORCED = ("hyp", "fork", "mix", "paint", "part")
CODED = ", ".join(f".st-key-{name}" for name in (*CHOICES, "of"))  # boxes of codes, beside what the visitor sees
LOGO = Path(__file__).parent / "logo.svg"
STYLE = f"""<style>
.stApp, .stApp button, .stApp input, .stApp textarea {{ font-family: {FONTS}; }}
.stMainBlockContainer {{ padding: 4.25rem 2rem 2rem; max-width: 100rem; }}
.stAppDeployButton, [data-testid="stMainMenu"] {{ display: none; }}
.stForm {{ border: 0; padding: 0; }}
[data-testid="InputInstructions"] {{ display: none; }}
[data-testid="stBaseButton-primaryFormSubmit"], [data-testid="stBaseButton-primaryFormSubmit"] p {{
  color: light-dark(#FFFFFF, #10151C) !important; font-weight: 600; }}
.hl-translation {{ font-size: 1.75rem; line-height: 1.35; margin: 0; }}
.hl-translation ruby {{ ruby-align: center; }}
.hl-translation rt {{ font-size: .5em; padding: 0 .12em; user-select: none; }}
.hl-translation mark {{ color: inherit; background: light-dark(#FFE9C7, #4A3A1A); border-radius: .25rem; }}
.hl-error {{ font-size: 1.05rem; margin: 0; padding: .7rem 1rem; border-left: .3rem solid #D55E00;
  background: rgba(213, 94, 0, .12); border-radius: .3rem; overflow-wrap: anywhere; }}
.hl-status {{ font-size: .85rem; opacity: .75; text-align: right; margin: .35rem 0 0; white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis; }}
.hl-holds, .hl-fails, .hl-alt {{ font-size: .95rem; margin: 0; opacity: .85; overflow-wrap: anywhere; }}
.hl-line + .hl-line {{ margin-top: .4rem; }}
.hl-fails {{ color: #D55E00; opacity: 1; font-weight: 600; }}
div:has(> .st-key-hl_forced), {CODED} {{ display: none; }}
.st-key-hl_inspected {{ padding: .2rem .8rem; border: 1px solid light-dark(#B4530A, #F2B14A); border-radius: .5rem; }}
.hl-lead {{ font-size: 1rem; opacity: .85; margin: 0 0 .25rem; max-width: 60rem; }}
</style>"""


def draw(spec: ViewSpec) -> None:
    """The frame above a view, up to the pickers."""
    st.html(STYLE)
    st.logo(str(LOGO), size="large")
    name = checkpoints.checkpoint()
    st.session_state.setdefault("text", checkpoints.default_text(name))
    _sentence_row(name)
    is_there = _translation_row(name)
    if spec.name == "translate":
        _examples(name)
    if spec.sentence and not is_there:
        status_line()
        st.stop()


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
        button.form_submit_button(say("app.translate"), type="primary", width="stretch", on_click=choose_part)
    with settings.popover(say("app.settings"), width="stretch"):
        _settings()
        with st.container(key="hl_forced"):
            for forced in FORCED:
                st.text_input(forced, key=forced, bind="query-params")


def _translation_row(name: str) -> bool:
    """The translation, or one sentence that says why there is none; whether there is one."""
    place, status = st.columns([6, 2], vertical_alignment="center")
    st.session_state["_status"] = status.empty()
    st.session_state["_status"].html(line("status", say("app.status.loading", checkpoint=name)))
    with place:
        about = subject()
        try:
            several = shown_parts()
            found = translation(about)
        except HeadlightError as error:
            show_error(error)
            return False
        if several:
            parts_row(about, found)
        else:
            st.html(line("translation", said(found.text), lang="zh"))
        _inspected_row(about, found)
        if not found.finished:
            notice = say("app.truncated", limit=len(found.tgt))
            st.html(alert(notice))
    return True


def _inspected_row(about: Subject, found: Translation) -> None:
    """A notice where the translation under inspection is not the one that the model chose."""
    if not about.forced or found.tgt_ids == (chosen := translation(about.own)).tgt_ids:
        return
    own, best = (number(sum(each.log_probs)) for each in (found, chosen))
    with st.container(key="hl_inspected", horizontal=True, vertical_alignment="center", width="content"):
        st.html(line("alt", say("app.inspected", own=own, best=best)), width="content")
        st.button(say("app.inspected.back"), key="back_to_best", on_click=force, args=("hyp", ()))


def _examples(name: str) -> None:
    st.pills(
        say("app.examples"),
        checkpoints.example_sentences(name),
        key="example",
        label_visibility="collapsed",
        on_change=_take_example,
    )


def _settings() -> None:
    st.selectbox(
        say("app.checkpoint"),
        checkpoints.checkpoints(),
        index=checkpoints.checkpoints().index(checkpoints.default_checkpoint()),
        key="checkpoint",
        help=say("app.checkpoint.help"),
        bind="query-params",
        on_change=_checkpoint_changed,
    )
    st.select_slider(say("app.beam"), range(1, 9), 1, key="beam", help=say("app.beam.help"), bind="query-params")
    pick("lang", browser_language(), explained=False)
    st.toggle(say("app.pinyin"), key="pinyin", help=say("app.pinyin.help"), bind="query-params")


def _take_example() -> None:
    if sentence := st.session_state.get("example"):
        st.session_state["text"] = sentence
        choose_part()
        st.session_state["example"] = None


def _checkpoint_changed() -> None:
    """Another checkpoint opens on its own first example, with its own head."""
    name = str(st.session_state["checkpoint"])
    st.session_state.update(text=checkpoints.default_text(name), **checkpoints.opening(name))
    choose_part()


def check(spec: ViewSpec) -> None:
    """Nothing, where the chosen model offers what a view needs.

    Raises:
        LacksAbilityError: it does not.
    """
    if spec.needs:
        require(translator(checkpoints.checkpoint()), *sorted(spec.needs))


def status_line() -> None:
    """Checkpoint and device, once the model is there; loading it is the last thing that a first visit does."""
    place, name = st.session_state["_status"], checkpoints.checkpoint()
    try:
        device = translator(name).device_name
    except HeadlightError as error:
        show_error(error)
        return
    place.html(line("status", say("app.status", checkpoint=name, device=device)))
