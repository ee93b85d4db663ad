"""Sentences as models see them, each traced once, and what of them a scene's link shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from model.attribution.labelled_map import LabelledMap, combine, read, shifted_rows, words_of
from model.attribution.methods import METHOD_NAMES, METHODS, Maps, MethodName, attribution_maps
from model.errors import HeadlightError
from model.trace import AttentionTrace, HeadRef, Label, TracedTranslation
from viz.export.show.heads import heads_named
from viz.export.show.storyboard import Light, StoryboardError, TalkScene, parse_link
from viz.web.payload import sort_of

if TYPE_CHECKING:
    from model.source import Source

MOST_WEIGHTS = 12_000_000  # of all sentences of a talk, which are held at once
Opens = Callable[[str], Any]  # the model of a name; raises HeadlightError where there is none


@dataclass
class Sight:
    """A sentence and its translation with every map; maps of other sorts are made when they are asked for."""

    source: Source
    translation: TracedTranslation
    made: dict[str, Maps] = field(default_factory=dict)

    @property
    def trace(self) -> AttentionTrace:
        """The maps of weights."""
        return self.translation.trace

    def maps(self, name: str) -> Maps:
        """Maps of a sort by its name, "gradient@3" that of one token, by kind.

        Raises:
            ValueError: there is no such sort.
            IndexError: there is no such token.
            LacksAbilityError: the model does not offer it.
        """
        if name not in self.made:
            self.made[name] = attribution_maps(self.source, self.translation, *sort_of(name))
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


@dataclass(frozen=True)
class State:
    """What a viewer's link shows of a sight: its heads, sort and switches, all of which are there."""

    heads: tuple[HeadRef, ...]
    method: MethodName
    choices: dict[str, str]

    @property
    def sort(self) -> str:
        """Name of the sort, which says of which token it is where it is of one."""
        return self.choices.get("d", "weights")

    @property
    def link(self) -> str:
        """As the viewer writes it."""
        return "&".join(f"{letter}={said}" for letter, said in self.choices.items())

    def on(self, letter: str) -> bool:
        """Whether a switch is on."""
        return self.choices.get(letter) == "1"


def state_of(sight: Sight, link: str) -> State:
    """The choices of a link, heads by their codes.

    Raises:
        StoryboardError: a head or a sort is not there.
        LacksAbilityError: the model does not offer the sort.
    """
    choices = parse_link(link)
    heads = heads_named(choices.get("h", ""), sight.source, sight.trace)
    method = _drawn(sight, said := choices.get("d", "weights"))
    if missing := [head.code for head in heads if head.kind not in sight.maps(said)]:
        raise StoryboardError(f"there are no {method} of {missing[0]}")
    return State(tuple(heads), method, {**choices, "h": ",".join(head.code for head in heads)})


def _drawn(sight: Sight, said: str) -> MethodName:
    """The sort that a link's ``d`` names, whose token is there where it is of one."""
    try:
        method, step = sort_of(said)
    except ValueError:
        method, step = None, None
    if method not in METHOD_NAMES:
        raise StoryboardError(f"{said!r} is no sort of map; known are {', '.join(METHOD_NAMES)}")
    if step is not None and step >= len(sight.translation.written_ids):
        raise StoryboardError(f"{said!r} is of a token that is not written")
    return method


def axes(trace: AttentionTrace, state: State) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """Labels of rows and columns of the first head's maps, named as the state asks."""
    rows, columns = trace.axis_labels(state.heads[0].kind)
    if state.heads[0].kind == "cross":
        written = METHODS[state.method].of_written or state.choices.get("r", "written") == "written"
        rows = shifted_rows(trace, "written" if written else "read")[0]
    return rows, columns


def word_map(sight: Sight, state: State) -> LabelledMap:
    """What the state shows first, word by word: one head, or several as one."""
    maps = sight.maps(state.sort)[state.heads[0].kind]
    chosen = [maps[head[1:]] for head in state.heads if head.kind == state.heads[0].kind]
    how = state.choices.get("x", "side")
    values = combine(np.stack(chosen), how) if how in ("mean", "max") else chosen[0]
    return read(values, *axes(sight.trace, state), True, state.on("s"), state.method)


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


def lit(sight: Sight, state: State, light: Light) -> str:
    """The part of a link that puts a row and a column into the light.

    Raises:
        StoryboardError: there is no such token.
    """
    found = []
    for letter, name, labels in zip("pq", (light.row, light.column), axes(sight.trace, state), strict=True):
        words, groups = words_of(labels)
        places = groups[place_of(words, name)] if name else []
        side = "s" if labels is sight.trace.src else "t"
        shift = -1 if labels is sight.trace.tgt_inputs else 0  # what a row writes is what the next one has read
        found.append(f"{letter}={','.join(f'{side}{place + shift}' for place in places)}")
    return "&".join(found)


def said_of(error: HeadlightError) -> str:
    """An error's sentence, to go on with."""
    return str(error).rstrip(".")
