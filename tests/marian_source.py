"""A second model behind the seam: a tiny, untrained Marian of the transformers library, post-norm, with ids of its own.

Attention goes through transformers' registry: one function sees every step and changes every head.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface, MarianConfig, MarianMTModel
from transformers.masking_utils import eager_mask

from model.passage import Ask, ForcedIds, HeadsOut, Pass, Projections, Stream
from model.source import WAYS, Anatomy, AttentionKind, Gains, LacksAbilityError, Way
from model.trace import AttentionTrace, Kind, Label, TracedTranslation, may_attend

NAME = "headlight-test"
END, PAD = 0, 29
_SITES: dict[Kind, tuple[str, str]] = {
    "encoder_self": ("encoder", "self_attn"),
    "decoder_self": ("decoder", "self_attn"),
    "cross": ("decoder", "encoder_attn"),
}
_watch: ContextVar[dict[str, Any] | None] = ContextVar("watch", default=None)


def attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, scaling: float, **_: Any
) -> tuple[Tensor, Tensor]:
    """As transformers calls it: [B, H, Q, d] and twice [B, H, K, d] → [B, Q, H, d] and weights."""
    watch = _watch.get() or {}
    scores = query @ key.transpose(2, 3) * scaling
    masked = scores if mask is None else scores + mask
    weights = masked.softmax(-1)
    if module in watch.get("weights", {}):
        watch["weights"][module](weights)
    heads = weights @ value
    if module in watch.get("gains", {}):
        heads = heads * watch["gains"][module]
    if module in watch.get("keep", {}):
        seen = {"query": query, "key": key, "value": value, "scores": scores, "weights": weights, "heads": heads}
        seen["masked_scores"] = masked.masked_fill(masked < -1e30, -torch.inf)
        watch["keep"][module].update({name: values.detach()[0] for name, values in seen.items()})
    return heads.transpose(1, 2).contiguous(), weights


AttentionInterface.register(NAME, attention)
AttentionMaskInterface.register(NAME, eager_mask)


class MarianSource:
    """Reads and writes the letters a to z; ``model.source.Source`` as far as a post-norm model offers it."""

    name, end_id, never_written = "marian", END, (PAD,)

    def __init__(self) -> None:
        torch.manual_seed(7)
        config = MarianConfig(
            vocab_size=30,
            d_model=16,
            encoder_layers=2,
            decoder_layers=3,
            encoder_attention_heads=2,
            decoder_attention_heads=4,
            encoder_ffn_dim=24,
            decoder_ffn_dim=24,
            max_position_embeddings=64,
            pad_token_id=PAD,
            eos_token_id=END,
            decoder_start_token_id=PAD,
        )
        self.model = MarianMTModel(config).eval()
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                if "embed_positions" not in name:
                    parameter.add_(0.2 * torch.randn_like(parameter))
        self.model.tie_weights()
        self.model.set_attn_implementation(NAME)
        kinds: dict[Kind, AttentionKind] = {
            "encoder_self": AttentionKind(2, 2, "src", "src", causal=False),
            "decoder_self": AttentionKind(3, 4, "tgt", "tgt", causal=True),
            "cross": AttentionKind(3, 4, "tgt", "src", causal=False),
        }
        offered = ("scores", "gains", "hide", "gradients", "internals", "finish", "projections")
        self.anatomy = Anatomy(kinds, frozenset(offered))

    def block(self, kind: Kind, layer: int) -> nn.Module:
        side, name = _SITES[kind]
        return self.model.get_submodule(f"model.{side}.layers.{layer}.{name}")

    def ids(self, source: str, tgt_ids: Sequence[int], finished: bool = True) -> ForcedIds:
        src = torch.tensor([[*(ord(letter) - 96 for letter in source), END]])
        return ForcedIds(src, torch.tensor([[PAD, *tgt_ids]]), torch.tensor([*tgt_ids, END]), finished)

    def run(self, ids: ForcedIds, rows: int = 1, mask: Tensor | None = None, steps: int | None = None) -> Any:
        seen = torch.ones(rows, ids.src.shape[1], dtype=torch.long) if mask is None else mask
        return self.model(
            input_ids=ids.src.expand(rows, -1),
            attention_mask=seen,
            decoder_input_ids=ids.inputs[:, :steps].expand(rows, -1),
            output_hidden_states=True,
            use_cache=False,
        )

    def forced(self, ids: ForcedIds, ask: Ask) -> Pass:
        sites = {(kind, n): self.block(kind, n) for kind in ask.kinds for n in range(self.anatomy.layers(kind))}
        if ask.gradient is not None:
            return self._gradients(ids, ask, sites)
        keep: dict[nn.Module, dict[str, Tensor]] = {block: {} for block in sites.values()}
        with torch.inference_mode(), self._beside(sites, keep) as feed_forward, watching(keep=keep):
            out = self.run(ids)
        attention = {site: {step: keep[block][step] for step in ask.steps} for site, block in sites.items()}
        stream = Stream(torch.cat(out.decoder_hidden_states), torch.cat(feed_forward)) if ask.stream else None
        return Pass(attention, stream, out.logits[0].float() if ask.logits else None)

    @contextmanager
    def _beside(self, sites: dict[Any, nn.Module], keep: dict[nn.Module, dict[str, Tensor]]) -> Iterator[list[Tensor]]:
        """What stands around attention: its inputs, what its output is added to, and feed-forward outputs."""
        feed_forward: list[Tensor] = []
        with ExitStack() as stack:
            for block in sites.values():
                seen = keep[block]

                def inputs(_m: nn.Module, args: Any, seen: dict[str, Tensor] = seen) -> None:
                    seen["inputs"] = seen["residual"] = args[0][0]

                def memory(_m: nn.Module, args: Any, seen: dict[str, Tensor] = seen) -> None:
                    seen["memory"] = args[0][0]

                def output(_m: nn.Module, _a: Any, out: Tensor, seen: dict[str, Tensor] = seen) -> None:
                    seen["output"] = out[0]

                stack.callback(block.q_proj.register_forward_pre_hook(inputs).remove)
                stack.callback(block.k_proj.register_forward_pre_hook(memory).remove)
                stack.callback(block.out_proj.register_forward_hook(output).remove)
            for layer in self.model.model.decoder.layers:
                handle = layer.fc2.register_forward_hook(lambda *args: feed_forward.append(args[2]))
                stack.callback(handle.remove)
            yield feed_forward

    def _gradients(self, ids: ForcedIds, ask: Ask, sites: dict[Any, nn.Module]) -> Pass:
        kept: dict[nn.Module, Tensor] = {}
        with torch.enable_grad(), watching(weights={b: lambda w, b=b: kept.__setitem__(b, w) for b in sites.values()}):
            log_probs = self.run(ids).logits[0].log_softmax(-1).gather(1, ids.written[:, None])[:, 0]
            every = log_probs[: ids.steps]
            wanted = {"all": [every.sum()], "each": list(every)}.get(str(ask.gradient)) or [log_probs[ask.gradient]]
            found = [torch.autograd.grad(one, list(kept.values()), retain_graph=True) for one in wanted]
        together = [torch.cat(each) if ask.gradient == "each" else each[0][0] for each in zip(*found, strict=True)]
        by_block = dict(zip(kept, together, strict=True))
        gradients = {}
        for (kind, layer), block in sites.items():
            gradient = by_block[block]
            hidden = torch.from_numpy(~may_attend(kind, tuple(gradient.shape)))
            gradients[kind, layer] = gradient.masked_fill(hidden, 0.0)
        return Pass({site: {"weights": kept[block].detach()[0]} for site, block in sites.items()}, gradients=gradients)

    def log_probs(
        self, ids: ForcedIds, gains: Sequence[Gains] = (), hidden: np.ndarray | None = None, way: Way = "mask"
    ) -> Tensor:
        if way != "mask":
            raise LacksAbilityError(WAYS[way], self.name)
        rows = len(hidden) if hidden is not None else max(1, len(gains))
        factors: dict[nn.Module, Tensor] = {}
        for row, each in enumerate(gains):
            for (kind, layer, head), gain in each.items():
                block, heads = self.block(kind, layer), self.anatomy.kinds[kind].heads
                factors.setdefault(block, torch.ones(rows, heads, 1, 1))[row, head] = gain
        mask = None if hidden is None else torch.from_numpy(~hidden).long()
        with torch.inference_mode(), watching(gains=factors):
            logits = self.run(ids, rows, mask, ids.steps).logits
        written = ids.written[: ids.steps].expand(rows, -1)[..., None]
        return logits.log_softmax(-1).gather(2, written)[..., 0]

    def heads_out(self, kind: Kind, layer: int) -> HeadsOut:
        out, heads = self.block(kind, layer).out_proj, self.anatomy.kinds[kind].heads
        return HeadsOut(out.weight.detach().T.reshape(heads, 16 // heads, 16), out.bias.detach())

    def projections(self, kind: Kind, layer: int) -> Projections:
        block = self.block(kind, layer)
        maps = (block.q_proj, block.k_proj, block.v_proj, block.out_proj)
        return Projections(*((each.weight.detach(), each.bias.detach()) for each in maps))

    def finish(self, states: Tensor) -> Tensor:
        return self.model.lm_head(states).detach() + self.model.final_logits_bias

    @property
    def unembedding(self) -> Any:
        raise LacksAbilityError("votes", self.name)

    def positions(self) -> np.ndarray:
        raise LacksAbilityError("positions", self.name)

    def piece(self, token_id: int) -> str:
        return "<end>" if token_id == END else chr(token_id + 96)

    def trace(self, text: str, target: str) -> TracedTranslation:
        tgt_ids = tuple(ord(letter) - 96 for letter in target)
        ids = self.ids(text, tgt_ids)
        seen = self.forced(ids, Ask(("weights", "scores")))
        src, tgt = ((*(Label(a, n, n, n + 1) for n, a in enumerate(side)), Label("<end>")) for side in (text, target))
        weights, scores = (
            {kind: seen.stacked(kind, step).numpy() for kind in _SITES} for step in ("weights", "scores")
        )
        trace = AttentionTrace(src, (Label("<pad>"), *tgt[:-1]), tgt, weights, scores)
        log_probs = tuple(self.log_probs(ids)[0].tolist())
        assert math.isfinite(sum(log_probs))
        return TracedTranslation(text, target, src[:-1], tgt[:-1], tgt_ids, log_probs, True, END, trace)


@contextmanager
def watching(**what: Any) -> Iterator[None]:
    token = _watch.set(what)
    try:
        yield
    finally:
        _watch.reset(token)
