"""The answer in words: which source word each written token comes from, by the map that the table trusts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from model.attribution.methods import METHODS, MethodName, traced_maps
from model.trace import AttentionTrace
from viz.charts.markup import line, tag
from viz.core import models
from viz.core.answers.faithfulness import faithfulness, left_out
from viz.core.answers.maps import attribution_maps
from viz.core.answers.translations import trace
from viz.core.language import say
from viz.core.numbers import number
from viz.core.session import Session, Subject

CHIP = "display: inline-block; border: 1px solid currentColor; border-radius: .4rem; padding: 0 .45rem; margin: .1rem;"


def trusted(checkpoint: str) -> MethodName | None:
    """The sort of map that a checkpoint's table of faithfulness begins with; None where there is no such table."""
    table, _ = faithfulness(checkpoint, models.entry_of(checkpoint).sha256)
    return table["best"] if table else None


def word_marks(subject: Subject, found: AttentionTrace, method: MethodName) -> np.ndarray:
    """How much each written token's row marks each source word, all heads and layers together: [T, W]."""
    from model.analysis.faithfulness.deletion import by_words

    maps = traced_maps(found, method) if METHODS[method].from_trace else attribution_maps(subject, method, None)
    return by_words(METHODS[method].whole(maps["cross"]), found.src, method)


def answer(now: Session) -> None:
    """Each written token with the word that it comes from, what deleting that costs, and how often this is right.

    Nothing where the checkpoint has no table, the sentence no word, or the model does not offer what it takes.
    """
    method, found = trusted(now.checkpoint), trace(now.subject)
    offered = now.model.opened.anatomy.abilities
    if method is None or not offered.issuperset(("hide", *METHODS[method].needs)):
        return
    left = left_out(now.subject)
    if not left.costs.size:
        return
    marks = word_marks(now.subject, found, method)
    chips = []
    for step, costs in enumerate(left.costs.T):
        token, place = found.tgt_outputs[step], int(marks[step].argmax())
        if token.is_special:
            continue
        said = {"token": token.text, "word": left.words[place].text, "cost": number(costs[place], 1)}
        chips.append(tag("span", say("answer.chip", **said), title=say("answer.said", **said), style=CHIP))
    st.html(line("alt", tag("b", say("answer.title")), " ", *chips, data_answer=method))
    st.html(line("alt", say("answer.how", method=say(f"method.{method}")), " ", right_rate(now.checkpoint, method)))


def right_rate(checkpoint: str, method: MethodName) -> str:
    """How often the word that a map marks most is one that people linked, on each sample where it was measured."""
    table, _ = models.entry_of(checkpoint).alignment
    named = (table or {}).get("named", {}).get(method)
    if table is None or named is None:
        return ""
    said = [say("answer.right", method=say(f"method.{method}"), **_measured(table, named))]
    news = table.get("news", {})
    if method in news.get("named", {}):
        said.append(say("answer.right.news", **_measured(news, news["named"][method])))
    return "".join(said) + say("answer.right.end")


def _measured(table: Mapping[str, Any], named: Mapping[str, Any]) -> dict[str, object]:
    """A rate in words, with its interval and its sample."""
    low, high = (f"{bound:.0f}" for bound in named["interval"])
    percent = f"{named['percent']:.0f}"
    return {"percent": percent, "words": f"{named['words']:,}", "pairs": table["sentences"], "low": low, "high": high}
