"""What every figure shares: layout, escaped labels, axes, colour bars, and what its mode bar offers."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import ceil
from typing import Any

from viz.core.theme import FONTS, Theme

LONGEST_LABEL = 31  # characters of a tick label; a longer token is cut with an ellipsis
PAGE_WIDTH = 1200  # pixels that a chart has at 1280×720
IMAGE_FORMATS = ("png", "svg")
_LATIN_WIDTH = 0.6  # of the font size
_SPECIAL = re.compile(r"^<(bos|eos|pad|unk)>$")


def cut(token: str) -> str:
    """A token as it is, or its beginning where it is very long."""
    return token if len(token) <= LONGEST_LABEL else token[: LONGEST_LABEL - 1] + "…"


def shown(token: str) -> str:
    """A token as a label shows it: cut where it is very long, its markup inert."""
    return html.escape(cut(token), quote=False)


def label_width(tokens: Sequence[str], size: float) -> float:
    """Estimated width in pixels of the longest label at this font size; Chinese glyphs are twice as wide."""
    return max((one_label_width(token, size) for token in tokens), default=0.0)


def one_label_width(token: str, size: float) -> float:
    """Estimated width in pixels of one label."""
    wide = (1.05 if unicodedata.east_asian_width(char) in "WF" else _LATIN_WIDTH for char in token[:LONGEST_LABEL])
    return size * sum(wide)


def labels_fit(tokens: Sequence[str], size: float, pitch: float) -> bool:
    """True if labels that stand ``pitch`` pixels apart do not touch when written horizontally."""
    widths = [one_label_width(token, size) for token in tokens]
    return all((left + right) / 2 + 4 <= pitch for left, right in pairwise([*widths, 0.0]))


def labels_apart(labels: Sequence[str], pitch: float, least: float = 15.0) -> tuple[list[str], float]:
    """The labels, and how far apart those stand that are written: only every n-th, where all would be too close.

    >>> labels_apart(["a", "b", "c"], 10)
    (['a', '', 'c'], 20)
    """
    step = max(1, ceil(least / pitch))
    return [label if place % step == 0 else "" for place, label in enumerate(labels)], pitch * step


def level_names(labels: Sequence[str]) -> list[str]:
    """Labels as they stand level: where all are as short as Chinese characters, "<eos>" loses its brackets.

    >>> level_names(["我", "<eos>"]), level_names(["cats", "<eos>"])
    (['我', 'eos'], ['cats', '<eos>'])
    """
    plain = [_SPECIAL.sub(r"\1", label) for label in labels]
    return plain if all(len(each) <= 3 for each in plain) else list(labels)


def column_labels(columns: Sequence[str], size: float, pitch: float) -> tuple[float, int, float]:
    """Font size, angle and height in pixels of the column labels: level where they fit, else slanted, else upright."""
    for smaller in (size, size - 1, size - 2, size - 3):
        names, closer = level_names(columns), 4 if level_names(columns) != list(columns) else 0
        if smaller >= 11 and labels_fit(names, smaller, pitch + closer):  # characters may touch, words may not
            return smaller, 0, smaller
    size = max(6.0, size)
    if pitch >= 26:
        return size, -45, 0.72 * (label_width(columns, size) + size)
    return size, -90, label_width(columns, size)


def base_layout(theme: Theme, title: str = "", **more: Any) -> dict[str, Any]:
    """Colours, fonts and title that all figures share; ``more`` adds to them or replaces them."""
    layout: dict[str, Any] = {
        "template": {},  # in place of Plotly's own
        "paper_bgcolor": theme.background,
        "plot_bgcolor": theme.background,
        "font": {"family": FONTS, "size": 14, "color": theme.text},
        "margin": {"l": 64, "r": 24, "t": 48 if title else 16, "b": 52},
        "hoverlabel": {
            "bgcolor": theme.surface,
            "bordercolor": theme.muted,
            "font": {"family": FONTS, "size": 15, "color": theme.text},
            "align": "left",
        },
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.accent},
        "hovermode": "closest",
    }
    if title:
        layout["title"] = {
            "text": html.escape(title, quote=False),
            "font": {"size": 16, "color": theme.text, "weight": 600},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 12, "l": 8},
        }
    return layout | more


def number_axis(theme: Theme, title: str, **more: Any) -> dict[str, Any]:
    """An axis of numbers with a quiet grid."""
    return {
        "title": {"text": html.escape(title, quote=False), "font": {"size": 14, "color": theme.muted}, "standoff": 8},
        "tickfont": {"color": theme.muted, "size": 14},
        "gridcolor": theme.grid,
        "linecolor": theme.grid,
        "zerolinecolor": theme.grid,
        "automargin": True,
        **more,
    }


def token_axis(theme: Theme, tokens: Sequence[str], title: str, size: float, **more: Any) -> dict[str, Any]:
    """An axis of tokens at integer positions, so that equal tokens stay apart.

    Args:
        tokens: one label a position; shown literally.
        size: font size of the labels, in pixels.
        more: further settings of the axis.
    """
    return {
        "title": {"text": html.escape(title, quote=False), "font": {"size": 14, "color": theme.muted}, "standoff": 10},
        "tickmode": "array",
        "tickvals": list(range(len(tokens))),
        "ticktext": [shown(token) for token in (level_names(tokens) if more.get("tickangle") == 0 else tokens)],
        "tickfont": {"size": size, "color": theme.text},
        "range": [-0.5, len(tokens) - 0.5],
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "ticklabelstandoff": 5,
        "ticklabeloverflow": "allow",  # else Plotly measures every label once more
        "automargin": True,
        **more,
    }


def colour_bar(theme: Theme, title: str, **more: Any) -> dict[str, Any]:
    """A slim colour bar without an outline."""
    return {
        "title": {"text": html.escape(title, quote=False), "font": {"size": 14, "color": theme.muted}, "side": "right"},
        "tickfont": {"size": 14, "color": theme.muted},
        "thickness": 12,
        "outlinewidth": 0,
        "xpad": 16,
        **more,
    }


def panel_place(place: int, panels: int, gap: float) -> tuple[str, list[float]]:
    """Of a panel beside others, in order: what its axes' names end with, and the part of the width that it takes.

    >>> panel_place(0, 2, 0.1), panel_place(1, 2, 0.1)
    (('', [0.0, 0.45]), ('2', [0.55, 1.0]))
    """
    width = (1 - gap * (panels - 1)) / panels
    start = place * (width + gap)
    return "" if place == 0 else str(place + 1), [start, min(1.0, start + width)]


def level_legend(y: float = 1.02, **more: Any) -> dict[str, Any]:
    """A legend in one line that stands on the chart's upper edge."""
    return {"orientation": "h", "x": 0, "y": y, "yanchor": "bottom", "font": {"size": 14}, **more}


def panel_title(title: str, start: float, theme: Theme, whole: bool = False) -> dict[str, Any]:
    """The title of one panel of several: an annotation above its left edge, at ``start`` of the figure's width.

    It is cut as a token is, unless the ``whole`` of it has room.
    """
    return {
        "text": html.escape(title, quote=False) if whole else shown(title),
        "x": start,
        "y": 1,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "yshift": 6,
        "showarrow": False,
        "font": {"size": 14, "color": theme.text, "weight": 600},
    }


def scale_of(stops: Sequence[tuple[float, str]]) -> list[list[float | str]]:
    """A theme's colour scale as Plotly takes it."""
    return [[position, colour] for position, colour in stops]


def chart_config(filename: str, image: str = "png") -> dict[str, Any]:
    """Settings of a chart's mode bar: zoom, reset, and download as a picture three times the screen's size.

    The mode bar downloads one format, made in the browser from what is shown, with the browser's own
    fonts; ``viz.widgets.take_away`` offers maps as SVG, PDF and PNG of a chosen size.

    Args:
        filename: of the picture, without its ending.
        image: "png" or "svg".

    Raises:
        ValueError: the format is neither.
    """
    if image not in IMAGE_FORMATS:
        raise ValueError(f"image must be one of {', '.join(IMAGE_FORMATS)}, got {image!r}")
    return {
        "displaylogo": False,
        "showSendToCloud": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
        "toImageButtonOptions": {"format": image, "filename": filename, "scale": 3 if image == "png" else 1},
    }


@cache
def plotly_script() -> str:
    """The whole script, as the installed plotly ships it; about 5 MB."""
    from plotly.offline import get_plotlyjs

    found: str = get_plotlyjs()
    return found
