"""How a checkpoint was trained: loss, learning rate and dev BLEU over steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from viz.figures.layout import base_layout, number_axis, panel_place
from viz.figures.words import Words
from viz.theme import HEAD_COLOURS, Theme

_PANELS = (("loss", "loss"), ("lr", "rate"), ("dev_bleu", "bleu"))
_GAP = 0.07


@dataclass(frozen=True)
class TrainingText(Words):
    """The words of the curves, in the visitor's language."""

    PREFIX = "training"

    step: str
    loss: str
    rate: str
    bleu: str


def training_curves(entries: Sequence[Mapping[str, Any]], theme: Theme, text: TrainingText) -> go.Figure:
    """Loss, learning rate and dev BLEU side by side over the same steps.

    Args:
        entries: a training log; each has ``step``, and some of ``loss``, ``lr`` and ``dev_bleu``.
        theme: the look.
        text: the words of the axes.

    Raises:
        ValueError: an entry has no ``step``.
    """
    if missing := next((entry for entry in entries if "step" not in entry), None):
        raise ValueError(f"a log entry has no step: {missing}")
    names = {"loss": text.loss, "rate": text.rate, "bleu": text.bleu}
    data: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    for number, (key, field) in enumerate(_PANELS):
        place, domain = panel_place(number, len(_PANELS), _GAP)
        data.append(_curve(entries, key, names[field], HEAD_COLOURS[number], place))
        axes[f"xaxis{place}"] = number_axis(theme, text.step, domain=domain, anchor=f"y{place}", nticks=5)
        axes[f"yaxis{place}"] = number_axis(theme, names[field], anchor=f"x{place}", rangemode="tozero")
    axes["yaxis2"] |= {"exponentformat": "power", "showexponent": "all"}
    return go.Figure({"data": data, "layout": base_layout(theme, height=300, showlegend=False, **axes)})


def _curve(entries: Sequence[Mapping[str, Any]], key: str, name: str, colour: str, place: str) -> dict[str, Any]:
    points = [(entry["step"], entry[key]) for entry in entries if key in entry]
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(points) <= 40 else "lines",
        "x": [step for step, _ in points],
        "y": [value for _, value in points],
        "name": name,
        "line": {"color": colour, "width": 2},
        "marker": {"size": 5},
        "hovertemplate": "%{x:,}: <b>%{y:.4~g}</b><extra></extra>",
        "xaxis": f"x{place}",
        "yaxis": f"y{place}",
    }
