"""Why a head looks there: the table of one score, and its largest contributions in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from viz.charts.colour import on_scale, printed, rgb
from viz.charts.layout import PAGE_WIDTH, base_layout, chart_config, column_labels, label_width, scale_of, token_axis
from viz.charts.markup import line
from viz.core.language import say
from viz.core.numbers import number, signed
from viz.core.theme import Theme
from viz.widgets.chart import lead

if TYPE_CHECKING:
    from model.analysis.residual.reasons import Reasons, StreamPart
    from model.trace import HeadRef

_HEIGHT, _ROW, _WIDEST = 400, (21.0, 34.0), 84.0  # pixels that rows share, limits of a row's, and of a column's width
_FONT, _LABEL = 12.5, 13.0


@dataclass(frozen=True)
class ReasonsTitles:
    """The words of the table, in the visitor's language: of its rows, its columns, and of the sums at its edges."""

    rows: str
    columns: str
    sum: str


def reasons_figure(
    table: np.ndarray, rows: Sequence[str], columns: Sequence[str], theme: Theme, titles: ReasonsTitles
) -> go.Figure:
    """Contributions on a diverging scale, with the sums of rows and columns and of all at the edges.

    Args:
        table: contributions, [P, R].
        rows, columns: names of the parts; shown literally.
        theme: the look.
        titles: the words.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    if table.shape != (len(rows), len(columns)) or not table.size:
        raise ValueError(f"the table has shape {table.shape}, but there are {len(rows)} and {len(columns)} names")
    whole = np.block([[table, table.sum(1, keepdims=True)], [table.sum(0, keepdims=True), table.sum(keepdims=True)]])
    named = [*rows, titles.sum], [*columns, titles.sum]
    left = label_width(named[0], _LABEL) + 44
    wide = min(_WIDEST, (PAGE_WIDTH - left - 16) / len(named[1]))
    high = min(_ROW[1], max(_ROW[0], _HEIGHT / len(named[0])))
    texts = [[*map(_in_cell, line[:-1]), number(line[-1])] for line in whole[:-1]]
    texts.append(list(map(number, whole[-1])))
    span = max(float(np.abs(table).max()), 1e-9)
    data = [_heat(table, whole, span, theme), *printed(texts, _colours(table, span, theme), _FONT)]
    return go.Figure({"data": data, "layout": _layout(named, (left, wide, high), theme, titles)})


def _in_cell(value: float) -> str:
    """A number, or nothing where it would read as zero."""
    text = number(value)
    return text if text.strip("0.") else ""


def _heat(table: np.ndarray, whole: np.ndarray, span: float, theme: Theme) -> dict[str, Any]:
    """The cells; those of the sums have no colour."""
    z = np.full(whole.shape, np.nan, dtype=np.float32)
    z[:-1, :-1] = table
    return {
        "type": "heatmap",
        "z": z,
        "zmin": -span,
        "zmax": span,
        "colorscale": scale_of(theme.diverging),
        "showscale": False,
        "hoverongaps": True,
        "xgap": 1,
        "ygap": 1,
        "customdata": [[number(value, 5) for value in line] for line in whole],
        "hovertemplate": "%{y} × %{x}: <b>%{customdata}</b><extra></extra>",
    }


def _colours(table: np.ndarray, span: float, theme: Theme) -> np.ndarray:
    """Colour of every cell, the sums' too: [P + 1, R + 1, 3]."""
    colours = np.broadcast_to(rgb(theme.surface), (table.shape[0] + 1, table.shape[1] + 1, 3)).copy()
    colours[:-1, :-1] = on_scale(0.5 + table / (2 * span), theme.diverging)
    return colours


def _layout(
    named: tuple[list[str], list[str]], sizes: tuple[float, float, float], theme: Theme, titles: ReasonsTitles
) -> dict[str, Any]:
    """Room for the names at the left and above, and a line before the sums."""
    (left, wide, high), (rows, columns) = sizes, named
    size, angle, needed = column_labels(columns, _LABEL, wide)
    edges = len(columns) - 1.5, len(rows) - 1.5
    line = {"type": "line", "line": {"color": theme.muted, "width": 1}}
    across = {**line, "x0": -0.5, "x1": edges[0] + 1, "y0": edges[1], "y1": edges[1]}
    down = {**line, "x0": edges[0], "x1": edges[0], "y0": -0.5, "y1": edges[1] + 1}
    return base_layout(
        theme,
        width=max(520, round(left + wide * len(columns) + 16)),
        height=round(44 + needed + high * len(rows) + 8),
        margin={"l": round(left), "r": 16, "t": round(44 + needed), "b": 8},
        xaxis=token_axis(theme, columns, titles.columns, size, side="top", tickangle=angle),
        yaxis=token_axis(theme, rows, titles.rows, _LABEL, range=[len(rows) - 0.5, -0.5]),
        showlegend=False,
        plot_bgcolor=theme.surface,
        shapes=[across, down],
    )


STRONGEST = -1  # in place of a key's number
_NAMED = 3  # contributions that the sentence names


def pick_key(keys: Sequence[str]) -> int:
    """The chosen key's number, or STRONGEST."""
    options = [STRONGEST, *range(len(keys))]
    if st.session_state.get("key_token", STRONGEST) not in options:
        st.session_state["key_token"] = STRONGEST
    return st.selectbox(
        say("reasons.pick"),
        options,
        format_func=lambda place: say("reasons.strongest") if place == STRONGEST else f"k {place} · {keys[place]}",
        key="key_token",
        label_visibility="collapsed",
        bind="query-params",
        width=165,
    )


def explain(found: Reasons, head: HeadRef, query: int, key: int, tokens: tuple[str, str], theme: Theme) -> None:
    """The table of one score, what it says in words, and what it does not.

    Args:
        found: of the head, every query and key.
        head: whose score it is.
        query, key: numbers of the two.
        tokens: of the query and of the key.
        theme: the look.
    """
    table = found.table(query, key)
    score = number(float(found.scores[query, key]), 3)
    weight = number(float(found.weights[query, key]), 3)
    asks, asked = tokens
    said = {"asks": asks, "asked": asked, "score": score, "weight": weight, "largest": in_words(found, query, key)}
    titles = ReasonsTitles(say("reasons.rows", asks=asks), say("reasons.columns", asked=asked), say("reasons.sum"))
    figure = reasons_figure(table, _names(found.query_parts), _names(found.key_parts), theme, titles)
    alt = say("reasons.alt", kind=say(f"kind.{head.kind}"), head=head.title, **said)
    config = chart_config("headlight-reasons")
    st.plotly_chart(figure, key="reasons_figure", width="content", theme=None, config=config, alt=alt)
    state = "holds" if found.holds else "fails"
    total = number(float(table.sum()), 3)
    st.html(line(state, say(f"reasons.{state}", total=total, score=score, error=f"{found.error:.0e}")))
    lead("reasons.said", **said)
    lead("reasons.lead", d_head=found.query.shape[-1])
    lead("reasons.source")
    lead("reasons.limits")


def in_words(found: Reasons, query: int, key: int) -> str:
    """The largest contributions to a score, and from what to what each goes."""
    from model.analysis.residual.reasons import largest

    table = found.table(query, key)
    return say("reasons.and").join(
        say(
            "reasons.pair",
            row=_long(found.query_parts[row]),
            column=_long(found.key_parts[column]),
            value=signed(float(table[row, column])),
        )
        for row, column in largest(table, _NAMED)
    )


def _names(parts: Sequence[StreamPart]) -> list[str]:
    """Short names, for the table's edges."""
    return [say(f"reasons.part.{part.sort}", layer=part.layer) for part in parts]


def _long(part: StreamPart) -> str:
    """A name that a sentence can use."""
    return say(f"reasons.long.{part.sort}", layer=part.layer)
