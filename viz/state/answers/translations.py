"""Cached translators and translations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model import examples
from model.folders import resolve
from viz.state.answers.kept import kept
from viz.state.checkpoints import sha256

if TYPE_CHECKING:
    from model.trace import AttentionTrace, TracedTranslation
    from model.translator import Translator
    from viz.state.view import Subject


@kept(4)
def translator(name: str) -> Translator:
    """The shared translator of a checkpoint; the first call loads PyTorch."""
    from model.translator import Translator

    return Translator.from_checkpoint(name)


@kept(64)
def translation(subject: Subject) -> TracedTranslation:
    """A finished translation with every map: a stored example where there is one, else computed.

    Raises:
        HeadlightError: there is none; the frame says why in one sentence and stops the views that need it.
    """
    text, name = subject.text, subject.checkpoint
    if subject.forced:
        return translator(name).translate(text, capture=True, prefix=subject.forced)
    stored = examples.load_example(resolve(name), text, sha256(name)) if subject.beam == 1 else None
    return stored or translator(name).translate(text, beam=subject.beam, capture=True)


@kept(256)
def written(subject: Subject) -> str:
    """The translation alone, without maps; raises as ``translation``."""
    return translator(subject.checkpoint).translate(subject.text, subject.beam).text


def trace(subject: Subject) -> AttentionTrace:
    """Every map of a translation; raises as ``translation``."""
    return translation(subject).trace
