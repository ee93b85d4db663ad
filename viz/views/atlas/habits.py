"""What an atlas says of a head, as the visitor reads it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from model.analysis.atlas.book import Atlas
from model.trace import HeadRef, Kind
from viz.core import models
from viz.core.choice import say
from viz.core.codes.choices import CHOICES
from viz.core.numbers import number
from viz.widgets.head_facts import HABIT_FROM, AlignmentErrors, alignment_scores, aligns, corpus_table, role_name

MEASURES = CHOICES["atlas_y"].options
_SHARES = {"evenness", "peak", "confidence", "previous", "itself", "next", "offset", "sink", "rare"}
_SHARES |= {"special", "punctuation", "aligned", "coverage"}
_HABITS = ("previous", "itself", "next", "offset", "sink", "rare")


def measure_of(atlas: Atlas, checkpoint: str, measure: str) -> np.ndarray:
    """A measure of every head, in the order of the atlas, [N]; NaN where there is none.

    What muting costs, in nats a token, comes from the table of importance where the atlas was made without it;
    alignment error, in percent, always from the table of alignment, by whichever of its rows suits a head better.
    """
    if measure == "layer":
        return np.array([float(head.layer) for head in atlas.heads])
    if measure == "aer":
        scores = alignment_scores(models.entry_of(checkpoint))
        return _in_order(atlas, {kind: 100 * (1 - each) for kind, each in scores.items()})
    values = atlas.values(measure)
    if measure != "cost" or np.isfinite(values).any():
        return values
    table = corpus_table(checkpoint)[0]
    return values if table is None else _in_order(atlas, table.importance)


def error_of(atlas: Atlas, checkpoint: str, head: HeadRef, measure: str) -> float:
    """The standard error of a head's measure, from where the measure is from; NaN where it is not known."""
    if measure != "cost" or np.isfinite(atlas.values("cost")).any():
        return atlas.value(head, measure, "errors")
    table = corpus_table(checkpoint)[0]
    return float("nan") if table is None or head.kind not in table.errors else float(table.errors[head.kind][head[1:]])


def source_of(atlas: Atlas, checkpoint: str, measure: str) -> str:
    """On what a measure was made that not every line of the atlas has; "" of the others."""
    if measure == "aer":
        table, _ = models.entry_of(checkpoint).alignment
        return say("atlas.source.aer", pairs=table["sentences"], links=table["sure_links"]) if table else ""
    if measure != "cost":
        return ""
    if np.isfinite(atlas.values("cost")).any():
        return say("atlas.source.cost", lines=atlas.facts["muted"], file=atlas.facts["file"])
    return say("atlas.source.heads", made=corpus_table(checkpoint)[1])


def _in_order(atlas: Atlas, values: Mapping[Kind, np.ndarray]) -> np.ndarray:
    """Values by kind, [L, H] each, in the order of an atlas, [N]; NaN of a kind that has none."""
    found = [float(values[head.kind][head[1:]]) if head.kind in values else float("nan") for head in atlas.heads]
    return np.array(found)


def kind_of(kind: Kind) -> str:
    """A kind of attention."""
    return say(f"kind.{kind}")


def role_of(atlas: Atlas, head: HeadRef, errors: AlignmentErrors) -> str:
    """A head's role, or what it does most often; or else that it aligns words, or has no habit."""
    role, offset = _named(atlas, head)
    often = role or _most_often(atlas, head)
    if not role and not atlas.value(head, often) >= HABIT_FROM:
        return say("atlas.aligner" if aligns(errors, head) else "atlas.no_role")
    return role_name("itself" if often == "offset" and offset == 0 else often, head.kind, offset)


def habit(atlas: Atlas, head: HeadRef, errors: AlignmentErrors) -> str:
    """That a head aligns words, by the rule of the ranking, and what it does most often; or that it has no habit."""
    found = aligns(errors, head)
    often = _often(atlas, head)
    if found is None:
        return often or say("heads.no_habit")
    return " ".join(filter(None, (say(f"heads.aligns.{found[0]}", error=f"{found[1]:.0f}"), often)))


def _often(atlas: Atlas, head: HeadRef) -> str:
    """What a head does most, with its share of rows and twice its standard error either way; "" without a habit."""
    role, offset = _named(atlas, head)
    measure = _measure_of_role(role) if role else _most_often(atlas, head)
    share, error = atlas.value(head, measure), atlas.value(head, measure, "errors")
    if not share >= HABIT_FROM:
        return ""
    named = role or ("itself" if measure == "offset" and offset == 0 else measure)
    written = f"{share:.1%}" + ("" if np.isnan(error) else f" ± {100 * 2 * error:.1f}")
    return say("atlas.habit", role=role_name(named, head.kind, offset), share=written)


def said(value: float, measure: str) -> str:
    """A measure with its unit."""
    if measure in _SHARES:
        return f"{value:.0%}"
    if measure == "layer":
        return f"L{value:.0f}"
    digits = {"cost": 4, "vote": 3, "aer": 1}.get(measure, 2)
    return say(f"atlas.value.{measure}", value=number(value, digits))


def _named(atlas: Atlas, head: HeadRef) -> tuple[str, int]:
    own, place = atlas.kinds[head.kind], atlas.place(head)
    return str(own["roles"][place]), int(own["offset_at"][place])


def _measure_of_role(role: str) -> str:
    return "offset" if role in ("diagonal", "itself", "offset", "previous", "next") else role


def _most_often(atlas: Atlas, head: HeadRef) -> str:
    names = [name for name in _HABITS if head.kind != "cross" or name in ("offset", "sink", "rare")]
    shares = {name: atlas.value(head, name) for name in names}
    return max(shares, key=lambda name: -1.0 if np.isnan(shares[name]) else shares[name])
