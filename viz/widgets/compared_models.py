"""Two models on one sentence: what they write, what their tables say, and which heads of them are alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from model.analysis.faithfulness.table import rows_of
from model.errors import HeadlightError
from model.folders import split_step
from model.trace import HeadRef, Kind, TracedTranslation, Translation
from viz.charts.heatmap import HeatmapText
from viz.charts.markup import Markup, line, tag
from viz.charts.pair import Beside
from viz.core import models
from viz.core.answers import lessons, translations
from viz.core.answers.what_if import faithfulness
from viz.core.choice import say, within
from viz.core.numbers import number
from viz.core.session import Session, Subject, choose_head
from viz.widgets.compared_sentences import show_pair
from viz.widgets.head_board import Board, head_board
from viz.widgets.picker import coded

_CELL = (
    "min-width: 14rem; padding: .25rem .9rem .25rem 0; vertical-align: top; text-align: left; overflow-wrap: anywhere;"
)


def others(name: str) -> list[str]:
    """Models that are given what this one is: those that read words where it does, its own snapshots, and the rest."""
    model = models.entry_of(name)
    same = [each for each in models.names() if each != model.base and _reads(each) == "text"]
    alike = [each for each in same if models.entry_of(each).by_letter == model.by_letter]
    return [*alike, *model.at_steps, *(each for each in same if each not in alike)]


def of_one_shape(name: str) -> list[str]:
    """Checkpoints of the sizes of this one, and its own snapshots."""
    own = [each for each in models.names() if each != name and models.entry_of(each).kind == "own"]
    return [*(each for each in own if _sizes(each) == _sizes(name)), *models.entry_of(name).at_steps]


def first_choice(names: Sequence[str], name: str) -> str:
    """Which of them stands beside this one before anybody chose; "" where all read something else.

    Of its own snapshots, the one at which it was half trained.
    """
    if not names or models.entry_of(names[0]).by_letter != models.entry_of(name).by_letter:
        return ""
    steps = models.entry_of(name).at_steps
    if names[0] not in steps:
        return names[0]
    half = f"{name}@{lessons.half_trained(name)}"
    return half if half in steps else steps[len(steps) // 2]


def choose(names: Sequence[str], name: str) -> str:
    """The second model, as the visitor chose it among these; "" where nobody has, and none of them is like this one."""
    start = first_choice(names, name)
    labels = {**({} if start else {"": say("two.choose")}), **{each: named(each) for each in names}}
    look = {"help": say("two.against.help"), "label_visibility": "collapsed", "width": 320}
    return coded(st.selectbox, "against", say("two.against"), labels, start, str, **look)


def named(name: str) -> str:
    """A model as the visitor reads it: "reverse · step 600"."""
    base, step = split_step(name)
    return name if step is None else f"{base} · {say('past.step', step=f'{step:,}')}"


def _reads(name: str) -> str:
    try:
        return models.entry_of(name).reads
    except HeadlightError:
        return ""


def _sizes(name: str) -> object:
    """What two checkpoints must have in common for states of one to fit into the other."""
    try:
        own = models.entry_of(name).facts
    except HeadlightError:
        return name
    return own.anatomy.kinds, own.d_model, own.vocabulary


def scores(sides: Sequence[tuple[str, Translation]], crossed: Sequence[Translation]) -> None:
    """A table: what each model writes, and how probable it finds that, and what the other wrote.

    Args:
        sides: a model's name, and what it wrote.
        crossed: the other one's translation as each would write it.
    """
    rows = [
        {
            "writes": found.text,
            "score": say("two.score.said", sum=number(sum(found.log_probs)), tokens=len(found.log_probs)),
            "crossed": say("two.score.said", sum=number(sum(cross.log_probs)), tokens=len(cross.log_probs)),
        }
        for (_, found), cross in zip(sides, crossed, strict=True)
    ]
    _table([named(name) for name, _ in sides], rows)


def tables(names: Sequence[str]) -> None:
    """A table of what the models' own tables say: alignment error and faithfulness."""
    _table([named(name) for name in names], [_facts(name) for name in names])


def _table(names: Sequence[str], columns: Sequence[Mapping[str, str]]) -> None:
    head = tag("tr", tag("th"), *(tag("th", name, scope="col", style=_CELL) for name in names))
    rows = [tag("tr", _named(key), *(_cell(key, column[key]) for column in columns)) for key in columns[0]]
    st.html(tag("table", head, *rows, style="border-collapse: collapse; font-variant-numeric: tabular-nums;"))


def _named(key: str) -> Markup:
    return tag(
        "th", say(f"two.{key}"), scope="row", style=f"{_CELL} font-weight: 400; opacity: .85; white-space: nowrap;"
    )


def _cell(key: str, value: str) -> Markup:
    return tag("td", value, style=f"{_CELL} font-size: 1.35rem;" if key == "writes" else _CELL)


def _facts(name: str) -> dict[str, str]:
    model = models.entry_of(name)
    alignment, _ = model.alignment
    faithful, _ = faithfulness(model.base, model.sha256)
    aer = say("two.missing")
    if alignment is not None:
        best = alignment["best_head"]
        aer = say("two.aer.said", aer=f"{best['aer']:.1f}", head=f"L{best['layer']} H{best['head']}")
    deletes = say("two.missing")
    if faithful is not None and (rows := rows_of(faithful)):
        shown = {row: rows[row]["comprehensiveness"]["mean"] for row in ("weights", faithful["best"])}
        deletes = say("two.faithful.said", weights=_or_none(shown["weights"]), best=_or_none(shown[faithful["best"]]),
                      method=say(f"method.{faithful['best']}"))  # fmt: skip
    return {"aer": aer, "faithful": deletes}


def _or_none(value: float | None) -> str:
    return "–" if value is None else number(value)


def best_matches(likeness: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of likenesses [L, H, L', H'] each head's best partner, layer and head [L, H, 2], and how alike it is [L, H]."""
    flat = np.nan_to_num(likeness, nan=-1.0).reshape(*likeness.shape[:2], -1)
    found = flat.argmax(-1)
    return np.stack(np.unravel_index(found, likeness.shape[2:]), -1), flat.max(-1)


def board(now: Session, kind: Kind, likeness: np.ndarray) -> None:
    """Each head's best partner; a click chooses a head."""
    partners, alike = best_matches(likeness)
    marks = np.array([[f"→{layer}.{head}" for layer, head in row] for row in partners])
    cells = Board(
        {kind: np.where(alike < 0, np.nan, alike)},
        {kind: say(f"kind.{kind}")},
        lambda value: f"{100 * value:.0f}",
        lambda value: f"{value:.0%}",
        top=1.0,
        marks={kind: marks},
    )
    head_board(
        cells, selected=now.head, theme=now.theme, labels=within("two"), key="matched_heads", on_open=choose_head
    )


def matched_pair(
    now: Session, other: str, likeness: np.ndarray, pair: tuple[TracedTranslation, TracedTranslation]
) -> None:
    """The chosen head of the first model beside the head of the second that is most like it."""
    partners, alike = best_matches(likeness)
    layer, number_ = (int(each) for each in partners[now.head[1:]])
    places = (now.head, HeadRef(now.kind, layer, number_))
    if alike[now.head[1:]] < 0:
        st.html(line("alt", say("two.unlike")))
        return
    sides = []
    for name, head, found in zip((now.checkpoint, other), places, pair, strict=True):
        rows, columns = found.trace.axis_tokens(now.kind)
        sides.append(Beside(f"{named(name)} · {head.title}", found.trace.map(*head), rows, columns))
    titles = {"head": places[0].title, "other": places[1].title, "model": named(other)}
    st.html(line("lead", say("two.pair", **titles, alike=f"{alike[now.head[1:]]:.0%}")))
    show_pair(now, (sides[0], sides[1]), replace(HeatmapText.said_by(say), weight=say("method.weights")))


def crossed(
    one: Subject, mine: Translation, name: str, theirs: Translation
) -> tuple[TracedTranslation, TracedTranslation]:
    """The second one's translation as the first would write it, and the first one's as the second would.

    Raises:
        HeadlightError: one of them cannot write the other's.
    """
    return (
        translations.written_by(one.checkpoint, mine.source, theirs.text),
        translations.written_by(name, mine.source, mine.text),
    )
