"""How much of a state came from which state below it, by the lengths of the vectors that were really added."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from model.analysis.maps.norms import transformed_values
from model.analysis.residual.flow import Shares
from model.passage import Ask, Pass
from model.source import Source, require
from model.trace import KINDS, Kind, Translation


def norm_shares(model: Source, translation: Translation) -> Shares:
    """Shares by norms, with the mixing ratio of Kobayashi et al. 2021 (section 3), for pre-norm layers.

    State i with the residual vector x_i receives v_ij = Σ_h α_ij f(x_j) from key j: the heads' vectors are
    added before their length is taken. What mixes in is m_i = ‖Σ_{j≠i} v_ij‖, what stays is
    p_i = ‖x_i + v_ii‖, or ‖x_i‖ in cross-attention, where no key is the state itself. The share
    m_i / (m_i + p_i) is divided among the other keys as ‖v_ij‖; the rest is the state's own. The output
    projection's bias belongs to no key and is left out; nothing is normalised after the sum, which is
    where pre-norm layers differ from the paper's.

    Raises:
        EmptySentenceError, SentenceTooLongError, UnknownCharacterError: as ``Source.ids``.
    """
    require(model, *KINDS, "internals")
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    seen = model.forced(ids, Ask(("weights", "value", "residual")))
    found = {kind: [_of_layer(model, seen, kind, n) for n in range(model.anatomy.layers(kind))] for kind in KINDS}
    shares = {kind: np.stack([share for share, _ in layers]) for kind, layers in found.items()}
    heads = {kind: np.stack([head for _, head in layers]) for kind, layers in found.items()}
    return Shares(shares["encoder_self"], shares["decoder_self"], shares["cross"], heads)


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
    return shares + torch.diag_embed(1 - ratio) if own_key else shares


def _of_layer(model: Source, seen: Pass, kind: Kind, layer: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares [Q, K] of one layer, float64, and the head that sends the longest vector."""
    weights = seen.step(kind, layer, "weights")  # [H, Q, K]
    values = transformed_values(model, seen, kind, layer)  # [H, K, D]
    vectors = torch.einsum("hqk,hkd->qkd", weights, values).double()
    shares = mixing_shares(vectors, seen.step(kind, layer, "residual").double(), own_key=kind != "cross")
    heads = (weights * values.norm(dim=-1)[:, None]).argmax(0)
    return shares.cpu().numpy(), heads.cpu().numpy()
