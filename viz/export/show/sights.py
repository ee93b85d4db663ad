"""Sentences as models see them, each traced once, and what of them a scene's link shows; heads by their job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from model.analysis.alignment.known_pairs import load_alignment
from model.analysis.heads.table import HeadTable, load_head_table
from model.attribution.labelled_map import LabelledMap, words_of
from model.attribution.methods import METHOD_NAMES, Maps, attribution_maps
from model.errors import CheckpointError, HeadlightError
from model.folders import resolve
from model.trace import KIND_LETTERS, AttentionTrace, HeadRef, Kind, Label, TracedTranslation
from viz.core.selection import DEFAULTS, Selection, method_of
from viz.export.show.storyboard import Light, StoryboardError, TalkScene, parse_link
from viz.export.shown import axes, labelled_maps

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


MOST_WEIGHTS = 12_000_000  # of all sentences of a talk, which are held at once
Opens = Callable[[str], Any]  # the model of a name; raises HeadlightError where there is none


@dataclass
class Sight:
    """A sentence and its translation with every map; maps of other methods are made when they are asked for."""

    source: Source
    translation: TracedTranslation
    made: dict[str, Maps] = field(default_factory=dict)

    @property
    def trace(self) -> AttentionTrace:
        """The maps of weights."""
        return self.translation.trace

    def maps(self, name: str) -> Maps:
        """Maps of a method by its name, "gradient@3" that of one token, by kind.

        Raises:
            ValueError: there is no such method.
            IndexError: there is no such token.
            LacksAbilityError: the model does not offer it.
        """
        if name not in self.made:
            self.made[name] = attribution_maps(self.source, self.translation, *method_of(name))
        return self.made[name]


class Sights:
    """The sights of a storyboard; scenes of one sentence share one."""

    def __init__(self, opens: Opens, checkpoint: str) -> None:
        self.opens, self.checkpoint = opens, checkpoint
        self.known: dict[tuple[str, str, str], Sight] = {}
        self.weights = 0

    def of(self, scene: TalkScene) -> Sight:
        """The sight of a scene.

        Raises:
            HeadlightError: there is no such model, it cannot read the sentence, or the talk holds too much.
        """
        name = scene.checkpoint or self.checkpoint
        key = (name, scene.text, scene.target)
        if key not in self.known:
            source = self.opens(name)
            if source.anatomy.reads != "text" and not scene.view:
                raise StoryboardError(f"the model {name} translates nothing")
            try:
                made = source.trace(*key[1:]) if scene.target else source.translate(scene.text, 1, capture=True)
            except ValueError as error:
                raise StoryboardError(str(error)) from error
            self.weights += sum(maps.size for maps in made.trace.weights.values())
            if self.weights > MOST_WEIGHTS:
                raise StoryboardError("up to here the sentences are too long and too many for one talk")
            self.known[key] = Sight(source, made)
        return self.known[key]


def selected(sight: Sight, link: str, before: Selection = DEFAULTS) -> Selection:
    """What a scene's link chooses after ``before``; there are always heads, and all of it is there.

    Raises:
        StoryboardError: a head or a method is not there, or the link is none.
        LacksAbilityError: the model does not offer the method.
    """
    try:
        names, found = parse_link(link, before)
    except ValueError as error:
        raise StoryboardError(str(error)) from error
    if found.method not in METHOD_NAMES:
        raise StoryboardError(f"{found.map_name!r} is no attribution method; known are {', '.join(METHOD_NAMES)}")
    if names or not found.heads:
        found = replace(found, heads=tuple(heads_named(names, sight.source, sight.trace)))
    if found.step is not None and found.step >= len(sight.translation.written_ids):
        raise StoryboardError(f"{found.map_name!r} is of a token that is not written")
    if missing := [head.code for head in found.heads if head.kind not in sight.maps(found.map_name)]:
        raise StoryboardError(f"there are no {found.method} of {missing[0]}")
    return found


def word_map(sight: Sight, selection: Selection) -> LabelledMap:
    """What is shown first, word by word: one head, or several as one."""
    chosen = replace(selection, words=True).fitting
    if not chosen.merges:
        chosen = replace(chosen, heads=chosen.heads[:1], together="side")
    return labelled_maps(chosen, sight.maps(chosen.map_name), sight.trace)[0]


def place_of(labels: tuple[Label, ...], name: str) -> int:
    """Where a word stands among labels; the n-th of its kind is ``word#n``.

    Raises:
        StoryboardError: it does not stand there.
    """
    word, _, number = name.rpartition("#")
    word, nth = (word, int(number)) if word and number.isdecimal() and len(number) < 4 else (name, 1)
    places = [place for place, label in enumerate(labels) if label.text.lower() == word.lower()]
    if not 1 <= nth <= len(places):
        said = " ".join(label.text for label in labels)
        raise StoryboardError(f"{name!r} is not among: {said[:200]}")
    return places[nth - 1]


def highlight(sight: Sight, selection: Selection, light: Light) -> Selection:
    """With a row and a column in the light.

    Raises:
        StoryboardError: there is no such token.
    """
    found = []
    sides = axes(sight.trace, selection, selection.head.kind)
    for name, labels in zip((light.row, light.column), sides, strict=True):
        words, groups = words_of(labels)
        places = groups[place_of(words, name)] if name else []
        side = "s" if labels is sight.trace.src else "t"
        shift = -1 if labels is sight.trace.tgt_inputs else 0  # what a row writes is what the next one has read
        found.append(tuple(f"{side}{place + shift}" for place in places))
    rows, columns = found
    return replace(selection, rows=rows, columns=columns)


def said_of(error: HeadlightError) -> str:
    """An error's sentence, to go on with."""
    return str(error).rstrip(".")
