"""What of a translation is taken away, and how it is read: the same for pictures, captions and code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from model.attribution.labelled_map import LabelledMap, combine, read, shifted_rows
from model.attribution.methods import METHODS
from model.trace import AttentionTrace, Kind, Label
from viz.charts.sheet.sheet import Sheet, SheetMap, SheetStyle, sheet
from viz.core.selection import Selection
from viz.core.text import text

MOST_NAMED = 6  # of several heads that are one map


def check(selection: Selection) -> None:
    """Nothing, where the heads can be shown as it is asked.

    Raises:
        ValueError: there is none, or they cannot be one map, or have no difference.
    """
    kinds = {head.kind for head in selection.heads}
    if not kinds:
        raise ValueError("there is no head to show")
    if selection.merges and len(kinds) > 1:
        raise ValueError(f"heads of {', '.join(sorted(kinds))} cannot be combined")
    if selection.together == "difference" and (len(selection.heads) != 2 or len(kinds) > 1):
        raise ValueError("a difference is of two heads of one kind")


def axes(trace: AttentionTrace, selection: Selection, kind: Kind) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """Labels of rows and columns of a kind's maps, named as it is chosen."""
    rows, columns = trace.axis_labels(kind)
    return shifted_rows(trace, selection.row_shift)[0] if kind == "cross" else rows, columns


def labelled_maps(selection: Selection, maps: Mapping[Kind, np.ndarray], trace: AttentionTrace) -> list[LabelledMap]:
    """One map a head; or all heads as one; then the difference, where it is asked for.

    Args:
        selection: which heads, and how their maps are read.
        maps: values [L, H, Q, K] of the chosen method, by kind.
        trace: whose tokens are the labels.

    Raises:
        ValueError: as ``check``, or there are no maps of a kind.
    """
    check(selection)
    for kind in {head.kind for head in selection.heads} - set(maps):
        raise ValueError(f"there are no maps of {selection.method} for {kind}")
    each = [maps[head.kind][head[1:]] for head in selection.heads]
    if selection.merges:
        each = [combine(np.stack(each), selection.together)]
    words, hidden, method = selection.words, selection.hide_special, selection.method
    found = [
        read(values, *axes(trace, selection, head.kind), words, hidden, method)
        for values, head in zip(each, selection.heads, strict=False)
    ]
    if selection.together == "difference":
        first, second = found
        found.append(LabelledMap(first.weights - second.weights, first.rows, first.columns))
    return found


def names(shown: Selection, language: str) -> list[str]:
    """What each map is called."""
    kind = text(language, f"kind.{shown.heads[0].kind}")
    if shown.merges:
        titles = [head.title for head in shown.heads]
        few = len(titles) <= MOST_NAMED
        named = ", ".join(titles) if few else f"{titles[0]} … {titles[-1]} ({len(titles)})"
        return [f"{kind} · {text(language, f'viewer.{shown.together}_of', heads=named)}"]
    per = METHODS[shown.method].per
    found = [
        f"{text(language, f'kind.{head.kind}')} · "
        f"{head.title if per == 'head' else text(language, f'method.per.{per}', layer=head.layer)}"
        for head in shown.heads
    ]
    return [*found, " − ".join(head.title for head in shown.heads)] if shown.together == "difference" else found


def caption(shown: Selection, titles: Sequence[str], about: tuple[str, str, str], language: str) -> str:
    """What a picture shows: sentence, translation, heads, what is shown, model, and how rows and columns are read.

    Args:
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
        said.append(f"{say('rows')} {say(shown.row_shift)}.")
    if shown.threshold:
        said.append(f"{say('threshold')}: {shown.threshold:g}.")
    return " ".join(said)


def sheet_of(
    shown: Selection,
    named: Sequence[tuple[str, LabelledMap]],
    language: str,
    said: str,
    style: SheetStyle | None = None,
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
        is_full = shown.method == "weights" and shown.scale == "full"
        high = own if shown.scale == "own" else 1.0 if is_full else shared
        is_gap = shown.together == "difference" and place == len(shown.heads)
        rows, columns = (tuple(label.text for label in labels) for labels in (reading.rows, reading.columns))
        signed = METHODS[shown.method].signed or is_gap
        maps.append(SheetMap(title, rows, columns, reading.weights, high, signed, shown.threshold))
    return sheet(maps, said, style)
