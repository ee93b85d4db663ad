"""Layer norm against batch norm on the same activations, and norms before or after the residual sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from model.own.network.config import TransformerConfig
from model.own.network.layers import EncoderLayer
from model.own.text.tokenize import pad
from model.own.text.vocab import PAD_ID
from model.translator import Translator


@dataclass(frozen=True)
class Normed:
    """The first sentence of a batch, [S, D] each, float64."""

    raw: np.ndarray  # the encoder's residual stream after a layer; ``every`` that of all the batch's tokens, [N, D]
    every: np.ndarray
    # layer, batch: after layer norm and after batch norm, without learned scale and shift
    layer: np.ndarray
    batch: np.ndarray
    # layer_moved, batch_moved: how far each token moves when its sentence is read without the others, [S], as a share
    # of its length
    layer_moved: np.ndarray
    batch_moved: np.ndarray


def normed(model: Translator, sentences: Sequence[str], layer: int) -> Normed:
    """Both norms of the activations that a batch of sentences has after an encoder layer.

    Layer norm looks at one token's dimensions (Ba et al. 2016); batch norm at one dimension over all
    real tokens of the batch (Ioffe and Szegedy 2015).
    """
    rows = [model.encode_source(sentence)[1][0].cpu().numpy() for sentence in sentences]
    together, alone = _states(model, rows, layer), _states(model, rows[:1], layer)
    n = len(rows[0])
    by_token = [_layer_norm(states)[:n] for states in (together, alone)]
    by_batch = [_batch_norm(states)[:n] for states in (together, alone)]
    moved = [((one - two).norm(dim=-1) / two.norm(dim=-1)).numpy() for two, one in (by_token, by_batch)]
    return Normed(together[:n].numpy(), together.numpy(), by_token[0].numpy(), by_batch[0].numpy(), moved[0], moved[1])


def _states(model: Translator, rows: Sequence[np.ndarray], layer: int) -> Tensor:
    """The stream of the real tokens of a batch after a layer, sentence by sentence: float64 [N, D]."""
    ids, kept = pad(rows), list[Tensor]()

    def keep(_module: object, _given: object, output: Tensor) -> None:
        kept.append(output)

    with model.running() as network:
        handle = network.encoder.layers[layer].register_forward_hook(keep)
        try:
            network.encode(ids.to(model.device))
        finally:
            handle.remove()
    return kept[0].cpu()[ids != PAD_ID].double()


def _layer_norm(states: Tensor) -> Tensor:
    return F.layer_norm(states, states.shape[-1:])


def _batch_norm(states: Tensor) -> Tensor:
    return F.batch_norm(states, None, None, training=True)


@dataclass(frozen=True)
class ByDepth:
    """What a fresh encoder does in its first step, by how its layers are wired, [L] each.

    Wirings are "pre" (norm before the residual sum, as in this model), "post" (after it) and "none" (no sum).
    """

    # norm of the loss's gradient in each layer's feed-forward network; of "pre" and "post"
    gradient: dict[str, np.ndarray]
    likeness: dict[str, np.ndarray]  # mean cosine of every two tokens of a sentence after each layer


def by_depth(n_layers: int = 12, seed: int = 0) -> ByDepth:
    """Random tokens through a fresh encoder, and cross-entropy of random labels back through it.

    Gradients after Xiong et al. 2020, section 3; where the norm does not come last there is one more at
    the end, as in this model. Likeness after Dong et al. 2021: without the sum tokens become the same.
    """
    config = TransformerConfig(src_vocab_size=8, tgt_vocab_size=8, d_model=128, n_heads=4, d_ff=512, dropout=0.0)
    wirings: dict[str, Callable[[EncoderLayer, Tensor], Tensor]] = {
        "pre": lambda layer, x: torch.as_tensor(layer(x, None)),
        "post": _post_norm,
        "none": _without_sum,
    }
    gradient, likeness = {}, {}
    for name, wired in wirings.items():
        generator = torch.Generator().manual_seed(seed)
        layers = [_fresh(config, generator) for _ in range(n_layers)]
        x = torch.randn(8, 16, config.d_model, generator=generator)
        labels = torch.randint(100, (8 * 16,), generator=generator)
        head = torch.randn(100, config.d_model, generator=generator) * config.d_model**-0.5
        states = [x := wired(layer, x) for layer in layers]
        likeness[name] = np.array([_likeness(each.detach()) for each in states])
        if name != "none":
            last = x if name == "post" else F.layer_norm(x, x.shape[-1:])
            F.cross_entropy((last @ head.T).flatten(0, 1), labels).backward()
            weights = [layer.feed_forward.down_proj.weight for layer in layers]
            gradient[name] = np.array([float(weight.grad.norm()) for weight in weights if weight.grad is not None])
    return ByDepth(gradient, likeness)


def _likeness(states: Tensor) -> float:
    """Mean cosine of every two different tokens of a sentence, [B, T, D]."""
    directions = F.normalize(states, dim=-1)
    cosines, n = directions @ directions.transpose(1, 2), states.shape[1]
    return float((cosines.sum((1, 2)) - n).mean() / (n * (n - 1)))


def _fresh(config: TransformerConfig, generator: torch.Generator) -> EncoderLayer:
    layer = EncoderLayer(config)
    for name, parameter in layer.named_parameters():
        if parameter.dim() > 1:
            torch.nn.init.xavier_uniform_(parameter, generator=generator)
        elif name.endswith("bias"):
            torch.nn.init.zeros_(parameter)
    return layer.eval()


def _post_norm(layer: EncoderLayer, x: Tensor) -> Tensor:
    """The same layer with its norms after each residual sum (Vaswani et al. 2017)."""
    x = layer.self_attn_norm(x + layer.self_attn(x, layer.self_attn.project(x), None))
    return torch.as_tensor(layer.feed_forward_norm(x + layer.feed_forward(x)))


def _without_sum(layer: EncoderLayer, x: Tensor) -> Tensor:
    """The same layer without its residual sums: what it was given is lost."""
    normed = layer.self_attn_norm(x)
    x = layer.self_attn(normed, layer.self_attn.project(normed), None)
    return torch.as_tensor(layer.feed_forward(layer.feed_forward_norm(x)))


@dataclass(frozen=True)
class Codes:
    """What two ways to write layer norm, and what people say of it, come to on the same tokens."""

    ratio: float  # of both results: √((d − 1) / d), since the Annotated Transformer's std divides by d − 1
    difference: float  # largest distance of both results, [S, D], with ε = 1e-6 outside and 1e-5 inside the root
    largest: float  # size of a normalised number; of so many independent standard normals it would be ``expected``
    expected: float


def codes(raw: np.ndarray, seed: int = 0) -> Codes:
    """Both codes on states [S, D]: PyTorch's, and x − mean over (std + ε) as the Annotated Transformer has it."""
    x = torch.from_numpy(raw)
    own = F.layer_norm(x, x.shape[-1:], eps=1e-5)
    other = (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6)
    normal = np.abs(np.random.default_rng(seed).standard_normal((100, *raw.shape))).max((1, 2)).mean()
    ratio = float((other / own).median())
    return Codes(ratio, float((own - other).abs().max()), float(own.abs().max()), float(normal))


def channel_means(pictures: np.ndarray, states: np.ndarray) -> tuple[int, float, float]:
    """Why batch norm suits pictures: how far the means move when half of a batch leaves, in standard deviations.

    Args:
        pictures: [N, H, W, C]; a channel has one mean over pictures and places.
        states: [T, D], of all tokens of a batch; a dimension has one mean over tokens.

    Returns:
        Numbers behind a channel's mean, and the largest move of a channel's and of a dimension's mean.
    """

    def moved(every: np.ndarray) -> float:
        kept = every[: len(every) // 2]
        return float((np.abs(kept.mean(0) - every.mean(0)) / every.std(0)).max())

    flat = pictures.reshape(-1, pictures.shape[-1]).astype(np.float64)
    return len(flat), moved(flat), moved(states)
