"""Cached maps of every head, made of something else than weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viz.state.answers.kept import kept
from viz.state.answers.translations import trace, translation, translator

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.maps.sorts import Drawn
    from model.trace import Kind
    from viz.state.view import Subject


def seen_picture(subject: Subject) -> tuple[bytes, tuple[int, int]]:
    """The part of a picture that the model sees, as a PNG file, and its rows and columns of patches."""
    found: tuple[bytes, tuple[int, int]] = translator(subject.checkpoint).seen(subject.text)
    return found


@kept(24)
def drawn_maps(subject: Subject, drawn: Drawn, step: int | None) -> dict[Kind, np.ndarray]:
    """Maps of one sort; gradients are of the output token ``step``, or of the whole translation."""
    from model.analysis.maps.sorts import SORTS
    from model.analysis.maps.sorts import drawn_maps as made

    if source := SORTS[drawn].from_maps:
        other, make = source
        return make(drawn_maps(subject, other, step), trace(subject))
    return made(translator(subject.checkpoint), translation(subject), drawn, step)
