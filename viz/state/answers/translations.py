"""Cached translators and translations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from model import examples
from model.errors import HeadlightError
from model.folders import resolve
from viz.state.answers.kept import kept
from viz.state.checkpoints import UPLOADED, base_of, entries, meta, sha256, sort_of
from viz.state.crowd.sharing import shared_out
from viz.state.pictures import check_picture, picture

if TYPE_CHECKING:
    from model.trace import AttentionTrace, TracedTranslation
    from viz.state.view import Subject


def translator(name: str) -> Any:
    """The shared model of a name; the first call loads PyTorch. An uploaded file of maps is its visitor's alone."""
    uploaded = st.session_state.get(UPLOADED)
    if uploaded is not None and uploaded.name == name and name not in entries():
        return uploaded
    if base_of(name) == name:
        return shared_model(name)
    return _at_step(name) if sort_of(name) == "own" else _in_languages(name)


def shared_model(name: str) -> Any:
    """The model of a listed name; what is wrong with a folder is found out once, until its files change."""
    found = _opened(name, str(meta(name).get("sha256")))
    if isinstance(found, HeadlightError):
        raise found
    return found


@kept(4)
def _opened(name: str, _weights: str) -> Any:
    from model.translator import open_model

    try:
        return open_model(name, picture)
    except HeadlightError as error:
        return error


def watched(subject: Subject) -> Any:
    """The model of a translation, for answers made of one pass over it: of our own, the last passes are kept."""
    return _once(subject) if sort_of(subject.checkpoint) == "own" else translator(subject.checkpoint)


@kept(8)
def _once(subject: Subject) -> Any:
    from model.analysis.faithfulness.once import Once

    return Once(translator(subject.checkpoint))


@kept(4)
def _at_step(name: str) -> Any:
    """A checkpoint with the weights of one of its snapshots; its tokenizers are there once."""
    from model.folders import split_step
    from model.history import snapshot

    base, step = split_step(name)
    return shared_model(base).at_snapshot(snapshot(resolve(base), int(step or 0)))


@kept(16)
def _in_languages(name: str) -> Any:
    """A listed model asked for other languages; its weights are there once."""
    from model.folders import languages_in

    return shared_model(base_of(name)).in_languages(*languages_in(name), name)


def translation(subject: Subject) -> TracedTranslation:
    """A finished translation with every map; raises as ``_translation``. What a visitor brought is not for others."""
    if sort_of(subject.checkpoint) == "maps":
        found: TracedTranslation = translator(subject.checkpoint).found
        return found
    check_picture(subject)
    return _translation(subject) if sort_of(subject.checkpoint) == "own" else _of_folder(subject)


@kept(8)
def _of_folder(subject: Subject) -> TracedTranslation:
    """What somebody's model made of a text or picture; few are kept, as their maps may be large."""
    found: TracedTranslation = translator(subject.checkpoint).translate(
        subject.text, subject.beam, capture=True, prefix=subject.forced
    )
    return found


@kept(64)
@shared_out
def _translation(subject: Subject) -> TracedTranslation:
    """A finished translation with every map: a stored example where there is one, else computed.

    Raises:
        HeadlightError: there is none; the frame says why in one sentence and stops the views that need it.
    """
    text, name = subject.text, subject.checkpoint
    if subject.forced:
        found: TracedTranslation = translator(name).translate(text, capture=True, prefix=subject.forced)
        return found
    stored = examples.load_example(resolve(name), text, sha256(name)) if subject.beam == 1 else None
    made: TracedTranslation = stored or translator(name).translate(text, beam=subject.beam, capture=True)
    return made


@kept(256)
@shared_out
def written(subject: Subject) -> str:
    """The translation alone, without maps; raises as ``translation``."""
    return str(translator(subject.checkpoint).translate(subject.text, subject.beam).text)


def trace(subject: Subject) -> AttentionTrace:
    """Every map of a translation; raises as ``translation``."""
    return translation(subject).trace
