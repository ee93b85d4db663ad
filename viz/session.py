"""What the visitor is looking at, and the cached loaders behind it."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import streamlit as st

from model import examples
from model.analysis.drawn import DRAWN, SHIFTS, Drawn, Shift
from model.analysis.truth import load_alignment
from model.errors import HeadlightError
from model.folders import CONFIG, LOG, META, available, n_layers, resolve
from model.limits import MAX_CHARACTERS, MAX_SRC_TOKENS
from model.trace import KINDS, AttentionTrace, Kind, Translation
from viz.text import LANGUAGES, text
from viz.theme import Theme, theme_named
from viz.token_code import token_code, token_ids

if TYPE_CHECKING:
    from model.translator import Translator

DEFAULT_CHECKPOINT = "en-zh"
LANGUAGE_NAMES = {"en": "English", "zh": "中文"}


@dataclass(frozen=True)
class View:
    """One visitor's choices in this rerun; all of them live in the URL."""

    text: str
    checkpoint: str
    beam: int
    kind: Kind
    layer: int
    head: int
    words: bool
    hide_special: bool
    drawn: Drawn
    shift: Shift
    language: str


def view() -> View:
    """The choices that the frame's widgets hold now."""
    state = st.session_state
    sizes, start = config(checkpoint()), opening(checkpoint())
    kind = chosen_named("kind", start["kind"], KINDS)
    layers = n_layers(sizes, kind)
    return View(
        text=str(state.get("text", default_text(checkpoint()))),
        checkpoint=checkpoint(),
        beam=int(chosen("beam", 1, range(1, 9))),
        kind=kind,
        layer=chosen("layer", min(start["layer"], layers - 1), range(layers)),
        head=chosen("head", start["head"], range(sizes["n_heads"])),
        words=bool(state.get("words", False)),
        hide_special=bool(state.get("special", False)),
        drawn=chosen_named("drawn", "weights", DRAWN),
        shift=chosen_named("shift", start["shift"], SHIFTS),
        language=language(),
    )


def chosen(key: str, default: Any, options: Any, labels: Mapping[Any, str] | None = None) -> Any:
    """A widget's value; before it is first drawn, what the link says; the default where that is no option.

    Args:
        key: of the widget, and of its place in the link.
        default: where there is nothing valid.
        options: the values that the widget offers.
        labels: what the link calls them, where that is not ``str(option)``.
    """
    if key in st.session_state:
        value = st.session_state[key]
        return value if value in options else default
    said = st.query_params.get(key)
    return next((option for option in options if said == (labels or {}).get(option, str(option))), default)


def chosen_named(key: str, default: Any, options: Sequence[Any]) -> Any:
    """``chosen`` for a picker whose options the visitor reads as ``<key>.<option>``."""
    labels = {} if key in st.session_state else {option: say(f"{key}.{option}") for option in options}
    return chosen(key, default, options, labels)


def language() -> str:
    """The interface language: "en" or "zh"."""
    return str(chosen("lang", "en", LANGUAGES, LANGUAGE_NAMES))


def say(key: str, **values: object) -> str:
    """An interface string in the visitor's language."""
    return text(language(), key, **values)


def theme() -> Theme:
    """The look that the visitor's browser shows."""
    return theme_named(st.context.theme.type)


@lru_cache(maxsize=1)
def checkpoints() -> tuple[str, ...]:
    """Names of the checkpoints that there were when the app started."""
    return tuple(available())


def default_checkpoint() -> str:
    """The checkpoint that the app opens on: en-zh, or the first there is."""
    names = checkpoints()
    return DEFAULT_CHECKPOINT if DEFAULT_CHECKPOINT in names else next(iter(names), DEFAULT_CHECKPOINT)


def checkpoint() -> str:
    """Name of the chosen checkpoint; the default where the choice does not exist."""
    return str(chosen("checkpoint", default_checkpoint(), checkpoints()))


def default_text(name: str) -> str:
    """The sentence that a checkpoint opens on."""
    return next(iter(example_sentences(name)), "")


def example_sentences(name: str) -> tuple[str, ...]:
    """The sentences one click away for a checkpoint."""
    return examples.sentences(str(meta(name).get("src_tokenizer", "")))


@lru_cache(maxsize=16)
def opening(name: str) -> Mapping[str, Any]:
    """The head, and which rows of it, that a checkpoint opens on.

    The best single head of its alignment table, where these weights made it; else ``opens_on`` in its
    meta.json; else cross-attention's last layer.
    """
    last = int(config(name)["n_decoder_layers"]) - 1
    table, _ = alignment(name)
    best = {key: table["best_head"][key] for key in ("kind", "layer", "head", "shift")} if table else {}
    return {"kind": "cross", "layer": last, "head": 0, "shift": "written", **meta(name).get("opens_on", {}), **best}


@lru_cache(maxsize=16)
def alignment(name: str) -> tuple[dict[str, Any] | None, str]:
    """A checkpoint's alignment table; or None and why: "missing", "damaged", or "stale": other weights made it."""
    return load_alignment(name, str(meta(name).get("sha256")))


def choose_head(kind: Kind, layer: int, head: int) -> None:
    """Select a head; to be called in a widget's callback, before the frame draws its pickers."""
    st.session_state.update(kind=kind, layer=layer, head=head)


@lru_cache(maxsize=16)
def config(name: str) -> dict[str, Any]:
    """The sizes in a checkpoint's config.json."""
    return _json(name, CONFIG)


@lru_cache(maxsize=16)
def meta(name: str) -> dict[str, Any]:
    """What a checkpoint's meta.json says."""
    return _json(name, META)


@st.cache_data(max_entries=16, show_spinner=False)
def training_log(name: str) -> list[dict[str, Any]]:
    """The entries of a checkpoint's training log; empty where it has none."""
    path = resolve(name) / LOG
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [json.loads(line) for line in lines]


@st.cache_resource(max_entries=4, show_spinner=False)
def translator(name: str) -> Translator:
    """The shared translator of a checkpoint; the first call loads PyTorch."""
    from model.translator import Translator

    return Translator.from_checkpoint(name)


@st.cache_resource(max_entries=64, show_spinner=False)
def translated(sentence: str, name: str, beam: int, forced_ids: tuple[int, ...] = ()) -> Translation:
    """A finished translation with every map: a stored example where there is one, else computed."""
    if forced_ids:
        return translator(name).translate(sentence, capture=True, prefix=forced_ids)
    stored = examples.load_example(resolve(name), sentence, str(meta(name).get("sha256"))) if beam == 1 else None
    return stored or translator(name).translate(sentence, beam=beam, capture=True)


def translation() -> Translation:
    """The current sentence's translation with its trace: the model's choice, or the one under inspection.

    Raises:
        HeadlightError: there is none; the frame says why in one sentence and stops the views that need it.
    """
    now = view()
    return translated(now.text, now.checkpoint, now.beam, forced("hyp"))


def chosen_translation() -> Translation:
    """The model's own choice, whatever is under inspection; raises as ``translation``."""
    now = view()
    return translated(now.text, now.checkpoint, now.beam)


def forced(name: str) -> tuple[int, ...]:
    """Target ids that the link's ``hyp`` or ``fork`` forces on this sentence; () where they are for another one."""
    sizes = config(checkpoint())
    return token_ids(str(st.session_state.get(name, "")), _subject(), sizes["tgt_vocab_size"], sizes["max_len"])


def force(name: str, ids: Sequence[int]) -> None:
    """Write target ids into the link's ``hyp`` or ``fork``; to be called in a widget's callback."""
    st.session_state[name] = token_code(ids, _subject())


def _subject() -> str:
    """What forced ids are about: the weights and the sentence."""
    name = checkpoint()
    return f"{meta(name).get('sha256', name)} {st.session_state.get('text', default_text(name))}"


def trace() -> AttentionTrace:
    """Every map of the current sentence's translation; raises as ``translation``."""
    found = translation().trace
    assert found is not None  # translated always captures
    return found


def show_error(error: HeadlightError) -> None:
    """One plain sentence that says what is wrong; whatever stands in it is shown literally."""
    sentence = say(
        f"error.{type(error).__name__}",
        message=str(error),
        characters=f"{MAX_CHARACTERS:,}",
        tokens=getattr(error, "tokens", None) or MAX_SRC_TOKENS,
    )
    st.html(f'<p role="alert" class="hl-error">{html.escape(sentence)}</p>')


def _json(name: str, file: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((resolve(name) / file).read_text(encoding="utf-8"))
    return value
