"""The sentence, its translation, and which English words each Chinese token attends to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from model.analysis.what_if.quality import IGNORED, RATES, REPEATS, Quality, quality
from model.analysis.what_if.verdict import LOW, RARE_PIECES, THRESHOLD, TRACELESS, UNSURE
from model.attribution.labelled_map import read, shown_groups, token_rows, written_probabilities
from model.trace import TracedTranslation
from viz.charts.marked import bars
from viz.charts.markup import line
from viz.core.answers import translations
from viz.core.language import say, within
from viz.core.model_pool import has_pytorch
from viz.core.session import Session, choose_token, current_session
from viz.views.translate import overview, panel, writers
from viz.views.translate.answer import answer
from viz.views.translate.best_picture import best_picture, say_best, verdict
from viz.views.translate.token_links import token_links
from viz.widgets import combined, examples, pins, take_away
from viz.widgets import map_choice as drawing
from viz.widgets.alignment import opening_line
from viz.widgets.bar import bar

now = current_session()
_READY = "_heads_beside"  # in a visitor's session: the run that loads PyTorch has passed
is_ready = has_pytorch() or _READY in st.session_state


def draw_links(translation: TracedTranslation) -> tuple[Session, np.ndarray] | None:
    """Which source words each written token attends to; what ``best_picture`` gave."""
    is_own = now.model.kind == "own"
    trace = translation.trace
    chosen = combined.combination(now)
    best = best_picture(now)
    shown, whole = best or (replace(now, shift="written"), chosen.of(drawing.maps(now, "cross"), "cross"))
    values, written = token_rows(whole, trace, shown.shift)
    reading = read(values, written, trace.src, now.words, now.hide_special, shown.method)
    sides = {} if is_own else {"src_title": say("tokens.source"), "tgt_title": say("tokens.target")}
    links, strength = drawing.strengths(shown, reading.weights)
    groups, place = shown_groups(written, now.words, now.hide_special), panel.token_of(now)
    token_links(
        [label.text for label in reading.columns],
        [label.text for label in reading.rows],
        links,
        written_probabilities(translation, now.words, now.hide_special, shown.shift),
        theme=now.theme,
        labels=within(
            "tokens",
            attends=_told(shown, "attends"),
            attended=_told(shown, "attended"),
            legend_weight=strength,
            **sides,
        ),
        key="links",
        src_words=[label.word for label in reading.columns],
        tgt_words=[label.word for label in reading.rows],
        chosen=next((row for row, group in enumerate(groups) if place in group), None),
        on_pick=lambda row: choose_token(None if row is None else groups[row][0]),
        wrote=writers.writers(now, place) if is_ready else None,
    )
    if not best and chosen.how == "head":
        opening_line(now)
    return best


def _told(shown: Session, how: str) -> str:
    """What is said of a token that is pointed at: weights are looks, anything else marks."""
    return say(f"tokens.{how}" if shown.method == "weights" else f"tokens.marks.{how}")


def _rates(known: Mapping[str, Any]) -> dict[str, str]:
    """The rates of a warning in words; where nothing was warned of, no share of it can be right."""
    percent = {name: "–" if known[name] is None else f"{known[name]:.0%}" for name in RATES}
    return {**percent, "sentences": f"{known['sentences']:,}", "poor_below": f"{known['poor_below']:.0f}"}


def draw_hints(translation: TracedTranslation) -> None:
    """What the verdict over every view rests on, and how often it is right."""
    hints, known = quality(translation), now.model.warning
    threshold = known["threshold"] if known else THRESHOLD
    limits = {"repeats": REPEATS, "traceless": TRACELESS, "pieces": RARE_PIECES}
    percent = {"threshold": f"{threshold:.0%}", "low": f"{LOW:.0%}", "unsure": f"{UNSURE:.0%}"}
    numbers = say(
        "quality.numbers",
        confidence=f"{hints.confidence:.0%}",
        entropy=f"{hints.entropy.mean():.1f}",
        words=", ".join(hints.ignored) or say("quality.none"),
    )
    st.html(line("alt", say("quality.help", **limits, **percent)))
    st.html(line("alt", say("quality.rates", **_rates(known)) if known else say("quality.no_rates")))
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


if now.model.reads not in ("picture", "maps"):
    with bar().popover(say("app.examples"), width="content", key="hl_examples"):
        examples.draw(now.model)
if now.model.reads == "text":
    found = translations.translation(now.subject)
    best = draw_links(found)
    panel.answer_line(now, with_head=best is None)
    with st.expander(say("quality.how")):
        reasons, panel_column = st.columns([7, 3], gap="medium")
        with reasons:
            if best:
                say_best(best[0])
                verdict(*best)
            answer(now)
            draw_hints(found)
        with panel_column:
            panel.draw(now)
    with st.container(horizontal=True, vertical_alignment="center"):
        take_away.page_button(now, take_away.shown(now), "page")
        pins.pin_button(now, take_away.shown(now), "translate")
        st.html(line("alt", say("app.purpose")))
    if not is_ready:  # the first visit of all: the picture came before PyTorch, the heads beside it come now
        st.session_state[_READY] = True
        st.rerun()
else:
    overview.draw(now)
