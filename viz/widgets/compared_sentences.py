"""The second sentence beside the frame's one: its box, what is suggested, what changed in it and in every head."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.what_if.swap import variants
from model.attribution.aligned import aligned_places, changed_places, difference
from model.attribution.labelled_map import LabelledMap
from model.attribution.methods import METHODS
from model.trace import HeadRef, Kind, Label, TracedTranslation, Translation
from viz.charts.heatmap import HeatmapText
from viz.charts.layout import chart_config
from viz.charts.marked import Version, marked_text
from viz.charts.markup import line
from viz.charts.pair import Beside, beside_figure
from viz.core.answers.translations import translation
from viz.core.choice import say
from viz.core.numbers import number
from viz.core.session import Session, Subject
from viz.widgets import map_choice
from viz.widgets.head_board import Listed
from viz.widgets.head_facts import best_first, title


def other_sentence(now: Session) -> Subject | None:
    """The second sentence as the visitor chose it, or the first suggestion; None where there is neither.

    Raises:
        HeadlightError: the model cannot translate it.
    """
    text = other_text(now)
    if not text:
        st.info(say("compare.none"))
        return None
    other = replace(now.subject.own, text=text)
    translation(other)
    return other


def other_text(now: Session) -> str:
    """What stands in the box of the second sentence, or the first suggestion; "" where there is neither."""
    letters = now.model.meta.get("src_tokenizer") == "characters"
    suggested = variants(now.subject.text, letters)
    box, pills = st.columns([2, 3], vertical_alignment="bottom")
    typed = box.text_input(
        say("compare.other"), key="other", placeholder=next(iter(suggested), ""), bind="query-params"
    )
    if suggested:
        pills.pills(say("compare.suggested"), suggested, key="suggested", on_change=_take)
    return (typed or "").strip() or next(iter(suggested), "")


def _take() -> None:
    """Put the suggestion that was chosen into the box."""
    if text := st.session_state.get("suggested"):
        st.session_state["other"] = text


def changed_labels(one: Sequence[Label], other: Sequence[Label]) -> tuple[set[int], set[int]]:
    """Places of tokens that the other side does not have there."""
    return changed_texts([label.text for label in one], [label.text for label in other])


def changed_texts(one: Sequence[str], other: Sequence[str]) -> tuple[set[int], set[int]]:
    """The same for texts."""
    return changed_places(one, other, aligned_places(one, other))


def both(now: Session, one: TracedTranslation, other: TracedTranslation, more: int = 0) -> list[DeltaGenerator]:
    """Two sentences over their translations, side by side, what differs marked; and ``more`` empty columns."""
    sources, targets = changed_labels(one.src, other.src), changed_labels(one.tgt, other.tgt)
    first, second, *rest = st.columns(2 + more)
    for column, found, source, target in zip((first, second), (one, other), sources, targets, strict=True):
        words, written = ([label.text for label in labels] for labels in (found.src, found.tgt))
        column.html(marked_text(words, source, now.theme, "en") + marked_text(written, target, now.theme))
    return rest


def compared(titles: Sequence[str], translations: Sequence[Translation]) -> list[Version]:
    """Translations as rows; where each first differs from the first one is marked, of two in both."""
    first = translations[0]
    rows = []
    for place, (name, each) in enumerate(zip(titles, translations, strict=True)):
        rival = translations[1] if place == 0 and len(translations) == 2 else first
        rows.append(Version(name, each.text, first_difference(each, rival), numbers(each)))
    return rows


def first_difference(one: Translation, other: Translation) -> tuple[int, int] | None:
    """Character span of the first token of ``one`` that ``other`` does not have there; None where there is none.

    Where ``one`` has ended by then, it is the empty span at its end.
    """
    if one.tgt_ids == other.tgt_ids:
        return None
    pairs = enumerate(zip(one.tgt_ids, other.tgt_ids, strict=False))
    place = next((place for place, (mine, theirs) in pairs if mine != theirs), min(len(one.tgt), len(other.tgt)))
    if place >= len(one.tgt):
        return len(one.text), len(one.text)
    return one.tgt[place].start, one.tgt[place].end


def numbers(translation: Translation) -> str:
    """Log-probability of a translation, the (geometric) mean probability of its tokens, and how many they are."""
    total = sum(translation.log_probs)
    mean = math.exp(total / max(1, len(translation.log_probs)))
    return say("versions.numbers", total=number(total), percent=f"{100 * mean:.0f}", tokens=len(translation.tgt))


MOST_LISTED = 10


@dataclass(frozen=True)
class PairedAxis:
    """One axis of two maps: what partners are called, and the tokens of either map that have no partner."""

    pairs: tuple[tuple[int, int], ...]  # places of partners
    names: list[str]  # of partners; one that was exchanged for another has both names
    alone: tuple[list[str], list[str]]  # tokens of the first map, and of the second, that are left out


def axis(one: Sequence[Label], other: Sequence[Label]) -> PairedAxis:
    """How two axes go together, token by token."""
    mine, theirs = ([label.text for label in labels] for labels in (one, other))
    pairs = aligned_places(mine, theirs)
    names = [mine[here] if mine[here] == theirs[there] else f"{mine[here]}/{theirs[there]}" for here, there in pairs]
    kept = [{pair[side] for pair in pairs} for side in (0, 1)]
    mine, theirs = ([text for place, text in enumerate(texts) if place not in kept[side]]
                    for side, texts in enumerate((mine, theirs)))  # fmt: skip
    return PairedAxis(pairs, names, (mine, theirs))


def difference_map(now: Session, pair: Sequence[LabelledMap], words: HeatmapText, high: float) -> list[str]:
    """Draw the difference on a scale from −high to high; returns what is to be said of it.

    Args:
        pair: the head's readings of both sentences, weights [Q, K].
        words: of the axes and of what is pointed at.
        high: where the scale ends.
    """
    rows = axis(pair[0].rows, pair[1].rows)
    columns = axis(pair[0].columns, pair[1].columns)
    if not rows.pairs or not columns.pairs:
        return [say("difference.none")]
    values = difference(pair[0].weights, pair[1].weights, rows.pairs, columns.pairs)
    side = Beside(say("difference.title"), values, rows.names, columns.names)
    told = replace(words, weight=say("difference.scale"))
    figure = beside_figure((side,), now.theme, told, high, is_signed=True)
    config = chart_config("headlight-difference")
    alt = say("difference.alt", head=title(now.head))
    st.plotly_chart(figure, key="difference", width="content", theme=None, config=config, alt=alt)
    return [say("difference.meaning"), *_left_out(rows, columns)]


def _left_out(rows: PairedAxis, columns: PairedAxis) -> list[str]:
    said = []
    for place, side in enumerate(("first", "second")):
        for name, each in (("rows", rows), ("columns", columns)):
            if alone := each.alone[place]:
                said.append(say(f"difference.{side}.{name}", tokens=" ".join(alone)))
    return said


def one_head(now: Session, other: Subject) -> None:
    """The chosen head's map of the frame's sentence and of another, drawn as the pickers say, on one scale."""
    if not map_choice.is_drawn(now, now.kind):
        return
    pair = [map_choice.reading(each, now.kind) for each in (now, replace(now, subject=other))]
    readings = [replace(each, weights=each.weights[now.head[1:]]) for each in pair]
    if not all(each.weights.size for each in readings):
        st.info(say("compare.empty"))
        return
    rows = changed_labels(readings[0].rows, readings[1].rows)
    columns = changed_labels(readings[0].columns, readings[1].columns)
    sides = [
        Beside(
            subject.text if len(subject.text) <= 60 else f"{subject.text[:59]}…",
            reading.weights,
            [label.text for label in reading.rows],
            [label.text for label in reading.columns],
            rows[place],
            columns[place],
        )
        for place, (subject, reading) in enumerate(zip((now.subject, other), readings, strict=True))
    ]
    words = replace(HeatmapText.said_by(say), weight=map_choice.name(now))
    high = 1.0 if now.method == "weights" else max(float(np.abs(each.weights).max(initial=0.0)) for each in pair) or 1.0
    with st.container(horizontal=True):
        show_pair(now, (sides[0], sides[1]), words, high, is_signed=METHODS[now.method].signed)
        said = difference_map(now, readings, words, high)
    st.html(line("alt", " ".join(said)))


def show_pair(
    now: Session, sides: tuple[Beside, Beside], words: HeatmapText, high: float = 1.0, is_signed: bool = False
) -> None:
    """Two maps on one scale, as a chart of the page."""
    figure = beside_figure(sides, now.theme, words, high, is_signed)
    alt = say("compare.alt", head=title(now.head), one=sides[0].title, other=sides[1].title)
    config = chart_config("headlight-compare")
    st.plotly_chart(figure, key="pair", width="content", theme=None, config=config, alt=alt)


def ranked(values: Mapping[Kind, np.ndarray]) -> list[Listed]:
    """The heads that changed most, as a list shows them."""
    known = {kind: np.nan_to_num(each, nan=-1.0) for kind, each in values.items()}
    order = [head for head in best_first(known) if known[head.kind][head[1:]] >= 0][:MOST_LISTED]
    top = max((_of(values, head) for head in order), default=0.0) or 1.0
    return [
        Listed(
            head,
            title(head),
            _of(values, head),
            say("compare.bits", value=number(_of(values, head))),
            _of(values, head) / top,
        )
        for head in order
    ]


def measured(values: Mapping[Kind, np.ndarray], head: HeadRef) -> None:
    """How much the chosen head changed, in a line."""
    value = _of(values, head)
    known = say("compare.bits", value=number(value)) if not np.isnan(value) else "–"
    st.html(line("alt", say("compare.measure", head=title(head), value=known)))


def _of(values: Mapping[Kind, np.ndarray], head: HeadRef) -> float:
    return float(values[head.kind][head[1:]])
