"""How sure the costs of heads are, what muting several costs, and which heads come nearest to a role."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from model.analysis.heads.roles import POSITIONAL, RARE, SINK
from model.analysis.heads.table import HeadTable
from model.trace import HeadRef
from viz.charts.markup import line
from viz.core.language import say
from viz.core.numbers import number
from viz.core.theme import Theme
from viz.views.heads.joint import Curve, joint_figure
from viz.widgets import chart
from viz.widgets.head_facts import HeadFacts, role_name, title

_BARS = {"previous": POSITIONAL, "next": POSITIONAL, "offset": POSITIONAL, "rare": RARE, "sink": SINK}
_SETS = ("most", "least", "greedy")


def draw(table: HeadTable, theme: Theme) -> None:
    """Of a corpus: how many heads cost nothing for sure, and the curve of muting them together."""
    st.html(line("alt", how_sure(table)))
    sets = table.facts.get("together", {}).get("sets", [])
    if not sets:
        return
    figure = joint_figure(curves(sets), theme, (say("joint.heads"), say("joint.cost")), say("joint.alone"))
    largest = next(each for each in reversed(sets) if each["which"] == "greedy")
    named = ", ".join(title(head) for head in map(HeadRef.parse, largest["heads"]) if head is not None)
    costs: Any = {name: number(largest[name], 3) for name in ("cost", "alone")}
    sentences, k = table.facts["together"]["sentences"], len(largest["heads"])
    chart.draw(figure, "joint", sentences=sentences, greedy=named, k=k, **costs)


def how_sure(table: HeadTable) -> str:
    """How many heads' importance is within two standard errors of zero, and the range of the best; "" if unknown."""
    values = np.concatenate([each.ravel() for each in table.importance.values()])
    errors = np.concatenate([table.errors[kind].ravel() for kind in table.importance])
    if np.isnan(errors).any():
        return ""
    best = int(values.argmax())
    facts = {"best": number(float(values[best]), 3), "error": number(float(errors[best]), 3), "heads": values.size}
    return say("joint.sure", unsure=int((np.abs(values) < 2 * errors).sum()), **facts)


def curves(sets: list[dict[str, Any]]) -> list[Curve]:
    """The sets of a table as curves."""
    found = []
    for which in _SETS:
        own = [each for each in sets if each["which"] == which]
        found.append(
            Curve(
                say(f"joint.{which}"),
                tuple(len(each["heads"]) for each in own),
                tuple(each["cost"] for each in own),
                tuple(each["se"] or 0.0 for each in own),
                tuple(each["alone"] for each in own),
            )
        )
    return found


def draw_nearest(facts: HeadFacts) -> None:
    """Of each kind and role the head that comes nearest, beside the others of its kind and the published bar."""
    rows = nearest(facts)
    if not rows:
        return
    st.html(line("alt", say("nearest.lead")))
    columns = ("role", "head", "share", "others", "bar")
    shown = {
        say(f"nearest.{name}"): [row[place] if place < 2 else f"{row[place]:.0%}" for row in rows]
        for place, name in enumerate(columns)
    }
    st.dataframe(shown, hide_index=True, key="nearest_heads")


def nearest(facts: HeadFacts) -> list[tuple[str, str, float, float, float]]:
    """Role, head, its share of rows, the mean share of its kind's other heads, and the bar; shares from 0 to 1."""
    found = []
    for kind, measures in facts.measures.items():
        for role, bar in _BARS.items():
            values = measures[role]
            if values.size < 2 or np.isnan(values).all():
                continue
            layer, head = (int(place) for place in np.unravel_index(np.nanargmax(values), values.shape))
            best = float(values[layer, head])
            others = float(np.nanmean(np.delete(values.ravel(), layer * values.shape[1] + head)))
            offset = int(facts.offset_at[kind][layer, head])
            if role == "offset" and offset in (-1, 1) and kind != "cross":
                continue  # that is the token before, or after
            named = "itself" if role == "offset" and offset == 0 else role
            name = role_name(named, kind, offset, facts.sinks.get(kind, ""))
            found.append((name, title(HeadRef(kind, layer, head)), best, others, bar))
    return found
