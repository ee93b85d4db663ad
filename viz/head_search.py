"""Which heads match a pattern, and which are like another: on this sentence, on stored examples, over a corpus."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from model.analysis.patterns import GRID, PATTERNS, alike, match_named, match_painted, template
from model.analysis.reading import Reading, read
from model.head_table import HeadTable
from model.trace import KINDS, Kind
from viz import cached_heads, head_facts, session
from viz.components.head_list import Listed
from viz.components.places import Place
from viz.session import say

PAINTED = "painted"
SMALLEST = 0.005  # a smaller score is 0 % on screen
CHOICES = (*PATTERNS, PAINTED)
Scores = Mapping[Kind, np.ndarray]  # of every head, [L, H], by kind


def readings() -> dict[Kind, Reading]:
    """The weights of every head as the frame's pickers ask for them; raises as ``session.translation``."""
    now, trace = session.view(), session.trace()
    return {kind: read(trace.weights[kind], *head_facts.axes(kind), now.words, now.hide_special) for kind in KINDS}


def shown_pattern(pattern: str, painted: np.ndarray) -> np.ndarray:
    """A pattern as the grid shows it: 0 to 1, [GRID, GRID]."""
    if pattern == PAINTED:
        return painted
    if pattern == "uniform":
        return np.full((GRID, GRID), 0.4)
    return template(pattern, [False] * GRID, [False] * GRID)


def on_sentence(maps: Mapping[Kind, Reading], pattern: str, painted: np.ndarray) -> Scores:
    """Match of every head with the pattern, on the maps as they are shown."""
    if pattern == PAINTED:
        return {k: match_painted(each.weights, painted, k, each.rows, each.columns) for k, each in maps.items()}
    return {kind: match_named(each.weights, pattern, kind, each.rows, each.columns) for kind, each in maps.items()}


def over_corpus(pattern: str, code: str) -> tuple[Scores, str] | None:
    """Mean match of every head, and a sentence on what it was measured on; None where there is nothing.

    A named pattern has its means in the checkpoint's table; without one, and for a painted pattern, the
    stored examples are gone through.
    """
    name = session.checkpoint()
    table, _ = head_facts.corpus_table()
    if pattern != PAINTED and table is not None:
        return {kind: table.patterns[kind][pattern] for kind in KINDS}, table_note(table)
    if not (count := len(cached_heads.stored_traces(name))):
        return None
    return cached_heads.example_matches(name, pattern, code), say("find.examples", count=count)


def table_note(table: HeadTable) -> str:
    """On what a table's means were measured."""
    return say("find.table", file=table.facts["file"], sentences=f"{table.facts['sentences']:,}")


def like(maps: Mapping[Kind, Reading], place: Place, scope: str) -> tuple[Scores, str]:
    """How alike the heads of a kind are to one of them, and a sentence on what they were compared."""
    kind, layer, head = place
    count = len(cached_heads.stored_traces(session.checkpoint()))
    if scope == "corpus" and count:
        found = cached_heads.example_likeness(session.checkpoint(), kind, layer, head)
        return {kind: found}, say("find.like.corpus.how", count=count)
    weights = maps[kind].weights
    return {kind: alike(weights, weights[layer, head])}, say("find.like.sentence.how")


def best(scores: Scores, most: int, said: str, but: Place | None = None) -> list[Listed]:
    """The heads with the highest scores, none that is 0, as a list shows them.

    Args:
        scores: of every head.
        most: how many.
        said: key of the string that says a score.
        but: a head to leave out.
    """
    places: list[Place] = [(kind, *place) for kind in scores for place in np.ndindex(*scores[kind].shape)]
    order = sorted(places, key=lambda place: -float(scores[place[0]][place[1:]]))
    found = [(place, float(scores[place[0]][place[1:]])) for place in order if place != but]
    return [
        Listed(place, head_facts.title(place), score, say(said, value=f"{score:.0%}"), score)
        for place, score in found[:most]
        if score >= SMALLEST
    ]
