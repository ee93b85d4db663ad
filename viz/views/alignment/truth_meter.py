"""The truth meter's parts: which known pair, every head's error on it, and the map with people's links outlined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from model.analysis.alignment.gold import GoldPair, Link, detokenised
from model.analysis.alignment.known_pairs import best_place
from viz.charts.heatmap import HeatmapText, heatmap_config, heatmap_summary
from viz.charts.markup import line
from viz.core.language import say, within
from viz.core.session import Session
from viz.core.theme import Theme
from viz.views.alignment.gold_map import gold_map
from viz.views.alignment.score_grid import score_grid
from viz.widgets.alignment import RULE_NAMES, Setting, choose, decoder, rates_of

SHOWN_LINKS = 12


def pair_picker(pairs: list[GoldPair]) -> int:
    """The chosen pair's place; links hold its number, counted from 1, as ``pair``."""
    state, link = st.session_state, st.query_params.get("pair")
    if link is not None and link != state.get("_pair_link") and link.isdecimal():
        state["pair"] = int(link) - 1
    state["pair"] = state.get("pair", 0) if state.get("pair", 0) in range(len(pairs)) else 0
    number: int = st.selectbox(
        say("alignment.pair"),
        range(len(pairs)),
        format_func=lambda n: f"{n + 1} · {running(pairs[n])}",
        key="pair",
        persist_state="session",
        label_visibility="collapsed",
    )
    state["_pair_link"] = str(number + 1)
    if link != state["_pair_link"]:
        st.query_params["pair"] = state["_pair_link"]
    return number


def running(pair: GoldPair) -> str:
    """A pair as people write it."""
    src = pair.src_text if pair.by_letter else detokenised(pair.src_words)
    return f"{src} — {pair.tgt_text}"


def grid(now: Session, chosen: Setting, rates: np.ndarray) -> None:
    """Every head's error rate on the pair, and on all pairs where the checkpoint's table has it.

    Args:
        now: the visitor's choices.
        chosen: the setting, whose place is marked.
        rates: of the pair, in [0, 1], by rule, shift, drawn and place.
    """
    layers, heads = decoder(now)
    shift, method, _ = chosen.index(layers, heads)
    here = 100 * rates[RULE_NAMES.index(chosen.rule), shift, method][:-1].reshape(layers, heads + 1)
    table, _ = now.model.alignment
    everywhere = rates_of(table, chosen) if table else None
    special = {} if everywhere else {"caption": say("alignment.grid.caption.here")}
    score_grid(
        here.tolist(),
        everywhere["layers"] if everywhere else None,
        chosen=(chosen.layer, chosen.head),
        best=best_place(everywhere["layers"]) if everywhere else None,
        theme=now.theme,
        labels=within("alignment.grid", **special),
        key="score_grid",
        on_open=choose,
    )


def picture(pair: GoldPair, word_map: np.ndarray, links: frozenset[Link], chosen: Setting, theme: Theme) -> None:
    """The chosen map over the pair's words; people's links outlined, its own marked with a dot.

    The map is the mean over the tokens of a Chinese word, so that weights stay between 0 and 1.
    """
    sort = say(f"method.{chosen.method}")
    words = replace(HeatmapText.said_by(say), weight=sort)
    figure = gold_map(
        word_map,
        pair.tgt_words,
        pair.src_words,
        sure=pair.sure,
        possible=pair.possible,
        found=links,
        title=chosen.name,
        theme=theme,
        text=words,
    )
    missed = ", ".join(f"{pair.src_words[i]}–{pair.tgt_words[j]}" for i, j in sorted(pair.sure - links)[:SHOWN_LINKS])
    wrong = ", ".join(
        f"{pair.src_words[i]}–{pair.tgt_words[j]}" for i, j in sorted(links - pair.possible)[:SHOWN_LINKS]
    )
    none = say("alignment.none")
    summary = say("alignment.map.alt", missed=missed or none, wrong=wrong or none)
    alt = f"{summary} {heatmap_summary(word_map, pair.tgt_words, pair.src_words, words)}"
    config = heatmap_config("headlight-truth")
    st.plotly_chart(figure, key="truth_map", width="content", theme=None, config=config, alt=alt)
    st.html(line("alt", summary))
