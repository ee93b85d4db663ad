"""Bars, curves or cells on a canvas, drawn at once; what is pointed at is told."""

from __future__ import annotations

from collections.abc import Mapping

from viz.core.language import within
from viz.core.theme import Theme
from viz.widgets.registry import register

_component = register("plain_chart", ())


def plain_chart(sent: Mapping[str, object], alt: str, *, theme: Theme, key: str) -> None:
    """The picture that ``viz.charts.plain_shapes`` describes.

    Args:
        sent: the description, as ``Drawing.sent`` gives it.
        alt: its alternative text.
        theme: the look.
        key: names this place on the page.
    """
    # in one piece: Streamlit asks of each entry whether it is a table
    _component.mount({"chart": {**sent, "alt": alt}}, theme=theme, labels=within(""), key=key)
