"""What is known of every head: on this sentence, or over the corpus that its checkpoint was measured on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from model.head_table import HeadTable
from model.trace import KINDS, Kind, Label
from viz import cached, cached_heads, drawing, session
from viz.components.head_list import Listed
from viz.components.places import Place
from viz.numbers import number, signed
from viz.session import say

SCOPES = ("sentence", "corpus")
SHOWN = ("importance", "entropy", "distance", "confidence", "previous", "next", "sink", "rare")
SHARES = ("confidence", "evenness", "previous", "next", "offset", "sink", "rare")
HABITS = ("previous", "next", "offset", "sink", "rare")
HABIT_FROM = 0.25  # a smaller share of rows is no habit


@dataclass(frozen=True)
class HeadFacts:
    """Of every head, by kind.

    Attributes:
        importance: nats that muting it costs a sentence, [L, H].
        measures: by kind and name, see ``model.analysis.roles.Profile``.
        offset_at, roles: see there.
        worst: the written token that muting it hurts most, L lists of H; None over a corpus.
    """

    importance: dict[Kind, np.ndarray]
    measures: dict[Kind, dict[str, np.ndarray]]
    offset_at: dict[Kind, np.ndarray]
    roles: dict[Kind, list[list[str]]]
    worst: dict[Kind, list[list[str]]] | None = None

    def values(self, measure: str) -> dict[Kind, np.ndarray]:
        """One of SHOWN for every head, [L, H] by kind."""
        return {
            kind: self.importance[kind] if measure == "importance" else self.measures[kind][measure] for kind in KINDS
        }

    def ranked(self) -> list[Place]:
        """Every head, the most important first."""
        places: list[Place] = [(kind, *place) for kind in KINDS for place in np.ndindex(*self.importance[kind].shape)]
        return sorted(places, key=lambda place: -self.importance[place[0]][place[1:]])

    def habit(self, place: Place) -> str:
        """What a head does, in a few words: its role, or what it does most often, or that it has no habit."""
        kind, at = place[0], place[1:]
        role, offset = self.roles[kind][at[0]][at[1]], int(self.offset_at[kind][at])
        if role:
            return say("heads.is", role=role_name(role, kind, offset))
        shares = {name: float(self.measures[kind][name][at]) for name in HABITS if kind != "cross" or name != "offset"}
        often = max(shares, key=lambda name: -1.0 if np.isnan(shares[name]) else shares[name])
        if not shares[often] >= HABIT_FROM:
            return say("heads.no_habit")
        named = "itself" if often == "offset" and offset == 0 else often
        return say("heads.often", role=role_name(named, kind, offset), share=f"{shares[often]:.0%}")


def role_name(role: str, kind: Kind, offset: int) -> str:
    """A role of ``model.analysis.roles`` as the visitor reads it."""
    if role == "sink":
        return say("heads.role.sink", token="<bos>" if kind == "decoder_self" else "<eos>")
    if role == "offset":
        key = "heads.role.off_diagonal" if kind == "cross" else "heads.role.offset"
        return say(key, offset=signed(offset, 0))
    return say(f"heads.role.{role}")


def of_sentence() -> HeadFacts:
    """Of this sentence and its translation; raises as ``session.translation``."""
    now, translation = session.view(), session.translation()
    ablation = cached.ablation(now.text, now.checkpoint, translation.tgt_ids, translation.finished)
    profiles = cached_heads.profiles(now.text, now.checkpoint, now.beam, session.forced("hyp"))
    tokens = [label.text for label in translation.tgt] + ["<eos>"]
    worst = None
    if len(ablation.before):
        worst = {
            kind: [[tokens[step] for step in row] for row in ablation.costs[kind].argmax(-1).tolist()] for kind in KINDS
        }
    return HeadFacts(
        ablation.importance,
        {kind: profiles[kind].measures for kind in KINDS},
        {kind: profiles[kind].offset_at for kind in KINDS},
        {kind: profiles[kind].roles for kind in KINDS},
        worst,
    )


def of_corpus(table: HeadTable) -> HeadFacts:
    """Of a checkpoint's table."""
    importance = {kind: table.importance[kind] * table.tokens_per_sentence for kind in KINDS}
    return HeadFacts(importance, table.measures, table.offset_at, table.roles)


def corpus_table() -> tuple[HeadTable | None, str]:
    """The chosen checkpoint's table, and a sentence on what it was made of, or on why there is none."""
    name = session.checkpoint()
    table = cached_heads.head_table(name)
    if table is None:
        return None, say("heads.table.missing", checkpoint=name)
    if table.facts.get("sha256") != session.meta(name).get("sha256"):
        return None, say("heads.table.stale", checkpoint=name)
    facts = table.facts
    return table, say(
        "heads.table.made", file=facts["file"], sentences=f"{facts['sentences']:,}", command=facts["command"]
    )


def axes(kind: Kind) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """Labels of a kind's rows and columns; a row of cross-attention is named after what it writes, or has read."""
    trace = session.trace()
    return drawing.labels_of(trace, kind)[0], trace.axis_labels(kind)[1]


def title(place: Place) -> str:
    """A head's name: "Cross L3 H2", whose layer and head stay on one line."""
    return f"{say(f'kind.{place[0]}')} L{place[1]}\u00a0H{place[2]}"


def columns(facts: HeadFacts) -> dict[str, list[object]]:
    """All heads as columns of a table, the most important first."""
    order = facts.ranked()
    table: dict[str, list[object]] = {say("heads.column.head"): [title(place) for place in order]}
    table[say("heads.column.role")] = [facts.habit(place) for place in order]
    for measure in SHOWN:
        values = facts.values(measure)
        factor = 100 if measure in SHARES else 1
        found = [factor * float(values[place[0]][place[1:]]) for place in order]
        table[say(f"heads.column.{measure}")] = [None if np.isnan(value) else value for value in found]
    return table


def listed(facts: HeadFacts, most: int) -> list[Listed]:
    """The most important heads, as a list shows them."""
    best = facts.ranked()[:most]
    top = max(float(facts.importance[best[0][0]][best[0][1:]]), 1e-6)
    entries = []
    for place in best:
        value, note = float(facts.importance[place[0]][place[1:]]), facts.habit(place)
        if facts.worst:
            note = f"{say('heads.worst', token=facts.worst[place[0]][place[1]][place[2]])} {note}"
        entries.append(Listed(place, title(place), value, said(value, "importance"), value / top, note))
    return entries


def extremes(values: dict[Kind, np.ndarray], measure: str, most: int = 3) -> str:
    """The heads with the highest and the lowest values, in a sentence."""
    every: list[Place] = [(kind, *place) for kind in KINDS for place in np.ndindex(*values[kind].shape)]
    places = [place for place in every if not np.isnan(values[place[0]][place[1:]])]
    if not places:
        return say("heads.nothing")
    order = sorted(places, key=lambda place: -float(values[place[0]][place[1:]]))
    named = [f"{title(place)} ({said(float(values[place[0]][place[1:]]), measure)})" for place in order]
    return say("heads.extremes", high=", ".join(named[:most]), low=", ".join(named[: -most - 1 : -1]))


def written(value: float, measure: str) -> str:
    """A number as a cell shows it."""
    if measure in SHARES:
        return f"{100 * value:.0f}"
    return number(value, 1)


def said(value: float, measure: str) -> str:
    """A number as a sentence says it, with its unit."""
    return say(f"heads.value.{measure}", value=f"{value:.0%}" if measure in SHARES else number(value))
