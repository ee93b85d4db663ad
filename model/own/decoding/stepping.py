"""One decoder step at a time: what greedy decoding and beam search share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model.own.network.config import NEVER_WRITTEN
from model.own.network.layers import DecoderLayer, LayerCache, causal_mask, padding_mask
from model.own.network.transformer import Transformer
from model.own.text.vocab import PAD_ID
from model.passage import Stream

COPIES = 3  # so often a phrase may stand in a row …
TOKENS = 8  # … and so many tokens its copies may take together, whichever is longer
LONGEST = 20  # tokens of a phrase that is looked for
MOST = 6  # times that the same three tokens may stand anywhere in a translation: loops with small changes


def looping(ids: Sequence[int]) -> set[int]:
    """The tokens that would begin one copy too many of a phrase that ``ids`` end with, or end the same three once more.

    >>> looping([5, 7, 8, 9, 7, 8, 9, 7, 8, 9])
    {7}
    >>> looping([7, 8, 9, 7, 8, 9])
    set()
    """
    found = set()
    for size in range(1, min(LONGEST, len(ids) // COPIES) + 1):
        copies = max(COPIES, -(-TOKENS // size))
        phrase = list(ids[-size:])
        if len(ids) >= copies * size and list(ids[-copies * size :]) == phrase * copies:
            found.add(phrase[0])
    triples = Counter(zip(ids, ids[1:], ids[2:], strict=False))
    return found | {triple[2] for triple, count in triples.items() if count >= MOST and triple[:2] == tuple(ids[-2:])}


def without_loops(log_p: Tensor, written: Sequence[Sequence[int]]) -> Tensor:
    """Log-probabilities [B, V] with the tokens at −∞ that would go on with a loop; ``written`` are each row's ids.

    What is left is not renormalised: a probability stays what the model gave.
    """
    banned = [(row, token) for row, ids in enumerate(written) for token in looping(ids)]
    if not banned:
        return log_p
    rows, tokens = (torch.tensor(each, device=log_p.device) for each in zip(*banned, strict=True))
    return log_p.index_put((rows, tokens), torch.tensor(-torch.inf, device=log_p.device))


class Product(NamedTuple):
    """x · weight + bias: the weight [D_in, D_out] lies the way in which one row reads it fastest.

    A step reads every weight and does little with each. So those that are whole in half precision, as checkpoints store
    them, lie a second time in ``halves``, where reading them takes half as long; sums are float32 either way.
    """

    bias: Tensor
    weight: Tensor
    halves: Any = None

    def __call__(self, x: Tensor) -> Tensor:
        """[B, D_in] → [B, D_out]."""
        if self.halves is None:
            return torch.addmm(self.bias, x, self.weight)
        found: Tensor = torch.ops.quantized.linear_dynamic_fp16.default(x, self.halves)
        return found

    @classmethod
    def of(cls, *linears: nn.Linear) -> Product:
        """Several linear layers of the same input as one."""
        biases = torch.cat([linear.bias for linear in linears]).detach()
        return cls.from_rows(torch.cat([linear.weight for linear in linears]).detach(), biases)

    @classmethod
    def from_rows(cls, weight: Tensor, bias: Tensor) -> Product:
        """Of a weight as linear layers have it, [D_out, D_in]."""
        return cls(bias, weight.t().contiguous(), _halves(weight, bias))


def _halves(weight: Tensor, bias: Tensor) -> object:
    """The weight packed in half precision; None where that loses something, or this machine has no such product."""
    if weight.device.type != "cpu" or not torch.equal(weight.half().float(), weight):
        return None
    try:
        return torch.ops.quantized.linear_prepack_fp16.default(weight.contiguous(), bias)
    except (AttributeError, RuntimeError):
        return None


class Norm(NamedTuple):
    """A layer norm's numbers: reading them from the module at each step takes longer than the norm itself."""

    weight: Tensor
    bias: Tensor
    eps: float

    def __call__(self, x: Tensor) -> Tensor:
        """[B, D] → [B, D]."""
        return torch.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)

    @classmethod
    def of(cls, norm: nn.LayerNorm) -> Norm:
        """The norm of a module."""
        return cls(norm.weight.detach(), norm.bias.detach(), norm.eps)


class StepPlan:
    """A decoder's weights laid out for steps of one token; made once for a model that learns no more.

    A step is short: most of its time goes into calling modules and fetching weights. The plan does
    the same sums as ``Decoder`` with fewer calls, without dropout and without hook points.
    """

    def __init__(self, model: Transformer) -> None:
        self.layers = [LayerPlan(layer) for layer in model.decoder.layers if isinstance(layer, DecoderLayer)]
        embedding = model.decoder.embedding
        self.tokens, self.scale = embedding.tokens.weight.detach(), embedding.scale
        self.positions = embedding.positions.table
        self.norm = Norm.of(model.decoder.norm)
        self.output = Product.from_rows(self.tokens, self.tokens.new_zeros(len(self.tokens)))

    def logits(self, ids: Tensor, position: int, cache: list[LayerCache], src_mask: Tensor | None) -> Tensor:
        """Of the tokens that follow ids [B, 1], which stand at a position: [B, V]."""
        x = self.tokens[ids[:, 0]] * self.scale + self.positions[position]
        for layer, kept in zip(self.layers, cache, strict=True):
            x = layer.step(x, kept, src_mask)
        return self.output(self.norm(x))


class LayerPlan:
    """One decoder layer of a StepPlan."""

    def __init__(self, layer: DecoderLayer) -> None:
        attention, cross = layer.self_attn, layer.cross_attn
        self.n_heads = attention.n_heads
        self.self_attn_norm, self.cross_attn_norm = Norm.of(layer.self_attn_norm), Norm.of(layer.cross_attn_norm)
        self.feed_forward_norm = Norm.of(layer.feed_forward_norm)
        self.query_key_value = Product.of(attention.q_proj, attention.k_proj, attention.v_proj)
        self.self_out, self.cross_out = Product.of(attention.out_proj), Product.of(cross.out_proj)
        self.cross_query = Product.of(cross.q_proj)
        self.up, self.down = Product.of(layer.feed_forward.up_proj), Product.of(layer.feed_forward.down_proj)

    def step(self, x: Tensor, cache: LayerCache, src_mask: Tensor | None) -> Tensor:
        """[B, D] → [B, D], as ``DecoderLayer.forward`` with a cache does with [B, 1, D]."""
        rows, width = x.shape
        joined = self.query_key_value(self.self_attn_norm(x))
        query, key, value = joined.view(rows, 3, self.n_heads, 1, -1).unbind(1)  # [B, H, 1, d_head]
        heads = F.scaled_dot_product_attention(query, *cache.append((key, value)))
        x = x + self.self_out(heads.reshape(rows, width))
        cross_query = self.cross_query(self.cross_attn_norm(x)).view(query.shape)
        assert cache.cross_attn is not None
        heads = F.scaled_dot_product_attention(cross_query, *cache.cross_attn, attn_mask=src_mask)
        x = x + self.cross_out(heads.reshape(rows, width))
        added = self.down(self.up(self.feed_forward_norm(x)).relu_())
        x = x + added
        if cache.seen is not None:
            cache.seen.append((query, cross_query, added, x))
        return x


class Stepper:
    """Next-token log-probabilities of a batch of growing translations.

    Args:
        model: in evaluation mode.
        memory: ``model.encode(src_ids)``, [B, S, D].
        src_ids: [B, S], padded with pad_id.
        plan: of the model, for speed; left aside while hooks watch or change the decoder's attention.
        remember: keep what each step saw for ``replay_attention`` and ``stream``; one sentence only.
        loops: the same phrase may follow itself for ever, see ``without_loops``; so it is where texts are letters.
    """

    def __init__(
        self,
        model: Transformer,
        memory: Tensor,
        src_ids: Tensor,
        plan: StepPlan | None = None,
        remember: bool = False,
        loops: bool = True,
    ) -> None:
        self.model, self.memory, self.length, self.loops = model, memory, 0, loops
        mask = padding_mask(src_ids, PAD_ID)
        self.src_mask: Tensor | None = None if bool(mask.all()) else mask
        self.never = torch.tensor(NEVER_WRITTEN, device=memory.device)
        self.cache: list[LayerCache] = model.new_cache()
        layers = [layer for layer in model.decoder.layers if isinstance(layer, DecoderLayer)]
        watched = any(layer.self_attn.is_watched or layer.cross_attn.is_watched for layer in layers)
        self.plan = None if watched else plan
        if self.plan is not None:
            for layer, entry in zip(layers, self.cache, strict=True):
                entry.cross_attn = layer.cross_attn.project(memory)
                entry.seen = [] if remember else None

    def __call__(self, ids: Tensor, written: Sequence[Sequence[int]] = ()) -> Tensor:
        """Log-probabilities of the next token: ids [B, 1] → [B, V], tokens never written at −∞.

        ``written`` are each row's ids so far; what would go on with a loop is at −∞ too, unless loops may be.
        """
        if self.plan is None:
            states = self.model.decoder(ids, self.memory, None, self.src_mask, self.cache)
            logits = self.model.project(states[:, -1])
        else:
            logits = self.plan.logits(ids, self.length, self.cache, self.src_mask)
        self.length += 1
        log_p = logits.float().log_softmax(-1).index_fill_(1, self.never, -torch.inf)
        return log_p if self.loops else without_loops(log_p, written)

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order."""
        for layer in self.cache:
            layer.select(rows)
        self.memory = self.memory[rows]
        if self.src_mask is not None:
            self.src_mask = self.src_mask[rows]

    @property
    def remembers(self) -> int:
        """Number of steps that were kept."""
        return len(self.cache[0].seen or ())

    def replay_attention(self) -> None:
        """Weigh every key again, the remembered steps all at once, through the decoder's hook points.

        Queries and keys are those that decoding used: a capture around this call sees what it would see
        around a teacher-forced pass over the same tokens.
        """
        for layer, kept in zip(self.model.decoder.layers, self.cache, strict=True):
            assert isinstance(layer, DecoderLayer)
            assert kept.seen
            assert kept.self_attn
            assert kept.cross_attn
            own, cross = (torch.cat(queries, 2) for queries in list(zip(*kept.seen, strict=True))[:2])
            layer.self_attn.weigh(own, kept.self_attn[0], causal_mask(own.shape[2], own.device))
            layer.cross_attn.weigh(cross, kept.cross_attn[0])

    def stream(self, read: Tensor) -> Stream:
        """The decoder's residual stream of the remembered steps, which read these ids, [1, T]."""
        kept = [list(zip(*layer.seen or (), strict=True)) for layer in self.cache]
        levels = [self.model.decoder.embedding(read)[0], *(torch.cat(each[3]) for each in kept)]
        return Stream(torch.stack(levels), torch.stack([torch.cat(each[2]) for each in kept]))
