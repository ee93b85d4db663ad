"""A model that is asked about one translation again and again, and computes nothing twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from model.passage import Ask, ForcedIds, Pass, Slope, Slopes, Step
from model.source import Ability, Gains, Source, Way

# What maps are made of: whoever asks for some of it gets it all, and the next one finds it there.
EVERY_STEP: tuple[Step, ...] = ("weights", "value", "residual", "output", "memory")
EVERY_NEEDS: tuple[Ability, ...] = ("internals", "tails", "votes")
Given = TypeVar("Given")


class Once:
    """As the ``Source`` behind it, for one translation; what was given must not be changed.

    Attributes:
        spared: seconds that it would have taken to compute again what was there, since this was last set to 0.
    """

    def __init__(self, model: Source) -> None:
        self._model, self.spared = model, 0.0
        self._known: dict[Any, tuple[Any, float]] = {}  # by what was asked: what was given, and its seconds
        self._rows: dict[tuple[Way, bytes], Tensor] = {}
        self._row_seconds: dict[Way, float] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def forced(self, ids: ForcedIds, ask: Ask) -> Pass:
        """As ``Source.forced``."""
        every = Ask(EVERY_STEP, tuple(self._model.anatomy.kinds), stream=True, logits=True)
        plain = ask.gradient is None and not ask.source_stream
        if plain and set(ask.steps) <= set(EVERY_STEP) and self._model.anatomy.abilities.issuperset(EVERY_NEEDS):
            ask = every
        return self._once(("forced", ask), lambda: self._model.forced(ids, ask))

    def slopes(self, ids: ForcedIds, slope: Slope) -> Slopes:
        """As ``Source.slopes``."""
        return self._once(("slopes", slope), lambda: self._model.slopes(ids, slope))

    def log_probs(
        self,
        ids: ForcedIds,
        gains: Sequence[Gains] = (),
        hidden: np.ndarray | None = None,
        way: Way = "mask",
        *,
        last: bool = False,
    ) -> Tensor:
        """As ``Source.log_probs``; of rows that delete the same, one is computed."""
        if gains or hidden is None or last:
            return self._model.log_probs(ids, gains, hidden, way, last=last)
        keys = [(way, row.tobytes()) for row in hidden]
        fresh = {key: row for row, key in enumerate(keys) if key not in self._rows}
        if fresh:
            started = time.perf_counter()
            found = self._model.log_probs(ids, hidden=hidden[list(fresh.values())], way=way)
            self._rows.update(zip(fresh, found, strict=True))
            self._row_seconds[way] = (time.perf_counter() - started) / len(fresh)
        self.spared += self._row_seconds[way] * (len(keys) - len(fresh))
        return torch.stack([self._rows[key] for key in keys])

    def _once(self, key: Any, compute: Callable[[], Given]) -> Given:
        found: Given
        if key in self._known:
            found, seconds = self._known[key]
            self.spared += seconds
        else:
            started = time.perf_counter()
            found = compute()
            self._known[key] = found, time.perf_counter() - started
        return found
