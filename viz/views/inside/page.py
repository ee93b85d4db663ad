"""One head from the inside: the six steps on real numbers, why it looks where it looks, and the division by √d."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.lessons import scaling
from viz.charts.layout import chart_config
from viz.core.answers.lessons import growth
from viz.core.answers.residual import head_steps, reasons
from viz.core.answers.translations import trace, translation
from viz.core.language import say
from viz.core.session import current_session
from viz.views.inside.reasons import STRONGEST, explain, pick_key
from viz.views.inside.scaling import with_and_without
from viz.views.inside.six_steps import STEPS, proof_line, step_facts, step_picture
from viz.widgets.bar import bar
from viz.widgets.chart import draw, lead, slider
from viz.widgets.picker import pick
from viz.widgets.token import looked_at

now = current_session()
sizes = now.model.facts
heads = sizes.anatomy.kinds[now.kind].heads


def go(by: int) -> None:
    """Some steps on or back; to be called in a widget's callback."""
    step = int(st.session_state["inside"]) + by
    st.session_state["inside"] = str(min(max(step, STEPS[0]), STEPS[-1]))


def pick_step() -> int:
    """The chosen step."""
    step = int(pick("inside", labelled=False, as_list=True, width=170))
    st.button(say("inside.back"), key="back", shortcut="Left", disabled=step == STEPS[0], on_click=go, args=(-1,))
    st.button(say("inside.next"), key="next", shortcut="Right", disabled=step == STEPS[-1], on_click=go, args=(1,))
    return step


def pick_query(queries: list[str]) -> int:
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


def steps() -> None:
    """The chosen step of the chosen query."""
    queries, keys = trace(now.subject).axis_tokens(now.kind)
    with bar():
        step, query = pick_step(), pick_query(queries)
    proof = head_steps(now.subject, now.head)
    facts = step_facts(proof.steps, query, queries, keys)
    facts |= {"memory": say(f"inside.memory.{now.kind}"), "others": heads - 1}
    figure, numbers = step_picture(step, proof.steps, query, keys, now.theme, say)
    place = {"kind": say(f"kind.{now.kind}"), "layer": now.head.layer, "head": now.head.head, "token": queries[query]}
    alt = say("inside.figure.alt", **place, step=step, numbers=numbers)
    st.plotly_chart(figure, key="inside_figure", theme=None, config=chart_config(f"headlight-step-{step}"), alt=alt)
    lead(f"inside.lead.{step}{facts['mask'] if step == 4 else ''}", **facts)
    st.html(proof_line(proof, heads, say))
    lead("inside.colours")


def why() -> None:
    """What the chosen query's score of a key is made of."""
    queries, keys = trace(now.subject).axis_tokens(now.kind)
    found = reasons(now.subject, now.head)
    with bar():
        query = pick_query(queries)
        key = pick_key(keys[: query + 1] if sizes.anatomy.kinds[now.kind].causal else keys)
    key = found.strongest(query) if key == STRONGEST else key
    explain(found, now.head, query, key, (queries[query], keys[key]), now.theme)


def experiment() -> None:
    """What the division by √d_k does, from computed values."""
    grown, names = growth(), (say("inside.plain"), say("inside.divided"))
    with bar():
        d_k = slider("inside.size", "d_k", 1, 512, sizes.d_head)
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


with bar():
    shown = pick("inside_view", labelled=False, as_list=True, width=190)
{"steps": steps, "reasons": why, "scaling": experiment}[shown]()
