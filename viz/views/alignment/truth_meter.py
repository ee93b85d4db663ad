"""The truth meter's parts: which known pair, every head's error on it, and the map with people's links outlined."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model.analysis.alignment.gold import GoldPair, Link, detokenised
from model.analysis.alignment.known_pairs import best_place
from viz.charts.heatmap import HeatmapText, attention_heatmap, heatmap_config, heatmap_summary
from viz.charts.markup import line
from viz.core.choice import Labels, say, within
from viz.core.session import Session
from viz.core.theme import Theme
from viz.widgets.alignment import RULE_NAMES, Setting, choose, decoder, rates_of
from viz.widgets.errors import message
from viz.widgets.places import register

CELL = (48, 34)  # width and height of a cell in pixels: a long pair fits beside the scores
Links = Collection[tuple[int, int]]
LABELS = ("caption", "all", "cell")
_component = register("score_grid", LABELS)
SHOWN_LINKS = 12


def gold_map(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    sure: Links,
    possible: Links,
    found: Links,
    title: str,
    theme: Theme,
    text: HeatmapText,
) -> go.Figure:
    """The heatmap of a map over words; sure links have a solid outline, possible ones a dashed, found ones a dot.

    Args:
        values: 0 or more, [target words, source words]; colours run to the largest.
        rows, columns: target and source words; shown literally.
        sure, possible, found: links (source word, target word); possible ones may contain the sure.

    Raises:
        ValueError: the shapes do not fit, or a link is outside the map.
    """
    _check_links({*sure, *possible, *found}, rows, columns)
    figure = attention_heatmap(values, rows, columns, title=title, theme=theme, text=text)
    outlines = [_outline(link, theme, "solid") for link in sorted(sure)]
    outlines += [_outline(link, theme, "dot") for link in sorted(set(possible) - set(sure))]
    margin = figure.layout.margin
    figure.update_traces(showscale=False, selector={"type": "heatmap"})
    figure.update_layout(
        shapes=outlines,
        width=round(margin.l + CELL[0] * len(columns) + 16),
        height=round(margin.t + CELL[1] * len(rows) + 12),
        margin_r=16,
    )
    figure.add_trace(_dots(sorted(found), theme))
    return figure


def _check_links(links: Links, rows: Sequence[str], columns: Sequence[str]) -> None:
    for i, j in links:
        if not (0 <= i < len(columns) and 0 <= j < len(rows)):
            raise ValueError(f"link {i}-{j} is outside a map of {len(rows)} by {len(columns)} words")


def _outline(link: tuple[int, int], theme: Theme, dash: str) -> dict[str, Any]:
    column, row = link
    inset = 0.44
    return {
        "type": "rect",
        "name": dash,
        "x0": column - inset,
        "x1": column + inset,
        "y0": row - inset,
        "y1": row + inset,
        "line": {"color": theme.accent, "width": 3 if dash == "solid" else 2, "dash": dash},
        "layer": "above",
    }


def _dots(found: Sequence[tuple[int, int]], theme: Theme) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": "found",
        "mode": "markers",
        "x": [column + 0.3 for column, _ in found],
        "y": [row - 0.28 for _, row in found],
        "marker": {"size": 9, "color": theme.text, "line": {"color": theme.background, "width": 1.5}},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def score_grid(
    here: Sequence[Sequence[float]],
    everywhere: Sequence[Sequence[float]] | None,
    *,
    chosen: tuple[int | str, int | str],
    best: tuple[int, int] | None,
    theme: Theme,
    labels: Labels,
    key: str,
    on_open: Callable[[int, int | str], None],
) -> None:
    """A grid of error rates in percent, one row a layer, one column a head, the last column for all heads together.

    Args:
        here: this sentence's, [L, H + 1]; drawn large and as colour.
        everywhere: all sentences', of the same shape; drawn small.
        chosen: layer and head to mark; the head may be "all".
        best: the head to mark with a star.
        on_open: called with the layer and head, or "all", that was clicked, before the script runs again.

    Raises:
        ValueError: the shapes differ.
    """

    def opened() -> None:
        place = opened_place(message(key, "open"), len(here), len(here[0]) - 1)
        if place is not None:
            on_open(*place)

    data = {**scores_payload(here, everywhere), "chosen": list(chosen), "best": list(best) if best else None}
    _component.mount(data, theme=theme, labels=labels, key=key, on_open_change=opened)


def scores_payload(here: Sequence[Sequence[float]], everywhere: Sequence[Sequence[float]] | None) -> dict[str, object]:
    """What ``score_grid`` sends to the browser, less look, labels and what is marked.

    Raises:
        ValueError: as ``score_grid``.
    """
    sizes = [len(row) for row in here]
    if everywhere is not None and [len(row) for row in everywhere] != sizes:
        raise ValueError(f"scores of all sentences have rows of {[len(row) for row in everywhere]}, expected {sizes}")
    return {
        "here": [[round(float(score), 1) for score in row] for row in here],
        "everywhere": everywhere,
        "heads": [*range(sizes[0] - 1), "all"],
    }


def opened_place(value: Any, n_layers: int, n_heads: int) -> tuple[int, int | str] | None:
    """The layer and head, or "all", that a browser's message names; None where there is no such place."""
    if not isinstance(value, dict):
        return None
    layer, head = value.get("layer"), value.get("head")
    if type(layer) is not int or not 0 <= layer < n_layers:
        return None
    if head == "all" or (type(head) is int and 0 <= head < n_heads):
        return layer, head
    return None


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
