"""The viewer as a widget: what is chosen in it is a value in Python, both ways. Jupyter, VS Code, marimo, Colab."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from model.attribution.methods import MethodName
from model.trace import HeadRef, Kind
from viz.core.selection import Selection, read_link
from viz.export.notebook.shown_maps import SIDES, ShownMaps, all_maps, bytes_of, small_message
from viz.export.pages import SavedPage, saved
from viz.web.bundles import NOTEBOOK, VIEWER_STYLE
from viz.web.payload import pack

MapsByMethod = Mapping[MethodName, Mapping[Kind, np.ndarray]]


class Chosen(traitlets.TraitType[Selection, Any]):
    """A selection, set by whatever ``HeadlightWidget.selected`` reads."""

    def validate(self, obj: Any, value: Any) -> Selection:
        """The selection; raises TraitError where there is no such head or token."""
        try:
            found: Selection = obj.selected(value)
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None
        return found


class HeadlightWidget(anywidget.AnyWidget):
    """Every head of one sentence. ``selection`` is what is chosen: it changes as one clicks, and may be set.

    ``w.selection = "c2.5"``, ``w.selection = ("c2.5", 3)``; ``w.observe(print, "selection")`` tells of changes.

    Attributes:
        selection: everything that is chosen; see ``Selection``.
        link: the same, as a saved page writes it behind its ``#``.
        height: in pixels.
    """

    _esm = NOTEBOOK.read_text(encoding="utf-8")
    _style = traitlets.Unicode(VIEWER_STYLE.read_text(encoding="utf-8")).tag(sync=True)
    _message = traitlets.Bytes().tag(sync=True)
    _asks = traitlets.Bool(False).tag(sync=True)
    link = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(720).tag(sync=True)
    selection = Chosen(Selection())

    def __init__(
        self,
        shown: ShownMaps,
        maps: MapsByMethod | None,
        *,
        model: str,
        language: str,
        selection: Selection,
        height: int,
    ) -> None:
        """The widget of maps.

        Args:
            shown: the maps with their tokens.
            maps: by method; None for those of ``shown``, which go to the browser when somebody looks.
            model: for titles.
            language: "en" or "zh".
            selection: what is chosen at first.
            height: in pixels.
        """
        self.shown, self._maps, self._model, self._language = shown, maps, model, language
        if maps is None:
            message = small_message(shown, language=language, model=model)
        else:
            message = pack(shown.translation, maps, language=language, model=model)
        super().__init__(_message=message, _asks=maps is None, link=selection.link, height=height, selection=selection)
        self.on_msg(self._answer)

    def selected(self, value: Any) -> Selection:
        """The selection that a value names.

        Args:
            value: a selection; or a head or its code, or several, alone or with the numbers of a row's token and of a
                column's: ``("c2.5", 3)``. What else is chosen then stays.

        Raises:
            ValueError: it names none, or there is no such head or token.
        """
        heads, places = (value.heads, []) if isinstance(value, Selection) else _named(value)
        for head in heads:
            self.shown.trace.map(*head)
        if isinstance(value, Selection):
            return value
        row, column, *_ = *places, None, None
        kind = heads[0].kind
        return replace(self.selection, heads=heads, rows=self._keys(kind, 0, row), columns=self._keys(kind, 1, column))

    def _keys(self, kind: Kind, side: int, place: int | None) -> tuple[str, ...]:
        """A token of rows (0) or columns (1) of a kind's maps, as the viewer calls it; raises as ``selected``."""
        if place is None:
            return ()
        length, decodes = self.shown.trace.weights[kind].shape[2 + side], SIDES[kind][side] == "decoder_tokens"
        if not (self.shown.first if decodes else 0) <= place < length:
            raise ValueError(f"there is no token {place}: {kind} has {length} there")
        return (f"t{place - self.shown.first - 1}" if decodes else f"s{place}",)

    @property
    def token(self) -> int | None:
        """Number of the token whose row is pinned, from 0; None where none is.

        Of a translation by Headlight it is the token that the row writes, of attentions that were given the token in
        the list of tokens.
        """
        return self._number(self.selection.rows)

    @property
    def key(self) -> int | None:
        """Number of the token whose column is pinned; None where none is."""
        return self._number(self.selection.columns)

    def _number(self, keys: tuple[str, ...]) -> int | None:
        # The viewer calls what a decoder reads first t-1, since it is what is written before token 0.
        shift = {"t": self.shown.first + 1, "s": 0}
        return next((int(key[1:]) + shift[key[0]] for key in keys), None)

    @traitlets.observe("link")
    def _link_changed(self, change: Any) -> None:
        try:
            self.selection = read_link(change["new"])
        except traitlets.TraitError:
            return  # there is no such head: no browser of ours says this

    @traitlets.observe("selection")
    def _selection_changed(self, change: Any) -> None:
        if read_link(self.link) != change["new"]:
            self.link = change["new"].link

    def _answer(self, _: Any, content: Any, __: Any) -> None:
        """Send a whole map that the browser asks for."""
        head = HeadRef.parse(str(content.get("ask", ""))) if isinstance(content, dict) else None
        if head is None:
            return
        try:
            values = self.shown.head(head)
        except ValueError:
            return  # there is no such head: nobody of ours asked
        self.send({"head": head.code}, buffers=[bytes_of(values)])

    def map(self, head: str | HeadRef | None = None) -> np.ndarray:
        """A head's weights, float32 [query, key]; of the selected head where none is named.

        Raises:
            ValueError: there is no such head, or none is selected.
        """
        heads = self.selection.heads if head is None else _named(head)[0]
        if not heads:
            raise ValueError("no head is selected")
        return self.shown.head(heads[0])

    def page(self) -> SavedPage:
        """The same as a page that needs no notebook, opened on what is chosen."""
        maps = {"weights": all_maps(self.shown)} if self._maps is None else self._maps
        return saved(
            self.shown.translation, maps=maps, model=self._model, language=self._language, start=self.selection
        )

    def save(self, path: str | Path) -> Path:
        """Write that page, and say where."""
        return self.page().save(path)

    def __repr__(self) -> str:
        """What it shows, instead of every byte of it."""
        texts = json.dumps([self.shown.translation.source, self.shown.translation.text], ensure_ascii=False)
        return f"HeadlightWidget({texts}, {self.selection})"


def _named(value: Any) -> tuple[tuple[HeadRef, ...], list[int | None]]:
    """The heads and the tokens that a value names; raises as ``HeadlightWidget.selected``."""
    if isinstance(value, (str, HeadRef)):
        value = (value,)
    if not isinstance(value, Sequence) or not 1 <= len(value) <= 3:
        raise ValueError(f"{value!r} is no selection: write 'c2.5', or ('c2.5', 3) with a token")
    first, *places = value
    several = [first] if isinstance(first, (str, HeadRef)) else first
    heads = tuple(each if isinstance(each, HeadRef) else HeadRef.parse(str(each)) for each in several)
    if not heads or None in heads:
        raise ValueError(f"{first!r} is no head; c2.5 is head 5 of layer 2 of cross-attention")
    for place in places:
        if place is not None and (isinstance(place, bool) or not isinstance(place, int)):
            raise ValueError(f"a token is chosen by its number, got {place!r}")
    return tuple(head for head in heads if head), places
