"""One head from the inside: the six steps on real numbers, and why scores are divided by √d."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis import scaling
from viz import cached, session
from viz.chart import draw, lead, pick, slider
from viz.figures.layout import chart_config
from viz.figures.scaling import with_and_without
from viz.session import say
from viz.step_pictures import STEPS, proof_line, step_facts, step_picture

now, theme = session.view(), session.theme()
config = session.config(now.checkpoint)


def go(by: int) -> None:
    """Some steps on or back; to be called in a widget's callback."""
    st.session_state["inside"] = min(max(st.session_state["inside"] + by, STEPS[0]), STEPS[-1])


def controls(queries: list[str]) -> tuple[int, int]:
    """The chosen step and query."""
    if "query" in st.session_state and st.session_state["query"] not in range(len(queries)):
        st.session_state["query"] = len(queries) - 1
    with bar:
        step = st.segmented_control(
            say("inside.step"),
            STEPS,
            default=STEPS[0],
            format_func=lambda number: say(f"inside.step.{number}"),
            key="inside",
            required=True,
            label_visibility="collapsed",
            bind="query-params",
        )
        st.button(say("inside.back"), key="back", shortcut="Left", disabled=step == STEPS[0], on_click=go, args=(-1,))
        st.button(say("inside.next"), key="next", shortcut="Right", disabled=step == STEPS[-1], on_click=go, args=(1,))
        query = st.selectbox(
            say("inside.query"),
            range(len(queries)),
            index=min(3, len(queries) - 1),
            format_func=lambda place: f"q {place} · {queries[place]}",
            key="query",
            label_visibility="collapsed",
            bind="query-params",
            width=165,
        )
    return step, query


def steps() -> None:
    """The chosen step of the chosen query."""
    ids, trace = session.translation().tgt_ids, session.trace()
    queries, keys = trace.axis_tokens(now.kind)
    step, query = controls(queries)
    proof = cached.head_steps(now.text, now.checkpoint, ids, now.kind, now.layer, now.head)
    facts = step_facts(proof.steps, query, queries, keys)
    facts |= {"memory": say(f"inside.memory.{now.kind}"), "others": config["n_heads"] - 1}
    lead(f"inside.lead.{step}{facts['mask'] if step == 4 else ''}", **facts)
    figure, numbers = step_picture(step, proof.steps, query, keys, theme, say)
    place = {"kind": say(f"kind.{now.kind}"), "layer": now.layer, "head": now.head, "token": queries[query]}
    alt = say("inside.figure.alt", **place, step=step, numbers=numbers)
    st.plotly_chart(figure, key="inside_figure", theme=None, config=chart_config(f"headlight-step-{step}"), alt=alt)
    st.html(proof_line(proof, config["n_heads"], say))
    lead("inside.colours")


def experiment() -> None:
    """What the division by √d_k does, from computed values."""
    grown, names = cached.growth(), (say("inside.plain"), say("inside.divided"))
    with bar:
        d_k = slider("inside.size", "d_k", 1, 512, config["d_model"] // config["n_heads"])
    lead("inside.scaling.lead", samples=f"{scaling.SAMPLES:,}", keys=scaling.KEYS, seed=scaling.SEED)
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
        figure = with_and_without(x, curves, theme, names=names, axes=(along, up), log_x=log_x, log_y=log_y)
        at = -1 if log_x else len(a) // 2
        plain, divided = (f"{curve[at]:.3g}" for curve in curves)
        with column:
            draw(
                figure, f"inside.{name}", plain=plain, divided=divided, last=x[-1], a=x[at], d_k=d_k, keys=scaling.KEYS
            )


bar = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
with bar:
    view = pick("inside.view", "inside_view", ("steps", "scaling"), labelled=False)
{"steps": steps, "scaling": experiment}[view]()
