"""Cached numbers of the lessons about gradients and about three families."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viz.core.answers.translations import translation
from viz.core.kept import kept

if TYPE_CHECKING:
    from model.analysis.lessons.families import Shapes
    from model.analysis.lessons.hooks import Caught
    from model.trace import Kind
    from viz.core.session import Subject


@kept(32)
def hooked(subject: Subject, kind: Kind, layer: int, step: int) -> Caught:
    """What a hook on one layer's weights is given while one token's log-probability is differentiated."""
    from model.analysis.lessons.hooks import caught

    return caught(subject.model.opened, translation(subject), kind, layer, step)


@kept(32)
def sizes(subject: Subject) -> Shapes:
    """Shapes of one layer's tensors while a model reads."""
    from model.analysis.lessons.families import sizes_of

    return sizes_of(subject.model.opened, translation(subject))
