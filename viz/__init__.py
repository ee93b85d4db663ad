"""Everything a person sees. In a notebook, ``viz.show(translation)`` is the viewer of a whole trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model.trace import TracedTranslation
    from viz.export.pages import SavedPage


def show(translation: TracedTranslation, model: str = "", language: str = "en", heads: str = "") -> SavedPage:
    """The viewer of a translation as the result of a notebook's cell; see ``viz.export.pages.show``."""
    from viz.export import pages

    return pages.show(translation, model, language, heads)
