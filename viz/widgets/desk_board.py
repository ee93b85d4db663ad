"""A fader for every head: mute, solo or turn it up, and see what becomes of the translation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from model.trace import KINDS, HeadRef, Kind, Label
from viz.core.choice import Labels
from viz.core.codes.mix import Sizes, format_mix, parse_mix, reported_gains, table
from viz.core.going import open_view
from viz.core.models import ModelEntry, current
from viz.core.theme import Theme
from viz.widgets.errors import message, part, serial
from viz.widgets.places import register

if TYPE_CHECKING:
    from model.analysis.what_if.mixing import Mix


def desk_sizes(model: ModelEntry) -> dict[Kind, tuple[int, int]]:
    """Layers and heads of each kind of a model."""
    return {kind: (each.layers, each.heads) for kind, each in model.facts.anatomy.kinds.items()}


def desk_gains(model: ModelEntry) -> dict[HeadRef, float]:
    """The gains other than 1 that the link names."""
    return parse_mix(str(st.session_state.get("mix", "")), desk_sizes(model))


def set_desk_gains(model: ModelEntry, gains: Mapping[HeadRef, float]) -> None:
    """Write gains into the link; to be called in a widget's callback."""
    st.session_state["mix"] = format_mix(gains, desk_sizes(model))


def mute_on_desk(head: HeadRef) -> None:
    """Go to the desk with this head alone muted; to be called in a widget's callback."""
    set_desk_gains(current(), {head: 0.0})
    open_view("mixing_desk")


LABELS = (
    "mute",
    "solo",
    "reset",
    "gain",
    "solo_help",
    "original",
    "mixed",
    "note",
    "hint",
    "various",
    "muted",
    "whole_kind",
    "whole_layer",
)
LEAST_TOP = 0.1  # nats: what the last colour stands for at the least
EOS = Label("<eos>")
_component = register("mixing_desk", LABELS)


@dataclass(frozen=True)
class MutedAlone:
    """What muting each head alone does to one token."""

    said: str  # that, in a sentence
    heads: Mapping[HeadRef, str]  # those that do most, each with what is said of it
    change: Mapping[Kind, np.ndarray]  # of a log-probability by each head, by kind, [L, H], in nats
    other: Collection[HeadRef]  # the heads without which another token is written
    cell: Callable[[HeadRef], str]  # what stands in a head's cell: few letters
    long: Callable[[HeadRef], str]  # what is said of a head


@dataclass(frozen=True)
class Tint:
    """What the boxes of heads with a gain of 1 say, while no token is asked about."""

    said: str  # what the colour means, or why there is none
    # of the scale, by kind, [L, H]: −1 its low end, 0 no colour, 1 its high end; a kind may be missing
    share: Mapping[Kind, np.ndarray]
    notes: Mapping[HeadRef, str]  # what is said of a head


@dataclass(frozen=True)
class Desk:
    """What the desk shows."""

    gains: Mapping[HeadRef, float]  # of the heads that have another gain than 1
    sizes: Sizes  # layers and heads of each kind
    titles: Mapping[Kind, str]  # each kind's name in the visitor's language
    mix: Mix  # what these gains did
    words: bool  # join the pieces of a word
    verdict: str  # the sentence above the two translations
    tint: Tint = Tint("", {}, {})  # of the boxes at rest
    alone: MutedAlone | None = None  # what muting each head alone does to the chosen token, where that was asked for
    # the head that the slider is of before another is selected; without it, the last layer's first
    start: HeadRef | None = None


def mixing_desk(
    desk: Desk, *, theme: Theme, labels: Labels, key: str, on_mix: Callable[[dict[HeadRef, float]], None]
) -> None:
    """The desk with both translations above it.

    Args:
        on_mix: called with the gains other than 1 before the script runs again.
    """

    def moved() -> None:
        gains = reported_gains(part(message(key, "mix"), "gains"), desk.sizes)
        if gains is not None:
            on_mix(gains)

    data = {**desk_payload(desk), "serial": serial(key, "mix")}
    _component.mount(data, theme=theme, labels=labels, key=key, on_mix_change=moved)


def desk_payload(desk: Desk) -> dict[str, object]:
    """What ``mixing_desk`` sends to the browser, less look, labels and serial; gains in percent."""
    mix = desk.mix
    deltas = [after - before for before, after in zip(mix.before, mix.after, strict=True)]
    original = [*mix.original.tgt, EOS][: len(deltas)]
    lost, new = [*mix.lost, False], list(mix.new)
    return {
        "kinds": [
            {
                "kind": kind,
                "title": desk.titles[kind],
                "layers": desk.sizes[kind][0],
                "heads": desk.sizes[kind][1],
                "gains": [round(100 * gain) for row in table(desk.gains, desk.sizes, kind) for gain in row],
            }
            for kind in KINDS
            if kind in desk.sizes
        ],
        "before": [
            [
                _text(original, group),
                original[group[0]].is_special,
                any(lost[i] for i in group),
                round(sum(deltas[i] for i in group), 4),
            ]
            for group in _groups(original, desk.words)
        ],
        "after": [
            [_text(mix.mixed.tgt, group), False, any(new[i] for i in group)]
            for group in _groups(mix.mixed.tgt, desk.words)
        ],
        "verdict": desk.verdict,
        "tint": _tint(desk.tint, desk.sizes),
        "start": _place(desk.start, desk.sizes) if desk.start and desk.start.kind in desk.sizes else None,
        "alone": None if desk.alone is None else _alone(desk.alone, desk.sizes),
    }


def _place(head: HeadRef, sizes: Sizes) -> dict[str, int]:
    """A head by the place that its kind has on the desk."""
    return {"kind": [kind for kind in KINDS if kind in sizes].index(head.kind), "layer": head.layer, "head": head.head}


def _tint(tint: Tint, sizes: Sizes) -> dict[str, object]:
    """Colour and note of every box, by the places that kinds have on the desk; no boxes where there is no colour."""
    kinds = [kind for kind in KINDS if kind in sizes] if tint.share else []
    boxes = [
        [[_box(tint, HeadRef(kind, layer, head)) for head in range(sizes[kind][1])] for layer in range(sizes[kind][0])]
        for kind in kinds
    ]
    return {"said": tint.said, "boxes": boxes}


def _box(tint: Tint, head: HeadRef) -> dict[str, object]:
    share = round(float(tint.share[head.kind][head[1:]]), 4) if head.kind in tint.share else 0.0
    return {"share": share, "note": tint.notes.get(head, "")}


def _alone(told: MutedAlone, sizes: Sizes) -> dict[str, object]:
    """What is told of heads that are muted alone, by the places that kinds have on the desk."""
    kinds = [kind for kind in KINDS if kind in sizes]
    return {
        "said": told.said,
        "heads": [{**_place(head, sizes), "text": text} for head, text in told.heads.items()],
        "top": max(LEAST_TOP, *(float(np.abs(told.change[kind]).max(initial=0)) for kind in kinds)),
        "cells": [
            [
                [_cell(told, HeadRef(kind, layer, head)) for head in range(sizes[kind][1])]
                for layer in range(sizes[kind][0])
            ]
            for kind in kinds
        ],
    }


def _cell(told: MutedAlone, head: HeadRef) -> dict[str, object]:
    change = round(float(told.change[head.kind][head[1:]]), 4)
    return {"change": change, "text": told.cell(head), "other": head in told.other, "long": told.long(head)}


def _groups(labels: Sequence[Label], words: bool) -> list[list[int]]:
    """Places of the tokens that stand together: each alone, or those of one word."""
    if not words:
        return [[place] for place in range(len(labels))]
    return [list(group) for _, group in groupby(range(len(labels)), key=lambda place: labels[place].word)]


def _text(labels: Sequence[Label], group: list[int]) -> str:
    texts = [labels[place].text for place in group]
    return texts[0] + "".join(text.removeprefix("##") for text in texts[1:])
