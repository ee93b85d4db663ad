"""What every head of a kind does in a batch of sentences, as whole numbers, which add up exactly in any order.

Sums of fractions would depend on the order in which they are added. So every fraction is rounded once, to a multiple
of 1 / SCALE, and kept as an integer: parts that are merged in whatever order give the same bits.

==============  =======================================================================================
rows            rows that count, []; ``choice``: of them those that see more than one key
sums            by SUMS, over rows, times SCALE, [8, N]: entropy in nats; evenness, of rows with a choice;
                the largest weight, and the largest on no special token; mean distance Σ α |q − k|; weight
                on special tokens, on punctuation, on words linked by people
linked          rows whose word is linked, []
mass            weight by offset from the row's place, times SCALE, [17, N]
peaks           rows whose largest weight lies at an offset, [17, N]; ``possible``: rows that could, [17]
lines           rows on LINES, [9, N], with ``lines_of`` [9], the rows that could be; and for standard
                errors over sentences Σ h², Σ h r [9, N] and Σ r² [9]
hist_peak       rows by their largest weight, [20, N]; ``hist_even`` by their evenness
hit, hittable   keys that are some row's largest, special ones aside, [N], of so many, []
sentences       in which a row counts, []; ``by_…``: how many have which mean: confidence in FINE bins,
                the others of SENTENCE_MEASURES in COARSE
==============  =======================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.analysis.atlas.batch import MapBatch

SCALE = 2**24
FAR = 8  # offsets from -FAR to FAR are told apart; the outermost hold all beyond
N_OFFSETS = 2 * FAR + 1
BINS = 20  # of a row's largest weight, and of its evenness
FINE = 4096  # bins of a sentence's strength
COARSE = 64  # of its other measures
FARTHEST = 16.0  # tokens; a sentence's mean distance beyond it is in the last bin
SUMS = ("entropy", "evenness", "peak", "confidence", "distance", "special", "punctuation", "aligned")
SENTENCE_MEASURES = ("confidence", "evenness", "distance", "special", "previous", "itself")
NEAR_OFFSETS = tuple(range(-3, 4))  # offsets whose shares of rows have standard errors,
LINES = (*(str(offset) for offset in NEAR_OFFSETS), "special", "rare")  # and what else has
Tally = dict[str, np.ndarray]  # int64 each, by name


@dataclass(frozen=True)
class BatchTally:
    """A batch's tally, and each sentence's strength by head, int64 [B, N], times SCALE; −1 where no row counts."""

    tally: Tally
    strength: np.ndarray


def added(one: Tally, other: Mapping[str, np.ndarray]) -> Tally:
    """The sum of two tallies; a name that one of them lacks counts as 0 there."""
    found = dict(one)
    for name, values in other.items():
        found[name] = found[name] + values if name in found else values
    return found


def measure(batch: MapBatch) -> BatchTally:
    """The tally of a batch, by the names that the head of this file explains."""
    weights, counts = batch.weights, batch.counts
    peak, at = weights.max(-1)  # [B, N, Q]
    entropy = torch.special.entr(weights).sum(-1)
    choice = counts & (batch.sees > 1)
    even = entropy / batch.sees.clamp(min=2).log()[:, None] * choice[:, None]
    plain = weights.masked_fill(batch.keys["special"][:, None, None], 0.0).amax(-1)
    linear = _linear(batch)
    offsets = batch.offsets.clamp(-FAR, FAR) + FAR
    looked = offsets[:, None].expand(*weights.shape).gather(-1, at[..., None])[..., 0]  # [B, N, Q]
    sums = {"entropy": entropy, "evenness": even, "peak": peak, "confidence": plain}
    by_sentence = {name: _fixed(values).sum(-1) for name, values in sums.items()}
    by_sentence |= {name: linear[:, place] for place, name in enumerate(SUMS[4:])}
    lines = _lines(batch, looked, at)
    tally: dict[str, Tensor] = {
        "rows": counts.sum(),
        "choice": choice.sum(),
        "sums": torch.stack([by_sentence[name].sum(0) for name in SUMS]),
        "linked": torch.tensor(0) if batch.aligned is None else (batch.aligned.any(-1) & counts).sum(),
        "mass": linear[:, 4:].sum(0),
        "peaks": _counted(looked, counts, N_OFFSETS),
        "possible": _possible(batch, offsets),
        **_line_sums(*lines),
        "hist_peak": _counted(_bin(peak, BINS), counts, BINS),
        "hist_even": _counted(_bin(even, BINS), choice, BINS),
        **_coverage(batch, at),
        **_of_sentences(batch, by_sentence, choice, lines[0]),
    }
    rows = counts.sum(-1)
    strength = torch.where(rows[:, None] > 0, by_sentence["confidence"] // rows.clamp(min=1)[:, None], torch.tensor(-1))
    return BatchTally({name: values.numpy() for name, values in tally.items()}, strength.numpy())


def _fixed(values: Tensor) -> Tensor:
    """Numbers as multiples of 1 / SCALE, int64."""
    return (values.double() * SCALE).round().long()


def _linear(batch: MapBatch) -> Tensor:
    """What is a sum of weights: distance, special, punctuation, aligned, then by offset: int64 [B, 4 + 17, N]."""
    b, n, q, k = batch.weights.shape
    away = (torch.arange(k) - batch.base[..., None]).abs()
    across = [batch.keys[name][:, None].expand(b, q, k).float() for name in ("special", "punctuation")]
    linked = torch.zeros(b, q, k) if batch.aligned is None else batch.aligned.float()
    at = torch.nn.functional.one_hot(batch.offsets.clamp(-FAR, FAR) + FAR, N_OFFSETS).movedim(-1, 1)
    features = torch.cat((torch.stack((away, *across, linked), 1), at.float()), 1)  # [B, 21, Q, K]
    found = features.reshape(b, -1, q * k) @ batch.weights.reshape(b, n, q * k).transpose(1, 2)
    return _fixed(found)


def _possible(batch: MapBatch, offsets: Tensor) -> Tensor:
    """Rows that see a key at each offset: [17]."""
    return torch.stack([((offsets == place) & batch.visible).any(-1).sum() for place in range(N_OFFSETS)])


def _bin(values: Tensor, bins: int) -> Tensor:
    """Which of so many equal bins of [0, 1] each value is in."""
    return (values.double() * bins).floor().long().clamp(0, bins - 1)


def _counted(places: Tensor, which: Tensor, bins: int) -> Tensor:
    """How many of the rows that are meant have each place: [B, N, Q] and bool [B, Q] → [bins, N]."""
    n = places.shape[1]
    flat = places * n + torch.arange(n)[:, None]
    return torch.bincount(flat[which[:, None].expand_as(flat)], minlength=bins * n).reshape(bins, n)


def _lines(batch: MapBatch, looked: Tensor, at: Tensor) -> tuple[Tensor, Tensor]:
    """For each of LINES the rows of each sentence that are on it, [9, B, N], and that could be, [9, B]."""
    n = at.shape[1]
    on, could = [], []
    for offset in NEAR_OFFSETS:
        possible = ((batch.offsets == offset) & batch.visible).any(-1)
        on.append((looked == offset + FAR) & possible[:, None])
        could.append(possible)
    for name in ("special", "rare"):
        keys = batch.keys[name]
        on.append(keys[:, None].expand(-1, n, -1).gather(-1, at) & batch.counts[:, None])
        could.append(batch.counts & keys.any(-1, keepdim=True))
    return torch.stack([rows.sum(-1) for rows in on]), torch.stack([rows.sum(-1) for rows in could])


def _line_sums(on: Tensor, could: Tensor) -> dict[str, Tensor]:
    return {
        "lines": on.sum(1),
        "lines_of": could.sum(1),
        "lines_squared": (on * on).sum(1),
        "lines_crossed": (on * could[..., None]).sum(1),
        "lines_of_squared": (could * could).sum(1),
    }


def _coverage(batch: MapBatch, at: Tensor) -> dict[str, Tensor]:
    """Keys, special ones aside, that are the largest of some row that counts."""
    b, n, _ = at.shape
    hit = torch.zeros(b, n, batch.weights.shape[-1], dtype=torch.int32)
    hit.scatter_add_(-1, at, batch.counts[:, None].expand_as(at).int())
    plain = batch.keys["there"] & ~batch.keys["special"] & batch.counts.any(-1, keepdim=True)
    return {"hit": ((hit > 0) & plain[:, None]).sum((0, 2)), "hittable": plain.sum()}


def _of_sentences(batch: MapBatch, sums: Mapping[str, Tensor], choice: Tensor, on: Tensor) -> dict[str, Tensor]:
    """How many sentences have which mean of a measure."""
    rows = batch.counts.sum(-1)
    meant = rows > 0
    means = {
        "confidence": sums["confidence"] / rows.clamp(min=1)[:, None] / SCALE,
        "evenness": sums["evenness"] / choice.sum(-1).clamp(min=1)[:, None] / SCALE,
        "distance": sums["distance"] / rows.clamp(min=1)[:, None] / SCALE / FARTHEST,
        "special": sums["special"] / rows.clamp(min=1)[:, None] / SCALE,
        "previous": on[NEAR_OFFSETS.index(-1)] / rows.clamp(min=1)[:, None],
        "itself": on[NEAR_OFFSETS.index(0)] / rows.clamp(min=1)[:, None],
    }
    found = {"sentences": meant.sum()}
    for name in SENTENCE_MEASURES:
        bins = FINE if name == "confidence" else COARSE
        found[f"by_{name}"] = _counted(_bin(means[name], bins)[..., None], meant[:, None], bins)
    return found
