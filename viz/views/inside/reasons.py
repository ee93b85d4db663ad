"""Why a head looks there: the table of one score, and its largest contributions in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from viz.charts.layout import chart_config
from viz.charts.markup import line
from viz.core.language import say
from viz.core.numbers import number, signed
from viz.core.theme import Theme
from viz.views.inside.reasons_figure import ReasonsTitles, reasons_figure
from viz.widgets.chart import lead

if TYPE_CHECKING:
    from model.analysis.residual.reasons import Reasons, StreamPart
    from model.trace import HeadRef

STRONGEST = -1  # in place of a key's number
_NAMED = 3  # contributions that the sentence names


def pick_key(keys: Sequence[str]) -> int:
    """The chosen key's number, or STRONGEST."""
    options = [STRONGEST, *range(len(keys))]
    if st.session_state.get("key_token", STRONGEST) not in options:
        st.session_state["key_token"] = STRONGEST
    return st.selectbox(
        say("reasons.pick"),
        options,
        format_func=lambda place: say("reasons.strongest") if place == STRONGEST else f"k {place} · {keys[place]}",
        key="key_token",
        label_visibility="collapsed",
        bind="query-params",
        width=165,
    )


def explain(found: Reasons, head: HeadRef, query: int, key: int, tokens: tuple[str, str], theme: Theme) -> None:
    """The table of one score, what it says in words, and what it does not.

    Args:
        found: of the head, every query and key.
        head: whose score it is.
        query, key: numbers of the two.
        tokens: of the query and of the key.
        theme: the look.
    """
    table = found.table(query, key)
    score = number(float(found.scores[query, key]), 3)
    weight = number(float(found.weights[query, key]), 3)
    asks, asked = tokens
    said = {"asks": asks, "asked": asked, "score": score, "weight": weight, "largest": in_words(found, query, key)}
    titles = ReasonsTitles(say("reasons.rows", asks=asks), say("reasons.columns", asked=asked), say("reasons.sum"))
    figure = reasons_figure(table, _names(found.query_parts), _names(found.key_parts), theme, titles)
    alt = say("reasons.alt", kind=say(f"kind.{head.kind}"), head=head.title, **said)
    config = chart_config("headlight-reasons")
    st.plotly_chart(figure, key="reasons_figure", width="content", theme=None, config=config, alt=alt)
    state = "holds" if found.holds else "fails"
    total = number(float(table.sum()), 3)
    st.html(line(state, say(f"reasons.{state}", total=total, score=score, error=f"{found.error:.0e}")))
    lead("reasons.said", **said)
    lead("reasons.lead", d_head=found.query.shape[-1])
    lead("reasons.source")
    lead("reasons.limits")


def in_words(found: Reasons, query: int, key: int) -> str:
    """The largest contributions to a score, and from what to what each goes."""
    from model.analysis.residual.reasons import largest

    table = found.table(query, key)
    return say("reasons.and").join(
        say(
            "reasons.pair",
            row=_long(found.query_parts[row]),
            column=_long(found.key_parts[column]),
            value=signed(float(table[row, column])),
        )
        for row, column in largest(table, _NAMED)
    )


def _names(parts: Sequence[StreamPart]) -> list[str]:
    """Short names, for the table's edges."""
    return [say(f"reasons.part.{part.sort}", layer=part.layer) for part in parts]


def _long(part: StreamPart) -> str:
    """A name that a sentence can use."""
    return say(f"reasons.long.{part.sort}", layer=part.layer)
