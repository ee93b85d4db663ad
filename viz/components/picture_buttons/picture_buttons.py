"""Two buttons that download a chart as a picture, made in the browser from what is drawn."""

from __future__ import annotations

from viz.components.shared.registry import register
from viz.state.language import Labels

PICTURES = ("png", "svg")
SCALE = 3  # pixels of a PNG for each pixel on the screen
_component = register("picture_buttons", PICTURES)


def picture_buttons(chart: str, filename: str, *, labels: Labels, key: str) -> None:
    """PNG and SVG of a Plotly chart on the same page; both work offline, with the browser's own fonts.

    Args:
        chart: the ``key`` of the chart's ``st.plotly_chart``.
        filename: of the picture, without its ending.
        labels: what "png" and "svg" mean, in the visitor's language.
        key: names this place on the page.
    """
    _component.mount({"chart": chart, "filename": filename, "scale": SCALE}, labels=labels, key=key)
