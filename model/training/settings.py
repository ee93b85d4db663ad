"""How a model is trained: everything that decides the outcome besides data and sizes."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass, field


def noam(step: int, d_model: int, warmup: int, factor: float = 1.0) -> float:
    """Learning rate of step ``step`` ≥ 1 (Vaswani et al. 2017, equation 3), times ``factor``."""
    found: float = factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
    return found


def trapezoid(step: int, progress: float, peak: float, warmup: int, cooldown: float) -> float:
    """Rises to ``peak`` over ``warmup`` steps, stays, and falls in a line to zero over the last share ``cooldown``.

    Hägele et al. 2024: as good as a cosine, and a run at its plateau can be prolonged. A cooldown of
    1 falls from the start (a triangle), of 0 never.
    """
    left = max(0.0, 1.0 - progress)
    return peak * min(step / warmup, 1.0, left / cooldown if cooldown else 1.0)


# Names and numbers of glibc's malloc.h; see mallopt(3).
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX = -1, -2, -4
KEEP = 2**31 - 1  # bytes
PAD = 2**28


def keep_freed_memory() -> bool:
    """Let this process keep what it frees; True where that could be set (glibc on Linux).

    A step on a processor allocates and frees some gigabytes in pieces of megabytes. By default each is mapped and
    unmapped, and its pages are filled with zeros every time: a third of a training step.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return False
    return all(mallopt(name, value) for name, value in ((M_MMAP_MAX, 0), (M_TRIM_THRESHOLD, KEEP), (M_TOP_PAD, PAD)))


SCHEDULES = ("noam", "trapezoid")


@dataclass(frozen=True)
class TrainingSettings:
    """Training settings; ``minutes`` (wall clock), when given, ends the run in place of ``steps``.

    ``source_weights`` says how often an epoch shows the pairs of a source (1 where it is silent);
    ``cooldown`` is the share of the run over which the rate falls to zero; ``ema_decay`` that of the
    moving average of the weights, which is what is judged and kept; ``save_minutes`` lie between two
    states to resume from; ``r_drop`` is the weight of what two passes disagree in (``TranslationLoss``).
    """

    steps: int = 20_000
    minutes: float | None = None
    batch_tokens: int = 2_500
    schedule: str = "trapezoid"
    peak: float = 1e-3
    warmup: int = 1_000
    cooldown: float = 1.0
    label_smoothing: float = 0.1
    r_drop: float = 0.0
    clip_norm: float = 1.0
    eval_every: int = 1_000
    ema_decay: float = 0.999
    save_minutes: float = 10.0
    seed: int = 1
    backward: bool = False
    source_weights: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.schedule not in SCHEDULES:
            raise ValueError(f"schedule must be one of {', '.join(SCHEDULES)}, got {self.schedule!r}")
        if min(self.steps, self.batch_tokens, self.warmup, self.eval_every) < 1:
            raise ValueError("steps, batch_tokens, warmup and eval_every must be at least 1")
        if self.r_drop < 0:
            raise ValueError("r_drop must not be negative")
        if not (0 <= self.cooldown <= 1 and 0 <= self.ema_decay < 1):
            raise ValueError("cooldown must lie in [0, 1] and ema_decay in [0, 1)")

    def progress(self, step: int, seconds: float) -> float:
        """Share of the run that is over, in [0, 1]."""
        done = seconds / (60 * self.minutes) if self.minutes else step / self.steps
        return min(1.0, done)

    def learning_rate(self, step: int, progress: float, d_model: int) -> float:
        """Learning rate of step ``step`` ≥ 1."""
        if self.schedule == "noam":
            return noam(step, d_model, self.warmup)
        return trapezoid(step, progress, self.peak, self.warmup, self.cooldown)
