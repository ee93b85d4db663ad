"""Norm-weighted attention: how long the vector is that each key really contributes."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from model.passage import Ask, Pass
from model.source import Source, require
from model.trace import Kind, Translation


def norm_maps(model: Source, translation: Translation) -> dict[Kind, np.ndarray]:
    """‖α f(x)‖ of every head: float32 [L, H, Q, K] by kind (Kobayashi et al. 2020, equation 4).

    f(x) = (x W_V + b_V) W_O with the head's own columns of W_O, so a key with much weight and a short
    value vector counts for little. The output projection's bias belongs to no key and is left out.
    A row does not sum to 1; its unit is the length of a vector in the residual stream.
    """
    seen = _pass(model, translation, tuple(model.anatomy.kinds))
    return {kind: _of_kind(model, seen, kind) for kind in model.anatomy.kinds}


def cross_norms(model: Source, translation: Translation) -> tuple[np.ndarray, np.ndarray]:
    """Norms of cross-attention: ‖α f(x)‖ of every head [L, H, T, S], and ‖Σ_h α f(x)‖ of every layer [L, T, S]."""
    seen = _pass(model, translation, ("cross",))
    layers = [
        torch.einsum(
            "hts,hsd->tsd", seen.step("cross", layer, "weights"), transformed_values(model, seen, "cross", layer)
        )
        for layer in range(model.anatomy.layers("cross"))
    ]
    return _of_kind(model, seen, "cross"), torch.stack(layers).norm(dim=-1).float().cpu().numpy()


def transformed_values(model: Source, seen: Pass, kind: Kind, layer: int) -> Tensor:
    """f(x) of every key, as each head of a layer sends it into the residual stream: [H, K, D]."""
    return seen.step(kind, layer, "value") @ model.heads_out(kind, layer).weight


def _pass(model: Source, translation: Translation, kinds: tuple[Kind, ...]) -> Pass:
    require(model, "internals")
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    return model.forced(ids, Ask(("weights", "value"), kinds))


def _of_kind(model: Source, seen: Pass, kind: Kind) -> np.ndarray:
    layers = []
    for layer in range(model.anatomy.layers(kind)):
        lengths = transformed_values(model, seen, kind, layer).norm(dim=-1)  # [H, K]
        layers.append(seen.step(kind, layer, "weights") * lengths[:, None])
    return torch.stack(layers).float().cpu().numpy()


def vote_maps(model: Source, translation: Translation, rivals: Tensor | None = None) -> dict[Kind, np.ndarray]:
    """Direct contributions to written logit − mean logit of the vocabulary: float32 [L, H, T, K] by kind, in logits.

    Row t is of the token that step t writes. A head's columns of W_O carry α v of a key into the decoder's
    stream, which the final norm, its scale held at what it was, maps linearly to the logits (direct logit
    attribution, Elhage et al. 2021). The mean over the vocabulary is the reference, because what is added
    to all logits alike changes no probability. With the feed-forward networks, the embedding and the biases
    the votes sum to the difference of logits. The encoder's heads have no direct vote: what a source
    column gets is due to the encoder's state there, which has gathered from other words.

    Args:
        model: that wrote, or was forced to write, the translation.
        translation: what was written.
        rivals: of each step the id of a token to be compared with instead of the mean, int [T].

    Raises:
        LacksAbilityError: the model's logits do not split into parts.
    """
    require(model, "internals", "votes")
    kinds: tuple[Kind, ...] = tuple(kind for kind in ("decoder_self", "cross") if kind in model.anatomy.kinds)
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    seen = model.forced(ids, Ask(("weights", "value"), kinds, stream=True))
    assert seen.stream is not None
    table = model.unembedding.table
    against = table.mean(0).double() if rivals is None else table[rivals].double()
    directions, _ = model.unembedding.direction(seen.stream.levels[-1], table[ids.written].double() - against)
    return {kind: _votes_of_kind(model, seen, kind, directions) for kind in kinds}


def _votes_of_kind(model: Source, seen: Pass, kind: Kind, directions: Tensor) -> np.ndarray:
    """Votes [L, H, T, K] along each step's direction, [T, D]."""
    layers = []
    for layer in range(model.anatomy.layers(kind)):
        towards = torch.einsum("hed,td->hte", model.heads_out(kind, layer).weight.double(), directions)
        worth = torch.einsum("hte,hke->htk", towards, seen.step(kind, layer, "value").double())
        layers.append((worth * seen.step(kind, layer, "weights").double()).float())
    return torch.stack(layers).cpu().numpy()
