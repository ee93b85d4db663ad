"""Interface strings in English, one file a wing; a key stands in one of them alone."""

from __future__ import annotations

from viz.text.joined import joined, wings

WINGS = wings(__name__, __path__)
STRINGS: dict[str, str] = joined(wing.STRINGS for wing in WINGS)
