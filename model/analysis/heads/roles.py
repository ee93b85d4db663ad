"""What kind of head is it? Shares and averages over the rows of maps, which add up over sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model.attribution.labelled_map import row_entropy
from model.trace import AttentionTrace, Kind, Label

REACH = 3  # offsets from -REACH to REACH are looked at
OFFSETS = tuple(range(-REACH, REACH + 1))
POSITIONAL, RARE, SINK = 0.9, 0.66, 0.66  # shares that make a role
FEWEST_ROWS = 3  # fewer say nothing about a role
MEASURES = ("entropy", "evenness", "distance", "confidence", "previous", "next", "offset", "rare", "sink")
ROLES = ("previous", "next", "itself", "diagonal", "offset", "sink", "rare", "")


@dataclass(frozen=True)
class RowCounts:
    """Sums over rows of every head's maps of one kind; sums of several sentences are added with ``+``."""

    # by measure, [L, H]; as "hits", rows whose largest weight lies at each of OFFSETS, [offsets, L, H]
    sums: dict[str, np.ndarray]
    rows: dict[str, np.ndarray]  # by measure, over how many rows the sum goes; for "hits", [offsets]

    def __add__(self, other: RowCounts) -> RowCounts:
        return RowCounts(_added(self.sums, other.sums), _added(self.rows, other.rows))


@dataclass(frozen=True)
class Profile:
    """What every head of a kind is like.

    ===========  ===================================================================================
    entropy      mean entropy of a row, in nats
    evenness     the same as a part of the largest possible, log of the keys that the row may see
    distance     mean of Σ_k α |q − k| (attention distance, Vig and Belinkov 2019), in tokens; of
                 cross-attention from the diagonal instead: row t of T stands at t (S − 1) / (T − 1)
    confidence   mean of the largest weight, <bos> and <eos> left out (Voita et al. 2019)
    previous     share of rows whose largest weight is on the token before, of those that have one;
                 not for cross-attention
    next         the same for the token after
    offset       the same for the offset k − q, within ±3, that has the largest share; of cross-attention
                 the offset from the diagonal, rounded
    rare         share of rows whose largest weight is on the rarest word of the sentence
    sink         share of rows whose largest weight is on <eos>, or in the decoder's own on <bos>
    ===========  ===================================================================================
    """

    measures: dict[str, np.ndarray]  # these, [L, H] each, by name; NaN where no row says anything
    offset_at: np.ndarray  # the offset that ``offset`` is the share of, int [L, H]
    roles: list[list[str]]  # of each head, one of ROLES, L lists of H
    rows: int  # over how many rows


def profile(trace: AttentionTrace, kind: Kind, rarity: np.ndarray | None = None) -> Profile:
    """What every head of a kind does in one sentence.

    Args:
        rarity: of each source token, from ``Source.rarity``; without it no head looks for rare words.
    """
    return summed_up(count_rows(trace, kind, rarity), kind)


def count_rows(trace: AttentionTrace, kind: Kind, rarity: np.ndarray | None = None) -> RowCounts:
    """The sums over one sentence that ``summed_up`` makes a Profile of; arguments as for ``profile``.

    Rows of special tokens are left out: of the encoder that of <eos>, of the decoder's own attention
    that of <bos>, which sees nothing but itself, and of cross-attention the one that writes <eos>.
    """
    rows, base = _rows_that_count(trace, kind)
    columns = trace.axis_labels(kind)[1]
    weights = trace.weights[kind][:, :, rows].astype(np.float64)  # [L, H, N, K]
    keys = np.arange(len(columns))
    sees = trace.may_attend(kind)[rows].sum(-1)  # keys that a row may see, the first so many
    special = np.flatnonzero([label.is_special for label in columns])
    found = weights.argmax(-1)  # [L, H, N]
    entropy = row_entropy(weights)
    choice = sees > 1  # a row that sees one key only is neither even nor uneven
    aims = np.rint(base).astype(int) + np.array(OFFSETS)[:, None]  # [offsets, N]
    possible = (aims >= 0) & (aims < sees)
    rarest = np.flatnonzero(_rarest(len(columns), kind, rarity))
    sums = {
        "entropy": entropy.sum(-1),
        "evenness": (entropy[..., choice] / np.log(sees[choice])).sum(-1),
        "distance": (weights * np.abs(base[:, None] - keys)).sum((-1, -2)),
        "confidence": np.delete(weights, special, -1).max(-1, initial=0).sum(-1),
        "sink": np.isin(found, special).sum(-1),
        "rare": np.isin(found, rarest).sum(-1),
        "hits": np.array([((found == aim) & can).sum(-1) for aim, can in zip(aims, possible, strict=True)]),
    }
    counted = dict.fromkeys(sums, np.array(len(rows)))
    counted |= {"evenness": choice.sum(), "hits": possible.sum(-1), "rare": np.array(len(rows) * bool(len(rarest)))}
    return RowCounts(sums, counted)


def summed_up(counts: RowCounts, kind: Kind) -> Profile:
    """Averages and shares of sums over one sentence or many, and the roles that follow from them.

    A head is positional where one offset takes at least 90 % of its rows, and a rare-word head where the
    rarest word takes 66 % (Voita et al. 2019: their definition, and what their head reached); a sink
    where <eos> or <bos> takes 66 % (a bound of ours). An offset counts where half of the rows have it.
    """
    measures = {name: _divided(counts.sums[name], counts.rows[name]) for name in MEASURES if name in counts.sums}
    shares = _divided(counts.sums["hits"], counts.rows["hits"][:, None, None])
    often = 2 * counts.rows["hits"] >= counts.rows["entropy"]
    held = np.where(often[:, None, None], shares, -1.0)
    best = held.argmax(0)
    measures["offset"] = np.take_along_axis(shares, best[None], 0)[0]
    for name, offset in (("previous", -1), ("next", 1)):
        none = kind == "cross" or (name == "next" and kind == "decoder_self")
        measures[name] = np.full(best.shape, np.nan) if none else shares[OFFSETS.index(offset)]
    offset_at, rows = np.array(OFFSETS)[best], int(counts.rows["entropy"])
    named = [
        [
            _role({name: float(values[place]) for name, values in measures.items()}, int(offset_at[place]), kind, rows)
            for place in ((layer, head) for head in range(best.shape[1]))
        ]
        for layer in range(best.shape[0])
    ]
    return Profile({name: measures[name] for name in MEASURES}, offset_at, named, rows)


def _rows_that_count(trace: AttentionTrace, kind: Kind) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the rows that are not special, [N], and where each stands among the keys, float [N]."""
    labels: Sequence[Label] = trace.tgt_outputs if kind == "cross" else trace.axis_labels(kind)[0]
    rows = np.flatnonzero([not label.is_special for label in labels])
    steps = (len(trace.src) - 1) / max(1, len(labels) - 1)
    return rows, rows * steps if kind == "cross" else rows.astype(float)


def _rarest(width: int, kind: Kind, rarity: np.ndarray | None) -> np.ndarray:
    """Which keys belong to the rarest word: bool [K]."""
    if rarity is None or kind == "decoder_self" or not rarity.size:
        return np.zeros(width, dtype=bool)
    found: np.ndarray = rarity == rarity.max()
    return found


def _role(measures: dict[str, float], offset: int, kind: Kind, rows: int) -> str:
    """One of ROLES; comparisons with NaN are False."""
    if rows < FEWEST_ROWS:
        return ""
    if measures["offset"] >= POSITIONAL:
        on_it = "diagonal" if kind == "cross" else "itself"
        near = {} if kind == "cross" else {-1: "previous", 1: "next"}
        return on_it if offset == 0 else near.get(offset, "offset")
    if measures["sink"] >= SINK:
        return "sink"
    return "rare" if measures["rare"] >= RARE else ""


def _divided(sums: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Sums by numbers of rows; NaN where there is no row."""
    found: np.ndarray = np.divide(
        sums, rows, out=np.full(sums.shape, np.nan), where=np.broadcast_to(rows > 0, sums.shape)
    )
    return found


def _added(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: values + other[name] for name, values in one.items()}
