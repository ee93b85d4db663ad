"""The sentence, its translation, and which English words each Chinese token attends to."""

from __future__ import annotations

import math

import streamlit as st

from model.analysis.maps.reading import read, token_rows, written_probabilities
from model.analysis.what_if.quality import IGNORED, LOW_CONFIDENCE, RATES, REPEATS, Quality, quality
from model.trace import TracedTranslation
from viz.components.token_links.token_links import token_links
from viz.figures.marked import bars
from viz.figures.markup import line
from viz.parts import combined, drawing
from viz.parts.alignment import opening_line
from viz.parts.forms import overview
from viz.parts.saving import take_away
from viz.parts.showing import pins
from viz.parts.trust.answer import answer
from viz.state import checkpoints
from viz.state.answers import translations
from viz.state.checkpoints import warning
from viz.state.language import say, within
from viz.state.view import view

now = view()


def draw_links(translation: TracedTranslation) -> None:
    """Which source words each written token attends to."""
    is_own = checkpoints.sort_of(now.checkpoint) == "own"
    trace = translation.trace
    chosen = combined.combination(now)
    values, written = token_rows(chosen.of(drawing.maps(now, "cross"), "cross"), trace, now.shift)
    reading = read(values, written, trace.src, now.words, now.hide_special, now.drawn)
    sides = {} if is_own else {"src_title": say("tokens.source"), "tgt_title": say("tokens.target")}
    links, strength = drawing.strengths(now, reading.weights)
    token_links(
        [label.text for label in reading.columns],
        [label.text for label in reading.rows],
        links,
        written_probabilities(translation, now.words, now.hide_special, now.shift),
        theme=now.theme,
        labels=within(
            "tokens",
            attends=say(f"tokens.attends.{now.shift}"),
            attended=say(f"tokens.attended.{now.shift}"),
            legend_weight=strength,
            **sides,
        ),
        key="links",
        src_words=[label.word for label in reading.columns],
        tgt_words=[label.word for label in reading.rows],
    )
    if chosen.how == "head":
        opening_line(now)
    answer(now)


def draw_hints(translation: TracedTranslation) -> None:
    """Does it look reliable?"""
    hints = quality(translation)
    ignored, none = ", ".join(hints.ignored), say("quality.none")
    known = warning(now.checkpoint)
    threshold = known["threshold"] if known else LOW_CONFIDENCE
    percent = {name: f"{known[name]:.0%}" for name in RATES} if known else {}
    rates = say("quality.rates", sentences=known["sentences"], **percent) if known else say("quality.no_rates")
    concern = hints.concern(threshold)
    sentence = say(
        f"quality.{concern or 'calm'}",
        confidence=f"{hints.confidence:.0%}",
        rates=rates,
        run=hints.repeated,
    )
    numbers = say(
        "quality.numbers",
        confidence=f"{hints.confidence:.0%}",
        entropy=f"{hints.entropy.mean():.1f}",
        words=ignored or none,
        run=hints.repeated or none,
    )
    state = "fails" if concern else "holds"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f"**{say('quality.title')}**",
            width="content",
            help=say("quality.help", confidence=f"{threshold:.0%}", ignored=IGNORED, repeats=REPEATS),
        )
        st.html(line(state, sentence))
    st.html(line("alt", numbers))
    draw_bars(hints, translation)


def draw_bars(hints: Quality, translation: TracedTranslation) -> None:
    """What each source word got, and how widely each step looked."""
    trace = translation.trace
    coverage, spread = st.columns(2, gap="large")
    with coverage:
        marked = {n for n, word in enumerate(hints.words) if word in hints.ignored and hints.coverage[n] < IGNORED}
        highest = max(2.0, *hints.coverage.tolist())
        st.html(bars(hints.words, hints.coverage.tolist(), highest, marked, now.theme, say("quality.coverage")))
    with spread:
        tokens, most = [label.text for label in trace.tgt_outputs], math.log(len(trace.src))
        title = say("quality.spread", most=f"{most:.1f}")
        st.html(bars(tokens, hints.entropy.tolist(), most, (), now.theme, title))


if checkpoints.reads(now.checkpoint) == "text":
    draw_links(found := translations.translation(now.subject))
    draw_hints(found)
    with st.container(horizontal=True):
        take_away.page_button(now, take_away.shown(now), "page")
        pins.pin_button(now, take_away.shown(now), "translate")
else:
    overview.draw(now)
