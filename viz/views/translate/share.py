"""A whole in two parts, as a sentence and a thin bar."""

from __future__ import annotations

from markupsafe import Markup

from viz.charts.markup import line, tag

_FIRST, _SECOND = "#0072B2", "#E69F00"


def share_bar(first: float, sentence: str) -> Markup:
    """The first part's share, from 0 to 1, and what is said of both."""
    inner = tag("i", style=f"display: block; width: {100 * first:.1f}%; background: {_FIRST}")
    look = f"display: flex; height: .45rem; border-radius: .2rem; overflow: hidden; background: {_SECOND}"
    return line("alt", sentence, data_share=f"{first:.4f}") + tag("div", inner, style=look, aria_hidden="true")
