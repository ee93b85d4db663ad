"""Where a model's attention is: found by one forward pass, not by a table of names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

from model.errors import FolderError
from model.folder.watch import Call, LayerSite, Watch, watching
from model.source import AttentionKind
from model.trace import KINDS, Kind, may_attend


@dataclass(frozen=True)
class Sites:
    """Where attention is computed."""

    root: nn.Module  # the whole model
    kinds: dict[Kind, AttentionKind]  # with their sizes
    of: Mapping[nn.Module, tuple[LayerSite, ...]]  # the layers that each attention module's calls are, in order
    modules: Mapping[LayerSite, nn.Module]  # of each layer
    # the linear map that joins the heads of each layer, W_O; a layer without one is not in it
    out: Mapping[LayerSite, nn.Module]
    # the modules that make up the stack which writes, in order; () where layers share one
    blocks: tuple[nn.Module, ...]
    key_heads: Mapping[Kind, int]  # how many heads' keys there are; fewer than heads where several share them


def find_sites(
    name: str,
    model: Any,
    arguments: Mapping[str, Any],
    spans: tuple[tuple[int, int], tuple[int, int]],
    beside: Collection[nn.Module] = (),
) -> Sites | None:
    """The sites of a model; None where its attention does not pass through the registry.

    Args:
        name: of the folder, for messages.
        model: on Headlight's attention function.
        arguments: of a forward pass.
        spans: how many tokens its encoder and its decoder read there, 0 where it has none, which differ; and
            ``Form.together`` of them.
        beside: modules whose attention is left out.

    Raises:
        FolderError: its maps do not have one row and one column a token.
    """
    joined: dict[int, nn.Module] = {}
    watch = Watch(beside=beside)

    def joins(module: nn.Module, given: tuple[Tensor, ...]) -> None:
        """The first linear map after a call that is given the very memory that the heads wrote."""
        number = len(watch.calls) - 1
        if number < 0 or number in joined or not given:
            return
        heads = watch.calls[number].heads
        if given[0].data_ptr() == heads.data_ptr() and given[0].shape[-1] == heads.shape[2] * heads.shape[3]:
            joined[number] = module

    linear = [module for module in model.modules() if isinstance(module, nn.Linear | Conv1D)]
    with ExitStack() as stack:
        for module in linear:
            stack.callback(module.register_forward_pre_hook(joins).remove)
        with watching(watch):
            model(**arguments)
    kinds = [kind_of(name, call.weights, *spans) for call in watch.calls]
    return _sites(name, model, watch.calls, joined, kinds) if watch.calls else None


def _sites(
    name: str, model: nn.Module, calls: Sequence[Call], joined: Mapping[int, nn.Module], of_calls: Sequence[Kind]
) -> Sites:
    counted: Counter[Kind] = Counter()
    of: dict[nn.Module, tuple[LayerSite, ...]] = {}
    modules, out = dict[LayerSite, nn.Module](), dict[LayerSite, nn.Module]()
    heads, key_heads = dict[Kind, int](), dict[Kind, int]()
    for number, (call, kind) in enumerate(zip(calls, of_calls, strict=True)):
        site = (kind, counted[kind])
        counted[kind] += 1
        of[call.module] = (*of.get(call.module, ()), site)
        modules[site] = call.module
        if number in joined:
            out[site] = joined[number]
        if heads.setdefault(kind, call.heads.shape[2]) != call.heads.shape[2]:
            raise FolderError(f"{name} has layers of one kind with different numbers of heads.")
        key_heads[kind] = call.key_heads
    kinds = {kind: attention_kind(kind, counted[kind], heads[kind]) for kind in KINDS if kind in heads}
    return Sites(model, kinds, of, modules, out, _blocks(model, kinds, modules), key_heads)


def attention_kind(kind: Kind, layers: int, heads: int) -> AttentionKind:
    """A kind with its sizes; whose tokens ask and are asked follows from the kind."""
    rows, columns = ("src" if kind == "encoder_self" else "tgt"), ("tgt" if kind == "decoder_self" else "src")
    return AttentionKind(layers, heads, rows, columns, causal=kind == "decoder_self")  # type: ignore[arg-type]


def kind_of(name: str, weights: Tensor, lengths: tuple[int, int], together: tuple[int, int] = (0, 0)) -> Kind:
    """Which kind of attention weights [1, H, Q, K] are, by their shape and by whether they see the future.

    Tokens ``together`` see each other both ways, and the attention is the decoder's even so.

    Raises:
        FolderError: they are not maps of every token by every token.
    """
    src, tgt = lengths
    shape = tuple(weights.shape[2:]) if weights.dim() == 4 and weights.shape[0] == 1 else ()
    if shape == (src, src) and src:
        return "encoder_self"
    if shape == (tgt, tgt) and tgt:
        hidden = torch.from_numpy(~may_attend("decoder_self", shape, together)).to(weights.device)
        return "decoder_self" if not bool(weights[0, :, hidden].any()) else "encoder_self"
    if shape == (tgt, src):
        return "cross"
    size = " × ".join(map(str, weights.shape))
    raise FolderError(
        f"{name} does not let every token see every token (its maps are {size} for {src or tgt} tokens): "
        "attention in windows cannot be shown."
    )


def _blocks(
    model: nn.Module, kinds: Mapping[Kind, AttentionKind], modules: Mapping[LayerSite, nn.Module]
) -> tuple[nn.Module, ...]:
    """The layers of the stack that writes: the decoder's, or the encoder's where there is no other."""
    kind: Kind = "decoder_self" if "decoder_self" in kinds else "encoder_self"
    names = {module: name for name, module in model.named_modules()}
    found = []
    for layer in range(kinds[kind].layers if kind in kinds else 0):
        parts = names[modules[kind, layer]].split(".")
        place = next((place for place, part in enumerate(parts) if part.isdigit()), None)
        if place is None:
            return ()
        found.append(model.get_submodule(".".join(parts[: place + 1])))
    return tuple(found) if len(set(found)) == len(found) else ()


def first_tensor(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Tensor:
    """The states that a module is given: its first argument."""
    if args and isinstance(args[0], Tensor):
        return args[0]
    return next(value for value in kwargs.values() if isinstance(value, Tensor) and value.dim() == 3)


def states_of(output: Any) -> Tensor:
    """The states that a module gives: itself, or the first of several things."""
    found = output if isinstance(output, Tensor) else output[0]
    assert isinstance(found, Tensor)
    return found


def linear_maps(module: nn.Module) -> list[tuple[nn.Module, Tensor, Tensor]]:
    """Each linear map inside a module, as (module, weight [D_out, D_in], bias [D_out])."""
    return [(each, *weight_and_bias(each)) for each in module.modules() if isinstance(each, nn.Linear | Conv1D)]


def weight_and_bias(module: nn.Module) -> tuple[Tensor, Tensor]:
    """x · weightᵀ + bias of a linear map, whichever way it stores its weight; a missing bias is 0."""
    weight = module.weight.detach()  # type: ignore[operator]
    weight = weight.T if isinstance(module, Conv1D) else weight
    bias = getattr(module, "bias", None)
    return weight, torch.zeros_like(weight[:, 0]) if bias is None else bias.detach()
