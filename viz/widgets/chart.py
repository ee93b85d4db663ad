"""What lessons and other pages are made of: charts with their words, and labelled widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import streamlit as st

from viz.charts.layout import chart_config
from viz.charts.markup import line
from viz.charts.plain_shapes import PlainChart
from viz.core.choice import say, within
from viz.core.session import theme
from viz.core.theme import Theme
from viz.widgets.places import register

_component = register("plain_chart", ())


def plain_chart(sent: Mapping[str, object], alt: str, *, theme: Theme, key: str) -> None:
    """The picture that ``viz.charts.plain_shapes`` describes.

    Args:
        sent: the description, as ``Drawing.sent`` gives it.
        alt: its alternative text.
    """
    # in one piece: Streamlit asks of each entry whether it is a table
    _component.mount({"chart": {**sent, "alt": alt}}, theme=theme, labels=within(""), key=key)


def lead(key: str, **values: object) -> None:
    """One or two sentences on what a picture shows; whatever stands in them is shown literally."""
    st.html(line("lead", say(key, **values)))


def draw(figure: Any, key: str, fits: bool = False, twin: str = "", **values: object) -> None:
    """A chart over the sentence ``<key>.lead``, with the alternative text ``<key>.alt``.

    Args:
        figure: Plotly figure, or a plain picture, which is drawn far sooner.
        key: of the interface strings; the widget is named after it.
        fits: keep a Plotly figure's own width instead of filling the page; a plain one knows.
        twin: tells the widget from others of the same key.
        values: fill the places of both strings.
    """
    name = f"{key}.{twin}".rstrip(".").replace(".", "_")
    alt = say(f"{key}.alt", **values)
    if isinstance(figure, PlainChart):
        plain_chart(figure.sent(), alt, theme=theme(), key=name)
    else:
        _plotly(figure, name, fits, alt)
    lead(f"{key}.lead", **values)


def draw_row(figures: Sequence[PlainChart], key: str, **values: object) -> None:
    """Plain pictures side by side, each with the alternative text ``<key>.alt``, whose places ``values`` fill."""
    alt, name = say(f"{key}.alt", **values), key.replace(".", "_")
    for column, (place, figure) in zip(st.columns(len(figures)) if figures else (), enumerate(figures), strict=True):
        with column:
            plain_chart(figure.sent(), alt, theme=theme(), key=f"{name}_{place}")


def _plotly(figure: Any, name: str, fits: bool, alt: str) -> None:
    config = chart_config(f"headlight-{name.replace('_', '-')}")
    width: Literal["content", "stretch"] = "content" if fits else "stretch"
    st.plotly_chart(figure, key=name, width=width, theme=None, config=config, alt=alt)


def slider(key: str, name: str, low: int, high: int, start: int) -> int:
    """A whole number called ``name`` in the URL, labelled ``<key>`` and explained by ``<key>.help``.

    Where there is no choice, nothing is shown.
    """
    if low == high:
        return low
    if name in st.session_state:
        st.session_state[name] = min(max(st.session_state[name], low), high)
    start, explained = min(start, high), say(f"{key}.help")
    return st.slider(say(key), low, high, start, key=name, help=explained, bind="query-params", width=460)
