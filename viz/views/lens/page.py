"""What each decoder layer would have written, and what a head pushes towards."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.writing import WORD_START
from viz.charts.layout import chart_config
from viz.charts.markup import tag
from viz.charts.votes import bars_figure
from viz.core.answers import residual, translations
from viz.core.language import say, within
from viz.core.numbers import signed
from viz.core.session import choose_token, current_session, theme
from viz.views.lens.lens_grid import lens_grid
from viz.widgets import chart
from viz.widgets.errors import told
from viz.widgets.token import looked_at

_CANDIDATES, PROMOTED = 5, 8
now = current_session()
translation = translations.translation(now.subject)
trace = translation.trace
rows = len(trace.tgt_outputs) if translation.finished else max(1, len(translation.tgt))


def piece(token: int) -> str:
    """The text of a target id."""
    return str(now.model.opened.piece(token))


def layers() -> None:
    """The grid, and what the chosen head promotes at the chosen step."""
    step = min(looked_at(translation) + 1, rows)
    lens_grid(
        residual.lens(now.subject, _CANDIDATES),
        piece,
        trace.tgt_inputs[:rows],
        trace.tgt_outputs[:rows],
        step=step,
        theme=theme(),
        labels=within("lens"),
        key="lens_grid",
        on_step=lambda step: choose_token(step - 1),
    )
    with told():
        promotion(step)


def promotion(step: int) -> None:
    """Tokens whose logits the frame's head raises and lowers most; an encoder head has no direct part in them."""
    place = {"kind": say(f"kind.{now.kind}"), "head": now.head.title}
    place |= {"token": trace.tgt_outputs[step - 1].text, "step": str(step)}
    title = say("lens.promotes", **place)
    st.html(tag("h3", title, style="margin:.4rem 0 0;font-size:1.15rem"))
    if now.kind == "encoder_self":
        chart.lead("lens.no_vote")
        return
    chart.lead("lens.promotes.lead")
    moved = residual.promoted(now.subject, _CANDIDATES, now.head, step - 1, PROMOTED)
    pairs = [*moved.raised, *moved.lowered[::-1]]
    names = [piece(token).replace(WORD_START, " ").strip() or "␣" for token, _ in pairs]
    values = np.array([change for _, change in pairs])
    hover = [f"{name}: {signed(change)}" for name, change in zip(names, values, strict=True)]
    figure = bars_figure(names, values, theme(), hover, pitch=1130 / len(names))
    raised, lowered = ", ".join(hover[:PROMOTED]), ", ".join(hover[: PROMOTED - 1 : -1])
    alt = say("lens.promotes.alt", **place, raised=raised, lowered=lowered)
    st.plotly_chart(figure, key="lens_promotes", theme=None, config=chart_config("headlight-promotes"), alt=alt)


layers()
chart.lead("lens.lead")
