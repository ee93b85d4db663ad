"""A translation as a page of its own: to be saved, or shown in a notebook."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from model.analysis.maps.sorts import SORTS, Drawn
from model.trace import HeadRef, TracedTranslation
from viz.viewer.page import page
from viz.viewer.payload import pack

if TYPE_CHECKING:
    import numpy as np

    from model.source import Source
    from model.trace import Kind

HEIGHT = 720  # pixels of the viewer in a notebook
PLAIN: tuple[Drawn, ...] = ("weights", "rollout")  # what a page holds besides nothing else: they need no model


@dataclass(frozen=True)
class SavedPage:
    """A page: ``html`` is the whole file. A notebook shows it in a frame of its own."""

    html: str

    def save(self, path: str | Path) -> Path:
        """Write the file, and say where."""
        path = Path(path)
        path.write_text(self.html, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        frame = f'style="width:100%;height:{HEIGHT}px;border:0" sandbox="allow-scripts allow-downloads"'
        return f'<iframe {frame} srcdoc="{html.escape(self.html)}"></iframe>'


def saved(
    translation: TracedTranslation,
    *,
    model: str,
    language: str = "en",
    heads: Sequence[HeadRef] = (),
    start: str = "",
    maps: Mapping[Drawn, Mapping[Kind, np.ndarray]] | None = None,
) -> SavedPage:
    """The page of a translation.

    Args:
        translation: with its trace.
        model: name of the checkpoint.
        language: of the page, "en" or "zh".
        heads: shown first, side by side.
        start: further choices, as the viewer's link writes them.
        maps: [L, H, Q, K] by sort and kind; None is what a trace gives without a model.

    Raises:
        ValueError: as ``pack``.
    """
    given = plain_maps(translation) if maps is None else maps
    message = pack(translation, given, language=language, model=model, heads=heads, start=start)
    return SavedPage(page(message, f"{translation.source} → {translation.text} · Headlight", language))


def plain_maps(translation: TracedTranslation) -> dict[Drawn, Mapping[Kind, np.ndarray]]:
    """The maps that need no model."""
    makers = {drawn: SORTS[drawn].from_trace for drawn in PLAIN}
    return {drawn: make(translation.trace) for drawn, make in makers.items() if make}


def page_maps(source: Source, translation: TracedTranslation) -> dict[Drawn, Mapping[Kind, np.ndarray]]:
    """The maps that a page holds where the model is at hand: norms as well, where it offers them."""
    from model.analysis.maps.sorts import drawn_maps

    found = plain_maps(translation)
    if source.anatomy.abilities.issuperset(SORTS["norms"].needs):
        found["norms"] = drawn_maps(source, translation, "norms")
    return found
