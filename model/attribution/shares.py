"""Which part of each state came from which state below it, and from which token in the end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from model.attribution.per_head import transformed_values
from model.attribution.state_shares import Shares
from model.passage import Ask, Pass
from model.source import Source, require
from model.trace import KINDS, Kind, Translation

Split = Callable[[Tensor, Tensor, Tensor, bool], Tensor]


def norm_shares(model: Source, translation: Translation) -> Shares:
    """Shares by norms, with the mixing ratio of Kobayashi et al. 2021 (section 3), for pre-norm layers.

    State i with the residual vector x_i receives v_ij = Σ_h α_ij f(x_j) from key j: the heads' vectors are
    added before their length is taken. What mixes in is m_i = ‖Σ_{j≠i} v_ij‖, what stays is
    p_i = ‖x_i + v_ii‖, or ‖x_i‖ in cross-attention, where no key is the state itself. The share
    m_i / (m_i + p_i) is divided among the other keys as ‖v_ij‖; the rest is the state's own. The output
    projection's bias belongs to no key and is left out; nothing is normalised after the sum, which is
    where pre-norm layers differ from the paper's. That shares of layers are multiplied is GlobEnc's way (Modarressi
    et al. 2022), here without its second norm.

    Raises:
        EmptySentenceError, SentenceTooLongError, UnknownCharacterError: as ``Source.ids``.
    """
    return _shares(model, translation, lambda vectors, residual, _out, own: mixing_shares(vectors, residual, own))


def alti_shares(model: Source, translation: Translation) -> Shares:
    """Shares by how much nearer each part brings a state, ALTI (Ferrando et al. 2022a) and ALTI+ (2022b), pre-norm.

    A state y_i after attention is a sum of parts, T_i(j) = Σ_h α_ij f(x_j), to which the residual vector
    adds: to its own key's part in self-attention, as a part of its own in cross-attention. A part counts
    max(0, ‖y_i‖₁ − ‖y_i − T_i(j)‖₁), and a row is divided by its sum. As in ``norm_shares`` nothing is
    normalised after the sum.

    Raises:
        EmptySentenceError, SentenceTooLongError, UnknownCharacterError: as ``Source.ids``.
    """
    return _shares(model, translation, nearing_shares)


def mixing_shares(vectors: Tensor, residual: Tensor, own_key: bool) -> Tensor:
    """Shares [Q, K] from the vectors v_ij [Q, K, D] that are added to the residual vectors x_i [Q, D].

    Args:
        vectors: what each key sends to each query, all heads together.
        residual: what each query's state was.
        own_key: key i is the state of query i; its share then includes the residual connection, and rows
            sum to 1. Otherwise rows sum to what mixed in.
    """
    lengths = vectors.norm(dim=-1)
    stays = residual
    if own_key:
        itself = vectors.diagonal().T  # [Q, D]
        stays, mixed = residual + itself, vectors.sum(1) - itself
        lengths = lengths - torch.diag_embed(lengths.diagonal())
    else:
        mixed = vectors.sum(1)
    mixing, keeping = mixed.norm(dim=-1), stays.norm(dim=-1)
    ratio = torch.where(lengths.sum(-1) > 0, mixing / (mixing + keeping), 0.0)
    shares = ratio[:, None] * lengths / lengths.sum(-1, keepdim=True).clamp_min(torch.finfo(lengths.dtype).tiny)
    found: Tensor = shares + torch.diag_embed(1 - ratio) if own_key else shares
    return found


def nearing_shares(vectors: Tensor, residual: Tensor, output: Tensor, own_key: bool) -> Tensor:
    """Shares [Q, K] as ``alti_shares`` defines them; arguments as ``mixing_shares``, and attention's output [Q, D]."""
    state = residual + output
    if own_key:
        parts = vectors.clone()
        parts.diagonal().add_(residual.T)
    else:
        parts = torch.cat((vectors, residual[:, None]), 1)
    near = (state.abs().sum(-1)[:, None] - (state[:, None] - parts).abs().sum(-1)).clamp_min(0)
    total = near.sum(-1, keepdim=True)
    stays = torch.zeros_like(near)
    (stays.diagonal() if own_key else stays[:, -1]).fill_(1)  # where no part brings it nearer, it is what it was
    near = torch.where(total > 0, near / total.clamp_min(torch.finfo(near.dtype).tiny), stays)
    return near if own_key else near[:, :-1]


def _shares(model: Source, translation: Translation, split: Split) -> Shares:
    require(model, *KINDS, "internals")
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    seen = model.forced(ids, Ask(("weights", "value", "residual", "output")))
    found = {
        kind: [_of_layer(model, seen, kind, n, split) for n in range(model.anatomy.layers(kind))] for kind in KINDS
    }
    shares = {kind: np.stack([share for share, _ in layers]) for kind, layers in found.items()}
    heads = {kind: np.stack([head for _, head in layers]) for kind, layers in found.items()}
    return Shares(shares["encoder_self"], shares["decoder_self"], shares["cross"], heads)


def _of_layer(model: Source, seen: Pass, kind: Kind, layer: int, split: Split) -> tuple[np.ndarray, np.ndarray]:
    """Shares [Q, K] of one layer, float64, and the head that sends the longest vector."""
    weights = seen.step(kind, layer, "weights")  # [H, Q, K]
    values = transformed_values(model, seen, kind, layer)  # [H, K, D]
    vectors = torch.einsum("hqk,hkd->qkd", weights, values).double()
    residual, output = (seen.step(kind, layer, step).double() for step in ("residual", "output"))
    heads = (weights * values.norm(dim=-1)[:, None]).argmax(0)
    return split(vectors, residual, output, kind != "cross").cpu().numpy(), heads.cpu().numpy()


def rolled_shares(shares: Shares) -> tuple[np.ndarray, np.ndarray]:
    """Shares of source tokens [T, S] and of tokens read [T, T] in each last decoder state; a row of both sums to 1.

    The layers' shares multiplied; feed-forward networks and norms mix no positions (Ferrando et al. 2022b).
    """
    encoder = np.eye(shares.encoder.shape[-1])
    for layer in shares.encoder:
        encoder = layer @ encoder
    read, source = np.eye(shares.own.shape[-1]), np.zeros(shares.cross.shape[1:])
    for own, cross in zip(shares.own, shares.cross, strict=True):
        stays = 1 - cross.sum(-1, keepdims=True)
        read, source = stays * (own @ read), stays * (own @ source) + cross @ encoder
    return source, read
