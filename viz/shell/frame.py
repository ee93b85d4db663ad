"""What surrounds every view: the sentence, the translation, the status."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from model.errors import HeadlightError
from model.source import LacksAbilityError, require
from model.trace import Translation
from viz.figures.markup import alert, line
from viz.numbers import number
from viz.parts.picker import pick
from viz.shell.errors import OtherFormError, show_error
from viz.shell.given import given_row, maps_uploader, told_line
from viz.shell.sentences import choose_part, parts_row, shown_parts
from viz.shell.views import ViewSpec
from viz.state import checkpoints
from viz.state.answers.translations import translation, translator
from viz.state.codes.choices import CHOICES
from viz.state.language import browser_language, say
from viz.state.view import Subject, force, subject
from viz.theme import FONTS

# Target ids, gains, a pattern, the numbers of a sentence and of a token in the link; nobody types them: their boxes are out of
# sight, even while styles load.
FORCED = ("hyp", "fork", "mix", "paint", "part", "step")
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
.hl-translation {{ font-size: 1.75rem; line-height: 1.35; margin: 0; overflow-wrap: anywhere; }}
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
    st.session_state.setdefault("text", str(st.query_params.get("text") or checkpoints.default_text(name)))
    _sentence_row(name)
    is_there = _translation_row(name)
    if spec.name == "translate" and checkpoints.reads(name) not in ("picture", "maps"):
        _examples(name)
    if spec.sentence and not is_there:
        status_line()
        st.stop()


def _sentence_row(name: str) -> None:
    sentence, settings = st.columns([7, 1], vertical_alignment="bottom")
    with sentence:
        given_row(name)
    with settings.popover(say("app.settings"), width="stretch"):
        _settings()
        with st.container(key="hl_forced"):
            if checkpoints.reads(name) in ("picture", "maps"):  # nobody types here, but the link holds it
                st.text_input("text", key="text", bind="query-params")
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
            told_line(found, name)
        _inspected_row(about, found)
        if not found.finished and checkpoints.reads(name) == "text":
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
    _choose_checkpoint()
    name = checkpoints.chosen_name()
    if checkpoints.sort_of(name) != "own":
        st.html(line("alt", describe(name)))
    _languages(name)
    st.select_slider(say("app.beam"), range(1, 9), 1, key="beam", help=say("app.beam.help"), bind="query-params")
    pick("lang", browser_language(), explained=False)
    st.toggle(say("app.pinyin"), key="pinyin", help=say("app.pinyin.help"), bind="query-params")
    maps_uploader()


def _choose_checkpoint() -> None:
    st.selectbox(
        say("app.checkpoint"),
        checkpoints.checkpoints(),
        index=checkpoints.checkpoints().index(checkpoints.default_checkpoint()),
        key="checkpoint",
        help=say("app.checkpoint.help"),
        bind="query-params",
        on_change=_checkpoint_changed,
    )


def _languages(name: str) -> None:
    """From which language into which, where a model must be told."""
    sources, targets, source, target = checkpoints.languages(name)
    for key, options, start in (("from", sources, source), ("into", targets, target)):
        if options:
            index = options.index(start)
            st.selectbox(say(f"app.{key}"), options, index, key=key, bind="query-params")


def describe(name: str) -> str:
    """What a model is, in one sentence."""
    anatomy = checkpoints.facts(name).anatomy
    sizes = [f"{say(f'kind.{kind}')} {each.layers} × {each.heads}" for kind, each in anatomy.kinds.items()]
    return say("app.model", what=say(f"reads.{anatomy.reads}"), sizes=", ".join(sizes))


def _take_example() -> None:
    if sentence := st.session_state.get("example"):
        st.session_state["text"] = sentence
        choose_part()
        st.session_state["example"] = None


def _checkpoint_changed() -> None:
    """Another checkpoint opens on its own first example, with its own head."""
    name, state = str(st.session_state["checkpoint"]), st.session_state
    for key in ("from", "into"):
        state.pop(key, None)
    choose_part()
    try:
        state.update(text=checkpoints.default_text(name), **checkpoints.opening(name))
    except HeadlightError:  # said when the frame is drawn
        state["text"] = ""


def check(spec: ViewSpec) -> None:
    """Nothing, where the view is about such models, and the chosen one offers what it needs.

    Raises:
        OtherFormError: it is about others.
        LacksAbilityError: the model does not offer it.
    """
    name = checkpoints.checkpoint()
    reads = checkpoints.reads(name)
    if reads not in spec.reads:
        raise OtherFormError(reads, spec.reads)
    if "gains" in spec.needs and reads == "sentence" and not translation(subject()).log_probs:
        raise LacksAbilityError("gains", name, "no_mask")
    if spec.needs:
        require(translator(name), *sorted(spec.needs))


def opened() -> bool:
    """Whether the chosen model could be opened; where not, one sentence says why, and another can be chosen."""
    if (problem := checkpoints.problem()) is not None:
        show_error(problem)
    try:
        checkpoints.facts(checkpoints.checkpoint())
    except HeadlightError as error:
        st.html(STYLE)
        st.logo(str(LOGO), size="large")
        _, settings = st.columns([7, 1], vertical_alignment="bottom")
        with settings.popover(say("app.settings"), width="stretch"):
            _choose_checkpoint()
        show_error(error)
        return False
    return True


def status_line() -> None:
    """Checkpoint and device, once the model is there; loading it is the last thing that a first visit does."""
    place, name = st.session_state["_status"], checkpoints.checkpoint()
    try:
        device = translator(name).device_name
    except HeadlightError as error:
        show_error(error)
        return
    place.html(line("status", say("app.status", checkpoint=name, device=device)))
