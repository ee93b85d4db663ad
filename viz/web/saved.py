"""A page that holds the viewer and a translation: to be saved, or shown in a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from model.trace import HeadRef, TracedTranslation
from viz.web.page import page
from viz.web.payload import MapsOf, pack

HEIGHT = 720  # pixels of the viewer in a notebook


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
    maps: MapsOf,
    model: str,
    language: str = "en",
    heads: Sequence[HeadRef] = (),
    start: str = "",
) -> SavedPage:
    """The page of a translation; arguments and errors as ``payload.pack``."""
    message = pack(translation, maps, language=language, model=model, heads=heads, start=start)
    return SavedPage(page(message, f"{translation.source} → {translation.text} · Headlight", language))
