"""Maps of each head, or of each layer for all its heads: norms, votes, gradients, and value zeroing."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from model.passage import Ask, Pass
from model.source import Source, require
from model.trace import Kind, Translation, may_attend


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
        weight = model.heads_out(kind, layer).weight.double()  # [H, d_head, D]
        towards = (directions @ weight.flatten(0, 1).T).unflatten(1, weight.shape[:2]).transpose(0, 1)  # [H, T, d_head]
        worth = towards @ seen.step(kind, layer, "value").double().transpose(1, 2)
        layers.append((worth * seen.step(kind, layer, "weights").double()).float())
    return torch.stack(layers).cpu().numpy()


def gradient_maps(model: Source, translation: Translation, step: int | None = None) -> dict[Kind, np.ndarray]:
    """∂ log p / ∂ weight of every head: float32 [L, H, Q, K] by kind, in nats per unit of weight.

    Every weight is taken as free: its row need not keep a sum of 1, and keys that the mask hides have
    a gradient too, which is set to 0 because their weight cannot change. Without a ``step``, row t of the
    decoder's kinds has the gradient of the token that step t writes; the encoder's rows belong to no step,
    and have that of the whole translation. An <eos> that was never written has no part in either.

    Args:
        model: that wrote, or was forced to write, the translation.
        step: row of ``tgt_outputs`` whose token's log-probability is differentiated, for all rows; None:
            each row's own token.

    Raises:
        IndexError: there is no such step.
        LacksAbilityError: the model gives no gradients.
    """
    require(model, "gradients")
    kinds = tuple(model.anatomy.kinds)
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    found = model.forced(ids, Ask(kinds=kinds, gradient="each" if step is None else step)).gradients
    every = {
        kind: torch.stack([found[kind, layer] for layer in range(model.anatomy.layers(kind))], -4).float()
        for kind in kinds
    }
    if step is None:
        every = {kind: own_rows(maps) if kind != "encoder_self" else maps.sum(0) for kind, maps in every.items()}
    return {kind: maps.cpu().numpy() for kind, maps in every.items()}


def own_rows(maps: Tensor) -> Tensor:
    """Each step's own row of maps [T', …, T, K], one a step that wrote something: […, T, K]; others are 0."""
    found = torch.zeros_like(maps[0]) if len(maps) else maps.new_zeros(maps.shape[1:])
    for step in range(len(maps)):
        found[..., step, :] = maps[step, ..., step, :]
    return found


def zeroing_maps(model: Source, translation: Translation) -> dict[Kind, np.ndarray]:
    """Value zeroing (Mohebbi et al. 2023) of every layer, for all its heads the same: float32 [L, H, Q, K] by kind.

    Of each query the state that the layer gives, once as it is and once with the values of one key set to
    0 in all heads; the cosine distance of both, each row divided by its sum. Only what happens within the
    layer counts.

    Raises:
        LacksAbilityError: a layer cannot go on from other states.
    """
    require(model, "internals", "tails")
    kinds = tuple(model.anatomy.kinds)
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    seen = model.forced(ids, Ask(("weights", "value", "residual", "output", "memory"), kinds))
    found: dict[Kind, np.ndarray] = {}
    for kind, sizes in model.anatomy.kinds.items():
        layers = np.stack([_of_layer(model, seen, kind, layer) for layer in range(sizes.layers)])
        found[kind] = np.broadcast_to(layers[:, None], (sizes.layers, sizes.heads, *layers.shape[1:]))
    return found


def _of_layer(model: Source, seen: Pass, kind: Kind, layer: int) -> np.ndarray:
    vectors = torch.einsum(
        "hqk,hkd->qkd", seen.step(kind, layer, "weights"), transformed_values(model, seen, kind, layer)
    )
    state = seen.step(kind, layer, "residual") + seen.step(kind, layer, "output")
    memory = seen.step("cross", layer, "memory") if kind == "decoder_self" and "cross" in model.anatomy.kinds else None
    whole = model.tail(kind, layer, state, memory)
    rows, keys = torch.from_numpy(may_attend(kind, tuple(vectors.shape[:2]))).to(state.device).nonzero(as_tuple=True)
    turned = model.tail(kind, layer, state[rows] - vectors[rows, keys], memory)
    found = torch.zeros(vectors.shape[:2], dtype=torch.float64, device=state.device)
    found[rows, keys] = _distance(whole[rows], turned)
    return _shared(found).float().cpu().numpy()


def _distance(one: Tensor, other: Tensor) -> Tensor:
    """Cosine distance along the last axis, at least 0; in double precision, since most are small."""
    one, other = one.double(), other.double()
    found: Tensor = (1 - (one * other).sum(-1) / (one.norm(dim=-1) * other.norm(dim=-1)).clamp_min(1e-30)).clamp_min(0)
    return found


def _shared(rows: Tensor) -> Tensor:
    total = rows.sum(-1, keepdim=True)
    return torch.where(total > 0, rows / total.clamp_min(1e-30), 0.0)
