"""The six steps of a head for one query: the numbers that each shows, as pictures and as words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from viz.charts.layout import base_layout, label_width, scale_of, shown, token_axis
from viz.charts.markup import Markup, line
from viz.core.choice import Say
from viz.core.numbers import cell_number
from viz.core.theme import Theme

if TYPE_CHECKING:
    from model.analysis.residual.proof import HeadProof, HeadSteps

_STRIP, _TITLE, _GAP = 22, 26, 10  # pixels: height of a vector's strip, of a title, and between parts
_KEYS_HEIGHT, _ROWS = 250, (13.0, 24.0)  # pixels that the keys share, and limits of one key's row
_BETWEEN = 0.035  # of the width, between two panels
STEPS = (1, 2, 3, 4, 5, 6)
_NAMED = 3  # keys that the alternative text names


@dataclass(frozen=True)
class Strip:
    """A vector [N] as one row of cells."""

    title: str
    values: np.ndarray


@dataclass(frozen=True)
class Bars:
    """One number a key, [K]; minus infinity where the mask hides a key.

    ``limits`` are the numbers at the panel's left and right edge; None takes the largest size of a number.
    """

    title: str
    values: np.ndarray
    limits: tuple[float, float] | None = None


@dataclass(frozen=True)
class Cells:
    """One vector a key, [K, N]; a vector above or below it shares its dimensions."""

    title: str
    values: np.ndarray
    above: Strip | None = None
    below: Strip | None = None


@dataclass
class _Sheet:
    """A figure in the making; heights in pixels, counted from the top."""

    theme: Theme
    height: float
    data: list[dict[str, Any]] = field(default_factory=list)
    axes: dict[str, Any] = field(default_factory=dict)
    titles: list[dict[str, Any]] = field(default_factory=list)

    def place(self, title: str, across: tuple[float, float], top: float, high: float) -> tuple[str, str]:
        """Names of a new pair of axes ``high`` pixels high, ``top`` pixels below the figure's top, under a title."""
        number = "" if not self.axes else str(len(self.axes) // 2 + 1)
        down = (1 - (top + _TITLE + high) / self.height, 1 - (top + _TITLE) / self.height)
        quiet = {"showgrid": False, "zeroline": False, "showticklabels": False, "ticks": "", "fixedrange": True}
        self.axes[f"xaxis{number}"] = {**quiet, "domain": list(across), "anchor": f"y{number}"}
        self.axes[f"yaxis{number}"] = {
            **quiet,
            "domain": [max(0.0, down[0]), min(1.0, down[1])],
            "anchor": f"x{number}",
        }
        text = {"text": title, "font": {"size": 14, "color": self.theme.muted}, "showarrow": False}
        self.titles.append(
            {
                **text,
                "x": across[0],
                "xref": "paper",
                "xanchor": "left",
                "y": down[1],
                "yref": "paper",
                "yanchor": "bottom",
            }
        )
        return f"x{number}", f"y{number}"

    def figure(self, left: float) -> go.Figure:
        """What was placed, with so many pixels at its left."""
        margin = {"l": round(left), "r": 12, "t": 6, "b": 6}
        layout = base_layout(self.theme, height=round(self.height) + 12, margin=margin, showlegend=False, bargap=0.3)
        return go.Figure({"data": self.data, "layout": layout | self.axes | {"annotations": self.titles}})


def step_figure(
    panels: Sequence[Bars | Cells],
    keys: Sequence[str],
    theme: Theme,
    *,
    above: Strip | None = None,
    below: Strip | None = None,
    key_title: str = "key (is attended)",
    dimension: str = "dimension",
) -> go.Figure:
    """Panels side by side whose rows are the same keys; vectors that belong to no key above and below them.

    Args:
        keys: tokens, K of them; shown literally.
        above, below: vectors across the whole width.
        key_title, dimension: words, in the visitor's language.

    Raises:
        ValueError: a panel does not fit the keys, or there is no key.
    """
    _check(panels, keys)
    row = min(_ROWS[1], max(_ROWS[0], _KEYS_HEIGHT / len(keys)))
    *tops, height = _tops(panels, row * len(keys), above, below)
    sheet = _Sheet(theme, height)
    for place, panel in enumerate(panels):
        across = _across(place, panels)
        axes = sheet.place(panel.title, across, tops[2], row * len(keys))
        sheet.axes[_long(axes[1])] |= _key_axis(theme, keys, key_title if place == 0 else "", row, place == 0)
        if isinstance(panel, Bars):
            _bars(sheet, axes, panel)
        else:
            sheet.data.append(_heat(theme, axes, panel.values, dimension, "%{y} · "))
            _strip(sheet, panel.above, across, tops[1], dimension)
            _strip(sheet, panel.below, across, tops[3], dimension)
    _strip(sheet, above, (0.0, 1.0), tops[0], dimension)
    _strip(sheet, below, (0.0, 1.0), tops[4], dimension)
    return sheet.figure(label_width(keys, min(14.0, row * 0.8)) + (40 if key_title else 16))


def _check(panels: Sequence[Bars | Cells], keys: Sequence[str]) -> None:
    for panel in panels:
        if len(panel.values) != len(keys) or not keys:
            raise ValueError(f"“{panel.title}” has shape {panel.values.shape}, but there are {len(keys)} keys")


def _tops(panels: Sequence[Bars | Cells], keys_height: float, above: Strip | None, below: Strip | None) -> list[float]:
    """Pixels to the vector above all, those above panels, the keys, what is below panels, below all, and the end."""
    cells = [panel for panel in panels if isinstance(panel, Cells)]
    one = _TITLE + _STRIP + _GAP
    heights = [
        one * (above is not None),
        one * any(panel.above is not None for panel in cells),
        _TITLE + keys_height + _GAP,
        one * any(panel.below is not None for panel in cells),
        one * (below is not None),
    ]
    return [0.0, *accumulate(heights)]


def _across(place: int, panels: Sequence[Bars | Cells]) -> tuple[float, float]:
    """Left and right edge of a panel; cells are wider than bars."""
    shares = [1.0 if isinstance(panel, Bars) else 1.6 for panel in panels]
    room = 1 - _BETWEEN * (len(panels) - 1)
    start = sum(shares[:place]) / sum(shares) * room + _BETWEEN * place
    return start, min(1.0, start + shares[place] / sum(shares) * room)


def _key_axis(theme: Theme, keys: Sequence[str], title: str, row: float, labelled: bool) -> dict[str, Any]:
    axis = token_axis(theme, keys, title, min(14.0, row * 0.8), range=[len(keys) - 0.5, -0.5], fixedrange=True)
    return axis | {"showticklabels": labelled, "automargin": False}


def _strip(sheet: _Sheet, strip: Strip | None, across: tuple[float, float], top: float, dimension: str) -> None:
    if strip is not None:
        axes = sheet.place(strip.title, across, top, _STRIP)
        sheet.data.append(_heat(sheet.theme, axes, strip.values[None], dimension, ""))


def _heat(theme: Theme, axes: tuple[str, str], values: np.ndarray, dimension: str, row: str) -> dict[str, Any]:
    """Cells on a diverging scale that runs to their largest size."""
    span = max(float(np.abs(values).max()), 1e-9)
    return {
        "type": "heatmap",
        "xaxis": axes[0],
        "yaxis": axes[1],
        "z": values.astype(np.float32),
        "zmin": -span,
        "zmax": span,
        "colorscale": scale_of(theme.diverging),
        "showscale": False,
        "ygap": 1 if len(values) > 1 else 0,
        "hovertemplate": f"{row}{dimension} %{{x}}: <b>%{{z:.4f}}</b><extra></extra>",
    }


def _bars(sheet: _Sheet, axes: tuple[str, str], panel: Bars) -> None:
    """Bars with their numbers; −∞ has a number and no bar."""
    theme, values = sheet.theme, panel.values
    shown = np.where(np.isfinite(values), values, 0.0)
    low, high = panel.limits or _limits(shown)
    texts = [cell_number(value, 3 if (low, high) == (0, 1) else 2) for value in values]
    sheet.data.append(
        {
            "type": "bar",
            "orientation": "h",
            "xaxis": axes[0],
            "yaxis": axes[1],
            "x": shown.astype(np.float32),
            "y": list(range(len(values))),
            "text": texts,
            "textposition": "outside",
            "cliponaxis": False,
            "constraintext": "none",
            "textfont": {"size": 13 if len(values) <= 30 else 10, "color": theme.text},
            "marker": {"color": [theme.diverging[3 if value >= 0 else 1][1] for value in shown]},
            "customdata": [cell_number(value, 5) for value in values],
            "hovertemplate": "%{y}: <b>%{customdata}</b><extra></extra>",
        }
    )
    room = 0.25 * (high - low)
    edges = [low - room * (low < 0), high + room]
    sheet.axes[_long(axes[0])] |= {"range": edges, "zeroline": True, "zerolinecolor": theme.muted}


def _limits(values: np.ndarray) -> tuple[float, float]:
    return min(0.0, float(values.min())), max(0.0, float(values.max()), 1e-9 - float(values.min()) * 1e-9)


def _long(axis: str) -> str:
    """An axis as the layout calls it: "x2" is "xaxis2"."""
    return f"{axis[0]}axis{axis[1:]}"


def step_facts(steps: HeadSteps, query: int, queries: Sequence[str], keys: Sequence[str]) -> dict[str, Any]:
    """What the sentences say about one query: sizes, hidden keys, and the key with the largest weight."""
    strongest = int(steps.weights[query].argmax())
    d_head = steps.query.shape[1]
    return {
        "token": queries[query],
        "keys": len(keys),
        "d_model": steps.inputs.shape[1],
        "d_head": d_head,
        "root": f"{np.sqrt(d_head):.3f}",
        "hidden": int(np.isneginf(steps.masked_scores[query]).sum()),
        "mask": "hides" if np.isneginf(steps.masked_scores[query]).any() else "open",
        "strongest": keys[strongest],
        "weight": cell_number(float(steps.weights[query, strongest]), 3),
    }


def step_picture(
    step: int, steps: HeadSteps, query: int, keys: Sequence[str], theme: Theme, say: Say
) -> tuple[Any, str]:
    """One step's picture, and its numbers in words.

    Args:
        step: 1 to 6.
        steps: of the head, every query.
        query: row of the query.
        keys: tokens that can be attended to.
        say: gives the interface strings called ``inside.…``.

    Raises:
        ValueError: there is no such step.
    """
    if step not in STEPS:
        raise ValueError(f"step must be 1 to {STEPS[-1]}, got {step}")
    sizes = {"keys": len(keys), "d_model": steps.inputs.shape[1], "d_head": steps.query.shape[1]}
    panels, above, below = _parts(step, steps, query, lambda name, **more: say(f"inside.{name}", **sizes, **more))
    words = {"key_title": say("inside.key"), "dimension": say("inside.dimension")}
    return step_figure(panels, keys, theme, above=above, below=below, **words), in_words(panels, keys)


def _parts(
    step: int, steps: HeadSteps, query: int, title: Say
) -> tuple[list[Bars | Cells], Strip | None, Strip | None]:
    """Panels of a step, and the vectors above and below them."""
    asked = Strip(title("q"), steps.query[query])
    weights = steps.weights[query]
    dots = steps.dots[query]
    same = _span(np.concatenate([dots, steps.scores[query]]))
    if step == 1:
        return (
            [Cells(title("k"), steps.key, above=asked), Cells(title("v"), steps.value)],
            Strip(title("x"), steps.inputs[query]),
            None,
        )
    if step == 2:
        return (
            [Cells(title("products"), steps.query[query] * steps.key, above=asked), Bars(title("dots"), dots)],
            None,
            None,
        )
    if step == 6:
        weighted = weights[:, None] * steps.value
        gathered = Strip(title("gathered"), steps.gathered[query])
        panels: list[Bars | Cells] = [
            Bars(title("weights"), weights, (0, 1)),
            Cells(title("weighted"), weighted, below=gathered),
        ]
        return panels, None, Strip(title("projected"), steps.projected[query])
    rows = {
        3: [Bars(title("dots"), dots, same), Bars(title("scores"), steps.scores[query], same)],
        4: [Bars(title("scores"), steps.scores[query]), Bars(title("masked"), steps.masked_scores[query])],
        5: [Bars(title("masked"), steps.masked_scores[query]), Bars(title("weights"), weights, (0, 1))],
    }
    return list(rows[step]), None, None


def proof_line(proof: HeadProof, heads: int, say: Say) -> Markup:
    """How exactly the steps give what the model computed, as HTML."""
    state = "holds" if proof.holds else "fails"
    weights, output = f"{proof.weights_error:.0e}", f"{proof.output_error:.0e}"
    sentence = say(f"inside.{state}", weights=weights, output=output, heads=heads)
    return line(state, sentence)


def in_words(panels: Sequence[Bars | Cells], keys: Sequence[str]) -> str:
    """The largest numbers of every row of bars; of cells, the range."""
    parts = []
    for panel in panels:
        if isinstance(panel, Bars):
            best = np.argsort(-panel.values, kind="stable")[:_NAMED]
            named = ", ".join(f"{shown(keys[place])} {cell_number(float(panel.values[place]))}" for place in best)
        else:
            named = f"{cell_number(float(panel.values.min()))} … {cell_number(float(panel.values.max()))}"
        parts.append(f"{panel.title}: {named}")
    return "; ".join(parts)


def _span(values: np.ndarray) -> tuple[float, float]:
    return min(0.0, float(values.min())), max(0.0, float(values.max()))
