"""The loss of training: label-smoothed cross-entropy with its projection, without ever holding all logits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from model.own.network.transformer import Transformer
from model.own.text.vocab import PAD_ID

CHUNK = 512  # rows of logits at a time: they stay in a processor's cache
GPU_CHUNK = 16_384  # a GPU would wait for so many small products


class ProjectedCrossEntropy(torch.autograd.Function):
    """Label-smoothed cross-entropy of ``states @ weightᵀ``, its gradient computed in the forward pass, in chunks.

    All logits of a batch of 3,000 tokens take 70 MB, written and read some six times; on a processor that costs a
    fifth of a training step. The idea is that of fused linear cross-entropy (Hsu et al. 2024, Liger Kernel).
    """

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weight: Tensor, targets: Tensor, smoothing: float, agreement: float = 0.0
    ) -> Tensor:
        """The mean over all rows, in nats: states [P·N, D], weight [V, D], targets [N] → a scalar.

        Products are computed in the type of ``states``, everything else in float32. Smoothing is that of
        ``F.cross_entropy``: 1 - ε on the target and ε spread over all V. Of P = 2 passes over the same targets the
        symmetric KL divergence of their distributions is added, times half of ``agreement`` (R-Drop's α; the half
        because its cross-entropy is the sum of both passes, and here it is their mean).
        """
        total = states.new_zeros((), dtype=torch.float32)
        matrix = weight.to(states.dtype)
        states_grad, weight_grad = torch.empty_like(states), torch.zeros_like(weight, dtype=torch.float32)
        passes = states.unflatten(0, (-1, len(targets)))
        grads = states_grad.unflatten(0, (-1, len(targets)))
        chunk = (GPU_CHUNK if states.is_cuda else CHUNK) // len(passes)
        for start in range(0, len(targets), chunk):
            parts, target = passes[:, start : start + chunk], targets[start : start + chunk, None]
            log_probs = [(part @ matrix.T).float().log_softmax(-1) for part in parts]
            for each in log_probs:
                total -= (1 - smoothing) * each.gather(1, target).sum() + smoothing * each.mean(-1).sum()
            divergence, pulls = _apart(log_probs, agreement) if agreement else (0.0, [None] * len(parts))
            total += divergence
            for number, (each, pull) in enumerate(zip(log_probs, pulls, strict=True)):
                slope = each.exp_().sub_(smoothing / weight.shape[0])
                slope.scatter_add_(1, target, slope.new_full(target.shape, smoothing - 1))
                slope = (slope if pull is None else slope.add_(pull)).div_(len(states)).to(states.dtype)
                grads[number, start : start + chunk] = slope @ matrix
                weight_grad += slope.T @ parts[number]
        ctx.save_for_backward(states_grad, weight_grad.to(weight.dtype))
        return total / len(states)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        """Gradients of states and weight, times that of the loss."""
        states_grad, weight_grad = ctx.saved_tensors
        return states_grad * grads[0].to(states_grad.dtype), weight_grad * grads[0], None, None, None


def _apart(log_probs: Sequence[Tensor], agreement: float) -> tuple[Tensor, list[Tensor]]:
    """α/2 · [KL(p‖q) + KL(q‖p)] of two passes, summed over rows, and its gradients by the logits of each, [N, V]."""
    ratio = log_probs[0] - log_probs[1]
    probs = [each.exp() for each in log_probs]
    ways = [(probs[0] * ratio).sum(-1, keepdim=True), -(probs[1] * ratio).sum(-1, keepdim=True)]
    pulls = [
        (mine * (sign * ratio - way) + mine - theirs).mul_(agreement / 2)
        for mine, theirs, way, sign in zip(probs, reversed(probs), ways, (1, -1), strict=True)
    ]
    return (ways[0] + ways[1]).sum() * agreement / 2, pulls


class TranslationLoss(nn.Module):
    """Label-smoothed cross-entropy of teacher-forced targets, padding left out.

    With ``r_drop`` above 0 every batch goes through the model twice, under two dropout masks, and what the passes
    disagree in counts too (Liang et al. 2021, R-Drop; ``r_drop`` is its α).
    """

    def __init__(self, model: Transformer, label_smoothing: float, r_drop: float = 0.0) -> None:
        super().__init__()
        self.model, self.label_smoothing, self.r_drop = model, label_smoothing, r_drop

    def forward(self, src_ids: Tensor, tgt_in: Tensor, tgt_out: Tensor) -> Tensor:
        """Mean over the real target tokens of the batch: a scalar, in nats."""
        passes = 2 if self.r_drop else 1
        src_ids, tgt_in = src_ids.repeat(passes, 1), tgt_in.repeat(passes, 1)
        states = self.model.decode(tgt_in, self.model.encode(src_ids), src_ids)
        real = tgt_out != PAD_ID
        if torch.is_autocast_enabled(states.device.type):
            states = states.to(torch.get_autocast_dtype(states.device.type))
        weight = self.model.decoder.embedding.tokens.weight
        loss: Tensor = ProjectedCrossEntropy.apply(
            states[real.repeat(passes, 1)], weight, tgt_out[real], self.label_smoothing, self.r_drop
        )
        return loss
