"""The viewer as a widget: what is chosen in it is a value in Python, both ways. Jupyter, VS Code, marimo, Colab."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from model.attribution.methods import MethodName
from model.trace import HeadRef, Kind
from viz.export.notebook import supply
from viz.export.notebook.selection import Selection, read_selection, selection_of, write_selection
from viz.export.notebook.shown_maps import SIDES, ShownMaps
from viz.export.pages import SavedPage, saved
from viz.web.bundles import NOTEBOOK, VIEWER_STYLE
from viz.web.payload import pack

MapsByMethod = Mapping[MethodName, Mapping[Kind, np.ndarray]]


class Chosen(traitlets.TraitType[Selection, Any]):
    """A selection, set by whatever ``selection_of`` reads."""

    def validate(self, obj: Any, value: Any) -> Selection:
        """The selection; raises TraitError where there is no such head or token."""
        try:
            found = selection_of(value)
            obj.check(found)
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None
        return found


class HeadlightWidget(anywidget.AnyWidget):
    """Every head of one sentence. ``selection`` is what is chosen: it changes as one clicks, and may be set.

    ``w.selection = "c2.5"``, ``w.selection = ("c2.5", 3)``; ``w.observe(print, "selection")`` tells of changes.

    Attributes:
        selection: heads, token (row) and key (column); see ``Selection``.
        link: everything that is chosen, as a saved page writes it behind its ``#``.
        height: in pixels.
    """

    _esm = NOTEBOOK.read_text(encoding="utf-8")
    _style = traitlets.Unicode(VIEWER_STYLE.read_text(encoding="utf-8")).tag(sync=True)
    _message = traitlets.Bytes().tag(sync=True)
    _asks = traitlets.Bool(False).tag(sync=True)
    link = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(720).tag(sync=True)
    selection = Chosen(Selection(())).tag(
        sync=True, to_json=lambda value, _: value._asdict(), from_json=lambda value, _: selection_of(value)
    )

    def __init__(
        self, shown: ShownMaps, maps: MapsByMethod | None, *, model: str, language: str, link: str, height: int
    ) -> None:
        """The widget of maps.

        Args:
            shown: the maps with their tokens.
            maps: by method; None for those of ``shown``, which go to the browser when somebody looks.
            model: for titles.
            language: "en" or "zh".
            link: what is chosen at first.
            height: in pixels.
        """
        self.shown, self._maps, self._model, self._language = shown, maps, model, language
        if maps is None:
            message = supply.message(shown, language=language, model=model)
        else:
            message = pack(shown.translation, maps, language=language, model=model)
        chosen = read_selection(link, shown.first)
        super().__init__(_message=message, _asks=maps is None, link=link, height=height, selection=chosen)
        self.on_msg(self._answer)

    def check(self, selection: Selection) -> None:
        """Nothing where a selection fits the maps.

        Raises:
            ValueError: there is no such head or token.
        """
        for code in selection.heads:
            head = HeadRef.parse(code)
            assert head is not None
            self.shown.trace.map(*head)
        head = selection.head or self.selection.head or HeadRef(self.shown.trace.kinds[-1], 0, 0)
        lengths = self.shown.trace.weights[head.kind].shape[2:]
        for place, length, reads in zip((selection.token, selection.key), lengths, SIDES[head.kind], strict=True):
            least = self.shown.first if reads == "decoder_tokens" else 0
            if place is not None and not least <= place < length:
                raise ValueError(f"there is no token {place}: {head.kind} has {length} there")

    @traitlets.observe("link")
    def _link_changed(self, change: Any) -> None:
        self.selection = self._known(read_selection(change["new"], self.shown.first))

    @traitlets.observe("selection")
    def _selection_changed(self, change: Any) -> None:
        if change["new"] != self._known(read_selection(self.link, self.shown.first)):
            self.link = write_selection(change["new"], self.link, self.shown.first)

    def _known(self, selection: Selection) -> Selection:
        """What fits the maps of what a browser says."""
        try:
            self.check(selection)
        except (ValueError, AssertionError):
            return self.selection
        return selection

    def _answer(self, _: Any, content: Any, __: Any) -> None:
        """Send a whole map that the browser asks for."""
        head = HeadRef.parse(str(content.get("ask", ""))) if isinstance(content, dict) else None
        if head is None:
            return
        try:
            values = self.shown.head(head)
        except ValueError:
            return  # there is no such head: nobody of ours asked
        self.send({"head": head.code}, buffers=[supply.bytes_of(values)])

    def map(self, head: str | HeadRef | None = None) -> np.ndarray:
        """A head's weights, float32 [query, key]; of the selected head where none is named.

        Raises:
            ValueError: there is no such head, or none is selected.
        """
        found = selection_of(head).head if head is not None else self.selection.head
        if found is None:
            raise ValueError("no head is selected")
        return self.shown.head(found)

    def page(self) -> SavedPage:
        """The same as a page that needs no notebook, opened on what is chosen."""
        maps = {"weights": supply.all_maps(self.shown)} if self._maps is None else self._maps
        return saved(self.shown.translation, maps=maps, model=self._model, language=self._language, start=self.link)

    def save(self, path: str | Path) -> Path:
        """Write that page, and say where."""
        return self.page().save(path)

    def __repr__(self) -> str:
        """What it shows, instead of every byte of it."""
        texts = json.dumps([self.shown.translation.source, self.shown.translation.text], ensure_ascii=False)
        return f"HeadlightWidget({texts}, {self.selection})"
