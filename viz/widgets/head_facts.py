"""What is known of every head: on this sentence, or over the corpus that its checkpoint was measured on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import streamlit as st

from model.analysis.heads.table import HeadTable
from model.attribution.labelled_map import LabelledMap, read
from model.attribution.methods import Shift
from model.trace import HeadRef, Kind, Label
from viz.core import models
from viz.core.answers import heads
from viz.core.answers.translations import trace, translation
from viz.core.choice import say
from viz.core.codes.choices import HEAD_MEASURES
from viz.core.going import open_heads
from viz.core.numbers import number, signed
from viz.core.session import Session
from viz.widgets import map_choice
from viz.widgets.head_board import Listed

_BESIDE = 3  # heads that a button shows beside each other
SHARES = ("confidence", "evenness", "previous", "next", "offset", "sink", "rare")
HABITS = ("previous", "next", "offset", "sink", "rare")
NO_BREAK = "\u00a0"
HABIT_FROM = 0.25  # a smaller share of rows is no habit
AlignmentErrors = Mapping[Shift, np.ndarray]
"""Of every cross head by what its rows stand for, percent [L, H]; empty where none was measured."""
ALIGNS_BELOW = 35.0  # percent of alignment error; a head with more is no aligner


@dataclass(frozen=True)
class HeadFacts:
    """Of every head, by kind."""

    importance: dict[Kind, np.ndarray]  # nats that muting it costs a sentence, [L, H]
    measures: dict[Kind, dict[str, np.ndarray]]  # by kind and name, see ``model.analysis.heads.roles.Profile``
    # offset_at, roles: see there
    offset_at: dict[Kind, np.ndarray]
    roles: dict[Kind, list[list[str]]]
    # the written token that muting it hurts most, L lists of H; None over a corpus
    worst: dict[Kind, list[list[str]]] | None = None
    # by kind the special tokens that a sink sights at; our own <bos> and <eos> where it does not say
    sinks: Mapping[Kind, str] = field(default_factory=dict)
    errors: AlignmentErrors = field(default_factory=dict)  # as ``alignment_errors`` gives them

    def values(self, measure: str) -> dict[Kind, np.ndarray]:
        """One of HEAD_MEASURES for every head, [L, H] by kind."""
        return {
            kind: self.importance[kind] if measure == "importance" else self.measures[kind][measure]
            for kind in self.importance
        }

    def ranked(self) -> list[HeadRef]:
        """Every head, the most important first."""
        return best_first(self.importance)

    def habit(self, head: HeadRef) -> str:
        """What a head does, in a few words: that it aligns words, its role, what it does most often, or no habit."""
        kind, at = head.kind, head[1:]
        if found := aligns(self.errors, head):
            return say(f"heads.aligns.{found[0]}", error=f"{found[1]:.0f}")
        role, offset = self.roles[kind][head.layer][head.head], int(self.offset_at[kind][at])
        sink = self.sinks.get(kind, "")
        if role:
            return say("heads.is", role=role_name(role, kind, offset, sink))
        shares = {name: float(self.measures[kind][name][at]) for name in HABITS if kind != "cross" or name != "offset"}
        often = max(shares, key=lambda name: -1.0 if np.isnan(shares[name]) else shares[name])
        if not shares[often] >= HABIT_FROM:
            return say("heads.no_habit")
        named = "itself" if often == "offset" and offset == 0 else often
        return say("heads.often", role=role_name(named, kind, offset, sink), share=f"{shares[often]:.0%}")


def role_name(role: str, kind: Kind, offset: int, sink: str = "") -> str:
    """A role of ``model.analysis.heads.roles`` as the visitor reads it."""
    if role == "sink":
        return say("heads.role.sink", token=sink or ("<bos>" if kind == "decoder_self" else "<eos>"))
    if role == "offset":
        key = "heads.role.off_diagonal" if kind == "cross" else "heads.role.offset"
        return say(key, offset=signed(offset, 0))
    return say(f"heads.role.{role}")


def best_first(scores: Mapping[Kind, np.ndarray]) -> list[HeadRef]:
    """Every head that is scored, [L, H] by kind, the highest score first."""
    every = [HeadRef(kind, *place) for kind in scores for place in np.ndindex(*scores[kind].shape)]
    return sorted(every, key=lambda head: -float(scores[head.kind][head[1:]]))


def measured_first(values: Mapping[Kind, np.ndarray]) -> list[HeadRef]:
    """The same, without those that have no number."""
    order = best_first({kind: np.nan_to_num(each, nan=-np.inf) for kind, each in values.items()})
    return [head for head in order if not np.isnan(values[head.kind][head[1:]])]


def of_sentence(now: Session) -> HeadFacts:
    """Of this sentence and its translation; raises as ``translations.translation``."""
    ablation, profiles = heads.ablation(now.subject), heads.profiles(now.subject)
    found = translation(now.subject)
    tokens = [label.text for label in found.tgt] + ["<eos>"]
    worst = None
    if len(ablation.before):
        worst = {
            kind: [[tokens[step] for step in row] for row in costs.argmax(-1).tolist()]
            for kind, costs in ablation.costs.items()
        }
    return HeadFacts(
        ablation.importance,
        {kind: each.measures for kind, each in profiles.items()},
        {kind: each.offset_at for kind, each in profiles.items()},
        {kind: each.roles for kind, each in profiles.items()},
        worst,
        {kind: _special(found.trace.axis_labels(kind)[1]) for kind in found.trace.kinds},
        alignment_errors(now.model),
    )


def alignment_errors(model: models.ModelEntry) -> AlignmentErrors:
    """Alignment error of every cross head by what its rows stand for, percent [L, H]; empty where none was measured."""
    table, _ = model.alignment
    if not table:
        return {}
    rates = table["aer"][table["best_head"]["links"]]["weights"]
    heads_of_layer = model.facts.anatomy.kinds["cross"].heads  # the last entry of a row is the whole layer
    return {shift: np.array(each["layers"])[:, :heads_of_layer] for shift, each in rates.items()}


def alignment_scores(model: models.ModelEntry) -> dict[Kind, np.ndarray]:
    """How well each cross head aligns words: 1 − its error, 0 to 1 [L, H]; empty where none was measured.

    Of its rows as what they write, or have read, whichever suits it better.
    """
    errors = alignment_errors(model)
    return {"cross": 1 - np.minimum.reduce(list(errors.values())) / 100} if errors else {}


def beside_button(heads: Sequence[HeadRef]) -> None:
    """The way to the first three of these heads beside each other; nothing where there are fewer."""
    if len(heads) >= _BESIDE:
        st.button(
            say("heads.beside", n=_BESIDE),
            key="heads_beside",
            on_click=open_heads,
            args=(tuple(heads[:_BESIDE]),),
            help=say("heads.beside.help"),
        )


def _special(labels: Sequence[Label]) -> str:
    """The special tokens among labels, as one name."""
    return " ".join(dict.fromkeys(label.text for label in labels if label.is_special))


def aligns(errors: AlignmentErrors, head: HeadRef) -> tuple[Shift, float] | None:
    """By which of its rows a cross head aligns words, and with how much error in percent; None where it does not."""
    found = {shift: float(each[head[1:]]) for shift, each in errors.items()} if head.kind == "cross" else {}
    best = min(found, key=found.__getitem__, default=None)
    return None if best is None or found[best] >= ALIGNS_BELOW else (best, found[best])


def of_corpus(table: HeadTable, model: models.ModelEntry) -> HeadFacts:
    """Of a checkpoint's table."""
    importance = {kind: each * table.tokens_per_sentence for kind, each in table.importance.items()}
    errors = alignment_errors(model)
    return HeadFacts(importance, table.measures, table.offset_at, table.roles, errors=errors)


def corpus_table(name: str) -> tuple[HeadTable | None, str]:
    """A checkpoint's table, and a sentence on what it was made of, or on why there is none."""
    table = heads.head_table(name)
    if table is None:
        return None, say("heads.table.missing", checkpoint=name)
    if table.facts.get("sha256") != models.entry_of(name).meta.get("sha256"):
        return None, say("heads.table.stale", checkpoint=name)
    facts = table.facts
    return table, say(
        "heads.table.made", file=facts["file"], sentences=f"{facts['sentences']:,}", command=facts["command"]
    )


def readings(now: Session) -> dict[Kind, LabelledMap]:
    """The weights of every head as the frame's pickers ask for them; raises as ``translations.translation``."""
    found = trace(now.subject)
    axes = {kind: (map_choice.rows_of(found, kind, now.shift), found.axis_labels(kind)[1]) for kind in found.kinds}
    return {kind: read(found.weights[kind], *axes[kind], now.words, now.hide_special) for kind in found.kinds}


def title(head: HeadRef) -> str:
    """A head's name: "Cross L3 H2", whose layer and head stay on one line."""
    return f"{say(f'kind.{head.kind}')} {head.title.replace(' ', NO_BREAK)}"


def columns(facts: HeadFacts) -> dict[str, list[object]]:
    """All heads as columns of a table, the most important first."""
    order = facts.ranked()
    table: dict[str, list[object]] = {say("heads.column.head"): [title(head) for head in order]}
    table[say("heads.column.role")] = [facts.habit(head) for head in order]
    for measure in HEAD_MEASURES:
        values = facts.values(measure)
        factor = 100 if measure in SHARES else 1
        found = [factor * float(values[head.kind][head[1:]]) for head in order]
        table[say(f"heads.column.{measure}")] = [None if np.isnan(value) else value for value in found]
    return table


def listed(facts: HeadFacts, most: int, measure: str = "importance") -> list[Listed]:
    """The heads with the highest values of a measure, as a list shows them."""
    values = facts.values(measure)
    best = measured_first(values)[:most]
    top = max(float(values[best[0].kind][best[0][1:]]), 1e-6) if best else 1.0
    entries = []
    for head in best:
        value, note = float(values[head.kind][head[1:]]), facts.habit(head)
        if facts.worst and measure == "importance":
            note = f"{say('heads.worst', token=facts.worst[head.kind][head.layer][head.head])} {note}"
        entries.append(Listed(head, title(head), value, said(value, measure), value / top, note))
    return entries


def extremes(values: dict[Kind, np.ndarray], measure: str, most: int = 3) -> str:
    """The heads with the highest and the lowest values, in a sentence."""
    order = measured_first(values)
    if not order:
        return say("heads.nothing")
    named = [f"{title(head)} ({said(float(values[head.kind][head[1:]]), measure)})" for head in order]
    return say("heads.extremes", high=", ".join(named[:most]), low=", ".join(named[: -most - 1 : -1]))


def written(value: float, measure: str) -> str:
    """A number as a cell shows it."""
    if measure in SHARES:
        return f"{100 * value:.0f}"
    return number(value, 1)


def said(value: float, measure: str) -> str:
    """A number as a sentence says it, with its unit."""
    return say(f"heads.value.{measure}", value=f"{value:.0%}" if measure in SHARES else number(value))
