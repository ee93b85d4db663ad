"""A translation as a page of its own: with what its trace gives, and with norms where they fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from model.attribution.methods import METHODS, MethodName, attribution_maps, traced_maps
from model.files import write_text
from model.trace import TracedTranslation
from viz.core.selection import DEFAULTS, Selection, method_of, read_link
from viz.web.page import page
from viz.web.payload import MapsOf, pack

if TYPE_CHECKING:
    import numpy as np

    from model.source import Source
    from model.trace import Kind

TRACED: tuple[MethodName, ...] = ("weights", "rollout")  # need no model
MOST_BYTES = 2_000_000  # of a page; what is beyond is left to the app


@dataclass(frozen=True)
class SavedPage:
    """A page: ``html`` is the whole file."""

    html: str

    def save(self, path: str | Path) -> Path:
        """Write the file, and say where."""
        return write_text(Path(path), self.html)


def saved(
    translation: TracedTranslation,
    *,
    maps: MapsOf,
    model: str,
    language: str = "en",
    start: Selection = DEFAULTS,
) -> SavedPage:
    """The page of a translation; arguments and errors as ``payload.pack``."""
    message = pack(translation, maps, language=language, model=model, start=start)
    return SavedPage(page(message, f"{translation.source} → {translation.text} · Headlight", language))


def page_of(source: Source, translation: TracedTranslation, shown: Selection, language: str) -> SavedPage:
    """The page, opened on what is shown. Norms, and the method that is shown, are in it as long as it stays small.

    Raises:
        ValueError: a head does not exist.
    """
    maps: dict[str, Mapping[Kind, np.ndarray]] = {method: traced_maps(translation.trace, method) for method in TRACED}
    page = _page(translation, maps, source.name, language, shown)
    for name in (name for name in dict.fromkeys((shown.map_name, "norms")) if name not in maps):
        method, step = method_of(name)
        if not source.anatomy.abilities.issuperset(METHODS[method].needs):
            continue
        more = {**maps, name: attribution_maps(source, translation, method, step)}
        larger = _page(translation, more, source.name, language, shown)
        if len(larger.html) <= MOST_BYTES or name == shown.map_name:
            maps, page = more, larger
    return page


def traced_page(translation: TracedTranslation, model: str = "", language: str = "en", heads: str = "") -> SavedPage:
    """The page of a translation with what its trace holds, which needs no model.

    Args:
        translation: made with ``capture=True``.
        model: name of the checkpoint, for titles.
        language: "en" or "zh".
        heads: codes of the heads to open on: "c2.5,c3.1".
    """
    maps = {method: traced_maps(translation.trace, method) for method in TRACED}
    return saved(translation, maps=maps, model=model, language=language, start=read_link(f"h={heads}"))


def _page(
    translation: TracedTranslation,
    maps: Mapping[str, Mapping[Kind, np.ndarray]],
    model: str,
    language: str,
    shown: Selection,
) -> SavedPage:
    # A page that is saved opens on its picture alone; P brings the tools.
    return saved(translation, maps=maps, model=model, language=language, start=replace(shown, present=True))
