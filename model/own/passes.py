"""Our own Transformer gone through with a given target: the only place that runs it for anything but decoding."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from threading import Lock

import torch
from torch import Tensor, nn

from model.own.capture import Captured, hook_name, n_layers, site_name
from model.own.network.attention import MultiHeadAttention
from model.own.network.layers import DecoderLayer, EncoderLayer, LayerCache
from model.own.network.transformer import Decoder, Embedding, Encoder, Transformer
from model.passage import (
    Ask,
    ForcedIds,
    HeadsOut,
    HeldNorm,
    Pass,
    Projections,
    Slope,
    Slopes,
    Step,
    Stream,
    Unembedding,
)
from model.trace import KINDS, Kind, may_attend

DECODER_KINDS: tuple[Kind, Kind] = ("decoder_self", "cross")
HOOKED: tuple[Step, ...] = ("query", "key", "value", "scores", "masked_scores", "weights", "heads")
_NORMS: dict[Kind, str] = {
    "encoder_self": "self_attn_norm",
    "decoder_self": "self_attn_norm",
    "cross": "cross_attn_norm",
}


def forced(model: Transformer, ids: ForcedIds, ask: Ask) -> Pass:
    """As ``Source.forced``: one pass, watched; to be called under the translator's lock."""
    with _watching(model, ask) as seen:
        logits = model(ids.src, ids.inputs)[0].float() if ask.logits else None
        if logits is None:
            model.decode(ids.inputs, model.encode(ids.src), ids.src)
    streams = (seen.stream.whole() if ask.stream else None, seen.source_stream.whole() if ask.source_stream else None)
    return Pass(seen.attention, streams[0], logits, source_stream=streams[1])


class WrittenPasses:
    """The last few decodings as passes: who asks for weights, values or the stream of what was just written has them.

    Of unchanged models alone; what is given must not be changed.
    """

    MOST = 4

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, ...], Pass] = OrderedDict()
        self._lock = Lock()

    def keep(self, ids: Sequence[Tensor], cache: Sequence[LayerCache], captured: Captured, stream: Stream) -> None:
        """Keep what decoding saw over source and inputs, [1, S] and [1, T]."""
        attention: dict[tuple[Kind, int], dict[Step, Tensor]] = {}
        for layer, kept in enumerate(cache):
            assert kept.self_attn
            assert kept.cross_attn
            values = kept.self_attn[1][0], kept.cross_attn[1][0]
            for kind, value in zip(DECODER_KINDS, values, strict=True):
                attention[kind, layer] = {"weights": captured.of(kind, layer), "value": value}
        with self._lock:
            self._kept[_read_key(ids)] = Pass(attention, stream)
            if len(self._kept) > self.MOST:
                self._kept.popitem(last=False)

    def over(self, ids: ForcedIds, ask: Ask) -> Pass | None:
        """The pass over these ids, where it was decoding and has all that is asked."""
        plain = not ask.logits and not ask.source_stream and ask.gradient is None and ask.on_weights is None
        has_all = {"weights", "value"}.issuperset(ask.steps) and set(DECODER_KINDS).issuperset(ask.kinds)
        return self._kept.get(_read_key(ids[:2])) if plain and has_all else None


def _read_key(ids: Sequence[Tensor]) -> tuple[int, ...]:
    """What is read, and behind it, after a number that no token has, what is written so far."""
    return (*ids[0][0].tolist(), -1, *ids[1][0].tolist())


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


def norms(model: Transformer, kind: Kind, layer: int) -> tuple[HeldNorm, HeldNorm]:
    """As ``Source.norms``: cross-attention's keys come through the encoder's last norm."""

    def held(norm: nn.Module) -> HeldNorm:
        assert isinstance(norm, nn.LayerNorm)
        return HeldNorm(norm.weight.detach(), norm.bias.detach(), norm.eps)

    query = held(model.get_submodule(f"{site_name(kind, layer).rpartition('.')[0]}.{_NORMS[kind]}"))
    return query, held(model.encoder.norm) if kind == "cross" else query


def unembedding(model: Transformer) -> Unembedding:
    """As ``Source.unembedding``: the output projection is tied with the target embedding."""
    norm = model.decoder.norm
    table = model.decoder.embedding.tokens.weight.detach()
    return Unembedding(table, norm.weight.detach(), norm.bias.detach(), norm.eps)


def tail(model: Transformer, kind: Kind, layer: int, states: Tensor, memory: Tensor | None) -> Tensor:
    """As ``Source.tail``."""
    module = model.get_submodule(site_name(kind, layer).rpartition(".")[0])
    assert isinstance(module, EncoderLayer | DecoderLayer)
    x = states.reshape(1, -1, states.shape[-1])
    if kind == "decoder_self":
        assert isinstance(module, DecoderLayer)
        assert memory is not None
        x = x + module.cross_attn(module.cross_attn_norm(x), module.cross_attn.project(memory[None]))
    found: Tensor = (x + module.feed_forward(module.feed_forward_norm(x))).reshape(states.shape)
    return found


class _Seen:
    """What the hooks of one pass saw."""

    def __init__(self) -> None:
        self.attention: dict[tuple[Kind, int], dict[Step, Tensor]] = {}
        self.stream, self.source_stream = _Levels(), _Levels()


class _Levels:
    """One side's stream, as the hooks see it go up."""

    def __init__(self) -> None:
        self.levels: list[Tensor] = []
        self.feed_forward: list[Tensor] = []

    def watch(self, side: Encoder | Decoder, after: Callable[..., None]) -> None:
        after(side.embedding, self.levels.append)
        for module in side.layers:
            after(module.get_submodule("feed_forward"), self.feed_forward.append)
            after(module, self.levels.append)

    def whole(self) -> Stream:
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
        if ask.stream:
            seen.stream.watch(model.decoder, after)
        if ask.source_stream:
            seen.source_stream.watch(model.encoder, after)
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
