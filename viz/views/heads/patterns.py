"""Heads ranked by the pattern of their maps, chosen or painted, or by how well they align words; and those like one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import streamlit as st

from model.analysis.heads.patterns import GRID, alike, match_named, match_painted, template
from model.analysis.heads.table import HeadTable
from model.attribution.labelled_map import LabelledMap
from model.trace import HeadRef, Kind
from viz.charts.markup import line
from viz.core.answers import heads
from viz.core.choice import Labels, say, within
from viz.core.codes.choices import ALIGNED, PAINTED
from viz.core.codes.mix import parse_pattern, pattern_code
from viz.core.going import open_head
from viz.core.models import ModelEntry
from viz.core.session import Session
from viz.core.theme import Theme
from viz.widgets import head_facts
from viz.widgets.errors import message, part, serial
from viz.widgets.head_board import Listed, head_list
from viz.widgets.places import register

SMALLEST = 0.005  # a smaller score is 0 % on screen
_Scores = Mapping[Kind, np.ndarray]  # of every head, [L, H], by kind
LABELS = ("grid", "rows", "columns", "clear", "hint", "cell")
_component = register("pattern_grid", LABELS)
ALIKE = 5


def shown_pattern(pattern: str, painted: np.ndarray) -> np.ndarray:
    """A pattern as the grid shows it: 0 to 1, [GRID, GRID]."""
    if pattern == PAINTED:
        return painted
    if pattern == "uniform":
        return np.full((GRID, GRID), 0.4)
    return template(pattern, [False] * GRID, [False] * GRID)


def on_sentence(maps: Mapping[Kind, LabelledMap], pattern: str, painted: np.ndarray) -> _Scores:
    """Match of every head with the pattern, on the maps as they are shown."""
    if pattern == PAINTED:
        return {k: match_painted(each.weights, painted, k, each.rows, each.columns) for k, each in maps.items()}
    return {kind: match_named(each.weights, pattern, kind, each.rows, each.columns) for kind, each in maps.items()}


def aligners(model: ModelEntry) -> tuple[_Scores, str]:
    """How well each cross head aligns words on the pairs that people linked, and which pairs."""
    scores, (table, _) = head_facts.alignment_scores(model), model.alignment
    if not scores or table is None:
        return {}, say("find.aligned.missing")
    return scores, say("find.aligned.pairs", pairs=table["sentences"], command=table["command"])


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


def pattern_grid(
    pattern: np.ndarray, *, theme: Theme, labels: Labels, key: str, on_paint: Callable[[str], None]
) -> None:
    """The grid; painting starts from the pattern that it shows.

    Args:
        pattern: 0 to 1, [GRID, GRID].
        on_paint: called with the new pattern's code before the script runs again.

    Raises:
        ValueError: the pattern has another shape.
    """
    if pattern.shape != (GRID, GRID):
        raise ValueError(f"a pattern has shape {(GRID, GRID)}, got {pattern.shape}")

    def painted() -> None:
        code = part(message(key, "paint"), "code")
        if isinstance(code, str):
            on_paint(pattern_code(parse_pattern(code)))

    values = [round(float(value), 3) for value in pattern.ravel()]
    data = {"values": values, "serial": serial(key, "paint")}
    _component.mount(data, theme=theme, labels=labels, key=key, on_paint_change=painted)


def painted(code: str) -> None:
    """Write what was painted into the link."""
    st.session_state.update(paint=code, by=PAINTED)


def draw_grid(pattern: str, theme: Theme) -> None:
    """The pattern by which the heads are ranked, to be painted on."""
    cells = parse_pattern(painted_code())
    pattern_grid(
        shown_pattern(pattern, cells), theme=theme, labels=within("find"), key="pattern_grid", on_paint=painted
    )


def painted_code() -> str:
    """The painted pattern, as the link holds it."""
    return str(st.session_state.get("paint", ""))


def ranked(session: Session, pattern: str, scope: str, maps: Mapping[Kind, LabelledMap]) -> tuple[_Scores, str]:
    """How well every head matches a pattern, 0 to 1, [L, H] by kind; and a sentence on what that means."""
    code = painted_code()
    if pattern == ALIGNED:
        scores, about = aligners(session.model)
    else:
        measured = over_corpus(session.checkpoint, pattern, code) if scope == "corpus" else None
        scores, about = measured or (on_sentence(maps, pattern, parse_pattern(code)), say("find.here"))
    meaning = say(f"find.score.{pattern}" if pattern in ("uniform", ALIGNED) else "find.score")
    return scores, f"{meaning} {about}"


def draw_alike(session: Session, scope: str, maps: Mapping[Kind, LabelledMap]) -> None:
    """The heads whose maps are most like the chosen head's."""
    name = head_facts.title(session.head)
    st.subheader(say("find.like", head=name), anchor=False)
    likeness, how = like(session.checkpoint, maps, session.head, scope)
    others = best(likeness, ALIKE, "find.alike", but=session.head)
    labels = within("heads", list=say("find.like", head=name))
    head_list(others, maps, labels=labels, key="alike", theme=session.theme, on_open=open_head)
    st.html(line("alt", how))
