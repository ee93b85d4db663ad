"""What an atlas says of a head, as the visitor reads it."""

from __future__ import annotations

import numpy as np

from model.analysis.atlas.book import Atlas
from model.trace import HeadRef, Kind
from viz.core.choice import say
from viz.core.codes.choices import CHOICES
from viz.core.numbers import number
from viz.widgets.head_facts import HABIT_FROM, corpus_table, role_name

MEASURES = CHOICES["atlas_y"].options
_SHARES = {"evenness", "peak", "confidence", "previous", "itself", "next", "offset", "sink", "rare"}
_SHARES |= {"special", "punctuation", "aligned", "coverage"}
_HABITS = ("previous", "itself", "next", "offset", "sink", "rare")


def measure_of(atlas: Atlas, checkpoint: str, measure: str) -> np.ndarray:
    """A measure of every head, in the order of the atlas, [N]; NaN where there is none.

    What muting costs, in nats a token, comes from the table of importance where the atlas was made without it.
    """
    if measure == "layer":
        return np.array([float(head.layer) for head in atlas.heads])
    values = atlas.values(measure)
    if measure != "cost" or np.isfinite(values).any():
        return values
    table = corpus_table(checkpoint)[0]
    if table is None:
        return values
    known = {head for head in atlas.heads if head.kind in table.importance}
    return np.array(
        [float(table.importance[head.kind][head[1:]]) if head in known else float("nan") for head in atlas.heads]
    )


def kind_of(kind: Kind) -> str:
    """A kind of attention."""
    return say(f"kind.{kind}")


def role_of(atlas: Atlas, head: HeadRef) -> str:
    """A head's role, or what it does most often; or that it has no habit."""
    role, offset = _named(atlas, head)
    often = role or _most_often(atlas, head)
    if not role and not atlas.value(head, often) >= HABIT_FROM:
        return say("atlas.no_role")
    return role_name("itself" if often == "offset" and offset == 0 else often, head.kind, offset)


def habit(atlas: Atlas, head: HeadRef) -> str:
    """What a head does most, with its share of rows and twice its standard error either way."""
    role, offset = _named(atlas, head)
    measure = _measure_of_role(role) if role else _most_often(atlas, head)
    share, error = atlas.value(head, measure), atlas.value(head, measure, "errors")
    if not share >= HABIT_FROM:
        return say("heads.no_habit")
    named = role or ("itself" if measure == "offset" and offset == 0 else measure)
    written = f"{share:.1%}" + ("" if np.isnan(error) else f" ± {100 * 2 * error:.1f}")
    return say("atlas.habit", role=role_name(named, head.kind, offset), share=written)


def said(value: float, measure: str) -> str:
    """A measure with its unit."""
    if measure in _SHARES:
        return f"{value:.0%}"
    if measure == "layer":
        return f"L{value:.0f}"
    return say(f"atlas.value.{measure}", value=number(value, 3 if measure in ("cost", "vote") else 2))


def _named(atlas: Atlas, head: HeadRef) -> tuple[str, int]:
    own, place = atlas.kinds[head.kind], atlas.place(head)
    return str(own["roles"][place]), int(own["offset_at"][place])


def _measure_of_role(role: str) -> str:
    return "offset" if role in ("diagonal", "itself", "offset", "previous", "next") else role


def _most_often(atlas: Atlas, head: HeadRef) -> str:
    names = [name for name in _HABITS if head.kind != "cross" or name in ("offset", "sink", "rare")]
    shares = {name: atlas.value(head, name) for name in names}
    return max(shares, key=lambda name: -1.0 if np.isnan(shares[name]) else shares[name])
