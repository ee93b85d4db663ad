"""Plotly's own script, for a page that holds figures and can fetch nothing."""

from __future__ import annotations

from functools import cache


@cache
def plotly_script() -> str:
    """The whole script, as the installed plotly ships it; about 5 MB."""
    from plotly.offline import get_plotlyjs

    found: str = get_plotlyjs()
    return found
