"""Our own Transformer gone through with a given target: the only place that runs it for anything but decoding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import numpy as np
import torch
from torch import Tensor, nn

from model.own.branches import branched_log_probs, written_log_probs
from model.own.capture import n_layers, site_name
from model.own.network.attention import MultiHeadAttention
from model.own.network.masks import causal_mask
from model.own.network.transformer import Transformer
from model.passage import Ask, ForcedIds, HeadsOut, Pass, Projections, Step, Stream, Unembedding
from model.source import Gains
from model.trace import Kind, may_attend

TOKENS_AT_ONCE = 1024  # of the source and the target together that are in memory at once
HOOKED: tuple[Step, ...] = ("query", "key", "value", "scores", "masked_scores", "weights", "heads")
_NORMS: dict[Kind, str] = {
    "encoder_self": "self_attn_norm",
    "decoder_self": "self_attn_norm",
    "cross": "cross_attn_norm",
}


def forced(model: Transformer, ids: ForcedIds, ask: Ask) -> Pass:
    """As ``Source.forced``: one pass, watched; to be called under the translator's lock."""
    if ask.gradient is not None:
        return _with_gradients(model, ids, ask)
    with _watching(model, ask) as seen:
        logits = model(ids.src, ids.inputs)[0].float() if ask.logits else None
        if logits is None:
            model.decode(ids.inputs, model.encode(ids.src), ids.src)
    return Pass(seen.attention, seen.whole_stream() if ask.stream else None, logits)


def log_probs(model: Transformer, ids: ForcedIds, gains: Sequence[Gains], hidden: np.ndarray | None) -> Tensor:
    """As ``Source.log_probs``; to be called under the translator's lock."""
    if hidden is not None and gains:
        raise ValueError("change heads or hide positions, not both in one batch")
    if hidden is None:
        return branched_log_probs(model, ids, gains or ({},))
    if not ids.steps:
        return torch.zeros(len(hidden), 0, device=ids.src.device)
    rows = max(1, TOKENS_AT_ONCE // (ids.src.shape[1] + ids.steps))
    return torch.cat([_hidden_log_probs(model, ids, part) for part in torch.from_numpy(hidden).split(rows)])


def _hidden_log_probs(model: Transformer, ids: ForcedIds, hidden: Tensor) -> Tensor:
    mask = ~hidden[:, None, None].to(ids.src.device)
    inputs = ids.inputs[:, : ids.steps].expand(len(hidden), -1)
    memory = model.encoder(ids.src.expand(len(hidden), -1), mask)
    states = model.decoder(inputs, memory, causal_mask(inputs.shape[1], inputs.device), mask)
    return written_log_probs(model, states, ids.written[: ids.steps])


def attention_block(model: Transformer, kind: Kind, layer: int) -> MultiHeadAttention:
    """The attention module of a layer.

    Raises:
        AttributeError: there is no such layer.
    """
    block = model.get_submodule(site_name(kind, layer))
    assert isinstance(block, MultiHeadAttention)
    return block


def heads_out(model: Transformer, kind: Kind, layer: int) -> HeadsOut:
    """As ``Source.heads_out``."""
    block = attention_block(model, kind, layer)
    weight = block.out_proj.weight.detach().T.reshape(block.n_heads, block.d_head, -1)
    return HeadsOut(weight, block.out_proj.bias.detach())


def projections(model: Transformer, kind: Kind, layer: int) -> Projections:
    """As ``Source.projections``."""
    block = attention_block(model, kind, layer)
    maps = (block.q_proj, block.k_proj, block.v_proj, block.out_proj)
    return Projections(*((each.weight.detach(), each.bias.detach()) for each in maps))


def unembedding(model: Transformer) -> Unembedding:
    """As ``Source.unembedding``: the output projection is tied with the target embedding."""
    norm = model.decoder.norm
    table = model.decoder.embedding.tokens.weight.detach()
    return Unembedding(table, norm.weight.detach(), norm.bias.detach(), norm.eps)


class _Seen:
    """What the hooks of one pass saw."""

    def __init__(self) -> None:
        self.attention: dict[tuple[Kind, int], dict[Step, Tensor]] = {}
        self.levels: list[Tensor] = []
        self.feed_forward: list[Tensor] = []
        self.gradients: dict[tuple[Kind, int], Tensor] = {}

    def whole_stream(self) -> Stream:
        return Stream(torch.cat(self.levels), torch.cat(self.feed_forward))


@contextmanager
def _watching(model: Transformer, ask: Ask) -> Iterator[_Seen]:
    """Hooks for all that is asked, while the ``with`` lasts; nothing stays on the model."""
    seen = _Seen()
    with ExitStack() as stack:

        def after(module: nn.Module, keep: Callable[[Tensor], object]) -> None:
            stack.callback(module.register_forward_hook(lambda *args: (keep(args[2]), None)[1]).remove)

        def before(module: nn.Module, keep: Callable[[Tensor], object]) -> None:
            stack.callback(module.register_forward_pre_hook(lambda _, args: (keep(args[0]), None)[1]).remove)

        for site in [(kind, layer) for kind in ask.kinds for layer in range(n_layers(model, kind))]:
            kept = seen.attention.setdefault(site, {})
            for step in ask.steps:
                _watch_step(model, site, step, kept, before, after)
            if ask.gradient is not None:
                _watch_weights(model, site, seen, after)
        if ask.stream:
            after(model.decoder.embedding, seen.levels.append)
            for module in model.decoder.layers:
                after(module.get_submodule("feed_forward"), seen.feed_forward.append)
                after(module, seen.levels.append)
        yield seen


def _watch_step(
    model: Transformer,
    site: tuple[Kind, int],
    step: Step,
    kept: dict[Step, Tensor],
    before: Callable[..., None],
    after: Callable[..., None],
) -> None:
    """Where a step of attention passes by: its hook point, or the module that takes or gives it."""
    block = attention_block(model, *site)

    def keep(value: Tensor) -> None:
        kept[step] = value.detach()[0]

    if step in HOOKED:
        after(block.get_submodule(f"{step}_hook"), keep)
    elif step == "output":
        after(block, keep)
    elif step == "residual":
        layer = site_name(*site).rpartition(".")[0]
        before(model.get_submodule(f"{layer}.{_NORMS[site[0]]}"), keep)
    else:
        before(block.q_proj if step == "inputs" else block.k_proj, keep)


def _watch_weights(model: Transformer, site: tuple[Kind, int], seen: _Seen, after: Callable[..., None]) -> None:
    """Catch a layer's weights, and by a tensor hook (``Tensor.register_hook``) their gradient."""

    def keep(value: Tensor) -> None:
        seen.attention[site]["weights"] = value
        value.register_hook(lambda gradient: seen.gradients.__setitem__(site, gradient.detach()[0]))

    after(attention_block(model, *site).weights_hook, keep)


def _with_gradients(model: Transformer, ids: ForcedIds, ask: Ask) -> Pass:
    """Gradients of a log-probability with respect to every weight; 0 where the mask hides a key."""
    with torch.inference_mode(False), torch.enable_grad(), _watching(model, ask) as seen:
        src, inputs, written = (tensor.clone() for tensor in ids[:3])  # made under inference mode
        every = model(src, inputs)[0].float().log_softmax(-1).gather(1, written[:, None])[:, 0]
        wanted = every.sum() if ask.gradient == "all" else every[ask.gradient]
        torch.autograd.backward(wanted, inputs=[each["weights"] for each in seen.attention.values()])
    for (kind, layer), gradient in seen.gradients.items():
        hidden = torch.from_numpy(~may_attend(kind, tuple(gradient.shape))).to(gradient.device)
        seen.gradients[kind, layer] = gradient.masked_fill(hidden, 0.0)
        seen.attention[kind, layer]["weights"] = seen.attention[kind, layer]["weights"].detach()[0]
    return Pass(seen.attention, gradients=seen.gradients)
