"""Heads by their job, so that a talk outlives new weights: ``best``, ``e.previous``, ``c.importance``, ``c.all``."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from model.analysis.alignment.known_pairs import load_alignment
from model.analysis.heads.table import HeadTable, load_head_table
from model.errors import CheckpointError
from model.folders import resolve
from model.trace import KIND_LETTERS, AttentionTrace, HeadRef, Kind
from viz.export.show.storyboard import StoryboardError

if TYPE_CHECKING:
    from model.source import Source

_KINDS: dict[str, Kind] = {letter: kind for kind, letter in KIND_LETTERS.items()}


def heads_named(said: str, source: Source, trace: AttentionTrace) -> list[HeadRef]:
    """The heads of a link's ``h``; the last kind's first where it is "".

    ``best`` is the best head of the model's alignment table. A kind's letter, then a measure of its table of heads, is
    the head with the most of it; ``all`` is every head of the kind.

    Raises:
        StoryboardError: there is no such head, or no table that tells.
    """
    if not said:
        return [HeadRef(trace.kinds[-1], 0, 0)]
    return [head for name in said.split(",") for head in _named(name, source, trace)]


def _named(name: str, source: Source, trace: AttentionTrace) -> list[HeadRef]:
    if name == "best":
        return [best_head(source.name, source, trace)]
    letter, _, job = name.partition(".")
    kind = _KINDS.get(letter)
    if kind in trace.weights and job and not job.isdecimal():
        assert kind
        layers, heads = trace.weights[kind].shape[:2]
        if job == "all":
            return [HeadRef(kind, layer, head) for layer in range(layers) for head in range(heads)]
        return [_most(kind, job, source)]
    head = HeadRef.parse(name)
    if head is None or head.kind not in trace.weights:
        raise StoryboardError(f"{name!r} is no head; c2.5 is head 5 of layer 2 of cross-attention")
    try:
        trace.map(*head)
    except ValueError as error:
        raise StoryboardError(f"there is no head {name}: {error}") from error
    return [head]


def best_head(name: str, source: Source, trace: AttentionTrace) -> HeadRef:
    """The best head of a model's alignment table, if its weights made one; else the first of the last layer.

    Args:
        name: the model's name or folder, beside which the table lies.
        source: the model.
        trace: its maps, whose last kind has the head where there is no table.
    """
    sha256 = getattr(source, "meta", {}).get("sha256")
    table, _ = load_alignment(name, str(sha256)) if sha256 else (None, "missing")
    if table is None:
        return HeadRef(trace.kinds[-1], trace.weights[trace.kinds[-1]].shape[0] - 1, 0)
    best = table["best_head"]
    return HeadRef(best["kind"], best["layer"], best["head"])


def _most(kind: Kind, job: str, source: Source) -> HeadRef:
    table = _table(source.name)
    known = {**table.measures[kind], "importance": table.importance[kind]} if table and kind in table.measures else {}
    if job not in known or not np.isfinite(known[job]).any():
        raise StoryboardError(f"{job!r} is no measure of this model's heads; known are {', '.join(known) or 'none'}")
    layer, head = np.unravel_index(int(np.nanargmax(known[job])), known[job].shape)
    return HeadRef(kind, int(layer), int(head))


@lru_cache(maxsize=8)
def _table(name: str) -> HeadTable | None:
    try:
        return load_head_table(resolve(name))
    except CheckpointError:
        return None
