"""Maps of the whole model: from what it read to what it wrote, all layers and heads at once."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from model.attribution.labelled_map import words_of
from model.attribution.shares import alti_shares, norm_shares, rolled_shares
from model.attribution.state_shares import Shares
from model.passage import Ask, Slope
from model.source import Source, Way, require
from model.trace import Kind, Translation

STEPS = 16  # of integrated gradients


def alti_maps(model: Source, translation: Translation) -> dict[Kind, np.ndarray]:
    """ALTI+ (Ferrando et al. 2022): shares of source tokens and of tokens read in each last state, as ``spread``."""
    return _rolled(model, translation, alti_shares(model, translation))


def flow_maps(model: Source, translation: Translation) -> dict[Kind, np.ndarray]:
    """The flow by norms (see ``norm_shares``) from each token to each last state, as ``spread`` gives it."""
    return _rolled(model, translation, norm_shares(model, translation))


def frozen_maps(model: Source, translation: Translation) -> dict[Kind, np.ndarray]:
    """Gradient × input of each written token's logit, attention weights and norms' scales held; as ``spread``.

    What the vector of a token and its position brings to the logit above the vocabulary's mean, along all
    paths but those through attention's weights. The ReLUs' gates are what they were, so this is the
    decomposition of DecompX (Modarressi et al. 2023) but for biases, which here belong to no token: with
    them the parts sum to the logit.

    Raises:
        LacksAbilityError: the model gives no gradients of its embeddings.
    """
    found = _slopes(model, translation, Slope("logit", frozen=True))
    return spread(model, translation, *((gradient * parts.sum(0)).sum(-1) for gradient, parts in found))


def frozen_shares(model: Source, translation: Translation) -> tuple[float, float]:
    """What all tokens bring in ``frozen_maps``, and what biases bring, in logits above the mean: medians of steps.

    The two sum to 1: the norms' shifts and the layers' biases, which belong to no token, mostly speak against the rest.
    """
    found = _slopes(model, translation, Slope("logit", frozen=True))
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    logits = model.forced(ids, Ask(kinds=(), logits=True)).logits
    assert logits is not None
    whole = (logits.gather(1, ids.written[:, None])[:, 0] - logits.mean(-1))[: ids.steps].double()
    brought = torch.stack([(gradient * parts.sum(0)).sum((-2, -1)) for gradient, parts in found]).sum(0).double()
    shares = (brought / whole).median()
    return float(shares), float(1 - shares)


def input_gradient_maps(model: Source, translation: Translation) -> dict[Kind, np.ndarray]:
    """Gradient × input of each written token's log-probability, nothing held (Denil et al. 2014); as ``spread``."""
    found = _slopes(model, translation, Slope("log_prob"))
    return spread(model, translation, *((gradient * parts.sum(0)).sum(-1) for gradient, parts in found))


def integrated_maps(model: Source, translation: Translation) -> dict[Kind, np.ndarray]:
    """Integrated gradients (Sundararajan et al. 2017) of each written token's log-probability; as ``spread``.

    From embeddings of 0, positions in place, in 16 steps by the rule of midpoints; with more steps the
    parts would sum exactly to what the log-probability gained on the way.
    """
    scales = tuple((step + 0.5) / STEPS for step in range(STEPS))
    found = _slopes(model, translation, Slope("log_prob", scales=scales))
    return spread(model, translation, *((gradient * parts[0]).sum(-1) for gradient, parts in found))


def chefer_maps(model: Source, translation: Translation) -> dict[Kind, np.ndarray]:
    """Relevance of what was read for each written token (Chefer et al. 2021, equations 5 to 11); as ``spread``.

    Every layer's map is the mean over heads of max(0, α ∂ log p_t / ∂α), the log-probability in place of a
    class' score. Self-attention adds it times what there is; cross-attention adds it between both sides'
    own relevance, each row of which is first divided by its sum.

    Raises:
        LacksAbilityError: the model gives no gradients.
    """
    require(model, "gradients")
    kinds: tuple[Kind, ...] = ("encoder_self", "decoder_self", "cross")
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    found = model.forced(ids, Ask(kinds=kinds, gradient="each"))

    def helped(kind: Kind, layer: int) -> Tensor:
        return (found.gradients[kind, layer] * found.step(kind, layer, "weights")).clamp_min(0).mean(1)

    steps, (n_tgt, n_src) = ids.steps, (len(ids.written), ids.src.shape[1])
    device = ids.src.device
    source = torch.eye(n_src, device=device).expand(steps, -1, -1)
    for layer in range(model.anatomy.layers("encoder_self")):
        source = source + helped("encoder_self", layer) @ source
    own, both = torch.eye(n_tgt, device=device).expand(steps, -1, -1), torch.zeros(steps, n_tgt, n_src, device=device)
    for layer in range(model.anatomy.layers("decoder_self")):
        looked = helped("decoder_self", layer)
        own, both = own + looked @ own, both + looked @ both
        if "cross" not in model.anatomy.kinds:
            continue
        both = both + _balanced(own).mT @ helped("cross", layer) @ _balanced(source)
    rows = torch.arange(steps, device=device)
    return spread(model, translation, both[rows, rows], own[rows, rows])


def leave_one_out_maps(model: Source, translation: Translation) -> dict[Kind, np.ndarray]:
    """Nats that each token's log-probability loses without a source word, shared by its pieces; as ``spread``."""
    return _without(model, translation, "mask")


def cross_zeroing_maps(model: Source, translation: Translation) -> dict[Kind, np.ndarray]:
    """What each token's log-probability loses when a word's values are 0 in all cross layers, as the one above.

    Value zeroing (Mohebbi et al. 2023) with its effect taken where it ends, at the output.
    """
    return _without(model, translation, "silence")


def spread(
    model: Source, translation: Translation, source: Tensor | np.ndarray, read: Tensor | np.ndarray | None = None
) -> dict[Kind, np.ndarray]:
    """Maps of the whole model, for every head the same: float32 [L, H, T, K] by kind that the model has.

    Args:
        translation: of T steps.
        source: of source tokens, [T', S]; rows of steps that wrote nothing are filled with 0.
        read: of the tokens that the decoder read, [T', T]; None: there is no map of these.
    """
    maps: dict[Kind, Tensor | np.ndarray | None] = {"cross": source, "decoder_self": read}
    found: dict[Kind, np.ndarray] = {}
    for kind, values in maps.items():
        if values is not None and kind in model.anatomy.kinds:
            rows = np.asarray(values.cpu() if isinstance(values, Tensor) else values, dtype=np.float32)
            rows = np.pad(rows, ((0, len(translation.tgt_ids) + 1 - len(rows)), (0, 0)))
            sizes = model.anatomy.kinds[kind]
            found[kind] = np.broadcast_to(rows, (sizes.layers, sizes.heads, *rows.shape))
    return found


def _rolled(model: Source, translation: Translation, shares: Shares) -> dict[Kind, np.ndarray]:
    return spread(model, translation, *rolled_shares(shares))


def _slopes(model: Source, translation: Translation, slope: Slope) -> list[tuple[Tensor, Tensor]]:
    """Gradients [T, N, D] and parts [2, N, D] of the source's vectors, then of those that the decoder reads."""
    require(model, "slopes")
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    found = model.slopes(ids, slope)
    return [(found.source, found.source_parts), (found.read, found.read_parts)]


def _balanced(relevance: Tensor) -> Tensor:
    """Self-relevance [.., N, N] whose part beyond the identity is divided by its rows' sums (equations 8 and 9)."""
    one = torch.eye(relevance.shape[-1], device=relevance.device)
    gathered = relevance - one
    total = gathered.sum(-1, keepdim=True)
    return torch.where(total > 0, gathered / total.clamp_min(1e-30), 0.0) + one


def _without(model: Source, translation: Translation, way: Way) -> dict[Kind, np.ndarray]:
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    n_src = ids.src.shape[1]
    groups = [group for word, group in zip(*words_of(translation.src), strict=True) if not word.is_special]
    deleted = np.zeros((len(groups) + 1, n_src), dtype=bool)
    for row, group in enumerate(groups, 1):
        deleted[row, group] = True
    found = model.log_probs(ids, hidden=deleted, way=way).double().cpu().numpy()
    costs = np.zeros((len(ids.written), n_src))
    for row, group in enumerate(groups, 1):
        costs[: ids.steps, group] = (found[0] - found[row])[:, None] / len(group)
    return spread(model, translation, costs)
