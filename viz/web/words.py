"""Names of the viewer's words: each stands in ``viz/core/text`` as ``viewer.<name>``."""

from __future__ import annotations

WORDS = (
    *("heads", "all", "map", "lines", "method", "words", "special", "rows", "written", "read", "threshold", "log"),
    *("scale", "full", "own", "common", "together", "side", "difference", "mean", "max", "mean_of", "max_of"),
    *("writes", "has_read", "sum", "hint", "hint_heads", "strongest", "nothing", "theme", "help", "keys", "caption"),
    *("hidden", "renormalised", "merged", "coded", "zoom_in", "zoom_out", "fit", "display", "save", "close"),
    *("of", "whole", "making", "present"),
)
