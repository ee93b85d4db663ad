"""Learning-rate schedules."""

from __future__ import annotations


def noam(step: int, d_model: int, warmup: int, factor: float = 1.0) -> float:
    """Learning rate of step ``step`` ≥ 1 (Vaswani et al. 2017, equation 3), times ``factor``."""
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def warmup_linear(step: int, progress: float, peak: float, warmup: int) -> float:
    """Rises to ``peak`` over ``warmup`` steps, then falls in a line to zero as ``progress`` nears 1."""
    return peak * min(step / warmup, max(0.0, 1.0 - progress))


def warmup_constant(step: int, peak: float, warmup: int) -> float:
    """Rises to ``peak`` over ``warmup`` steps and stays there (for a run that will be grown)."""
    return peak * min(step / warmup, 1.0)
