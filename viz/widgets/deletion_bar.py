"""The honesty bar under a map: does deleting what it marks cost more than deleting words at random?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from model.attribution.labelled_map import token_rows
from model.trace import Kind
from viz.charts.deletion import BarText, honesty_html
from viz.charts.markup import line
from viz.core.answers import what_if
from viz.core.answers.translations import trace, translation
from viz.core.choice import say
from viz.core.numbers import number
from viz.core.session import Session
from viz.widgets import map_choice

if TYPE_CHECKING:
    from model.analysis.faithfulness.verdict import Honesty


def deletion_bar(now: Session, kind: Kind, values: np.ndarray, name: str) -> None:
    """The bar of one map, with its verdict, one sentence, and what deleting means.

    Cross-attention is judged row by row, named after tokens as the frame's shift says; the encoder's
    maps, and gradients of one token, by how much each English word is marked in all. Maps of the
    decoder's own have no English words to delete, and a line says so.

    Args:
        values: the map as it is shown, one row and one column a token, special ones included, [Q, K].
        name: of the head, or of what was combined; shown literally.
    """
    anatomy, found = now.model.facts.anatomy, translation(now.subject)
    if "hide" not in anatomy.abilities or not found.log_probs:
        why = anatomy.why.get("hide") or "no_mask"
        _line(say("honesty.cannot", why=say(f"why.{why}")))
        return
    if kind == "decoder_self":
        _line(say("honesty.decoder_self"))
        return
    honest = found_honesty(now, kind, values)
    _draw(now, kind, values, honest, name)


def _draw(now: Session, kind: Kind, values: np.ndarray, found: Honesty, name: str) -> None:
    if not found.can_tell:
        _line(say("honesty.short", name=name))
        return
    best = found.best if found.deleted == 1 and not math.isnan(found.best) else None
    numbers = _numbers(found, best) | {"name": name, "of": _of(now) if kind == "cross" else say("honesty.of.all")}
    how = "words" if best is None else "rows"
    sentence = say(f"honesty.{how}", **numbers)
    low, high = np.quantile(found.random, (0.05, 0.95)).tolist()
    text = BarText(
        verdict=say(f"honesty.{found.verdict}"),
        chosen=say("honesty.legend.chosen", **numbers),
        random=say("honesty.legend.random", **numbers),
        best=say("honesty.legend.best", **numbers),
        alt=f"{say(f'honesty.{found.verdict}')}: {sentence}",
    )
    st.html(honesty_html(found.cost, (low, found.median, high), best, found.verdict, now.theme, text))
    _line(sentence, say(f"honesty.deleted.{how}"))
    if best is not None:
        _line(_references(now, values))


def _references(now: Session, values: np.ndarray) -> str:
    """What two maps that cannot be honest cost here: a diagonal, and this map's rows in reverse order."""
    from model.analysis.faithfulness.deletion import by_words
    from model.analysis.faithfulness.verdict import diagonal_map, honesty

    tokens, left = trace(now.subject), what_if.left_out(now.subject)
    rows = by_words(token_rows(values, tokens, now.shift)[0], tokens.src, now.method)
    named = {"diagonal": honesty(left, diagonal_map(*rows.shape)), "shuffled": honesty(left, rows[::-1])}
    verdicts = {f"{name}_is": say(f"honesty.{found.verdict}") for name, found in named.items()}
    return say("honesty.references", **{name: number(found.cost) for name, found in named.items()}, **verdicts)


def _numbers(found: Honesty, best: float | None) -> dict[str, object]:
    """What the sentences say of it."""
    return {
        "cost": number(found.cost),
        "median": number(found.median),
        "beaten": f"{math.floor(100 * found.beaten)}",
        "n": f"{found.random.size:,}",
        "k": found.deleted,
        "best": "" if best is None else number(best),
    }


def found_honesty(now: Session, kind: Kind, values: np.ndarray) -> Honesty:
    """The honesty of a map of cross-attention or of the encoder, [Q, K] by tokens, of the current translation."""
    from model.analysis.faithfulness.deletion import by_words
    from model.analysis.faithfulness.verdict import honesty

    tokens, step = trace(now.subject), map_choice.chosen_step(now)
    if kind == "cross" and step is None:
        rows, _ = token_rows(values, tokens, now.shift)
        return honesty(what_if.left_out(now.subject), by_words(rows, tokens.src, now.method))
    importance = by_words(values, tokens.src, now.method).sum(axis=0, dtype=np.float64)
    marks = tuple(np.round(importance, 6).tolist())
    return what_if.words_honesty(now.subject, marks, step)


def _of(now: Session) -> str:
    """What the log-probability is of: the whole translation, or the token that gradients are of."""
    step = map_choice.chosen_step(now)
    if step is None:
        return say("honesty.of.all")
    return say("honesty.of.token", token=trace(now.subject).tgt_outputs[step].text)


def _line(*sentences: str) -> None:
    st.html("".join(line("alt", each, style="max-width: 72rem;") for each in sentences))
