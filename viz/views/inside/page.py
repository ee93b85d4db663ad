"""One head from the inside: the six steps on real numbers, why it looks where it looks, and the division by √d."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model.analysis.lessons import scaling
from viz.charts.layout import base_layout, chart_config, level_legend, number_axis
from viz.core.answers.lessons import growth
from viz.core.answers.residual import head_steps, reasons
from viz.core.answers.translations import trace, translation
from viz.core.language import say
from viz.core.session import Session
from viz.core.theme import HEAD_COLOURS, Theme
from viz.views.inside.reasons import STRONGEST, explain, pick_key
from viz.views.inside.six_steps import STEPS, proof_line, step_facts, step_picture
from viz.widgets.bar import bar
from viz.widgets.chart import draw, lead, slider
from viz.widgets.picker import pick
from viz.widgets.token import looked_at

_LOOKS = ((HEAD_COLOURS[5], "solid", "circle"), (HEAD_COLOURS[4], "dash", "square"))


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
        theme: the look.
        names: of the curves.
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
    lead(f"inside.lead.{step}{facts['mask'] if step == 4 else ''}", **facts)
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
    for column, (name, x, curves, axes, log_x, log_y) in zip(st.columns(2) + st.columns(2), charts, strict=True):
        along, up = (say(f"inside.scaling.{axis}") for axis in axes)
        figure = with_and_without(x, curves, now.theme, names=names, axes=(along, up), log_x=log_x, log_y=log_y)
        at = -1 if log_x else len(a) // 2
        plain, divided = (f"{curve[at]:.3g}" for curve in curves)
        with column:
            draw(
                figure, f"inside.{name}", plain=plain, divided=divided, last=x[-1], a=x[at], d_k=d_k, keys=scaling.KEYS
            )
    lead("inside.scaling.lead", samples=f"{scaling.SAMPLES:,}", keys=scaling.KEYS, seed=scaling.SEED)


def view(session: Session) -> None:
    """The six steps, the reasons of a score, or the experiment with √d."""
    with bar():
        shown = pick("inside_view", labelled=False, as_list=True, width=190)
    {"steps": steps, "reasons": why, "scaling": experiment}[shown](session)
