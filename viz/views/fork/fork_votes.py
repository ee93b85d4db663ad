"""The votes at a fork in pictures and sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from model.trace import Kind
from viz.charts.layout import chart_config
from viz.charts.markup import line, tag
from viz.charts.votes import bars_figure
from viz.core.language import say, within
from viz.core.numbers import signed
from viz.core.theme import Theme
from viz.widgets.chart import lead
from viz.widgets.desk_gains import mute_on_desk
from viz.widgets.head_board import Board, head_board

if TYPE_CHECKING:
    from model.analysis.residual.votes import Votes
    from model.attribution.labelled_map import LabelledMap

_KINDS: tuple[Kind, Kind] = ("cross", "decoder_self")
_NAMED = 4  # heads that a word's bar names


def draw_votes(votes: Votes, sources: LabelledMap, written: str, other: str, theme: Theme) -> None:
    """Votes of heads, source words and the rest, for one token against another.

    Args:
        votes: for ``written`` against ``other``.
        sources: ``votes.sources`` [L, H, S] with its source tokens, or words, as columns.
        written, other: the two tokens; shown literally.
        theme: the look.
    """
    said = {"a": written, "b": other}
    title = tag("h3", say("votes.title", **said), style="margin:.2rem 0 0;font-size:1.1rem")
    st.html(title + sum_html(votes, written, other))
    heads, parts = st.columns([3, 2], gap="medium")
    with heads:
        _draw_heads(votes, said, theme)
    with parts:
        _draw_parts(votes, said, theme)
    _draw_words(sources, said, theme)
    st.html(rest_html(votes))


def sum_html(votes: Votes, written: str, other: str) -> str:
    """One sentence that adds the votes up; the exact numbers are attributes."""
    heads = {kind: signed(float(each.sum())) for kind, each in votes.heads.items()}
    share = math.exp(min(50.0, abs(votes.difference)))
    favoured = (written, other) if votes.difference >= 0 else (other, written)
    sentence = say(
        "votes.sum" if "cross" in votes.heads else "votes.sum.alone",
        a=written,
        b=other,
        difference=signed(votes.difference, 4),
        total=signed(votes.total, 4),
        rest=signed(votes.rest),
        more=favoured[0],
        less=favoured[1],
        times=f"{share:,.1f}" if share < 1e4 else f"{share:.0e}",
        **heads,
    )
    numbers = {"difference": votes.difference, "total": votes.total, "rest": votes.rest}
    exact = {f"data-{name}": f"{value:.6f}" for name, value in numbers.items()}
    return line("lead", sentence, id="hl-votes", **exact, style="max-width:none;margin:0")


def rest_html(votes: Votes) -> str:
    """One sentence that says what the rest is."""
    rest = say(
        "votes.rest",
        feed_forward=signed(float(votes.feed_forward.sum())),
        embedding=signed(votes.embedding),
        biases=signed(votes.biases),
    )
    return line("alt", rest, style="max-width:60rem")


def _kinds(votes: Votes) -> list[Kind]:
    """The kinds whose heads voted, in the order in which they are drawn."""
    return [kind for kind in _KINDS if kind in votes.heads]


def _draw_heads(votes: Votes, said: dict[str, str], theme: Theme) -> None:
    board = Board(
        votes.heads,
        {kind: say(f"kind.{kind}") for kind in _kinds(votes)},
        signed,
        signed,
        top=max(float(np.abs(each).max(initial=0)) for each in votes.heads.values()) or 1.0,
        signed=True,
    )
    head_board(
        board,
        selected=None,
        theme=theme,
        labels=within("votes", legend=say("votes.heads", **said)),
        key="votes_heads",
        on_open=mute_on_desk,
    )


def _draw_parts(votes: Votes, said: dict[str, str], theme: Theme) -> None:
    names = [say(f"votes.part.{part}") for part in (*_kinds(votes), "rest", "sum")]
    kinds = [float(votes.heads[kind].sum()) for kind in _kinds(votes)]
    values = np.array([*kinds, votes.rest, votes.total])
    lead("votes.parts", **said)
    hover = [f"{name}: {signed(value)}" for name, value in zip(names, values, strict=True)]
    figure = bars_figure(names, values, theme, hover, pitch=110)
    _chart(figure, "votes_parts", say("votes.parts.alt", values=", ".join(hover), **said))


def _draw_words(sources: LabelledMap, said: dict[str, str], theme: Theme) -> None:
    words = [label.text for label in sources.columns]
    values = sources.weights.sum(axis=(0, 1))
    hover = [
        f"{word}: {signed(values[place])}\n{_strongest(sources.weights[:, :, place])}"
        for place, word in enumerate(words)
    ]
    lead("votes.words", **said)
    figure = bars_figure(words, values, theme, hover, pitch=1130 / len(words))
    order = np.argsort(-np.abs(values))[:_NAMED]
    named = ", ".join(f"{words[place]} {signed(values[place])}" for place in order)
    _chart(figure, "votes_words", say("votes.words.alt", words=named, **said))


def _strongest(votes: np.ndarray, kind: str = "") -> str:
    """The heads with the largest votes either way, of [L, H]: "L3 H2 +0.31 · L4 H0 −0.20"."""
    order = np.argsort(-np.abs(votes), axis=None)[:_NAMED]
    places = [divmod(int(place), votes.shape[1]) for place in order]
    named = " · ".join(f"L{layer} H{head} {signed(votes[layer, head])}" for layer, head in places)
    return f"{kind}: {named}" if kind else named


def _chart(figure: object, key: str, alt: str) -> None:
    name = f"headlight-{key.replace('_', '-')}"
    st.plotly_chart(figure, key=key, theme=None, config=chart_config(name), alt=alt)
