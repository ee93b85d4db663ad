"""One attention function that every model of transformers 5 can run on: it shows each head, and turns it up or down.

The model's own ``eager_attention_forward`` does the arithmetic, so what is seen is what the model used. A watch lives
in a ContextVar: each thread has its own, and nothing is shared but the weights.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

from model.passage import Step
from model.trace import Kind

NAME = "headlight"
HIDDEN = -1e30  # a mask adds something smaller than this where a key is hidden
LayerSite = tuple[Kind, int]  # a kind of attention and a layer


@dataclass
class Call:
    """One call of the attention function: who made it, and what it gave: heads [B, Q, H, d], weights [B, H, Q, K]."""

    module: nn.Module
    heads: Tensor
    weights: Tensor
    key_heads: int


@dataclass
class Watch:
    """What one run wants to know, what it changes, and what it saw.

    Attributes:
        sites: which layers a module's calls are, in order; several where layers share one module (ALBERT).
        keep: steps to be kept, of every site of ``kinds``.
        gains: factor of each head's output, by site, [B, H].
        graph: keep the weights as they stand in the graph, so that gradients can reach them.
        beside: modules that it takes no notice of.
        gathered: which source tokens are shown as one, [shown, S]: maps are of these; None where each is shown.
        mute: where ``sites`` is empty: heads give nothing, and of calls only who made them is kept.
        seen: what was kept, without the batch axis.
        calls: every call, where ``sites`` is empty: the run that finds them.
    """

    sites: Mapping[nn.Module, Sequence[LayerSite]] = field(default_factory=dict)
    kinds: tuple[Kind, ...] = ()
    keep: frozenset[Step] = frozenset()
    gains: Mapping[LayerSite, Tensor] = field(default_factory=dict)
    graph: bool = False
    beside: Collection[nn.Module] = ()
    gathered: Tensor | None = None
    mute: bool = False
    seen: dict[LayerSite, dict[Step, Tensor]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    turns: Counter[nn.Module] = field(default_factory=Counter)

    def site(self, module: nn.Module) -> LayerSite:
        """Which layer this call of a module is."""
        places = self.sites[module]
        turn = self.turns[module]
        self.turns[module] += 1
        return places[turn % len(places)]


_watch: ContextVar[Watch | None] = ContextVar("folder_watch", default=None)


def attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, **rest: Any
) -> tuple[Tensor, Tensor]:
    """As transformers calls it: [B, H, Q, d] and twice [B, G, K, d] → [B, Q, H, d] and the weights [B, H, Q, K]."""
    watch = _watch.get()
    eager = sys.modules[type(module).__module__].eager_attention_forward
    heads, weights = eager(module, query, key, value, attention_mask, **rest)
    if watch is None or module in watch.beside or (watch.sites and module not in watch.sites):
        return heads, weights
    if watch.mute:
        watch.calls.append(Call(module, heads[:0], weights[:0], key.shape[1]))
        return torch.zeros_like(heads), weights
    heads = heads.contiguous()  # W_O is found by the memory that it is given
    if not watch.sites:
        watch.calls.append(Call(module, heads, weights, key.shape[1]))
        return heads, weights
    site = watch.site(module)
    if site in watch.gains:
        heads = heads * watch.gains[site][:, None, :, None].to(heads)
    if site[0] in watch.kinds:
        _keep(watch, site, (query, key, value), attention_mask, heads, weights, rest)
    return heads, weights


def _keep(
    watch: Watch,
    site: LayerSite,
    given: tuple[Tensor, Tensor, Tensor],
    mask: Tensor | None,
    heads: Tensor,
    weights: Tensor,
    rest: Mapping[str, Any],
) -> None:
    """Keep what is asked for; keys and values that several heads share are repeated for each."""
    kept = watch.seen.setdefault(site, {})
    query, key, value = given
    shared = query.shape[1] // key.shape[1]
    if watch.graph:
        kept["weights"] = weights
        return
    if watch.gathered is not None:
        weights = grouped(site[0], weights, watch.gathered)
    made = {"query": query, "weights": weights, "heads": heads.transpose(1, 2)}
    if watch.keep & {"key", "scores", "masked_scores"}:
        made["key"] = key.repeat_interleave(shared, 1)
    if "value" in watch.keep:
        made["value"] = value.repeat_interleave(shared, 1)
    if watch.keep & {"scores", "masked_scores"}:
        scale = rest.get("scaling") or query.shape[-1] ** -0.5
        scores = query @ made["key"].transpose(-1, -2) * scale
        bias = rest.get("position_bias")
        made["scores"] = scores if bias is None else scores + bias
        made["masked_scores"] = masked(made["scores"], mask)
    kept.update({step: made[step].detach()[0] for step in made.keys() & watch.keep})  # type: ignore[misc]


def grouped(kind: Kind, weights: Tensor, gathered: Tensor) -> Tensor:
    """Weights [B, H, Q, K] of what is shown as one: of keys the sum, of queries the mean; rows go on summing to 1."""
    if kind == "decoder_self":
        return weights
    columns = weights @ gathered.T
    return columns if kind == "cross" else gathered / gathered.sum(1, keepdim=True) @ columns


def masked(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Scores [B, H, Q, K] with what a mask adds, −∞ where it hides a key."""
    if mask is None:
        return scores
    added = scores + mask[..., : scores.shape[-1]]
    return added.masked_fill(added < HIDDEN, -torch.inf)


AttentionInterface.register(NAME, attention)
AttentionMaskInterface.register(NAME, eager_mask)  # without this there would be no mask at all


@contextmanager
def watching(watch: Watch) -> Iterator[Watch]:
    """This thread's attention is seen, and changed, while the ``with`` lasts."""
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)
