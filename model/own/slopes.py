"""Gradients of what our own Transformer writes: with respect to attention weights, and to embeddings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import torch
from torch import Tensor, nn

from model.own.capture import hook_name, n_layers
from model.own.network.transformer import Embedding, Transformer
from model.passage import Ask, ForcedIds, Pass, Slope, Slopes
from model.trace import KINDS, Kind, may_attend

Site = tuple[Kind, int]


def gradients(model: Transformer, ids: ForcedIds, ask: Ask) -> Pass:
    """Gradients of a log-probability with respect to every weight; 0 where the mask hides a key.

    Raises:
        IndexError: there is no such step.
    """
    sites = [(kind, layer) for kind in ask.kinds for layer in range(n_layers(model, kind))]
    weights: dict[Site, Tensor] = {}
    with torch.inference_mode(False), torch.enable_grad(), ExitStack() as stack:
        for site in sites:
            _on(stack, model, f"{hook_name(*site, 'weights_hook')}", _keeper(weights, site))
        src, inputs, written = (tensor.clone() for tensor in ids[:3])  # made under inference mode
        every = _log_probs(model(src, inputs)[0], written)
        if ask.on_weights:
            for site in sites:
                ask.on_weights(*site, weights[site])
        if ask.gradient == "each":
            found = _of_each(every[: ids.steps], [weights[site] for site in sites])
        else:
            wanted = every[: ids.steps].sum() if ask.gradient == "all" else every[ask.gradient or 0]
            found = torch.autograd.grad(wanted, [weights[site] for site in sites], allow_unused=True)
    kept = {}
    for site, gradient in zip(sites, found, strict=True):
        value = (torch.zeros_like(weights[site]) if gradient is None else gradient)[..., 0, :, :, :]
        hidden = torch.from_numpy(~may_attend(site[0], tuple(value.shape))).to(value.device)
        kept[site] = value.masked_fill(hidden, 0.0)
    return Pass({site: {"weights": weights[site].detach()[0]} for site in sites}, gradients=kept)


def slopes(model: Transformer, ids: ForcedIds, slope: Slope) -> Slopes:
    """As ``Source.slopes``."""
    total: list[Tensor] = []
    with torch.inference_mode(False), torch.enable_grad():
        src, inputs, written = (tensor.clone() for tensor in ids[:3])
        parts = [_parts(model.encoder.embedding, src), _parts(model.decoder.embedding, inputs)]
        for scale in slope.scales:
            vectors = [(token * scale + position)[None].requires_grad_() for token, position in parts]
            with _reading(model, vectors), _frozen(model, slope.frozen):
                logits = model(src, inputs)[0]
            values = _wanted(logits, written, slope)[: ids.steps]
            found = _of_each(values, vectors)
            total = [each[:, 0] + (total[n] if total else 0) for n, each in enumerate(found)]
        if slope.scales[-1] != 1:
            with torch.no_grad():
                values = _wanted(model(src, inputs)[0], written, slope)[: ids.steps]
    source, read = (each / len(slope.scales) for each in total)
    return Slopes(source, read, torch.stack(parts[0]), torch.stack(parts[1]), values.detach())


def _log_probs(logits: Tensor, written: Tensor) -> Tensor:
    return logits.float().log_softmax(-1).gather(1, written[:, None])[:, 0]


def _wanted(logits: Tensor, written: Tensor, slope: Slope) -> Tensor:
    if slope.of == "log_prob":
        return _log_probs(logits, written)
    return (logits.gather(1, written[:, None]) - logits.mean(-1, keepdim=True))[:, 0]


def _of_each(values: Tensor, inputs: list[Tensor]) -> tuple[Tensor, ...]:
    """Gradient of each value [T] by itself, with a first axis of T: one forward pass, T backward as a batch."""
    if not len(values):
        return tuple(each.new_zeros(0, *each.shape) for each in inputs)
    rows = torch.eye(len(values), device=values.device)
    return torch.autograd.grad(values, inputs, rows, is_grads_batched=True)


@torch.no_grad()
def _parts(embedding: Embedding, ids: Tensor) -> tuple[Tensor, Tensor]:
    """What tokens and their positions put into the stream: [N, D] each."""
    token = (embedding.tokens(ids)[0] * embedding.scale).clone()
    return token, embedding.positions.table[: len(token)].to(token.dtype).clone()


@contextmanager
def _reading(model: Transformer, vectors: list[Tensor]) -> Iterator[None]:
    """Both sides read these vectors while the ``with`` lasts."""
    with ExitStack() as stack:
        for name, value in zip(("encoder.embedding", "decoder.embedding"), vectors, strict=True):
            _on(stack, model, name, lambda _module, _input, _output, value=value: value)
        yield


@contextmanager
def _frozen(model: Transformer, frozen: bool) -> Iterator[None]:
    """Attention weights and the scales of norms count as constants while the ``with`` lasts."""
    with ExitStack() as stack:
        if frozen:
            for kind in KINDS:
                for layer in range(n_layers(model, kind)):
                    name = hook_name(kind, layer, "weights_hook")
                    _on(stack, model, name, lambda _module, _input, output: output.detach())
            for module in model.modules():
                if isinstance(module, nn.LayerNorm):
                    stack.callback(module.register_forward_hook(_held).remove)
        yield


def _held(norm: nn.Module, args: tuple[Tensor, ...], output: Tensor) -> Tensor:
    """A norm's output, with its scale as a constant."""
    assert isinstance(norm, nn.LayerNorm)
    rate = torch.rsqrt(args[0].var(-1, unbiased=False, keepdim=True) + norm.eps).detach()
    centred = args[0] - args[0].mean(-1, keepdim=True)
    return centred * rate * norm.weight + norm.bias


def _keeper(kept: dict[Site, Tensor], site: Site) -> Callable[..., None]:
    def keep(_module: nn.Module, _args: object, output: Tensor) -> None:
        kept[site] = output

    return keep


def _on(stack: ExitStack, model: Transformer, name: str, hook: Callable[..., Tensor | None]) -> None:
    stack.callback(model.get_submodule(name).register_forward_hook(hook).remove)
