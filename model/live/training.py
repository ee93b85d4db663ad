"""A Transformer of our own, trained in the background while somebody watches: bounded, stoppable, one at a time."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np
import torch
from torch import nn

from model.errors import TrainerBusyError
from model.live.task import LIVE_VOCABULARY, LONGEST, PROBE, LiveTask, answer, batch, spelt, strings
from model.own.capture import WEIGHTS, capture_attention
from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer
from model.own.text.vocab import BOS_ID
from model.passage import one_thread
from model.training.loss import TranslationLoss
from model.training.settings import trapezoid

MOST_SECONDS, MOST_STEPS = 60.0, 1_500
LEFT_AFTER = 15.0  # seconds without a look after which the visitor is taken to have left
ROWS, LOOK_EVERY, PEAK, WARMUP = 48, 25, 5e-3, 40
PAUSE = 0.003  # seconds after each step, so that other visitors' answers are not kept waiting
_SIZES = {"d_model": 32, "d_ff": 64, "n_heads": 2, "n_encoder_layers": 1, "n_decoder_layers": 1, "dropout": 0.0}
_NEW_STRINGS = 100  # new strings, written to see how many are right
LEARNT = 0.01  # nats a letter

End = Literal["", "learnt", "steps", "time", "stopped", "left"]


@dataclass(frozen=True)
class Seen:
    """What is known of a training at one moment."""

    step: int = 0  # steps done
    seconds: float = 0.0  # since it began
    losses: tuple[tuple[int, float], ...] = ()  # (step, mean loss since the one before) in nats a letter
    right: float = 0.0  # share of new strings that are written without a fault
    written: str = ""  # what is made of PROBE
    # cross-attention while PROBE's answer is forced, [H, T, S]; rows write its letters and the end
    weights: np.ndarray | None = None
    end: End = ""  # why it is over; "" while it goes on


class Training:
    """One training; ``Place.begin`` starts it. Its thread alone touches the model; ``seen`` is replaced whole.

    Attributes:
        probe, answer: the string whose attention is watched, and what is to be made of it.
        sought: the place of ``probe`` that each letter of ``answer``, and its end, is copied from, [T].
    """

    def __init__(self, task: LiveTask, seed: int = 1, seconds: float = MOST_SECONDS, steps: int = MOST_STEPS) -> None:
        self.task, self.seconds, self.steps = task, min(seconds, MOST_SECONDS), min(steps, MOST_STEPS)
        self.probe, self.answer = PROBE, answer(task, PROBE)
        places = np.arange(len(PROBE))
        self.sought = np.append(places[::-1] if task == "reverse" else places, len(PROBE))
        self.rng = random.Random(seed)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            config = TransformerConfig(LIVE_VOCABULARY, LIVE_VOCABULARY, max_len=LONGEST + 2, **_SIZES)  # type: ignore[arg-type]
            self.model = Transformer(config)
        self.seen = Seen()
        self._stop = threading.Event()
        self._looked = time.monotonic()
        self.thread = threading.Thread(target=self._run, name="live-training", daemon=True)

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return bool(self.seen.end)

    def look(self) -> Seen:
        """What is known now; whoever looks is taken to be there still."""
        self._looked = time.monotonic()
        return self.seen

    def leave(self) -> None:
        """Nobody looks any more: end it after the step that is under way."""
        self._looked = -inf

    def stop(self) -> None:
        """End it after the step that is under way."""
        self._stop.set()

    def _run(self) -> None:
        end: End = "stopped"
        try:
            with one_thread():
                end = self._train()
        finally:
            self.seen = Seen(**{**self.seen.__dict__, "end": end})

    def _train(self) -> End:
        loss_of = TranslationLoss(self.model, 0.0)
        optimizer = torch.optim.Adam(self.model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9)
        began, window = time.monotonic(), []
        for step in range(1, self.steps + 1):
            for group in optimizer.param_groups:
                group["lr"] = trapezoid(step, step / self.steps, PEAK, WARMUP, 1.0)
            loss = loss_of(*batch(self.task, strings(self.rng, ROWS)))
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            window.append(loss.item())
            if step % LOOK_EVERY == 0:
                self._measure(step, time.monotonic() - began, sum(window) / len(window))
                window = []
            if end := self._over(time.monotonic() - began):
                return end
            time.sleep(PAUSE)
        return "steps"

    def _over(self, seconds: float) -> End:
        """Why it is to end now; "" where it is not."""
        if self._stop.is_set():
            return "stopped"
        if time.monotonic() - self._looked > LEFT_AFTER:
            return "left"
        if seconds > self.seconds:
            return "time"
        losses = self.seen.losses
        is_learnt = self.seen.right == 1.0 and len(losses) > 1 and losses[-1][1] < LEARNT
        return "learnt" if is_learnt else ""

    def _measure(self, step: int, seconds: float, loss: float) -> None:
        with torch.inference_mode():
            with capture_attention(self.model, (WEIGHTS,), ("cross",)) as captured:
                self.model(*batch(self.task, [PROBE])[:2])
                weights = captured.stack(self.model, "cross")[0]
            new = strings(random.Random(step), _NEW_STRINGS)
            source, _, target = batch(self.task, new)
            right = float((self._write(source, target.shape[1]) == target).all(1).float().mean())
            written = spelt(self._write(batch(self.task, [PROBE])[0], len(PROBE) + 1)[0].tolist())
        losses = (*self.seen.losses, (step, loss))
        self.seen = Seen(step, seconds, losses, right, written, weights)

    def _write(self, source: torch.Tensor, length: int) -> torch.Tensor:
        """The most probable letters, one after the other: [B, length]."""
        memory = self.model.encode(source)
        ids = torch.full((len(source), 1), BOS_ID)
        for _ in range(length):
            best = self.model.project(self.model.decode(ids, memory, source)[:, -1]).argmax(-1)
            ids = torch.cat((ids, best[:, None]), 1)
        return ids[:, 1:]


class Place:
    """Where one training at a time may run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Training | None = None

    def begin(self, training: Training) -> Training:
        """Start a training.

        Raises:
            TrainerBusyError: another one is running.
        """
        with self._lock:
            if self._running is not None and self._running.thread.is_alive():
                raise TrainerBusyError("Somebody trains a model here just now; try again in a minute.")
            self._running = training
            training.thread.start()
        return training


PLACE = Place()  # of this server
