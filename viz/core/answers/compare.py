"""Cached answers about two sentences, and about two models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viz.core.answers.translations import trace, translation
from viz.core.kept import kept
from viz.core.models import entry_of

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.what_if.patching import Carried, Contrast, Sweep
    from model.source import Source
    from model.trace import Kind, TracedTranslation
    from viz.core.session import Subject


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
