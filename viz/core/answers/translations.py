"""Cached translations, and what two of them have in common."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, cast

from model import examples
from model.folders import resolve
from model.trace import Translation
from viz.core.crowd.sharing import shared_out
from viz.core.kept import kept
from viz.core.models import entry_of
from viz.core.pictures import check_picture

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.what_if.patching import Carried, Contrast, Sweep
    from model.source import ModelHandle, Source
    from model.trace import AttentionTrace, Kind, TracedTranslation
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


@kept(32)
def changed_heads(one: Subject, other: Subject) -> dict[Kind, np.ndarray]:
    """How much each head's attention differs between two sentences."""
    from model.analysis.heads.over_time import changed_heads as changed

    return changed(trace(one), trace(other))


@kept(32)
def contrast(one: Subject, other: Subject) -> Contrast | None:
    """What can be carried between two sentences, or from a model into another one of its shape.

    Raises:
        HeadlightError: one of them cannot be translated, or the models are of different shapes.
    """
    from model.analysis.what_if.patching import check_one_shape
    from model.analysis.what_if.patching import contrast as between

    if one.checkpoint != other.checkpoint:
        check_one_shape(one.model.opened, other.model.opened, one.text, other.text)
    return between(translation(one), translation(other))


@kept(16)
def sweep(checkpoint: str, about: Contrast, donor: str) -> Sweep:
    """What carrying each head and each state moves; ``donor`` is the model that they come from, or the same one."""
    from model.analysis.what_if.patching import sweep as swept

    return swept(entry_of(checkpoint).opened, about, _another(donor, checkpoint))


@kept(64)
def patched(checkpoint: str, about: Contrast, donor: str, site: Carried) -> tuple[list[str], tuple[float, float]]:
    """The pieces that are written while something is carried, and the log-probabilities of the two tokens."""
    from model.analysis.what_if.patching import log_probs_at, patched_ids

    model, other = entry_of(checkpoint).opened, _another(donor, checkpoint)
    ids = patched_ids(model, about, site, other)
    first, second = log_probs_at(model, about, [about.patch(site)], other)[0].tolist()
    return [model.piece(each) for each in ids], (first, second)


def _another(donor: str, checkpoint: str) -> Source | None:
    return entry_of(donor).opened if donor != checkpoint else None


@kept(16)
def written_by(checkpoint: str, source: str, target: str) -> TracedTranslation:
    """A translation as another model would write it.

    Raises:
        HeadlightError: that model cannot read or write it.
    """
    found: TracedTranslation = entry_of(checkpoint).opened.trace(source, target)
    return found


@kept(32)
def matched(one: Subject, checkpoint: str, kind: Kind) -> np.ndarray:
    """How alike each head of a model is to each of another, while both write the first one's translation."""
    from model.analysis.heads.over_time import matched as likeness

    found = translation(one)
    return likeness(found.trace, written_by(checkpoint, found.source, found.text).trace, kind)
