"""Which heads match a pattern, and which are like another: on this sentence, on stored examples, over a corpus."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from model.analysis.heads.patterns import GRID, alike, match_named, match_painted, template
from model.analysis.heads.table import HeadTable
from model.attribution.labelled_map import LabelledMap
from model.trace import HeadRef, Kind
from viz.core.answers import heads
from viz.core.codes.choices import ALIGNED, PAINTED
from viz.core.language import say
from viz.core.models import ModelEntry
from viz.widgets import head_facts
from viz.widgets.head_list import Listed

SMALLEST = 0.005  # a smaller score is 0 % on screen
_Scores = Mapping[Kind, np.ndarray]  # of every head, [L, H], by kind


def shown_pattern(pattern: str, painted: np.ndarray) -> np.ndarray:
    """A pattern as the grid shows it: 0 to 1, [GRID, GRID]."""
    if pattern == PAINTED:
        return painted
    if pattern == ALIGNED:
        return np.zeros((GRID, GRID))
    if pattern == "uniform":
        return np.full((GRID, GRID), 0.4)
    return template(pattern, [False] * GRID, [False] * GRID)


def on_sentence(maps: Mapping[Kind, LabelledMap], pattern: str, painted: np.ndarray) -> _Scores:
    """Match of every head with the pattern, on the maps as they are shown."""
    if pattern == PAINTED:
        return {k: match_painted(each.weights, painted, k, each.rows, each.columns) for k, each in maps.items()}
    return {kind: match_named(each.weights, pattern, kind, each.rows, each.columns) for kind, each in maps.items()}


def aligners(model: ModelEntry) -> tuple[_Scores, str]:
    """How well each cross head aligns words on the pairs that people linked: 1 − its alignment error; and which pairs.

    Of its rows as what they write, or have read, whichever suits it better; nothing where none was measured.
    """
    errors, (table, _) = head_facts.alignment_errors(model), model.alignment
    if not errors or table is None:
        return {}, say("find.aligned.missing")
    scores = 1 - np.minimum.reduce(list(errors.values())) / 100
    return {"cross": scores}, say("find.aligned.pairs", pairs=table["sentences"], command=table["command"])


def over_corpus(name: str, pattern: str, code: str) -> tuple[_Scores, str] | None:
    """Mean match of every head, and a sentence on what it was measured on; None where a checkpoint has nothing.

    A named pattern has its means in the checkpoint's table; without one, and for a painted pattern, the
    stored examples are gone through.
    """
    table, _ = head_facts.corpus_table(name)
    if pattern != PAINTED and table is not None:
        return {kind: each[pattern] for kind, each in table.patterns.items()}, table_note(table)
    if not (count := len(heads.stored_traces(name))):
        return None
    return heads.example_matches(name, pattern, code), say("find.examples", count=count)


def table_note(table: HeadTable) -> str:
    """On what a table's means were measured."""
    return say("find.table", file=table.facts["file"], sentences=f"{table.facts['sentences']:,}")


def like(name: str, maps: Mapping[Kind, LabelledMap], head: HeadRef, scope: str) -> tuple[_Scores, str]:
    """How alike the heads of a kind are to one of a checkpoint's, and a sentence on what they were compared."""
    count = len(heads.stored_traces(name))
    if scope == "corpus" and count:
        return {head.kind: heads.example_likeness(name, head)}, say("find.like.corpus.how", count=count)
    weights = maps[head.kind].weights
    return {head.kind: alike(weights, weights[head[1:]])}, say("find.like.sentence.how")


def best(scores: _Scores, most: int, said: str, but: HeadRef | None = None) -> list[Listed]:
    """The heads with the highest scores, none that is 0, as a list shows them.

    Args:
        scores: of every head.
        most: how many.
        said: key of the string that says a score.
        but: a head to leave out.
    """
    order = [head for head in head_facts.best_first(scores) if head != but]
    found = [(head, float(scores[head.kind][head[1:]])) for head in order[:most]]
    return [
        Listed(head, head_facts.title(head), score, say(said, value=f"{score:.0%}"), score)
        for head, score in found
        if score >= SMALLEST
    ]
