"""Which picture deserves trust: over a corpus as a table, and on this sentence, word by word."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.attribution.labelled_map import token_rows
from model.attribution.methods import METHODS
from model.trace import HeadRef, Kind
from viz.charts.deletion import VERDICTS
from viz.charts.layout import chart_config
from viz.charts.markup import line
from viz.core.answers.faithfulness import left_out
from viz.core.answers.translations import trace
from viz.core.going import open_head
from viz.core.language import say, within
from viz.core.numbers import number
from viz.core.session import current_session
from viz.views.trust.figure import matrices_figure
from viz.views.trust.trust_table import draw_table
from viz.widgets import chart
from viz.widgets import deletion_bar as honesty_bar
from viz.widgets import map_choice as drawing
from viz.widgets.bar import bar
from viz.widgets.head_board import Board, head_board
from viz.widgets.picker import hide, pick

CROSS: Kind = "cross"
_WITH_SENTENCE = ("layer", "head", "method", "of", "shift")  # of the frame; the corpus's table has no use for them
now = current_session()
found = trace(now.subject)
layers, heads = found.cross.shape[:2]
head = HeadRef(CROSS, min(now.head.layer, layers - 1), min(now.head.head, heads - 1))


def this_sentence() -> None:
    """What deleting each word costs each token, the chosen map beside it, and the honesty of every head."""
    from model.analysis.faithfulness.deletion import by_words

    left = left_out(now.subject)
    if not left.costs.size:
        st.info(say("trust.empty"))
        return
    maps = drawing.maps(now, CROSS)
    name = f"{say('kind.cross')} · {drawing.whose(now, head.title)} · {drawing.name(now)}"
    honesty_bar.honesty_bar(now, CROSS, maps[head[1:]], name)
    rows, labels = token_rows(by_words(maps, found.src, now.method), found, now.shift)
    n = min(rows.shape[-2], left.costs.shape[1])
    costs, values = left.costs.T[:n], rows[*head[1:], :n]
    tokens, words = [label.text for label in labels[:n]], [label.text for label in left.words]
    chart.lead("trust.matrices.lead")
    figure = matrices_figure(
        costs,
        values,
        tokens,
        words,
        now.theme,
        titles=(say("trust.costs"), name),
        names=(say("trust.nats"), drawing.name(now)),
        signed=METHODS[now.method].signed and not METHODS[now.method].by_size,
    )
    st.plotly_chart(
        figure, key="left_out", theme=None, config=chart_config("headlight-left-out"), alt=_said(costs, tokens, words)
    )
    if drawing.chosen_step(now) is None:
        every_head(rows)


def every_head(rows: np.ndarray) -> None:
    """The honesty of every head of cross-attention, [L, H, T, W], as a board that opens one on a click."""
    from model.analysis.faithfulness.verdict import LEVEL, honesty_of_all

    honesty = honesty_of_all(left_out(now.subject), rows)
    cost, verdict = (drawing.one_of(now.method, each) for each in (honesty.cost, honesty.verdict))
    signs = np.vectorize(lambda each: VERDICTS.get(str(each), ("", ""))[1], otypes=[str])(verdict)
    chart.lead(
        "trust.heads.lead",
        method=drawing.name(now),
        n=int((verdict == "green").sum()),
        all=verdict.size,
        luck=f"{LEVEL * verdict.size:.0f}",
    )
    top = max(float(honesty.cost.max()), 1e-6)
    board = Board({CROSS: np.maximum(cost, 0.0)}, {CROSS: say("kind.cross")}, number, number, top, marks={CROSS: signs})
    head_board(
        board,
        selected=head,
        theme=now.theme,
        labels=within("trust.heads"),
        key="honest_heads",
        on_open=open_head,
    )
    best = [f"{HeadRef(CROSS, n, h).title} {number(honesty.cost[n, h])}" for n, h in honesty.order()[:5]]
    if METHODS[now.method].per == "head":
        st.html(line("alt", say("trust.heads.best", heads=" · ".join(best))))


def _said(costs: np.ndarray, tokens: list[str], words: list[str]) -> str:
    """The dearest word of each of the first tokens, as alternative text."""
    pairs = [f"{tokens[t]}: {words[w]} {number(costs[t, w])}" for t, w in enumerate(costs.argmax(axis=1)[:12])]
    return say("trust.matrices.alt", tokens=len(tokens), words=len(words), pairs=", ".join(pairs))


with bar():
    shown = pick("trust", labelled=False)
if shown == "table":
    hide(_WITH_SENTENCE)
    draw_table(now.checkpoint, now.theme)
else:
    this_sentence()
