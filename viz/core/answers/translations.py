"""Cached translations."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, cast

from model import examples
from model.folders import resolve
from model.trace import Translation
from viz.core.crowd.sharing import shared_out
from viz.core.kept import kept
from viz.core.pictures import check_picture

if TYPE_CHECKING:
    from model.source import ModelHandle
    from model.trace import AttentionTrace, TracedTranslation
    from viz.core.session import Subject


def watched(subject: Subject) -> ModelHandle:
    """The model of a translation, for answers made of one pass over it: of our own, the last passes are kept."""
    return _once(subject) if subject.model.kind == "own" else subject.model.opened


@kept(8)
def _once(subject: Subject) -> ModelHandle:
    from model.analysis.faithfulness.once import Once

    return cast("ModelHandle", Once(subject.model.opened))


def translation(subject: Subject) -> TracedTranslation:
    """A finished translation with every map; raises as ``_translation``. What a visitor brought is not for others."""
    if subject.model.kind == "maps":
        return subject.model.opened.translate(subject.text, capture=True)
    check_picture(subject.text)
    return _translation(subject) if subject.model.kind == "own" else _of_folder(subject)


@kept(8)
def _of_folder(subject: Subject) -> TracedTranslation:
    """What somebody's model made of a text or picture; few are kept, as their maps may be large."""
    return subject.model.opened.translate(subject.text, subject.beam, capture=True, prefix=subject.forced)


@kept(64)
@shared_out
def _translation(subject: Subject) -> TracedTranslation:
    """A finished translation with every map: a stored example where there is one, else computed.

    Raises:
        HeadlightError: there is none; the frame says why in one sentence and stops the views that need it.
    """
    text, model = subject.text, subject.model
    if subject.forced:
        return model.opened.translate(text, capture=True, prefix=subject.forced)
    stored = examples.load_example(resolve(model.name), text, model.sha256) if subject.beam == 1 else None
    return stored or model.opened.translate(text, beam=subject.beam, capture=True)


@kept(256)
@shared_out
def written(subject: Subject) -> Translation:
    """The translation alone, without maps; raises as ``translation``."""
    found = subject.model.opened.translate(subject.text, subject.beam)
    return Translation(**{each.name: getattr(found, each.name) for each in fields(Translation)})


def trace(subject: Subject) -> AttentionTrace:
    """Every map of a translation; raises as ``translation``."""
    return translation(subject).trace
