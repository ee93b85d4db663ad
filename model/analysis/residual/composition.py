"""Who feeds whom: how much of what one head writes another reads, by their weights alone.

Composition scores of Elhage et al. 2021 ("A Mathematical Framework for Transformer Circuits"): a head writes into the
stream by W_OV = W_V W_O, a later one reads it by its queries, keys or values. In rows, x → x W:

    Q: ‖W_OV W_QK‖ / ‖W_OV‖ ‖W_QK‖      K: ‖W_OV W_QKᵀ‖ / …      V: ‖W_OV W_OV'‖ / ‖W_OV‖ ‖W_OV'‖

with W_QK = W_Q W_Kᵀ of the later head and Frobenius norms. The norm that a head reads through is folded into what it
reads with: its scale, and its taking away of the mean; biases and the norm's rate are left aside. Where two heads have
nothing to do with each other, the score is 1 / √D in mean square over random rotations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from model.source import Source, require
from model.trace import HeadRef, Kind

Composed = Literal["Q", "K", "V"]
# What a kind's output is read by: the kind that reads, which ways, and whether in the same layer too.
_PATHS: Mapping[Kind, tuple[tuple[Kind, tuple[Composed, ...], int], ...]] = {
    "encoder_self": (("encoder_self", ("Q", "K", "V"), 1), ("cross", ("K", "V"), -1000)),
    "decoder_self": (("decoder_self", ("Q", "K", "V"), 1), ("cross", ("Q",), 0)),
    "cross": (("decoder_self", ("Q", "K", "V"), 1), ("cross", ("Q",), 1)),
}


class Composition(NamedTuple):
    """How much of what a head writes another reads: by its queries, keys or values; from 0 to 1."""

    writer: HeadRef
    reader: HeadRef
    way: Composed
    score: float


class _Circuits(NamedTuple):
    """One layer's heads, float64: what they read with [H, D, d], what they write with [H, d, D], by Q, K, V."""

    reads: dict[Composed, Tensor]
    writes: Tensor
    triangles: dict[Composed, Tensor]  # R of the QR decompositions of ``reads``, [H, d, d]
    written: Tensor  # R of that of W_Oᵀ

    def norm(self, way: Composed) -> Tensor:
        """‖W_OV‖ for "V", else ‖W_QK‖: [H]."""
        pair = (self.triangles["V"], self.written) if way == "V" else (self.triangles["Q"], self.triangles["K"])
        found: Tensor = torch.linalg.matrix_norm(pair[0] @ pair[1].transpose(-1, -2))
        return found

    def beyond(self, way: Composed) -> Tensor:
        """What stands behind what is read, as far as a norm can tell: [H, d, d]."""
        return {"Q": self.triangles["K"], "K": self.triangles["Q"], "V": self.written}[way]


def chance(width: int) -> float:
    """The score of two heads that have nothing to do with each other, of a stream of this width.

    >>> chance(256)
    0.0625
    """
    return float(width**-0.5)


def compositions(model: Source, head: HeadRef) -> list[Composition]:
    """What a head reads of those before it, and what those after it read of it; the highest score first.

    Raises:
        LacksAbilityError: the model does not show its projections.
    """
    require(model, "projections", "internals")
    made: dict[tuple[Kind, int], _Circuits] = {}

    def circuits(kind: Kind, layer: int) -> _Circuits:
        if (kind, layer) not in made:
            made[kind, layer] = _circuits(model, kind, layer)
        return made[kind, layer]

    found = []
    for (writes, first), (reads, second), ways in _meetings(model, head):
        one, other = circuits(writes, first), circuits(reads, second)
        for way in ways:
            scores = _scores(one, other, way)
            for a, b in _places(scores, head, (writes, first), (reads, second)):
                pair = HeadRef(writes, first, a), HeadRef(reads, second, b)
                found.append(Composition(*pair, way, float(scores[a, b])))
    return sorted(found, key=lambda each: -each.score)


_Layer = tuple[Kind, int]


def _meetings(model: Source, head: HeadRef) -> Iterator[tuple[_Layer, _Layer, tuple[Composed, ...]]]:
    """Layers that write and layers that read what they wrote, one of which is the head's."""
    own = (head.kind, head.layer)
    for writes, paths in _PATHS.items():
        for reads, ways, least in paths:
            for first in range(model.anatomy.layers(writes)):
                for second in range(model.anatomy.layers(reads)):
                    if second - first >= least and own in ((writes, first), (reads, second)):
                        yield (writes, first), (reads, second), ways


def _places(scores: Tensor, head: HeadRef, one: _Layer, other: _Layer) -> list[tuple[int, int]]:
    """The pairs of heads of two layers of which the head is one."""
    own = (head.kind, head.layer)
    if one == own:
        return [(head.head, b) for b in range(scores.shape[1])]
    return [(a, head.head) for a in range(scores.shape[0])] if other == own else []


def _scores(one: _Circuits, other: _Circuits, way: Composed) -> Tensor:
    """Of every pair of heads, the one that writes and the one that reads: [H, H']."""
    joint = torch.einsum("aed,bdf->abef", one.writes, other.reads[way])
    whole = one.triangles["V"][:, None] @ joint @ other.beyond(way).transpose(-1, -2)[None]
    sizes = one.norm("V")[:, None] * other.norm(way)[None]
    found: Tensor = torch.linalg.matrix_norm(whole) / sizes.clamp(min=1e-12)
    return found


def _circuits(model: Source, kind: Kind, layer: int) -> _Circuits:
    maps, out = model.projections(kind, layer), model.heads_out(kind, layer).weight.double().cpu()
    heads, size = out.shape[:2]
    norms = model.norms(kind, layer) if "norms" in model.anatomy.abilities else None
    reads: dict[Composed, Tensor] = {}
    for way, (weight, _), place in (("Q", maps.query, 0), ("K", maps.key, 1), ("V", maps.value, 1)):
        matrix = weight.double().cpu().T  # [D, H · d]
        if norms is not None:
            matrix = matrix * norms[place].scale.double().cpu()[:, None]
            matrix = matrix - matrix.mean(0)
        each = matrix.reshape(len(matrix), -1, size).movedim(1, 0)  # [G, D, d]
        reads[way] = each.repeat_interleave(heads // len(each), 0)  # type: ignore[index]
    triangles = {way: torch.linalg.qr(each, mode="r").R for way, each in reads.items()}
    return _Circuits(reads, out, triangles, torch.linalg.qr(out.transpose(1, 2), mode="r").R)


def written_words(model: Source, head: HeadRef, most: int = 8) -> list[tuple[float, list[str], list[str]]]:
    """What a decoder's head writes in the vocabulary, by the directions that its W_OV makes most of.

    Of the three largest singular directions of W_OV, each with its part of ‖W_OV‖², the target tokens whose logits it
    raises, and lowers, most; the last norm's scale is folded in, and what is added to all logits alike left out.

    Raises:
        LacksAbilityError: the model's logits do not split into parts.
    """
    require(model, "projections", "internals", "votes")
    own, last = _circuits(model, head.kind, head.layer), model.unembedding
    left, sizes, right = torch.linalg.svd(own.reads["V"][head.head] @ own.writes[head.head], full_matrices=False)
    del left
    table = last.table.double().cpu()
    wide = (table - table.mean(0)) * last.scale.double().cpu()
    if last.centred:
        wide = wide - wide.mean(-1, keepdim=True)
    found = []
    for size, direction in zip(sizes[:3], right[:3], strict=True):
        order = (wide @ direction).argsort(descending=True).tolist()
        order = [each for each in order if each not in model.never_written]
        up, down = ([model.piece(each) for each in ids] for ids in (order[:most], order[: -most - 1 : -1]))
        found.append((float(size**2 / (sizes**2).sum()), up, down))
    return found
