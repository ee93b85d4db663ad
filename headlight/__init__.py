"""Headlight: see what every attention head of a translator, or of your own model, looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viz.export.notebook.show import show

__all__ = ["show"]


def __getattr__(name: str) -> object:
    """What the package offers, imported when it is first asked for: ``headlight --help`` must not wait for it."""
    if name != "show":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from viz.export.notebook.show import show

    return show
