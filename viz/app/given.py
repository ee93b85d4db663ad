"""What a model is given, over every view: sentences, a picture, a sound, or nothing but a file's maps."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from model.errors import MAX_PARTS, HeadlightError, TextTooLongError
from model.saved.reading import MOST_FILE
from model.source import SEEN_OR_HEARD, Reads
from model.trace import Translation
from viz.charts.markup import line, ruby, tag
from viz.core import models, pictures
from viz.core.choice import say
from viz.core.session import Subject, choose_part, part, parts, typed
from viz.widgets import verdict
from viz.widgets.errors import show_error

MOST_LETTERS = 40  # of a sentence on its button


def shown_parts() -> list[str]:
    """The sentences of what was typed, where there are several; else none.

    Raises:
        TextTooLongError: there are more than MAX_PARTS.
    """
    found = parts()
    if len(found) > MAX_PARTS:
        raise TextTooLongError(f"The text has {len(found)} sentences; the limit is {MAX_PARTS}. Translate it in parts.")
    return found if len(found) > 1 else []


def parts_line(about: Subject, found: Translation) -> None:
    """The translations of all sentences in one line, the one that is looked at marked."""
    shown: list[str] = []
    for number, text in enumerate(parts()):
        if number == part():
            shown.append(tag("mark", said(found.text)))
            continue
        try:
            shown.append(said(verdict.of_another(replace(about.own, text=text)).text))
        except HeadlightError:  # said in full when that sentence is chosen
            shown.append("⚠")
    st.html(line("translation parts", *shown, lang="zh"))


def choose_shown_part() -> None:
    """A button that says which sentence is looked at, and behind it all of them."""
    texts, here = parts(), part()
    st.session_state["part_shown"] = here
    with st.popover(say("app.parts", number=here + 1, all=len(texts)), width="content"):
        st.pills(
            say("app.part"),
            range(len(texts)),
            key="part_shown",
            format_func=lambda number: f"{number + 1} · {_short(texts[number])}",
            help=say("app.part.help"),
            required=True,
            on_change=lambda: choose_part(st.session_state["part_shown"]),
        )


def said(translation: str) -> str:
    """A translation as the frame shows it: with its pinyin, where the visitor wants that."""
    return ruby(translation) if translation and st.session_state.get("pinyin") else translation or "∅"


def _short(text: str) -> str:
    """A sentence for a button: as plain text, cut."""
    cut = text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"
    return "".join(f"\\{char}" if char in r"\\`*_{}[]()#+-.!|~:$<>" else char for char in cut)


SORTS_OF_FILE = {"picture": ("png", "jpg", "jpeg", "webp", "bmp", "gif"), "sound": ("wav",)}
MOST_OF_A_FILE = 20  # MB


def given_row(model: models.ModelEntry) -> None:
    """Where the visitor says what the model is to read; the box of the sentence is there for every model."""
    reads = model.reads
    if reads in SEEN_OR_HEARD:
        _file_row(reads)
    elif reads == "maps":
        st.html(line("lead", say("given.maps", name=model.name)))
    else:
        with st.form("sentence", enter_to_submit=True, border=False):
            row = st.container(horizontal=True, vertical_alignment="center", gap="xsmall")
            row.text_input(
                say("app.sentence"),
                model.default_text,  # for the browser's Back too, where a link names no sentence
                key="text",
                placeholder=say(f"given.{reads}") if model.kind == "folder" else say("app.placeholder"),
                label_visibility="collapsed",
                bind="query-params",
            )
            said = say(f"given.go.{reads}") if reads != "text" else say("app.translate")
            row.form_submit_button(said, type="primary", width="content", on_click=choose_part)


def _file_row(reads: Reads) -> None:
    """What ships for a model that sees or hears, and a place for the visitor's own file."""
    shipped = models.current().examples
    names = (*shipped, *(each for each in pictures.own() if each.startswith(reads)))
    state = st.session_state
    state["picture_shown"] = typed() if typed() in names else None
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.pills(
            say(f"given.{reads}"),
            names,
            key="picture_shown",
            format_func=lambda each: say(f"{reads}.{each}") if each in shipped else say(f"{reads}.own"),
            label_visibility="collapsed",
            on_change=_take_shown,
        )
        with st.popover(say(f"given.{reads}.open")):
            st.file_uploader(
                say(f"given.{reads}.file"),
                SORTS_OF_FILE[reads],
                key="picture_file",
                on_change=_take_file,
                max_upload_size=MOST_OF_A_FILE,
                help=say(f"given.{reads}.help"),
            )


def _take_shown() -> None:
    if name := st.session_state.get("picture_shown"):
        st.session_state["text"] = name


def _take_file() -> None:
    if (file := st.session_state.get("picture_file")) is not None:
        st.session_state["text"] = pictures.take(file.getvalue(), models.current().reads)


def maps_uploader() -> None:
    """Where a visitor opens a file of maps, which is his alone."""
    st.file_uploader(
        say("given.file"),
        ("npz",),
        key="maps_file",
        on_change=_take_maps,
        max_upload_size=MOST_FILE // 2**20,
        help=say("given.file.help"),
    )
    if (error := st.session_state.pop("_maps_error", None)) is not None:
        show_error(error)


def _take_maps() -> None:
    """Open what was uploaded, and go to it; a file that cannot be read changes nothing."""
    file, state = st.session_state.get("maps_file"), st.session_state
    if file is None:
        return
    try:
        found = models.uploaded(file.name, file.getvalue())
    except HeadlightError as error:
        state["_maps_error"] = error
        return
    state[models.UPLOADED] = found
    state["checkpoint"] = found.name
    model = models.entry_of(found.name)
    state.update(text=model.default_text, **model.opening)


def told_line(found: Translation, model: models.ModelEntry) -> None:
    """What the model made of it, in one line: of a prompt, what it wrote itself stands out."""
    reads = model.reads
    lang = {"lang": "zh"} if model.kind == "own" else {}
    if reads == "prompt":
        tokens = found.tgt[: found.given]
        at = max((each.end for each in tokens), default=0)
        st.html(line("translation", found.text[:at], tag("mark", found.text[at:] or "∅")))
    elif reads in SEEN_OR_HEARD:
        st.html(line("translation seen", found.text or say(f"told.{reads}.nothing")))
    elif reads == "sentence" and not found.tgt_ids:
        st.html(line("lead", say("told.sentence.nothing", mask=model.mask or "–")))
    else:
        st.html(line("translation", said(found.text), **lang))
