"""An RNN and an LSTM beside attention: how far a gradient has to go, and what tiny ones learn when trained at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from model.own.network.config import TransformerConfig
from model.own.network.layers import EncoderLayer, sinusoidal_table

Reader = Literal["rnn", "lstm", "attention"]
READERS: tuple[Reader, ...] = ("rnn", "lstm", "attention")
LETTERS, WIDTH, FAR = 8, 32, 24
LENGTHS = (4, 8, 16)
STEPS, ROWS, RATE, EVERY = 200, 32, 1e-2, 10


class FirstLetter(nn.Module):
    """Reads a string and names its first letter at the last: by passing a state on, or by one layer of attention."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.embedding = nn.Embedding(LETTERS, WIDTH)
        self.body: nn.Module
        if reader == "attention":
            sizes = {"d_model": WIDTH, "n_heads": 1, "d_ff": WIDTH, "dropout": 0.0}
            self.body = EncoderLayer(TransformerConfig(LETTERS, LETTERS, **sizes))  # type: ignore[arg-type]
        else:
            self.body = (nn.RNN if reader == "rnn" else nn.LSTM)(WIDTH, WIDTH, batch_first=True)
        self.out = nn.Linear(WIDTH, LETTERS)

    def forward(self, vectors: Tensor) -> Tensor:
        """Logits of the first letter: [B, T, WIDTH] → [B, LETTERS]."""
        if isinstance(self.body, EncoderLayer):
            states = self.body(vectors + sinusoidal_table(vectors.shape[1], WIDTH), None)
        else:
            states = self.body(vectors)[0]
        return torch.as_tensor(self.out(states[:, -1]))


def fresh(reader: Reader, seed: int) -> FirstLetter:
    """A model with random weights; the seed is its own."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return FirstLetter(reader)


def reach(reader: Reader, seed: int = 0, length: int = FAR) -> np.ndarray:
    """Norm of the gradient of an untrained model's last logits, summed, in each vector that it read: [length]."""
    model = fresh(reader, seed)
    generator = torch.Generator().manual_seed(seed)
    read = torch.randint(LETTERS, (64, length), generator=generator)
    vectors = model.embedding(read).detach().requires_grad_()
    model(vectors).sum().backward()
    assert vectors.grad is not None
    return np.asarray(vectors.grad.norm(dim=-1).mean(0).numpy(), dtype=float)


@dataclass(frozen=True)
class Race:
    """Models trained side by side on the same strings."""

    steps: np.ndarray  # at which they were looked at, [N]
    # by reader, share of the step's new strings whose first letter is named, [N], before it learns from them
    right: Mapping[Reader, np.ndarray]


def race(length: int, steps: int = STEPS, seed: int = 0) -> Race:
    """Every reader trained at once, batch by batch on the same random strings (Adam, cross-entropy)."""
    generator = torch.Generator().manual_seed(seed)
    models = {reader: fresh(reader, seed) for reader in READERS}
    optimizers = {reader: torch.optim.Adam(model.parameters(), RATE) for reader, model in models.items()}
    right: dict[Reader, list[float]] = {reader: [] for reader in READERS}
    for _ in range(steps):
        read = torch.randint(LETTERS, (ROWS, length), generator=generator)
        for reader, model in models.items():
            logits = model(model.embedding(read))
            right[reader].append(float((logits.argmax(-1) == read[:, 0]).float().mean()))
            optimizers[reader].zero_grad()
            nn.functional.cross_entropy(logits, read[:, 0]).backward()
            optimizers[reader].step()
    windows = {reader: np.array(seen).reshape(-1, EVERY).mean(1) for reader, seen in right.items()}
    return Race(np.arange(EVERY, steps + 1, EVERY), windows)
