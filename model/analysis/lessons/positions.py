"""What the model's own positional table holds: similarity of positions, and a shift as a rotation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from model.own.network.positions import angular_frequencies, rotation, sinusoidal_table
from model.source import Source, require


@dataclass(frozen=True)
class Shift:
    """A step of ``offset`` positions as a linear map, seen in one sine-cosine pair and over all of them.

    Attributes:
        block: the pair's 2×2 block of M, float64; it acts on (sine, cosine).
        before: the pair's columns of PE(t) from the table, for every t that has a t + offset: [N, 2].
        turned: the pair's columns of M · PE(t), computed with all of M: float64 [N, 2].
        after: the pair's columns of PE(t + offset) from the table: [N, 2].
        angle: offset · ω of the pair, in radians.
        max_error: largest |M · PE(t) - PE(t + offset)| over every t and every dimension.
    """

    block: np.ndarray
    before: np.ndarray
    turned: np.ndarray
    after: np.ndarray
    angle: float
    max_error: float


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
    return (table @ table.T).astype(np.float32)


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
