"""What is shown: the maps of the chosen method, for every head of a kind, as a page shows them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import streamlit as st

from model.attribution.labelled_map import LabelledMap, combine, read, shifted_rows
from model.attribution.methods import METHODS, MethodName, Shift, traced_maps
from model.source import require_of
from model.trace import AttentionTrace, Kind, Label
from viz.charts.markup import line
from viz.core import models
from viz.core.answers.heads import ablation
from viz.core.answers.maps import attribution_maps, frozen_shares
from viz.core.answers.translations import trace as trace_of
from viz.core.choice import say
from viz.core.numbers import signed
from viz.core.session import Session

# What is made before anybody asks for it: heads' own maps that the model has to make, and makes quickly.
SOON = tuple(name for name, spec in METHODS.items() if spec.from_model and spec.per == "head" and not spec.perturbs)
SHORT = 40  # source tokens; making these takes some tenths of a second for 20 words, and grows with their square


def reading(now: Session, kind: Kind) -> LabelledMap:
    """Values [L, H, Q, K] of a kind, read as the frame's pickers ask; raises as ``translations.translation``."""
    trace = trace_of(now.subject)
    rows, columns = rows_of(trace, kind, now.shift), trace.axis_labels(kind)[1]
    return read(maps(now, kind), rows, columns, now.words, now.hide_special, now.method)


def rows_of(trace: AttentionTrace, kind: Kind, shift: Shift) -> tuple[Label, ...]:
    """Labels of a kind's rows; those of cross-attention follow the shift."""
    return shifted_rows(trace, shift)[0] if kind == "cross" else trace.axis_labels(kind)[0]


def maps(now: Session, kind: Kind) -> np.ndarray:
    """Values of every head, [L, H, Q, K], of the chosen method; raises as ``translations.translation``."""
    require_of(now.model.facts.anatomy, now.checkpoint, *METHODS[now.method].needs)
    if METHODS[now.method].from_trace:
        return traced_maps(trace_of(now.subject), now.method)[kind]
    return attribution_maps(now.subject, now.method, chosen_step(now))[kind]


def prepare(now: Session) -> None:
    """Make the maps that need the model before anybody asks for them, where that takes a moment only.

    To be called last, when all that the visitor waits for is on its way.
    """
    if len(trace_of(now.subject).src) <= SHORT and trace_of(now.subject).tgt_outputs:
        offered = now.model.opened.anatomy.abilities
        for method in (name for name in SOON if offered.issuperset(METHODS[name].needs)):
            attribution_maps(now.subject, method, None)


def chosen_step(now: Session) -> int | None:
    """The output token that what is shown is of, a row of ``tgt_outputs``; None for the whole translation."""
    step = now.selection.step
    return step if step is not None and step < len(trace_of(now.subject).tgt_outputs) else None


def step_labels(outputs: tuple[Label, ...]) -> dict[str, str]:
    """How a visitor reads each choice of an output token, by its code; "0" is the whole translation."""
    reads = models.current().reads
    whole = "of.all" if reads == "text" else f"of.all.{reads}"
    return {"0": say(whole)} | {str(n): f"{n} {label.text}" for n, label in enumerate(outputs, 1)}


def name(now: Session) -> str:
    """What is shown, for a title: "weights", or "gradient of 3 动物"."""
    if not METHODS[now.method].of_token:
        return say(f"method.{now.method}")
    labels, step = step_labels(trace_of(now.subject).tgt_outputs), chosen_step(now)
    return say("method.of", method=say(f"method.{now.method}"), token=labels["0" if step is None else str(step + 1)])


def strengths(now: Session, values: np.ndarray) -> tuple[np.ndarray, str]:
    """How strong each value is, from 0 to 1, for pictures of links; and the sentence that says of what.

    Weights are as they are; anything else is its size as a part of the largest, whatever its sign.
    """
    if now.method == "weights":
        return values, say("method.strength.weights")
    sizes = np.abs(values)
    high = float(sizes.max(initial=0.0)) or 1.0
    key = "method.strength.signed" if METHODS[now.method].signed else "method.strength.size"
    return sizes / high, say(key, method=name(now), high=f"{high:.2f}")


def whose(now: Session, heads: str) -> str:
    """Which heads a title names, where a method is not of one: all up to a layer, or the whole model."""
    per = METHODS[now.method].per
    return heads if per == "head" else say(f"method.per.{per}", layer=now.head.layer)


def is_drawn(now: Session, kind: Kind) -> bool:
    """Whether what is chosen has maps of a kind of attention; says so on the page where it has not."""
    if kind in METHODS[now.method].kinds:
        return True
    st.info(say("method.no_kind", method=say(f"method.{now.method}"), kind=say(f"kind.{kind}")))
    return False


def one_of(method: MethodName, values: np.ndarray) -> np.ndarray:
    """Of maps [L, H, …] those that differ: all, one a layer, or one."""
    per = METHODS[method].per
    return values if per == "head" else values[:1, :1] if per == "model" else values[:, :1]


def meaning(now: Session, cross: bool, *before: str) -> None:
    """Lines under a map: ``before``, then what is shown, and what the rows of cross-attention stand for."""
    lines = [*before, say(f"method.meaning.{now.method}")]
    if now.method == "frozen":
        brought, biases = map(signed, frozen_shares(now.subject))
        lines.append(say("method.left_out", brought=brought, biases=biases))
    if cross:
        lines.append(say(f"shift.{now.shift}.meaning"))
    st.html("".join(line("alt hl-line", each) for each in lines))


_CODE = re.compile(r"L(\d+)(?: H(\d+))?")


def merged(now: Session, maps: np.ndarray, kind: Kind) -> np.ndarray:
    """The chosen head's map [Q, K] of a kind's maps [L, H, Q, K], or that of several as one."""
    chosen = now.selection
    if chosen.combine == "head":
        return maps[chosen.head[1:]]
    layers, heads = maps.shape[:2]
    places = [layer * heads + head for layer, head in members(chosen.over, layers, heads)]
    importance = None
    if chosen.combine == "importance":
        importance = ablation(now.subject).importance[kind].reshape(-1)[places]
    return combine(maps.reshape(-1, *maps.shape[2:])[places], chosen.combine, importance)


def merged_name(now: Session) -> str:
    """What is drawn, for a title: a head, or what is combined and how."""
    chosen = now.selection
    if chosen.combine == "head":
        return chosen.head.title
    return say(f"combine.{chosen.combine}.name", heads=", ".join(chosen.over) or say("combine.everything"))


def members(codes: Sequence[str], layers: int, heads: int) -> list[tuple[int, int]]:
    """Layer and head of everything that the codes name, each once, in order; all where there is no code.

    >>> members(["L1", "L0 H1", "L1 H0", "nonsense"], 2, 2)
    [(0, 1), (1, 0), (1, 1)]
    """
    if not codes:
        return [(layer, head) for layer in range(layers) for head in range(heads)]
    found = set()
    for match in filter(None, map(_CODE.fullmatch, codes)):
        layer = int(match[1])
        found |= {(layer, head) for head in (range(heads) if match[2] is None else [int(match[2])])}
    return sorted(place for place in found if place[0] < layers and place[1] < heads)
