"""Word order: what the model without positions would see, and positions counted in binary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.analysis.lessons.positions import shift
from model.translator import Translator


@dataclass(frozen=True)
class TableFacts:
    """What makes a table of positions a good one.

    Attributes:
        largest: the largest size of a number in it.
        nearest: the smallest distance of two rows: above 0, so that no two are alike.
        spread: the largest spread of PE(t) · PE(t + 1) over t: the same distance everywhere.
        shift_error: largest |M · PE(t) − PE(t + 1)|: a step is one linear map.
    """

    largest: float
    nearest: float
    spread: float
    shift_error: float


def table_facts(table: np.ndarray) -> TableFacts:
    """Bounds, uniqueness, constant distance and linear shift of a table [P, D]."""
    exact = table.astype(np.float64)
    squares = (exact**2).sum(1)
    distances = squares[:, None] + squares - 2 * exact @ exact.T
    np.fill_diagonal(distances, np.inf)
    steps = (exact[:-1] * exact[1:]).sum(1)
    return TableFacts(
        float(np.abs(table).max()),
        float(np.sqrt(distances.min())),
        float(np.ptp(steps)),
        shift(table, 1, 0).max_error,
    )


def binary(n: int, bits: int) -> np.ndarray:
    """The numbers 0 … n − 1 in binary, the fastest digit first: uint8 [n, bits].

    >>> binary(4, 2).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    return ((np.arange(n)[:, None] >> np.arange(bits)) & 1).astype(np.uint8)


def shuffled(n_words: int, seed: int) -> np.ndarray:
    """An order of so many words; 0 is the order in which they stand."""
    return np.arange(n_words) if seed == 0 else np.random.default_rng(seed).permutation(n_words)


def moved_by_order(model: Translator, text: str, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far each token's encoding moves when the tokens stand in another order: [S] each, in its own length.

    First with the model's positions, then with none added. The end of the sentence stays last.
    """
    ids = model.encode_source(text)[1]
    places = torch.tensor([*order.tolist(), ids.shape[1] - 1])

    def skip(_module: object, given: tuple[Tensor, ...], _output: Tensor) -> Tensor:
        return given[0]

    def distance(before: Tensor, after: Tensor) -> np.ndarray:
        back = torch.empty_like(after)
        back[places] = after
        return np.asarray(((back - before).norm(dim=-1) / before.norm(dim=-1)).float().cpu().numpy())

    with model.running() as network:
        positioned = distance(network.encode(ids)[0], network.encode(ids[:, places])[0])
        handle = network.encoder.embedding.positions.register_forward_hook(skip)
        try:
            return positioned, distance(network.encode(ids)[0], network.encode(ids[:, places])[0])
        finally:
            handle.remove()
