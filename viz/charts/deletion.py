"""The honesty bar: what a map's choice costs, among random choices; and who voted for one token against another."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from viz.charts.layout import base_layout, column_labels, number_axis, token_axis
from viz.core.numbers import signed
from viz.core.theme import Theme

# Okabe and Ito 2008; the sign says the same without colour.
VERDICTS = {"green": ("#009E73", "✓"), "amber": ("#E69F00", "≈"), "red": ("#D55E00", "✗")}


@dataclass(frozen=True)
class BarText:
    """The words of a bar: verdict, the names of what is marked on it, and its alternative text."""

    verdict: str
    chosen: str
    random: str
    best: str
    alt: str


def honesty_html(
    cost: float, band: tuple[float, float, float], best: float | None, verdict: str, theme: Theme, text: BarText
) -> str:
    """A bar from 0 nats: the random choices as a band with a tick, the map as a dot, the best choice as a diamond.

    Args:
        cost: of the map's choice, in nats.
        band: of the random choices: 5 % quantile, median, 95 % quantile, in nats.
        best: of the most costly choice, where it is known.
        verdict: a key of VERDICTS.
        text: the words; shown literally.

    Raises:
        ValueError: there is no such verdict.
    """
    if verdict not in VERDICTS:
        raise ValueError(f"verdict must be one of {', '.join(VERDICTS)}, got {verdict!r}")
    colour, sign = VERDICTS[verdict]
    legend = [(colour, "50%", text.chosen), (theme.muted, "0", text.random)]
    names = "".join(_name(*each, theme) for each in legend)
    names += _name("transparent", "0", text.best, theme, turned=True) if best is not None else ""
    track = f"position: relative; flex: 1 1 16rem; min-width: 10rem; height: 1.1rem; background: {theme.surface};"
    chip = f"border: .14rem solid {colour}; border-radius: .4rem; padding: .05rem .5rem; font-weight: 600;"
    return (
        f'<div class="hl-honesty" role="img" aria-label="{html.escape(text.alt)}" data-verdict="{verdict}" '
        f'data-cost="{cost:.4f}" data-median="{band[1]:.4f}" style="max-width: 60rem;">'
        '<div style="display: flex; flex-wrap: wrap; gap: .3rem .9rem; align-items: center;">'
        f'<span style="{chip}"><span style="color: {colour};">{sign}</span> {html.escape(text.verdict)}</span>'
        f'<div style="{track} border: 1px solid {theme.grid}; border-radius: .3rem; margin: 0 .5rem;">'
        f"{_marks(cost, band, best, colour, theme)}</div></div>"
        f'<div style="display: flex; flex-wrap: wrap; gap: 0 1.2rem; margin-top: .25rem;">{names}</div></div>'
    )


def _marks(cost: float, band: tuple[float, float, float], best: float | None, colour: str, theme: Theme) -> str:
    """What stands on the track, from the least of all to the most."""
    known = [cost, *band, *([best] if best is not None else []), 0.0]
    low, high = min(known), max(known) or 1.0
    span = (high - low) or 1.0

    def at(value: float) -> str:
        return f"{100 * (value - low) / span:.2f}%"

    low_band, median, high_band = band
    parts = [
        _box(at(low_band), f"{100 * (high_band - low_band) / span:.2f}%", theme.muted),
        _tick(at(median), theme.text),
        *([_dot(at(best), theme.background, theme.text, "0", 45)] if best is not None else []),
        _dot(at(cost), colour, theme.background, "50%", 0),
    ]
    return "".join(parts)


def _box(left: str, width: str, colour: str) -> str:
    return f'<span style="position: absolute; top: 18%; bottom: 18%; left: {left}; width: {width}; min-width: 2px; ' + (
        f'background: {colour}; opacity: .45; border-radius: .15rem;"></span>'
    )


def _tick(left: str, colour: str) -> str:
    return (
        f'<span style="position: absolute; top: 0; bottom: 0; left: {left}; width: 2px; margin-left: -1px; '
        f'background: {colour};"></span>'
    )


def _dot(left: str, fill: str, edge: str, radius: str, turn: int) -> str:
    return (
        f'<span style="position: absolute; top: 50%; left: {left}; width: 1rem; height: 1rem; background: {fill}; '
        f"border: .13rem solid {edge}; border-radius: {radius}; "
        f'transform: translate(-50%, -50%) rotate({turn}deg);"></span>'
    )


def _name(colour: str, radius: str, text: str, theme: Theme, turned: bool = False) -> str:
    edge = f"border: .1rem solid {theme.text}; transform: rotate(45deg) scale(.8);" if turned else ""
    mark = f"display: inline-block; width: .7rem; height: .7rem; background: {colour}; border-radius: {radius}; {edge}"
    return (
        f'<span style="font-size: .85rem; color: {theme.muted};"><span style="{mark} margin-right: .35rem;"></span>'
        f"{html.escape(text)}</span>"
    )


def bars_figure(
    names: Sequence[str], values: np.ndarray, theme: Theme, hover: Sequence[str], pitch: float
) -> go.Figure:
    """One bar a name, from 0 up or down; its number stands at its end.

    Args:
        names: under the bars; shown literally.
        values: of the bars, [N].
        hover: what each bar says; shown literally.
        pitch: pixels from bar to bar at 1280×720.

    Raises:
        ValueError: names, values and hover differ in number.
    """
    if not len(names) == len(values) == len(hover):
        raise ValueError(f"{len(names)} names and {len(hover)} texts for {len(values)} values")
    bars = {
        "type": "bar",
        "x": list(range(len(names))),
        "y": values,
        "marker": {"color": [_side(theme, value) for value in values]},
        "text": [signed(value) for value in values],
        "textposition": "outside",
        "textfont": {"size": 12, "color": theme.text},
        "cliponaxis": False,
        "customdata": [shown_lines(text) for text in hover],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    size, angle, height = column_labels(names, 14, pitch)
    reach = max(0.1, 1.25 * float(np.abs(values).max(initial=0)))
    low, high = -reach if (values < 0).any() else 0.0, reach if (values > 0).any() else 0.0
    layout = base_layout(theme) | {
        "xaxis": token_axis(theme, names, "", size, tickangle=angle),
        "yaxis": number_axis(theme, "", range=[low, high], zeroline=True, zerolinecolor=theme.muted, nticks=5),
        "height": 230 + height,
        "margin": {"l": 60, "r": 8, "t": 12, "b": height + 14},
        "bargap": 0.35,
    }
    return go.Figure({"data": [bars], "layout": layout}, skip_invalid=False)


def shown_lines(text: str) -> str:
    """Lines of a hover text as Plotly takes them, each shown literally."""
    return "<br>".join(html.escape(line, quote=False) for line in text.split("\n"))


def _side(theme: Theme, value: float) -> str:
    return theme.diverging[3][1] if value >= 0 else theme.diverging[1][1]
