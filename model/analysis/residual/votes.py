"""Who voted for token A against token B: direct contributions to a logit difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.passage import Ask, ForcedIds, Pass
from model.source import Source, require
from model.trace import Kind

DECODER_KINDS: tuple[Kind, Kind] = ("decoder_self", "cross")


@dataclass(frozen=True)
class Votes:
    """Direct contributions to logit(A) − logit(B) at one decoder step; float64.

    They sum to the difference, because the residual stream is a sum, and the final norm, its scale
    held at what it was, is linear (direct logit attribution, Elhage et al. 2021; "freezing" the norm
    as in nostalgebraist 2020 and TransformerLens).
    """

    heads: dict[Kind, np.ndarray]  # by kind ("decoder_self", "cross"), [L, H]
    # each cross-attention head's vote split over the source tokens, [L, H, S]; without cross-attention that of the
    # decoder's own over the tokens read so far, [L, H, T]
    sources: np.ndarray
    feed_forward: np.ndarray  # of each layer's feed-forward network, [L]
    embedding: float  # of the token just read and its position
    biases: float  # of the output projections' biases and the final norm's shift, which belong to no head
    difference: float  # logit(A) − logit(B), as the model computed it

    @property
    def rest(self) -> float:
        """What no head contributed: feed-forward networks, embedding, biases."""
        return float(self.feed_forward.sum()) + self.embedding + self.biases

    @property
    def total(self) -> float:
        """All heads and the rest."""
        return sum(float(votes.sum()) for votes in self.heads.values()) + self.rest


def votes(model: Source, ids: ForcedIds, for_id: int, against_id: int) -> Votes:
    """Votes at the last position of a teacher-forced prefix.

    Args:
        ids: of the prefix; what its last step writes is left aside.
        for_id, against_id: the two candidates, A and B.

    Raises:
        LacksAbilityError: the model's logits do not split into parts.
    """
    require(model, "decoder_self", "internals", "votes")
    kinds = tuple(kind for kind in DECODER_KINDS if kind in model.anatomy.kinds)
    seen = model.forced(ids, Ask(("heads", "value", "weights"), kinds, stream=True, logits=True))
    assert seen.stream is not None
    assert seen.logits is not None
    table = model.unembedding.table.double()
    direction, shift = model.unembedding.direction(seen.stream.levels[-1, -1], table[for_id] - table[against_id])
    biases = float(shift)
    heads: dict[Kind, np.ndarray] = {}
    for kind in kinds:
        shares = []
        for layer in range(model.anatomy.layers(kind)):
            gathered = seen.step(kind, layer, "heads")[:, -1].double()  # [H, d_head]
            shares.append((gathered * _towards(model, kind, layer, direction)).sum(-1))
            biases += float(model.heads_out(kind, layer).bias.double() @ direction)
        heads[kind] = torch.stack(shares).cpu().numpy()
    logits = seen.logits[-1].double()
    return Votes(
        heads=heads,
        sources=_source_votes(model, seen, direction),
        feed_forward=(seen.stream.feed_forward[:, -1].double() @ direction).cpu().numpy(),
        embedding=float(seen.stream.levels[0, -1].double() @ direction),
        biases=biases,
        difference=float(logits[for_id] - logits[against_id]),
    )


def _towards(model: Source, kind: Kind, layer: int, direction: Tensor) -> Tensor:
    """The direction as each head's gathered values see it through the output projection: [H, d_head]."""
    return model.heads_out(kind, layer).weight.double() @ direction


def _source_votes(model: Source, seen: Pass, direction: Tensor) -> np.ndarray:
    """The votes of the heads that look at the source by source token, [L, H, S]."""
    per_layer = []
    kind: Kind = "cross" if "cross" in model.anatomy.kinds else "decoder_self"
    for layer in range(model.anatomy.layers(kind)):
        value = seen.step(kind, layer, "value").double()  # [H, S, d_head]
        weights = seen.step(kind, layer, "weights")[:, -1].double()  # [H, S]
        per_layer.append(weights * (value @ _towards(model, kind, layer, direction)[..., None])[..., 0])
    return torch.stack(per_layer).cpu().numpy()
