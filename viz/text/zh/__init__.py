"""Interface strings in Chinese, one file a wing; a key stands in one of them alone."""

from __future__ import annotations

from viz.text.joined import joined
from viz.text.zh import (
    compare,
    decode,
    evidence,
    frame,
    heads,
    layers,
    learn,
    lessons,
    models,
    panel,
    read,
    show,
    tiny,
    viewer,
    waiting,
)

WINGS = (
    compare,
    decode,
    evidence,
    frame,
    heads,
    layers,
    learn,
    lessons,
    models,
    panel,
    read,
    show,
    tiny,
    viewer,
    waiting,
)
STRINGS: dict[str, str] = joined(wing.STRINGS for wing in WINGS)
