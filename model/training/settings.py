"""How a model is trained: everything that decides the outcome besides data and sizes."""

from __future__ import annotations

from dataclasses import dataclass, field

from model.training.schedule import noam, trapezoid

SCHEDULES = ("noam", "trapezoid")


@dataclass(frozen=True)
class TrainingSettings:
    """Training settings; ``minutes`` (wall clock), when given, ends the run in place of ``steps``.

    ``source_weights`` says how often an epoch shows the pairs of a source (1 where it is silent);
    ``cooldown`` is the share of the run over which the rate falls to zero; ``ema_decay`` that of the
    moving average of the weights, which is what is judged and kept; ``save_minutes`` lie between two
    states to resume from.
    """

    steps: int = 20_000
    minutes: float | None = None
    batch_tokens: int = 2_500
    schedule: str = "trapezoid"
    peak: float = 1e-3
    warmup: int = 1_000
    cooldown: float = 1.0
    label_smoothing: float = 0.1
    clip_norm: float = 1.0
    eval_every: int = 1_000
    ema_decay: float = 0.999
    save_minutes: float = 10.0
    seed: int = 1
    source_weights: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.schedule not in SCHEDULES:
            raise ValueError(f"schedule must be one of {', '.join(SCHEDULES)}, got {self.schedule!r}")
        if min(self.steps, self.batch_tokens, self.warmup, self.eval_every) < 1:
            raise ValueError("steps, batch_tokens, warmup and eval_every must be at least 1")
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
