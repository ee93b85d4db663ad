"""Cached numbers of the lessons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viz.state.answers.kept import kept

if TYPE_CHECKING:
    from model.analysis.lessons.scaling import Growth


@kept(1)
def growth() -> Growth:
    """Random dot products and what softmax makes of them, as d_k grows."""
    from model.analysis.lessons import scaling

    return scaling.growth()
