"""The sentence, its translation, and which English words each Chinese token attends to."""

from __future__ import annotations

import html
import math

import streamlit as st

from model.analysis.quality import IGNORED, LOW_CONFIDENCE, REPEATS, quality
from model.analysis.reading import read, token_rows, written_probabilities
from viz import combined, drawing, session
from viz.aligning import opening_line
from viz.components.token_links import LABELS, token_links
from viz.figures.marked import bars
from viz.session import say

now = session.view()
translation, trace = session.translation(), session.trace()
chosen = combined.combination(now)
values, written = token_rows(chosen.of(drawing.maps("cross"), "cross"), trace, now.shift)
reading = read(values, written, trace.src, now.words, now.hide_special, now.drawn)
links, strength = drawing.strengths(reading.weights, now.drawn)
token_links(
    [label.text for label in reading.columns],
    [label.text for label in reading.rows],
    links,
    written_probabilities(translation, now.words, now.hide_special, now.shift),
    theme=session.theme(),
    labels={name: say(f"tokens.{name}") for name in LABELS}
    | {name: say(f"tokens.{name}.{now.shift}") for name in ("attends", "attended")}
    | {"legend_weight": strength},
    key="links",
    src_words=[label.word for label in reading.columns],
    tgt_words=[label.word for label in reading.rows],
)
if chosen.how == "head":
    opening_line(now)

hints = quality(translation)
ignored, none = ", ".join(hints.ignored), say("quality.none")
sentence = say(
    f"quality.{hints.concern or 'calm'}",
    confidence=f"{hints.confidence:.0%}",
    words=ignored,
    run=hints.repeated,
)
numbers = say(
    "quality.numbers",
    confidence=f"{hints.confidence:.0%}",
    entropy=f"{hints.entropy.mean():.1f}",
    words=ignored or none,
    run=hints.repeated or none,
)
state = "fails" if hints.concern else "holds"
with st.container(horizontal=True, vertical_alignment="center", gap="small"):
    st.markdown(
        f"**{say('quality.title')}**",
        width="content",
        help=say("quality.help", confidence=f"{LOW_CONFIDENCE:.0%}", ignored=IGNORED, repeats=REPEATS),
    )
    st.html(f'<p class="hl-{state}">{html.escape(sentence)}</p>')
st.html(f'<p class="hl-alt">{html.escape(numbers)}</p>')
coverage, spread = st.columns(2, gap="large")
with coverage:
    marked = {n for n, word in enumerate(hints.words) if word in hints.ignored and hints.coverage[n] < IGNORED}
    highest = max(2.0, *hints.coverage.tolist())
    st.html(bars(hints.words, hints.coverage.tolist(), highest, marked, session.theme(), say("quality.coverage")))
with spread:
    tokens, most = [label.text for label in trace.tgt_outputs], math.log(len(trace.src))
    title = say("quality.spread", most=f"{most:.1f}")
    st.html(bars(tokens, hints.entropy.tolist(), most, (), session.theme(), title))
