"""What each decoder layer would have written, and what a head pushes towards."""

from __future__ import annotations

import html

import numpy as np
import streamlit as st

from model.tokenize import WORD_START
from viz import cached, chart, session
from viz.components.lens_grid import LABELS, lens_grid
from viz.components.playback import reported_step
from viz.figures.layout import chart_config
from viz.figures.votes import bars_figure
from viz.flow_words import middle_word
from viz.numbers import signed
from viz.session import say

CANDIDATES, PROMOTED = 5, 8
now = session.view()
translation, trace = session.translation(), session.trace()
rows = len(trace.tgt_outputs) if translation.finished else max(1, len(translation.tgt))
inspected = now.text, now.checkpoint, now.beam, session.forced("hyp")


def piece(token: int) -> str:
    """The text of a target id."""
    return session.translator(now.checkpoint).tgt_tokenizer.piece(token)


def write_step(step: int) -> None:
    """Keep the chosen step in the link, where the view of single steps looks for it too."""
    st.query_params["step"] = str(step)


@st.fragment
def layers() -> None:
    """The grid, and what the chosen head promotes at the chosen step."""
    step = reported_step(st.query_params.get("step"), rows) or middle_word(trace.tgt_outputs[:rows]) + 1
    lens_grid(
        cached.lens(*inspected, CANDIDATES),
        piece,
        trace.tgt_inputs[:rows],
        trace.tgt_outputs[:rows],
        step=step,
        theme=session.theme(),
        labels={label: say(f"lens.{label}") for label in LABELS},
        key="lens_grid",
        on_step=write_step,
    )
    promotion(step)


def promotion(step: int) -> None:
    """Tokens whose logits the frame's head raises and lowers most; an encoder head has no direct part in them."""
    place = {"kind": say(f"kind.{now.kind}"), "head": f"L{now.layer} H{now.head}"}
    place |= {"token": trace.tgt_outputs[step - 1].text, "step": str(step)}
    title = say("lens.promotes", **place)
    st.html(f'<h3 style="margin:.4rem 0 0;font-size:1.15rem">{html.escape(title, quote=False)}</h3>')
    if now.kind == "encoder_self":
        chart.lead("lens.no_vote")
        return
    chart.lead("lens.promotes.lead")
    moved = cached.promoted(*inspected, CANDIDATES, now.kind, now.layer, now.head, step - 1, PROMOTED)
    pairs = [*moved.raised, *moved.lowered[::-1]]
    names = [piece(token).replace(WORD_START, " ").strip() or "␣" for token, _ in pairs]
    values = np.array([change for _, change in pairs])
    hover = [f"{name}: {signed(change)}" for name, change in zip(names, values, strict=True)]
    figure = bars_figure(names, values, session.theme(), hover, pitch=1130 / len(names))
    raised, lowered = ", ".join(hover[:PROMOTED]), ", ".join(hover[: PROMOTED - 1 : -1])
    alt = say("lens.promotes.alt", **place, raised=raised, lowered=lowered)
    st.plotly_chart(figure, key="lens_promotes", theme=None, config=chart_config("headlight-promotes"), alt=alt)


chart.lead("lens.lead")
layers()
