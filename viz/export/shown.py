"""What of a translation is taken away, and how it is read: the same for pictures, captions and code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from model.attribution.labelled_map import LabelledMap, combine, read, shifted_rows
from model.attribution.methods import METHODS, MethodName, Shift
from model.trace import AttentionTrace, HeadRef, Kind
from viz.charts.sheet.sheet import Sheet, SheetMap, SheetStyle, sheet
from viz.core.text import text
from viz.web.payload import method_code


@dataclass(frozen=True)
class Shown:
    """The choices.

    Attributes:
        heads: one map each, in order.
        how: "head"; or "mean" or "max" of the heads, which are then of one kind, as one map.
        method: which sort of map; ``step`` the output token it is of, None for all.
        words, hide_special, shift: how it is read, see ``reading.read``.
        own_scale: colours end at each map's own maximum.
        threshold: smaller parts of the scale are blank.
        difference: of two heads of one kind, the first minus the second stands beside them.
    """

    heads: tuple[HeadRef, ...]
    how: str = "head"
    method: MethodName = "weights"
    step: int | None = None
    words: bool = False
    hide_special: bool = False
    shift: Shift = "written"
    own_scale: bool = False
    threshold: float = 0.0
    difference: bool = False

    def __post_init__(self) -> None:
        if not self.heads:
            raise ValueError("there is no head to show")
        kinds = {head.kind for head in self.heads}
        if self.how != "head" and len(kinds) > 1:
            raise ValueError(f"heads of {', '.join(sorted(kinds))} cannot be combined")
        if self.difference and (len(self.heads) != 2 or len(kinds) > 1):
            raise ValueError("a difference is of two heads of one kind")

    @property
    def sort(self) -> str:
        """Name of the sort as the viewer's link writes it: "gradient@3" is of the third output token."""
        return method_code(self.method, self.step)

    def reading(self, values: np.ndarray, kind: Kind, trace: AttentionTrace) -> LabelledMap:
        """Values [Q, K] of this kind, read as chosen."""
        rows, columns = trace.axis_labels(kind)
        rows = shifted_rows(trace, self.shift)[0] if kind == "cross" else rows
        return read(values, rows, columns, self.words, self.hide_special, self.method)

    def readings(self, maps: Mapping[Kind, np.ndarray], trace: AttentionTrace) -> list[LabelledMap]:
        """One map a head; or all heads as one; then the difference, where it is asked for."""
        for kind in {head.kind for head in self.heads} - set(maps):
            raise ValueError(f"there are no maps of {self.method} for {kind}")
        each = [maps[head.kind][head[1:]] for head in self.heads]
        if self.how != "head":
            each = [combine(np.stack(each), self.how)]
        found = [self.reading(values, head.kind, trace) for values, head in zip(each, self.heads, strict=False)]
        if self.difference:
            first, second = found
            found.append(LabelledMap(first.weights - second.weights, first.rows, first.columns))
        return found


def names(shown: Shown, language: str) -> list[str]:
    """What each map is called."""
    kind = text(language, f"kind.{shown.heads[0].kind}")
    if shown.how != "head":
        return [f"{kind} · {text(language, f'viewer.{shown.how}_of', heads=', '.join(h.title for h in shown.heads))}"]
    per = METHODS[shown.method].per
    found = [
        f"{text(language, f'kind.{head.kind}')} · "
        f"{head.title if per == 'head' else text(language, f'method.per.{per}', layer=head.layer)}"
        for head in shown.heads
    ]
    return [*found, " − ".join(head.title for head in shown.heads)] if shown.difference else found


def caption(shown: Shown, titles: Sequence[str], about: tuple[str, str, str], language: str) -> str:
    """What a picture shows: sentence, translation, heads, what is shown, model, and how rows and columns are read.

    Args:
        shown: the choices.
        titles: what the maps are called.
        about: the sentence, its translation, the model's name.
        language: "en" or "zh".
    """

    def say(name: str, **values: object) -> str:
        return text(language, f"viewer.{name}", **values)

    method, (source, translation, model) = text(language, f"method.{shown.method}"), about
    heads = "; ".join(titles)
    said = [say("caption", source=source, translation=translation, heads=heads, method=method, model=model)]
    if shown.words:
        said.append(say("merged"))
    if shown.hide_special:
        said.append(say("renormalised" if METHODS[shown.method].shares else "hidden"))
    if any(head.kind == "cross" for head in shown.heads):
        said.append(f"{say('rows')} {say(shown.shift)}.")
    if shown.threshold:
        said.append(f"{say('threshold')}: {shown.threshold:g}.")
    return " ".join(said)


def sheet_of(
    shown: Shown, named: Sequence[tuple[str, LabelledMap]], language: str, said: str, style: SheetStyle | None = None
) -> Sheet:
    """Maps with their titles on a white sheet; the last is a difference where one is shown.

    Raises:
        ValueError: special tokens were all there was.
    """
    if not all(reading.weights.size for _, reading in named):
        raise ValueError(text(language, "viewer.nothing"))
    maps = []
    shared = max(float(np.abs(reading.weights).max()) for _, reading in named) or 1.0
    for place, (title, reading) in enumerate(named):
        own = float(np.abs(reading.weights).max()) or 1.0
        high = own if shown.own_scale else 1.0 if shown.method == "weights" else shared
        is_gap = shown.difference and place == len(shown.heads)
        rows, columns = (tuple(label.text for label in labels) for labels in (reading.rows, reading.columns))
        signed = METHODS[shown.method].signed or is_gap
        maps.append(SheetMap(title, rows, columns, reading.weights, high, signed, shown.threshold))
    return sheet(maps, said, style)
