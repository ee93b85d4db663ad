"""The sentence, its translation, and which English words each Chinese token attends to."""

from __future__ import annotations

import html
import math

import streamlit as st

from model.analysis.reading import read, read_cross, written_probabilities
from viz import session
from viz.components.token_links import LABELS, token_links
from viz.session import say

now = session.view()
translation, trace = session.translation(), session.trace()
drawn = st.segmented_control(
    say("translate.drawn"),
    ("head", "layer_mean", "mean", "max"),
    default="head",
    format_func=lambda how: say(f"translate.drawn.{how}", layer=now.layer, head=now.head),
    key="drawn",
    required=True,
    help=say("translate.drawn.help"),
    bind="query-params",
)
weights = read_cross(trace, str(drawn), now.layer, now.head)
reading = read(weights, trace.tgt_outputs, trace.src, now.words, now.hide_special)
token_links(
    [label.text for label in reading.columns],
    [label.text for label in reading.rows],
    reading.weights,
    written_probabilities(translation, now.words, now.hide_special),
    theme=session.theme(),
    labels={name: say(f"tokens.{name}") for name in LABELS},
    key="links",
    src_words=[label.word for label in reading.columns],
    tgt_words=[label.word for label in reading.rows],
)
total = math.exp(sum(translation.log_probs) / max(1, len(translation.log_probs)))
st.html(f'<p class="hl-alt">{html.escape(say("translate.confidence", mean=f"{total:.0%}"))}</p>')
