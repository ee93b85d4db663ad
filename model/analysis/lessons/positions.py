"""What the model's own positional table holds: similarity of positions, and a shift as a rotation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.own.network.layers import angular_frequencies, rotation, sinusoidal_table
from model.source import Source, require
from model.translator import Translator


@dataclass(frozen=True)
class Shift:
    """A step of ``offset`` positions as a linear map, seen in one sine-cosine pair and over all of them."""

    block: np.ndarray  # the pair's 2×2 block of M, float64; it acts on (sine, cosine)
    before: np.ndarray  # the pair's columns of PE(t) from the table, for every t that has a t + offset: [N, 2]
    turned: np.ndarray  # the pair's columns of M · PE(t), computed with all of M: float64 [N, 2]
    after: np.ndarray  # the pair's columns of PE(t + offset) from the table: [N, 2]
    angle: float  # offset · ω of the pair, in radians
    max_error: float  # largest |M · PE(t) - PE(t + offset)| over every t and every dimension


def position_table(model: Source) -> np.ndarray:
    """The table that the model adds to its embeddings, read from the encoder: float32 [P, D].

    Raises:
        LacksAbilityError: the model has no such table.
    """
    require(model, "positions")
    return model.positions()


def table_of(n_positions: int, d_model: int) -> np.ndarray:
    """The published table of any size: float32 [n_positions, d_model]."""
    return sinusoidal_table(n_positions, d_model).numpy()


def wavelengths(d_model: int) -> np.ndarray:
    """Positions after which each sine-cosine pair repeats, 2π / ω: float64 [D/2]."""
    return 2 * np.pi / angular_frequencies(d_model).numpy()


def round_the_circle(table: np.ndarray, offset: int, pair: int, n: int = 4) -> list[int]:
    """Up to n positions t, spread over three quarters of the pair's circle, that have a t + offset in the table."""
    n_positions, d_model = table.shape
    last = min(0.75 * float(wavelengths(d_model)[pair]), n_positions - 1 - offset)
    return sorted({round(step) for step in np.linspace(0, last, n)})


def similarity(table: np.ndarray) -> np.ndarray:
    """Cosine of every two positions of a table [P, D], which is their dot product by its largest: float32 [P, P]."""
    table = table / np.linalg.norm(table, axis=1, keepdims=True)
    found: np.ndarray = (table @ table.T).astype(np.float32)
    return found


def shift(table: np.ndarray, offset: int, pair: int) -> Shift:
    """PE(t + offset) = M · PE(t), checked against the table for every t (Vaswani et al. 2017, section 3.5).

    Args:
        table: [P, D].
        offset: positions to go on, 0 … P - 1.
        pair: which sine-cosine pair to look at: dimensions 2·pair and 2·pair + 1.

    Raises:
        ValueError: the offset leaves no position, or there is no such pair.
    """
    n_positions, d_model = table.shape
    if not 0 <= offset < n_positions:
        raise ValueError(f"offset must be from 0 to {n_positions - 1}, got {offset}")
    if not 0 <= pair < d_model // 2:
        raise ValueError(f"pair must be from 0 to {d_model // 2 - 1}, got {pair}")
    matrix = rotation(offset, d_model).numpy()
    before, after = table[: n_positions - offset].astype(np.float64), table[offset:].astype(np.float64)
    turned = before @ matrix.T
    two = slice(2 * pair, 2 * pair + 2)
    return Shift(
        block=matrix[two, two],
        before=before[:, two],
        turned=turned[:, two],
        after=after[:, two],
        angle=float(offset * angular_frequencies(d_model)[pair]),
        max_error=float(np.abs(turned - after).max()),
    )


def block_formula(block: np.ndarray) -> str:
    """A 2×2 block of M in LaTeX, as it turns (sine, cosine) of t into those of t + φ."""
    rows = r" \\ ".join(" & ".join(f"{value:+.4f}" for value in row) for row in block)
    return rf"M = \begin{{pmatrix}} {rows} \end{{pmatrix}}"


@dataclass(frozen=True)
class TableFacts:
    """What makes a table of positions a good one."""

    largest: float  # the largest size of a number in it
    nearest: float  # the smallest distance of two rows: above 0, so that no two are alike
    spread: float  # the largest spread of PE(t) · PE(t + 1) over t: the same distance everywhere
    shift_error: float  # largest |M · PE(t) − PE(t + 1)|: a step is one linear map


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
