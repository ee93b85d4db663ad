"""The loss of training: label-smoothed cross-entropy with its projection, without ever holding all logits."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from model.own.network.transformer import Transformer
from model.own.text.vocab import PAD_ID

CHUNK = 512  # rows of logits at a time: they stay in a processor's cache


class ProjectedCrossEntropy(torch.autograd.Function):
    """Label-smoothed cross-entropy of ``states @ weightᵀ``, its gradient computed in the forward pass, in chunks.

    All logits of a batch of 3,000 tokens take 70 MB, written and read some six times; on a processor that costs a
    fifth of a training step. The idea is that of fused linear cross-entropy (Hsu et al. 2024, Liger Kernel).
    """

    @staticmethod
    def forward(ctx: Any, states: Tensor, weight: Tensor, targets: Tensor, smoothing: float) -> Tensor:
        """The mean over all rows, in nats: states [N, D], weight [V, D], targets [N] → a scalar.

        Products are computed in the type of ``states``, everything else in float32. Smoothing is that of
        ``F.cross_entropy``: 1 - ε on the target and ε spread over all V.
        """
        total = states.new_zeros((), dtype=torch.float32)
        matrix = weight.to(states.dtype)
        states_grad, weight_grad = torch.empty_like(states), torch.zeros_like(weight, dtype=torch.float32)
        for start in range(0, len(states), CHUNK):
            part, target = states[start : start + CHUNK], targets[start : start + CHUNK, None]
            log_probs = (part @ matrix.T).float().log_softmax(-1)
            total -= (1 - smoothing) * log_probs.gather(1, target).sum() + smoothing * log_probs.mean(-1).sum()
            slope = log_probs.exp_().sub_(smoothing / weight.shape[0])
            slope.scatter_add_(1, target, slope.new_full(target.shape, smoothing - 1)).div_(len(states))
            slope = slope.to(states.dtype)
            states_grad[start : start + CHUNK] = slope @ matrix
            weight_grad += slope.T @ part
        ctx.save_for_backward(states_grad, weight_grad.to(weight.dtype))
        return total / len(states)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None, None]:
        """Gradients of states and weight, times that of the loss."""
        states_grad, weight_grad = ctx.saved_tensors
        return states_grad * grads[0].to(states_grad.dtype), weight_grad * grads[0], None, None


class TranslationLoss(nn.Module):
    """Label-smoothed cross-entropy of teacher-forced targets, padding left out."""

    def __init__(self, model: Transformer, label_smoothing: float) -> None:
        super().__init__()
        self.model, self.label_smoothing = model, label_smoothing

    def forward(self, src_ids: Tensor, tgt_in: Tensor, tgt_out: Tensor) -> Tensor:
        """Mean over the real target tokens of the batch: a scalar, in nats."""
        states = self.model.decode(tgt_in, self.model.encode(src_ids), src_ids)
        real = tgt_out != PAD_ID
        if torch.is_autocast_enabled(states.device.type):
            states = states.to(torch.get_autocast_dtype(states.device.type))
        weight = self.model.decoder.embedding.tokens.weight
        loss: Tensor = ProjectedCrossEntropy.apply(states[real], weight, tgt_out[real], self.label_smoothing)
        return loss
