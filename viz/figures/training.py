"""How a checkpoint was trained: loss, learning rate and dev BLEU over steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import plotly.graph_objects as go

from viz.figures.layout import base_layout, number_axis
from viz.theme import HEAD_COLOURS, Theme

_PANELS = (("loss", "loss"), ("lr", "rate"), ("dev_bleu", "bleu"))
_GAP = 0.07


@dataclass(frozen=True)
class TrainingText:
    """The words of the curves, in the visitor's language."""

    step: str = "step"
    loss: str = "loss (nats a token)"
    rate: str = "learning rate"
    bleu: str = "dev BLEU"

    @classmethod
    def said_by(cls, say: Callable[[str], str]) -> TrainingText:
        """The words that ``say("training.<field>")`` gives."""
        return cls(**{field.name: say(f"training.{field.name}") for field in fields(cls)})


ENGLISH = TrainingText()


def training_curves(entries: Sequence[Mapping[str, Any]], theme: Theme, text: TrainingText = ENGLISH) -> go.Figure:
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
    width = (1 - 2 * _GAP) / len(_PANELS)
    data: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    for number, (key, field) in enumerate(_PANELS):
        place = "" if number == 0 else str(number + 1)
        data.append(_curve(entries, key, names[field], HEAD_COLOURS[number], place))
        start = number * (width + _GAP)
        domain = [start, min(1.0, start + width)]
        axes[f"xaxis{place}"] = number_axis(theme, text.step, domain=domain, anchor=f"y{place}", nticks=5)
        axes[f"yaxis{place}"] = number_axis(theme, names[field], anchor=f"x{place}", rangemode="tozero")
    axes["yaxis2"] |= {"exponentformat": "power", "showexponent": "all"}
    return go.Figure({"data": data, "layout": base_layout(theme, height=300, showlegend=False, **axes)})


def training_summary(entries: Sequence[Mapping[str, Any]], text: TrainingText = ENGLISH) -> str:
    """The curves in words: the last step, the last loss and the best dev BLEU; empty without entries."""
    parts = [f"{text.step} {max(entry['step'] for entry in entries):,}"] if entries else []
    if losses := [entry["loss"] for entry in entries if "loss" in entry]:
        parts.append(f"{text.loss} {losses[0]:.2f} → {losses[-1]:.2f}")
    if scores := [entry["dev_bleu"] for entry in entries if "dev_bleu" in entry]:
        parts.append(f"{text.bleu} {scores[0]:.1f} → {max(scores):.1f}")
    return ", ".join(parts)


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
