"""What is drawn: the maps of the chosen sort, for every head of a kind, as a page shows them."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from model.analysis.drawn import FROM_TRACE, OF_TOKEN, SIGNED, Drawn, traced_maps
from model.analysis.reading import Reading, read, shifted_rows
from model.trace import AttentionTrace, Kind, Label
from viz import cached, session
from viz.session import say

BY_MODEL: tuple[Drawn, ...] = ("norms", "gradient")  # all others come from these or from the trace
SOON = 40  # source tokens; making both takes a fifth of a second for 20 words, and grows with their square


@dataclass(frozen=True)
class Drawing:
    """Maps of one kind, all layers and heads.

    Attributes:
        kind: which attention.
        drawn: what the values are.
        reading: values [L, H, Q, K], or [Q, K] of one head, with the labels of rows and columns.
        beside: of each row, the token that a label does not tell: what the row writes, or has read.
        beside_key: names the interface string that says which of both it is.
        high: where a colour scale ends that all heads of the kind share.
    """

    kind: Kind
    drawn: Drawn
    reading: Reading
    beside: tuple[str, ...] | None
    beside_key: str
    high: float

    @property
    def is_signed(self) -> bool:
        """True where values have either sign."""
        return self.drawn in SIGNED

    def of(self, values: np.ndarray) -> Drawing:
        """The same with other values: one head's, or several heads' combined."""
        return replace(self, reading=Reading(values, self.reading.rows, self.reading.columns))

    def head(self, layer: int, head: int) -> Drawing:
        """One head of it, [Q, K]."""
        return self.of(self.reading.weights[layer, head])

    @property
    def scaled(self) -> np.ndarray:
        """The values as parts of ``high``: from 0, or from -1, to 1."""
        return self.reading.weights / self.high


def drawing(kind: Kind) -> Drawing:
    """The maps that the frame's pickers ask for; raises as ``session.translation``."""
    now, trace = session.view(), session.trace()
    rows, beside, key = labels_of(trace, kind)
    reading = read(maps(kind), rows, trace.axis_labels(kind)[1], now.words, now.hide_special, now.drawn)
    if beside is not None:
        kept = zip(rows, beside, strict=True)
        beside = tuple(other for row, other in kept if not (now.hide_special and row.is_special))
    texts = None if beside is None or now.words else tuple(label.text for label in beside)
    high = 1.0 if now.drawn == "weights" else float(np.abs(reading.weights).max(initial=0.0)) or 1.0
    return Drawing(kind, now.drawn, reading, texts, key, high)


def labels_of(trace: AttentionTrace, kind: Kind) -> tuple[tuple[Label, ...], tuple[Label, ...] | None, str]:
    """Labels of a kind's rows, the other token of each row, and the key of the string that says what that is.

    Rows of cross-attention follow the frame's shift; those of the decoder's own belong to its inputs.
    """
    if kind == "encoder_self":
        return trace.src, None, "heatmap.writes"
    shift = session.view().shift if kind == "cross" else "read"
    return *shifted_rows(trace, shift), "heatmap.writes" if shift == "read" else "heatmap.has_read"


def maps(kind: Kind) -> np.ndarray:
    """Values of every head, [L, H, Q, K], of the sort that is chosen; raises as ``session.translation``."""
    now = session.view()
    if now.drawn in FROM_TRACE:
        return traced_maps(session.trace(), now.drawn)[kind]
    step = chosen_step() if now.drawn in OF_TOKEN else None
    return cached.drawn_maps(now.text, now.checkpoint, now.beam, session.forced("hyp"), now.drawn, step)[kind]


def prepare() -> None:
    """Make the maps that need the model before anybody asks for them, where that takes a moment only.

    To be called last, when all that the visitor waits for is on its way.
    """
    now = session.view()
    if len(session.trace().src) <= SOON:
        for drawn in BY_MODEL:
            cached.drawn_maps(now.text, now.checkpoint, now.beam, session.forced("hyp"), drawn, None)


def chosen_step() -> int | None:
    """The output token that gradients are of: a row of ``tgt_outputs``; None for the whole translation."""
    last = len(session.trace().tgt_outputs)
    step = int(session.chosen("of", 0, range(last + 1), step_labels(session.trace().tgt_outputs)))
    return step - 1 if step else None


def step_labels(outputs: tuple[Label, ...]) -> dict[int, str]:
    """How a visitor reads each choice of an output token; 0 is the whole translation."""
    return {0: say("of.all")} | {n: f"{n} {label.text}" for n, label in enumerate(outputs, 1)}


def name() -> str:
    """What is drawn, for a title: "weights", or "gradient of 3 动物"."""
    now = session.view()
    if now.drawn not in OF_TOKEN:
        return say(f"drawn.{now.drawn}")
    labels, step = step_labels(session.trace().tgt_outputs), chosen_step()
    return say("drawn.of", drawn=say(f"drawn.{now.drawn}"), token=labels[0 if step is None else step + 1])


def strengths(values: np.ndarray, drawn: Drawn) -> tuple[np.ndarray, str]:
    """How strong each value is, from 0 to 1, for pictures of links; and the sentence that says of what.

    Weights are as they are; anything else is its size as a part of the largest, whatever its sign.
    """
    if drawn == "weights":
        return values, say("drawn.strength.weights")
    sizes = np.abs(values)
    high = float(sizes.max(initial=0.0)) or 1.0
    key = "drawn.strength.signed" if drawn in SIGNED else "drawn.strength.size"
    return sizes / high, say(key, drawn=name(), high=f"{high:.2f}")


def whose(heads: str) -> str:
    """Which heads a title names: a rollout is of all heads, up to a layer."""
    now = session.view()
    return say("drawn.up_to", layer=now.layer) if now.drawn == "rollout" else heads


def meaning(now: session.View, cross: bool, *before: str) -> None:
    """Lines under a map: ``before``, then what is drawn, and what the rows of cross-attention stand for."""
    lines = [*before, say(f"drawn.meaning.{now.drawn}")]
    if cross:
        lines.append(say(f"shift.{now.shift}.meaning"))
    st.html("".join(f'<p class="hl-alt hl-line">{html.escape(line)}</p>' for line in lines))
