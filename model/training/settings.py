"""How a model is trained: everything that decides the outcome besides data and sizes."""

from __future__ import annotations

from dataclasses import dataclass, field

from model.training.schedule import noam, warmup_constant, warmup_linear

SCHEDULES = ("noam", "linear", "constant")


@dataclass(frozen=True)
class TrainingSettings:
    """Training settings; ``minutes`` (wall clock), when given, ends the run in place of ``steps``.

    ``source_weights`` says how often an epoch shows the pairs of a source (1 where it is silent);
    ``keep`` evaluation snapshots are averaged at the end, if that helps on dev.
    """

    steps: int = 20_000
    minutes: float | None = None
    batch_tokens: int = 2_500
    schedule: str = "linear"
    peak: float = 1e-3
    warmup: int = 1_000
    label_smoothing: float = 0.1
    clip_norm: float = 1.0
    eval_every: int = 1_000
    keep: int = 5
    seed: int = 1
    source_weights: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.schedule not in SCHEDULES:
            raise ValueError(f"schedule must be one of {', '.join(SCHEDULES)}, got {self.schedule!r}")
        if min(self.steps, self.batch_tokens, self.warmup, self.eval_every, self.keep) < 1:
            raise ValueError("steps, batch_tokens, warmup, eval_every and keep must be at least 1")

    def progress(self, step: int, seconds: float) -> float:
        """Share of the run that is over, in [0, 1]."""
        done = seconds / (60 * self.minutes) if self.minutes else step / self.steps
        return min(1.0, done)

    def learning_rate(self, step: int, progress: float, d_model: int) -> float:
        """Learning rate of step ``step`` ≥ 1."""
        if self.schedule == "noam":
            return noam(step, d_model, self.warmup)
        if self.schedule == "constant":
            return warmup_constant(step, self.peak, self.warmup)
        return warmup_linear(step, progress, self.peak, self.warmup)
