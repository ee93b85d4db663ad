"""What else could have been written here, and why it was not: candidates, and the votes against one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from viz.charts.markup import line
from viz.core.answers.residual import votes
from viz.core.answers.translations import translation
from viz.core.answers.what_if import steps
from viz.core.language import say
from viz.core.numbers import signed
from viz.core.pieces import shown_piece
from viz.core.session import Session

if TYPE_CHECKING:
    from model.analysis.residual.votes import Votes

NEXT_BEST = 5
_NAMED = 2  # words, and heads, that the sentence names


def draw(now: Session, place: int) -> None:
    """The step's candidates with their probabilities; one that is chosen is compared with what was written."""
    found = translation(now.subject)
    step = steps(now.subject, NEXT_BEST)[place]
    others = {
        each.id: f"{shown_piece(each.piece)} {each.probability:.0%}"
        for each in step.candidates
        if each.id != step.written.id
    }
    rival = st.pills(
        say("panel.rivals"), list(others), format_func=others.__getitem__, key=f"rival_{place}_{step.written.id}"
    )
    if rival is None:
        return
    before = found.tgt_ids[:place]
    voted = votes(now.subject.text, now.checkpoint, before, step.written.id, rival)
    other = next(each.piece for each in step.candidates if each.id == rival)
    words = word_votes(voted, [(label.text, label.word) for label in found.trace.src])
    said = {"token": shown_piece(step.written.piece), "other": shown_piece(other)}
    facts = {"difference": signed(voted.difference, 1), "words": _named(words), "heads": _named(head_votes(voted))}
    st.html(line("alt", say("panel.why", **said, **facts), data_rival=rival, data_difference=f"{voted.difference:.4f}"))


def word_votes(voted: Votes, src: list[tuple[str, int]]) -> dict[str, float]:
    """The cross heads' votes by source word, the largest first; pieces of a word, by its number, add up."""
    texts: dict[int, str] = {}
    sums: dict[int, float] = {}
    for place, ((text, word), value) in enumerate(zip(src, voted.sources.sum((0, 1)).tolist(), strict=True)):
        key = word if word >= 0 else -1 - place  # a special token is its own
        texts[key] = texts.get(key, "") + text.removeprefix("##")
        sums[key] = sums.get(key, 0.0) + value
    order = sorted(sums, key=lambda key: -abs(sums[key]))
    return {texts[key]: sums[key] for key in order}


def head_votes(voted: Votes) -> dict[str, float]:
    """The votes of every head, the largest first, by "cross L3 H2"."""
    found = {
        f"{say(f'kind.{kind}')} L{layer} H{head}": float(values[layer, head])
        for kind, values in voted.heads.items()
        for layer, head in np.ndindex(*values.shape)
    }
    return dict(sorted(found.items(), key=lambda each: -abs(each[1])))


def _named(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {signed(value, 1)}" for name, value in list(values.items())[:_NAMED])
