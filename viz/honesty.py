"""The honesty bar under a map: does deleting what it marks cost more than deleting words at random?"""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from model.analysis.drawn import OF_TOKEN
from model.analysis.reading import token_rows
from model.trace import Kind
from viz import deletions, drawing, session
from viz.figures.honesty import BarText, honesty_html
from viz.numbers import number
from viz.session import say

if TYPE_CHECKING:
    from model.analysis.deletion import LeftOut
    from model.analysis.honesty import Honesty


def honesty_bar(kind: Kind, values: np.ndarray, name: str) -> None:
    """The bar of one map, with its verdict, one sentence, and what deleting means.

    Cross-attention is judged row by row, named after tokens as the frame's shift says; the encoder's
    maps, and gradients of one token, by how much each English word is marked in all. Maps of the
    decoder's own have no English words to delete, and a line says so.

    Args:
        kind: which attention.
        values: the map as it is drawn, one row and one column a token, special ones included, [Q, K].
        name: of the head, or of what was combined; shown literally.
    """
    if kind == "decoder_self":
        _line(say("honesty.decoder_self"))
        return
    found = found_honesty(kind, values)
    if not found.can_tell:
        _line(say("honesty.short", name=name))
        return
    by_row = found.deleted == 1 and not math.isnan(found.best)
    numbers = {
        "name": name,
        "cost": number(found.cost),
        "median": number(found.median),
        "beaten": f"{math.floor(100 * found.beaten)}",
        "n": f"{found.random.size:,}",
        "k": found.deleted,
        "best": number(found.best) if by_row else "",
        "of": _of() if kind == "cross" else say("honesty.of.all"),
    }
    how = "rows" if by_row else "words"
    sentence = say(f"honesty.{how}", **numbers)
    low, high = np.quantile(found.random, (0.05, 0.95)).tolist()
    text = BarText(
        verdict=say(f"honesty.{found.verdict}"),
        chosen=say("honesty.legend.chosen", **numbers),
        random=say("honesty.legend.random", **numbers),
        best=say("honesty.legend.best", **numbers),
        alt=f"{say(f'honesty.{found.verdict}')}: {sentence}",
    )
    best = found.best if by_row else None
    st.html(honesty_html(found.cost, (low, found.median, high), best, found.verdict, session.theme(), text))
    _line(sentence, say(f"honesty.deleted.{how}"))


def found_honesty(kind: Kind, values: np.ndarray) -> Honesty:
    """The honesty of a map of cross-attention or of the encoder, [Q, K] by tokens, of the current translation."""
    from model.analysis.deletion import by_words
    from model.analysis.honesty import honesty

    now, trace = session.view(), session.trace()
    step = drawing.chosen_step() if now.drawn in OF_TOKEN else None
    if kind == "cross" and step is None:
        rows, _ = token_rows(values, trace, now.shift)
        return honesty(left_out(), by_words(rows, trace.src, now.drawn))
    importance = by_words(values, trace.src, now.drawn).sum(axis=0, dtype=np.float64)
    marks = tuple(np.round(importance, 6).tolist())
    return deletions.words_honesty(now.text, now.checkpoint, now.beam, session.forced("hyp"), marks, step)


def left_out() -> LeftOut:
    """What deleting each English word costs each token of the current translation."""
    now = session.view()
    return deletions.left_out(now.text, now.checkpoint, now.beam, session.forced("hyp"))


def _of() -> str:
    """What the log-probability is of: the whole translation, or the token that gradients are of."""
    step = drawing.chosen_step() if session.view().drawn in OF_TOKEN else None
    if step is None:
        return say("honesty.of.all")
    return say("honesty.of.token", token=session.trace().tgt_outputs[step].text)


def _line(*sentences: str) -> None:
    st.html("".join(f'<p class="hl-alt" style="max-width: 72rem;">{html.escape(each)}</p>' for each in sentences))
