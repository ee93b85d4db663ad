"""Learning-rate schedules."""

from __future__ import annotations


def noam(step: int, d_model: int, warmup: int, factor: float = 1.0) -> float:
    """Learning rate of step ``step`` ≥ 1 (Vaswani et al. 2017, equation 3), times ``factor``."""
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def trapezoid(step: int, progress: float, peak: float, warmup: int, cooldown: float) -> float:
    """Rises to ``peak`` over ``warmup`` steps, stays, and falls in a line to zero over the last share ``cooldown``.

    Hägele et al. 2024: as good as a cosine, and a run at its plateau can be prolonged. A cooldown of
    1 falls from the start (a triangle), of 0 never.
    """
    left = max(0.0, 1.0 - progress)
    return peak * min(step / warmup, 1.0, left / cooldown if cooldown else 1.0)
