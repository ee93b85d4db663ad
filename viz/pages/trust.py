"""Which picture deserves trust: over a corpus as a table, and on this sentence, word by word."""

from __future__ import annotations

import html

import numpy as np
import streamlit as st

from model.analysis.drawn import OF_TOKEN, SIGNED
from model.analysis.reading import token_rows
from model.trace import Kind
from viz import chart, drawing, honesty, pickers, session, trust_table
from viz.components.head_board import LABELS, Board, head_board
from viz.figures.honesty import VERDICTS
from viz.figures.layout import chart_config
from viz.figures.trust import matrices_figure
from viz.numbers import number
from viz.session import say

CROSS: Kind = "cross"
PICKERS = ("layer", "head", "drawn", "of", "shift")  # of the frame; the corpus's table has no use for them
now, theme = session.view(), session.theme()
layers, heads = session.trace().cross.shape[:2]
layer, head = min(now.layer, layers - 1), min(now.head, heads - 1)


def this_sentence() -> None:
    """What deleting each word costs each token, the chosen map beside it, and the honesty of every head."""
    from model.analysis.deletion import by_words

    trace, left = session.trace(), honesty.left_out()
    if not left.costs.size:
        st.info(say("trust.empty"))
        return
    maps = drawing.maps(CROSS)
    name = f"{say('kind.cross')} · {drawing.whose(f'L{layer} H{head}')} · {drawing.name()}"
    honesty.honesty_bar(CROSS, maps[layer, head], name)
    rows, labels = token_rows(by_words(maps, trace.src, now.drawn), trace, now.shift)
    n = min(rows.shape[-2], left.costs.shape[1])
    costs, values = left.costs.T[:n], rows[layer, head, :n]
    tokens, words = [label.text for label in labels[:n]], [label.text for label in left.words]
    chart.lead("trust.matrices.lead")
    figure = matrices_figure(
        costs,
        values,
        tokens,
        words,
        theme,
        titles=(say("trust.costs"), name),
        names=(say("trust.nats"), drawing.name()),
        signed=now.drawn in SIGNED and now.drawn != "gradient",
    )
    st.plotly_chart(
        figure, key="left_out", theme=None, config=chart_config("headlight-left-out"), alt=_said(costs, tokens, words)
    )
    if now.drawn not in OF_TOKEN or drawing.chosen_step() is None:
        every_head(rows)


def every_head(rows: np.ndarray) -> None:
    """The honesty of every head of cross-attention, [L, H, T, W], as a board that opens one on a click."""
    from model.analysis.honesty import honesty_of_all

    found = honesty_of_all(honesty.left_out(), rows)
    one_a_layer = now.drawn == "rollout"
    cost, verdict = (each[:, :1] if one_a_layer else each for each in (found.cost, found.verdict))
    signs = np.vectorize(lambda each: VERDICTS.get(str(each), ("", ""))[1], otypes=[str])(verdict)
    chart.lead("trust.heads.lead", drawn=drawing.name(), n=int((verdict == "green").sum()), all=verdict.size)
    top = max(float(found.cost.max()), 1e-6)
    board = Board({CROSS: np.maximum(cost, 0.0)}, {CROSS: say("kind.cross")}, number, number, top, marks={CROSS: signs})
    opened = head_board(
        board,
        selected=(CROSS, layer, head),
        theme=theme,
        labels={name: say(f"trust.heads.{name}") for name in LABELS},
        key="honest_heads",
        on_open=session.choose_head,
    )
    best = [f"L{n} H{h} {number(found.cost[n, h])}" for n, h in found.order()[:5]]
    if not one_a_layer:
        st.html(f'<p class="hl-alt">{html.escape(say("trust.heads.best", heads=" · ".join(best)))}</p>')
    if opened:
        st.switch_page("viz/pages/one_head.py", query_params=[])


def _said(costs: np.ndarray, tokens: list[str], words: list[str]) -> str:
    """The dearest word of each of the first tokens, as alternative text."""
    pairs = [f"{tokens[t]}: {words[w]} {number(costs[t, w])}" for t, w in enumerate(costs.argmax(axis=1)[:12])]
    return say("trust.matrices.alt", tokens=len(tokens), words=len(words), pairs=", ".join(pairs))


view = chart.pick("trust.view", "trust", ("table", "sentence"), labelled=False)
if view == "table":
    pickers.hide(PICKERS)
    trust_table.draw_table(now.checkpoint)
else:
    this_sentence()
