"""Two buttons that download a chart as a picture, made in the browser from what is drawn."""

from __future__ import annotations

from viz.components.registry import register

PICTURES = ("png", "svg")
SCALE = 3  # pixels of a PNG for each pixel on the screen
_mount = register("picture_buttons")


def picture_buttons(chart: str, filename: str, *, labels: dict[str, str], key: str) -> None:
    """PNG and SVG of a Plotly chart on the same page; both work offline, with the browser's own fonts.

    Args:
        chart: the ``key`` of the chart's ``st.plotly_chart``.
        filename: of the picture, without its ending.
        labels: what "png" and "svg" mean, in the visitor's language.
        key: names this place on the page.
    """
    data = {"chart": chart, "filename": filename, "scale": SCALE, "labels": {name: labels[name] for name in PICTURES}}
    _mount(key=key, data=data)
