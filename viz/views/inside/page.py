"""One head from the inside: the six steps on real numbers, why it looks where it looks, and the division by √d."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model.analysis.lessons import scaling
from viz.charts.colour import on_scale, printed, rgb
from viz.charts.layout import (
    PAGE_WIDTH,
    base_layout,
    chart_config,
    column_labels,
    label_width,
    level_legend,
    number_axis,
    scale_of,
    token_axis,
)
from viz.charts.markup import line
from viz.core.answers.lessons import growth
from viz.core.answers.maps import head_steps, reasons
from viz.core.answers.translations import trace, translation
from viz.core.choice import say
from viz.core.numbers import number, signed
from viz.core.session import Session
from viz.core.theme import HEAD_COLOURS, Theme
from viz.views.inside.six_steps import STEPS, proof_line, step_facts, step_picture
from viz.widgets.chart import draw, lead, slider
from viz.widgets.picker import bar, pick
from viz.widgets.places import looked_at

if TYPE_CHECKING:
    from model.analysis.residual.reasons import Reasons, StreamPart
    from model.trace import HeadRef

_HEIGHT, _ROW, _WIDEST = 400, (21.0, 34.0), 84.0  # pixels that rows share, limits of a row's, and of a column's width
_FONT, _LABEL = 12.5, 13.0
STRONGEST = -1  # in place of a key's number
_NAMED = 3  # contributions that the sentence names
_LOOKS = ((HEAD_COLOURS[5], "solid", "circle"), (HEAD_COLOURS[4], "dash", "square"))


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
        head: whose score it is.
        query, key: numbers of the two.
        tokens: of the query and of the key.
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


def with_and_without(
    x: np.ndarray,
    curves: tuple[np.ndarray, np.ndarray],
    theme: Theme,
    *,
    names: tuple[str, str],
    axes: tuple[str, str],
    log_x: bool = False,
    log_y: bool = False,
) -> go.Figure:
    """Two curves over one axis: without the division, and with it.

    Args:
        x: [N].
        curves: [N] each.
        axes: titles of the horizontal and the vertical axis.
        log_x, log_y: powers instead of sums; log_x marks every point, at powers of two.

    Raises:
        ValueError: a curve does not fit the axis.
    """
    mode = "lines+markers" if log_x else "lines"
    named = zip(names, curves, _LOOKS, strict=True)
    data = [_curve(x, curve, name, axes[0], look) | {"mode": mode} for name, curve, look in named]
    powers = {"type": "log", "tickmode": "array", "tickvals": x, "ticktext": [f"{size:g}" for size in x]}
    upwards = {"type": "log", "exponentformat": "power", "dtick": 1} if log_y else {"rangemode": "tozero"}
    layout = base_layout(
        theme,
        height=230,
        xaxis=number_axis(theme, axes[0], zeroline=False, **(powers if log_x else {})),
        yaxis=number_axis(theme, axes[1], zeroline=False, **upwards),
        legend=level_legend(),
        margin={"l": 60, "r": 16, "t": 34, "b": 48},
        showlegend=True,
    )
    return go.Figure({"data": data, "layout": layout})


def _curve(x: np.ndarray, curve: np.ndarray, name: str, axis: str, look: tuple[str, str, str]) -> dict[str, Any]:
    if curve.shape != x.shape or not x.size:
        raise ValueError(f"“{name}” has shape {curve.shape}, but the axis has {x.shape}")
    colour, dash, symbol = look
    return {
        "type": "scatter",
        "x": x,
        "y": curve,
        "name": name,
        "line": {"color": colour, "dash": dash, "width": 2.5},
        "marker": {"symbol": symbol, "size": 7},
        "hovertemplate": f"{name}<br>{axis} %{{x}}: <b>%{{y:.4g}}</b><extra></extra>",
    }


def go_on(by: int) -> None:
    """Some steps on or back; to be called in a widget's callback."""
    step = int(st.session_state["inside"]) + by
    st.session_state["inside"] = str(min(max(step, STEPS[0]), STEPS[-1]))


def pick_step() -> int:
    """The chosen step."""
    step = int(pick("inside", labelled=False, as_list=True, width=170))
    st.button(say("inside.back"), key="back", shortcut="Left", disabled=step == STEPS[0], on_click=go_on, args=(-1,))
    st.button(say("inside.next"), key="next", shortcut="Right", disabled=step == STEPS[-1], on_click=go_on, args=(1,))
    return step


def pick_query(now: Session, queries: list[str]) -> int:
    """The chosen query: in the decoder that of the token that is looked at, else one of a list."""
    if now.kind != "encoder_self" and trace(now.subject).tgt_outputs:
        return looked_at(translation(now.subject))
    if "query" in st.session_state and st.session_state["query"] not in range(len(queries)):
        st.session_state["query"] = len(queries) - 1
    return st.selectbox(
        say("inside.query"),
        range(len(queries)),
        index=min(3, len(queries) - 1),
        format_func=lambda place: f"q {place} · {queries[place]}",
        key="query",
        label_visibility="collapsed",
        bind="query-params",
        width=165,
    )


def steps(now: Session) -> None:
    """The chosen step of the chosen query."""
    queries, keys = trace(now.subject).axis_tokens(now.kind)
    with bar():
        step, query = pick_step(), pick_query(now, queries)
    proof, heads = head_steps(now.subject, now.head), now.model.facts.anatomy.kinds[now.kind].heads
    facts = step_facts(proof.steps, query, queries, keys)
    facts |= {"memory": say(f"inside.memory.{now.kind}"), "others": heads - 1}
    figure, numbers = step_picture(step, proof.steps, query, keys, now.theme, say)
    place = {"kind": say(f"kind.{now.kind}"), "layer": now.head.layer, "head": now.head.head, "token": queries[query]}
    alt = say("inside.figure.alt", **place, step=step, numbers=numbers)
    st.plotly_chart(figure, key="inside_figure", theme=None, config=chart_config(f"headlight-step-{step}"), alt=alt)
    lead(f"inside.lead.4.{facts['mask']}" if step == 4 else f"inside.lead.{step}", **facts)
    st.html(proof_line(proof, heads, say))
    lead("inside.colours")


def why(now: Session) -> None:
    """What the chosen query's score of a key is made of."""
    queries, keys = trace(now.subject).axis_tokens(now.kind)
    found = reasons(now.subject, now.head)
    with bar():
        query = pick_query(now, queries)
        key = pick_key(keys[: query + 1] if now.model.facts.anatomy.kinds[now.kind].causal else keys)
    key = found.strongest(query) if key == STRONGEST else key
    explain(found, now.head, query, key, (queries[query], keys[key]), now.theme)


def experiment(now: Session) -> None:
    """What the division by √d_k does, from computed values."""
    grown, names = growth(), (say("inside.plain"), say("inside.divided"))
    with bar():
        d_k = slider("inside.size", "d_k", 1, 512, now.model.facts.d_head)
    steep = scaling.saturation(a := np.linspace(0.0, 30.0, 121), d_k)
    largest = (steep.weights[0][:, 2], steep.weights[1][:, 2])
    charts = (
        ("variance", grown.sizes, grown.variance, ("d_k", "variance"), True, True),
        ("gradient", grown.sizes, grown.gradient, ("d_k", "gradient"), True, False),
        ("saturation", a, largest, ("a", "largest"), False, False),
        ("vanishing", a, steep.gradient, ("a", "gradient"), False, False),
    )
    names_of_shares = ("saturated", "divided_saturated", "steep", "divided_steep")
    ends = (f"{curve[-1]:.0%}" for curve in (*grown.saturated, *grown.steep))
    shares: dict[str, Any] = dict(zip(names_of_shares, ends, strict=True))
    for column, (name, x, curves, axes, log_x, log_y) in zip(st.columns(2) + st.columns(2), charts, strict=True):
        along, up = (say(f"inside.scaling.{axis}") for axis in axes)
        figure = with_and_without(x, curves, now.theme, names=names, axes=(along, up), log_x=log_x, log_y=log_y)
        at = -1 if log_x else len(a) // 2
        plain, divided = (f"{curve[at]:.3g}" for curve in curves)
        values = {"plain": plain, "divided": divided, "last": x[-1], "a": x[at], "d_k": d_k, "keys": scaling.KEYS}
        with column:
            draw(figure, f"inside.{name}", **values | shares)
    lead("inside.scaling.lead", samples=f"{scaling.SAMPLES:,}", keys=scaling.KEYS, seed=scaling.SEED)


def view(session: Session) -> None:
    """The six steps, the reasons of a score, or the experiment with √d."""
    with bar():
        shown = pick("inside_view", labelled=False, as_list=True, width=190)
    {"steps": steps, "reasons": why, "scaling": experiment}[shown](session)
