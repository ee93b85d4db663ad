"""What surrounds every view: the sentence, the translation, the status."""

from __future__ import annotations

import base64
import ctypes
import gc
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from threading import Timer

import streamlit as st

from model.errors import HeadlightError
from model.source import LacksAbilityError, require
from model.trace import Translation
from viz.app import header, pickers
from viz.app.given import choose_shown_part, parts_line, shown_parts, told_line
from viz.app.settings import LINKED_MODEL, choose_checkpoint
from viz.charts.markup import alert, line
from viz.core import models
from viz.core.answers.translations import translation
from viz.core.choice import say, speak, within
from viz.core.codes.choices import CHOICES
from viz.core.kept import has_pytorch
from viz.core.numbers import number
from viz.core.session import Subject, read_session, subject
from viz.core.theme import FONTS
from viz.core.views import ViewSpec
from viz.widgets import chips, pins, verdict
from viz.widgets.chips import draw_examples
from viz.widgets.errors import OtherFormError, show_error, told
from viz.widgets.places import register

FROZEN = 120  # seconds, as long as Streamlit keeps the session of a page that was left
UNASKED = 20  # seconds without a page until what was freed meanwhile is handed back
HEAPS, MAPPED = (-8, 2), (-3, 1 << 21)  # glibc's M_ARENA_MAX, and M_MMAP_THRESHOLD in bytes
gc.disable()  # while the first run imports what stays; see ``freeze_what_stays``
_component = register("page_look", ())
CODED = ", ".join(f".st-key-{name}" for name in (*CHOICES, "of"))  # boxes of codes, beside what the visitor sees
LINE = ".st-key-hl_bar"  # of the views of a mode, and the pickers
LOGO = base64.b64encode((Path(__file__).parent / "logo.svg").read_bytes()).decode("ascii")
STYLE = f"""<style>
.stApp, .stApp button, .stApp input, .stApp textarea {{ font-family: {FONTS}; }}
@media (min-width: 1700px) {{ html {{ font-size: 19px !important; }} }}
.stAppHeader {{ display: none; }}
.stMainBlockContainer {{ padding: .25rem 1.25rem 1rem; max-width: none; }}
.stMainBlockContainer > .stVerticalBlock {{ gap: .25rem; }}
.stForm {{ border: 0; padding: 0; }}
.st-key-hl_steps, .st-key-hl_look, .st-key-pin_keeper {{ position: absolute; }}
[data-testid="InputInstructions"] {{ display: none; }}
[data-testid^="stBaseButton-primary"]:enabled, [data-testid^="stBaseButton-primary"]:enabled p {{
  color: light-dark(#FFFFFF, #10151C) !important; font-weight: 600; }}
.st-key-hl_header, .st-key-hl_sentence {{ flex-wrap: nowrap; min-width: 0; }}
@media (max-width: 1000px) {{ /* a phone, or a zoom of 150 %: the box has a row of its own */
  .st-key-hl_header {{ flex-wrap: wrap; }}
  .st-key-hl_header > :has(> .st-key-hl_modes) {{ flex: 1 1 0; min-width: 0; overflow-x: auto; }}
  .st-key-hl_header > :has(> .st-key-hl_given) {{ order: 3; flex: 1 1 100%; }} }}
.hl-logo {{ display: block; height: 32px; width: 41px;
  background: url("data:image/svg+xml;base64,{LOGO}") no-repeat left; }}
@media (min-width: 1240px) {{ .hl-logo {{ width: 172px; }} }}
[data-testid="stPageLink-NavLink"]:focus-visible {{
  outline: 2px solid light-dark(#9E4706, #F2B14A); outline-offset: -2px; }}
.st-key-hl_modes, .st-key-hl_views {{ flex-wrap: nowrap; flex: none; }}
.st-key-hl_modes a, .st-key-hl_views a {{ padding: .2rem .55rem; min-height: 0; margin: 0; border-radius: .4rem; }}
.st-key-hl_modes a p {{ font-size: 1rem; white-space: nowrap; }}
.st-key-hl_views a p {{ font-size: .9rem; white-space: nowrap; }}
{LINE} {{ min-height: 34px; flex-wrap: wrap; row-gap: .25rem; }}
{LINE} .stSlider {{ height: 30px; margin-top: -4px; }}
{LINE} .stButtonGroup button {{ min-height: 28px; height: 28px; padding: 0 .5rem; min-width: 0; }}
{LINE} [data-testid="stPopoverButton"], {LINE} .stButton button,
{LINE} .stDownloadButton button {{ min-height: 28px; height: 28px; padding: 0 .6rem; }}
.hl-translation {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }}
.hl-translation.seen {{ position: static; width: auto; height: auto; clip-path: none; font-size: 1.5rem;
  line-height: 44px; white-space: nowrap; overflow-x: auto; scrollbar-width: thin; }}
.hl-translation.parts {{ position: static; width: auto; height: auto; clip-path: none; font-size: 1.1rem; }}
.hl-translation ruby {{ ruby-align: center; }}
.hl-translation rt {{ font-size: .5em; padding: 0 .12em; user-select: none; }}
.hl-translation mark {{ color: inherit; background: light-dark(#FFE9C7, #4A3A1A); border-radius: .25rem; }}
.hl-error {{ font-size: 1.05rem; margin: 0; padding: .7rem 1rem; border-left: .3rem solid #D55E00;
  background: rgba(213, 94, 0, .12); border-radius: .3rem; overflow-wrap: anywhere; }}
.hl-status {{ font-size: .875rem; opacity: .75; text-align: right; margin: 0; white-space: nowrap; }}
.hl-holds, .hl-fails, .hl-alt {{ font-size: .95rem; margin: 0; opacity: .85; overflow-wrap: anywhere; }}
.hl-line + .hl-line {{ margin-top: .4rem; }}
.hl-fails {{ color: light-dark(#A84300, #F0853C); opacity: 1; font-weight: 600; }}
.hl-verdict {{ font-size: .95rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; }}
.hl-verdict strong {{ color: light-dark(#1B6E3C, #6FD08C); }}
.hl-verdict[data-judged=doubtful] {{ color: light-dark(#A84300, #F0853C); font-weight: 600; }}
.hl-verdict[data-judged=bad] {{ color: light-dark(#B3122B, #FF8A8A); font-weight: 600; }}
.hl-verdict:not([data-judged=good]) strong {{ color: inherit; }}
.hl-better {{ font-size: .95rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; }}
.st-key-hl_better button, .st-key-hl_inspected button {{ min-height: 28px; height: 28px; padding: 0 .6rem;
  white-space: nowrap; }}
div:has(> .st-key-hl_forced), {CODED} {{ display: none; }}
.st-key-hl_inspected {{ padding: .2rem .8rem; border: 1px solid light-dark(#B4530A, #F2B14A); border-radius: .5rem; }}
/* A talk takes whatever the window leaves below what stands over it. */
.stApp:has(.st-key-talk_frame) .stMainBlockContainer {{ height: 100vh; padding-bottom: .25rem; }}
.stApp:has(.st-key-talk_frame) .stMainBlockContainer > .stVerticalBlock {{ height: 100%; }}
[data-testid="stLayoutWrapper"]:has(> .st-key-talk_frame) {{ flex: 1 1 0; min-height: 20rem; }}
.st-key-talk_frame > .stElementContainer {{ flex: 1 1 0; height: auto; min-height: 0; position: relative; }}
.st-key-talk_frame iframe {{ position: absolute; inset: 0; height: 100%; }}
.st-key-class_row .stVerticalBlock {{ gap: 0; }}
.st-key-class_row .st-key-class_open {{ padding-top: .5rem; }}
.st-key-class_stage > .stElementContainer:has(.hl-class-tally) {{ flex: 1 1 26rem; min-width: 0; }}
.stApp:has(.st-key-talk_frame, .st-key-talk_desk) .st-key-hl_sentence {{ display: none; }}
.st-key-hl_lesson h3 {{ padding: .25rem 0 0; }}
.st-key-hl_lesson .stVerticalBlock {{ gap: .5rem; }}
.st-key-hl_lesson .st-key-hl_lesson_row {{ margin: -.4rem 0; }}
.st-key-hl_lesson .katex-display {{ margin: 0; padding: .6rem .2rem; }}
@media (min-width: 1100px) {{ .katex-display {{ overflow: visible !important; }} }}
.hl-lead {{ font-size: 1rem; opacity: .85; margin: 0 0 .25rem; max-width: 60rem; }}
</style>"""


def page_look(key: str) -> None:
    """Run the script again whenever the browser's look has become another, light or dark.

    Args:
        key: names this place on the page.
    """
    _component.mount({}, labels=within(""), key=key, on_turned_change=lambda: None)


def follow() -> None:
    """Draw the page anew when the browser turns dark or light; nothing is seen of this."""
    page_look("hl_look")


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
    pins.keep()
    follow()
    _missing_model(model)
    is_there = _translation_row(spec, model)
    if spec.sentence and not is_there:
        draw_examples(model)
        status_line()
        st.stop()


def _missing_model(model: models.ModelEntry) -> None:
    """One sentence where the link asks for a model that is not here, until another is chosen."""
    linked = st.session_state[LINKED_MODEL]
    if linked and linked not in models.names() and model.name == models.default_model():
        st.html(alert(say("app.no_such_model", linked=linked[:100], checkpoint=model.name)))


def _translation_row(spec: ViewSpec, model: models.ModelEntry) -> bool:
    """The sentence and its translation, or one sentence that says why there is none; whether there is one."""
    with st.container(key="hl_sentence", horizontal=True, vertical_alignment="center", gap="small"):
        place = st.container(width="stretch", gap=None)
        status = st.container(width="content")
    st.session_state["_status"] = status.empty()
    st.session_state["_status"].html(line("status", say("app.status.loading", checkpoint=model.name)))
    with place:
        try:
            verdict.take_better()
            about = subject()
            several = shown_parts()
            found = translation(about)
        except HeadlightError as error:
            show_error(error)
            return False
        if several:
            parts_line(about, found)
        else:
            told_line(found, model)
        is_own = spec.draws_translation and model.reads == "text"
        has_chips = spec.chips and not is_own
        if (has_chips or several) and (found.trace.src or found.tgt_ids):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                if several:
                    choose_shown_part()
                if has_chips:
                    chips.draw(found, bool(st.session_state.get("pinyin")), spec.name == "step_by_step")
        if not is_own:
            verdict.draw_here(about, found)
    _inspected_row(about, found)
    if not found.finished and model.reads == "text":
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
        st.button(say("app.inspected.back"), key="back_to_best", on_click=verdict.own_again)


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


def freeze_what_stays() -> None:
    """Exempt all that lives now from garbage collection, if modules came since the last time, or two minutes passed.

    Python collects where there is much new, holding its global lock: with the model and the libraries to go
    through, that takes an eighth of a second for nothing. Streamlit would do so after every run of a script;
    ``postScriptGC`` in .streamlit/config.toml tells it not to. What is frozen is still freed when nothing refers
    to it; only cycles of it are not: a visitor's session that is there at that moment is one, so that it is freed at
    the next time at the latest, when all is gone through: or when nobody has come for ``UNASKED`` seconds.
    """
    _freeze(len(sys.modules), int(time.monotonic() // FROZEN))
    _idle.begin()


@lru_cache(maxsize=1)
def _freeze(_modules: int, _turn: int) -> None:
    _sweep()
    gc.enable()


def _sweep() -> None:
    gc.unfreeze()
    gc.collect()
    give_back_freed_memory()
    gc.freeze()


class Idle:
    """Calls something once, some seconds after the last time that it was begun, in a thread of its own."""

    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self.seconds, self.call = seconds, call
        self._timer = Timer(seconds, call)

    def begin(self) -> None:
        """Count the seconds anew."""
        self.end()
        self._timer = Timer(self.seconds, self.call)
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """Call nothing any more."""
        self._timer.cancel()


_idle = Idle(UNASKED, _sweep)


def give_back_freed_memory() -> bool:
    """Hand to the system what this process has freed; True where the C library can (glibc).

    By itself it hands back what lies at the end of a heap alone, and here many threads have a heap each.
    """
    return _told_glibc("malloc_trim", 0)


def share_heaps() -> bool:
    """Let threads share two heaps, and give a large array a mapping of its own; True where the C library can (glibc).

    By itself glibc gives each of many threads a heap, and once a large array was freed it cuts later ones from the
    heaps, too: pages of which a part stays in use are never handed back, and a day of visits leaves hundreds of MB.
    """
    return all([_told_glibc("mallopt", *option) for option in (HEAPS, MAPPED)])


def _told_glibc(name: str, *values: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        return bool(getattr(ctypes.CDLL(None), name)(*values))
    except (OSError, AttributeError):  # another C library
        return False


share_heaps()
