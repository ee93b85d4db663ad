"""What the pages about masks and positions are made of: charts with their words, and labelled widgets."""

from __future__ import annotations

from typing import Any, Literal

import streamlit as st

from viz.figures.layout import chart_config
from viz.figures.markup import line
from viz.state.language import say


def lead(key: str, **values: object) -> None:
    """One or two sentences on what a picture shows; whatever stands in them is shown literally."""
    st.html(line("lead", say(key, **values)))


def draw(figure: Any, key: str, fits: bool = False, **values: object) -> None:
    """A chart over the sentence ``<key>.lead``, with the alternative text ``<key>.alt``.

    Args:
        figure: Plotly figure.
        key: of the interface strings; the widget is named after it.
        fits: keep the figure's own width instead of filling the page.
        values: fill the places of both strings.
    """
    name = key.replace(".", "_")
    config = chart_config(f"headlight-{name.replace('_', '-')}")
    width: Literal["content", "stretch"] = "content" if fits else "stretch"
    st.plotly_chart(figure, key=name, width=width, theme=None, config=config, alt=say(f"{key}.alt", **values))
    lead(f"{key}.lead", **values)


def slider(key: str, name: str, low: int, high: int, start: int) -> int:
    """A whole number called ``name`` in the URL, labelled ``<key>`` and explained by ``<key>.help``.

    Where there is no choice, nothing is drawn.
    """
    if low == high:
        return low
    if name in st.session_state:
        st.session_state[name] = min(max(st.session_state[name], low), high)
    start, explained = min(start, high), say(f"{key}.help")
    return st.slider(say(key), low, high, start, key=name, help=explained, bind="query-params", width=460)
