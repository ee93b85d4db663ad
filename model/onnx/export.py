"""A checkpoint of our own as ONNX graphs, in float32 or with weights of eight bits."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import logging
import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from model.errors import HeadlightError
from model.files import write_bytes, write_text
from model.onnx.quantize import Precision, round_weights, with_codes
from model.own.network.attention import MultiHeadAttention
from model.own.network.layers import DecoderLayer, EncoderLayer, angular_frequencies
from model.own.network.transformer import Transformer
from model.own.text.vocab import EOS_ID
from model.own.translator import Translator

TensorPair = tuple[Tensor, Tensor]
HIDDEN_SCORE = -1e9  # a score that softmax makes 0


def attend(
    attention: MultiHeadAttention, x: Tensor, keys_values: TensorPair, mask: Tensor, gains: Tensor
) -> tuple[Tensor, Tensor]:
    """What ``attention(x, keys_values)`` gives, and its weights.

    Args:
        attention: whose projections are used.
        x: vectors that ask, [B, Q, D].
        keys_values: [B, H, K, d_head] each.
        mask: added to the scores, broadcastable to [B, H, Q, K]: 0, or HIDDEN_SCORE.
        gains: of the heads, [H].

    Returns:
        [B, Q, D], and weights [B, H, Q, K].
    """
    query = attention._split_heads(attention.q_proj(x))
    scores = query @ keys_values[0].transpose(-2, -1) / math.sqrt(attention.d_head)
    weights = (scores + mask).softmax(-1)
    heads = weights @ keys_values[1] * gains[:, None, None]
    return attention.out_proj(heads.transpose(1, 2).flatten(2)), weights


def embedded(rows: Tensor, places: Tensor, scale: float) -> Tensor:
    """Rows of an embedding [B, T, D], scaled, plus the encoding of their places, int64 [T].

    The sines of ``model/own/network/layers.py``, in float64 as there; a table of them would be a megabyte of a page.
    """
    angles = places.double()[:, None] * angular_frequencies(rows.shape[-1])
    waves = torch.stack((angles.sin(), (angles + math.pi / 2).sin()), -1)
    return rows * scale + waves.flatten(1).float()


class EncoderGraph(nn.Module):
    """Source ids to the keys and values that every decoder layer will look at, with the encoder's maps."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.encoder, self.decoder_layers = model.encoder, model.decoder.layers

    def forward(self, ids: Tensor, visible: Tensor, gains: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Keys and values of the cross-attention, [L, B, H, S, d_head] each, and weights [L, B, H, S, S].

        Args:
            ids: int64 [B, S], <eos> last.
            visible: float [B, S]: 1, or 0 for a source position that nothing may attend to.
            gains: of the encoder's heads, [L, H]; 1 changes nothing, 0 mutes.
        """
        mask = ((1.0 - visible) * HIDDEN_SCORE)[:, None, None, :]
        embedding, maps = self.encoder.embedding, []
        x = embedded(embedding.tokens(ids), torch.arange(ids.shape[1]), embedding.scale)
        for number, layer in enumerate(self.encoder.layers):
            assert isinstance(layer, EncoderLayer)
            normed = layer.self_attn_norm(x)
            added, weights = attend(layer.self_attn, normed, layer.self_attn.project(normed), mask, gains[number])
            x = x + added
            x = x + layer.feed_forward(layer.feed_forward_norm(x))
            maps.append(weights)
        memory = self.encoder.norm(x)
        pairs = [layer.cross_attn.project(memory) for layer in self.decoder_layers]  # type: ignore[union-attr,operator]
        return torch.stack([key for key, _ in pairs]), torch.stack([value for _, value in pairs]), torch.stack(maps)


class DecoderGraph(nn.Module):
    """Further target tokens, one or many, behind those whose keys and values are given."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.decoder = model.decoder

    def forward(
        self,
        ids: Tensor,
        past_keys: Tensor,
        past_values: Tensor,
        cross_keys: Tensor,
        cross_values: Tensor,
        visible: Tensor,
        self_gains: Tensor,
        cross_gains: Tensor,
    ) -> tuple[Tensor, ...]:
        """One pass over T tokens that follow P others.

        Args:
            ids: int64 [B, T]; <bos> is the first of a translation.
            past_keys, past_values: of the decoder's self-attention, [L, B, H, P, d_head]; P is 0 at the start.
            cross_keys, cross_values: from the encoder's graph, [L, B, H, S, d_head].
            visible: as there, [B, S].
            self_gains, cross_gains: of the decoder's heads, [L, H].

        Returns:
            logits [B, T, V]; keys and values so far, [L, B, H, P + T, d_head] each; weights of self-attention,
            [L, B, H, T, P + T], and of cross-attention, [L, B, H, T, S]; the residual stream before the last norm,
            [B, T, D]; and the rows of the embedding that the ids look up, [B, T, D].
        """
        past, new = past_keys.shape[3], ids.shape[1]
        places = torch.arange(past + new)
        causal = (places[None, :] > places[past:, None]).float() * HIDDEN_SCORE
        masks = causal, ((1.0 - visible) * HIDDEN_SCORE)[:, None, None, :]
        rows = self.decoder.embedding.tokens(ids)
        x = embedded(rows, places[past:], self.decoder.embedding.scale)
        found = []
        for number, layer in enumerate(self.decoder.layers):
            assert isinstance(layer, DecoderLayer)
            cached, looked = (past_keys[number], past_values[number]), (cross_keys[number], cross_values[number])
            x, seen = self._layer(layer, x, cached, looked, masks, (self_gains[number], cross_gains[number]))
            found.append(seen)
        logits = self.decoder.norm(x) @ self.decoder.embedding.tokens.weight.t()
        return logits, *(torch.stack(tensors) for tensors in zip(*found, strict=True)), x, rows

    def _layer(
        self,
        layer: DecoderLayer,
        x: Tensor,
        cached: TensorPair,
        looked: TensorPair,
        masks: TensorPair,
        gains: TensorPair,
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """What leaves a layer; and its keys, values, and weights of self- and cross-attention."""
        normed = layer.self_attn_norm(x)
        new_key, new_value = layer.self_attn.project(normed)
        key, value = torch.cat((cached[0], new_key), 2), torch.cat((cached[1], new_value), 2)
        added, own = attend(layer.self_attn, normed, (key, value), masks[0], gains[0])
        x = x + added
        added, cross = attend(layer.cross_attn, layer.cross_attn_norm(x), looked, masks[1], gains[1])
        x = x + added
        return x + layer.feed_forward(layer.feed_forward_norm(x)), (key, value, own, cross)


class VotesGraph(nn.Module):
    """What each head brings from each key into the written token's logit; see ``model/attribution/per_head.py``."""

    mean: Tensor
    end: Tensor

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.norm, table = model.decoder.norm, model.decoder.embedding.tokens.weight.detach()
        self.eps = self.norm.eps
        self.register_buffer("mean", table.double().mean(0).float())
        self.register_buffer("end", table[EOS_ID : EOS_ID + 1].clone())
        self.layers = model.decoder.layers

    def forward(
        self,
        states: Tensor,
        rows: Tensor,
        self_weights: Tensor,
        cross_weights: Tensor,
        self_values: Tensor,
        cross_values: Tensor,
        self_gains: Tensor,
        cross_gains: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Votes of one translation in logits: [L, H, T, T] and [L, H, T, S].

        Args:
            states: the residual stream before the last norm, [T, D].
            rows: of the embedding, [T - 1, D]: of what each step writes but the last, which writes <eos>.
            self_weights, cross_weights: [L, H, T, T] and [L, H, T, S].
            self_values, cross_values: [L, H, T, d_head] and [L, H, S, d_head].
            self_gains, cross_gains: with which they were made, [L, H].
        """
        wanted = (torch.cat((rows, self.end)) - self.mean) * self.norm.weight
        centred = states - states.mean(-1, keepdim=True)
        rate = torch.rsqrt((centred * centred).mean(-1, keepdim=True) + self.eps)
        directions = (wanted - wanted.mean(-1, keepdim=True)) * rate  # [T, D]
        own, looked = (self._towards(directions, name) for name in ("self_attn", "cross_attn"))
        return (
            _votes_of(own, self_values) * self_weights * self_gains[:, :, None, None],
            _votes_of(looked, cross_values) * cross_weights * cross_gains[:, :, None, None],
        )

    def _towards(self, directions: Tensor, name: str) -> Tensor:
        """What each step wants of every head's output, [L, T, H · d_head]; the matrices lie as the decoder has them."""
        outputs = [getattr(layer, name).out_proj.weight.t() for layer in self.layers]
        return torch.stack([output @ directions.t() for output in outputs]).transpose(1, 2)


def _votes_of(towards: Tensor, values: Tensor) -> Tensor:
    """What a key's value is worth along each step's direction: [L, T, H · d_head], [L, H, K, d_head] → [L, H, T, K]."""
    heads = towards.unflatten(-1, (values.shape[1], values.shape[3])).transpose(1, 2)
    found: Tensor = heads @ values.transpose(-2, -1)
    return found


if TYPE_CHECKING:
    from onnx import ModelProto

OPSET = 21
GRAPHS = ("encoder", "decoder", "votes")
FACTS = "engine.json"
NEEDS = "ONNX graphs need the packages in requirements-live.txt: pip install -r requirements-live.txt ({missing})."


GraphInputs = dict[str, tuple[Tensor, tuple[str, ...]]]


@dataclass(frozen=True)
class GraphPlan:
    """A graph to be made: its module, an example of each input with the names of its axes that vary, its outputs."""

    module: nn.Module
    inputs: GraphInputs
    outputs: tuple[str, ...]


# Sizes of the examples: all different, so that no two axes are taken for one.
BATCH, SOURCE, NEW, PAST = 3, 7, 5, 4


def plans(model: Transformer) -> dict[str, GraphPlan]:
    """The three graphs of a model."""
    return {"encoder": _encoder(model), "decoder": _decoder(model), "votes": _votes(model)}


def _ids(*sizes: int) -> Tensor:
    return torch.ones(sizes, dtype=torch.long)


def _gains(model: Transformer) -> GraphInputs:
    sizes = model.config.n_decoder_layers, model.config.n_heads  # two tensors: one would be taken for one input
    return {name: (torch.ones(sizes), ()) for name in ("self_gains", "cross_gains")}


def _encoder(model: Transformer) -> GraphPlan:
    gains = torch.ones(model.config.n_encoder_layers, model.config.n_heads)
    inputs: GraphInputs = {
        "ids": (_ids(BATCH, SOURCE), ("B", "S")),
        "visible": (torch.ones(BATCH, SOURCE), ("B", "S")),
        "gains": (gains, ()),
    }
    return GraphPlan(EncoderGraph(model), inputs, ("cross_keys", "cross_values", "weights"))


def _decoder(model: Transformer) -> GraphPlan:
    layers, heads, width = model.config.n_decoder_layers, model.config.n_heads, model.config.d_head
    cached, looked = ("", "B", "", "P", ""), ("", "B", "", "S", "")
    inputs: GraphInputs = {
        "ids": (_ids(BATCH, NEW), ("B", "T")),
        "past_keys": (torch.ones(layers, BATCH, heads, PAST, width), cached),
        "past_values": (torch.ones(layers, BATCH, heads, PAST, width), cached),
        "cross_keys": (torch.ones(layers, BATCH, heads, SOURCE, width), looked),
        "cross_values": (torch.ones(layers, BATCH, heads, SOURCE, width), looked),
        "visible": (torch.ones(BATCH, SOURCE), ("B", "S")),
        **_gains(model),
    }
    outputs = ("logits", "keys", "values", "self_weights", "cross_weights", "states", "rows")
    return GraphPlan(DecoderGraph(model), inputs, outputs)


def _votes(model: Transformer) -> GraphPlan:
    layers, heads, width = model.config.n_decoder_layers, model.config.n_heads, model.config.d_head
    inputs: GraphInputs = {
        "states": (torch.ones(NEW, model.config.d_model), ("T", "")),
        "rows": (torch.ones(NEW - 1, model.config.d_model), ("R", "")),
        "self_weights": (torch.ones(layers, heads, NEW, NEW), ("", "", "T", "T")),
        "cross_weights": (torch.ones(layers, heads, NEW, SOURCE), ("", "", "T", "S")),
        "self_values": (torch.ones(layers, heads, NEW, width), ("", "", "T", "")),
        "cross_values": (torch.ones(layers, heads, SOURCE, width), ("", "", "S", "")),
        **_gains(model),
    }
    return GraphPlan(VotesGraph(model), inputs, ("self_votes", "cross_votes"))


def traced(plan: GraphPlan, most: int) -> ModelProto:
    """The graph of a plan; sizes of its named axes may be from 0, or 1, to ``most``.

    Raises:
        HeadlightError: the packages that make graphs are not installed.
    """
    try:
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise HeadlightError(NEEDS.format(missing=error.name)) from None
    # Tracing takes 0 and 1 for sizes that never vary; nothing in the graphs depends on them.
    dims = {name: torch.export.Dim(name, min=2, max=most) for _, axes in plan.inputs.values() for name in axes if name}
    shapes = tuple({at: dims[name] for at, name in enumerate(axes) if name} for _, axes in plan.inputs.values())
    with _quietly():
        program: Any = torch.onnx.export(
            plan.module.eval(),
            tuple(example for example, _ in plan.inputs.values()),
            input_names=list(plan.inputs),
            output_names=list(plan.outputs),
            dynamic_shapes=shapes,
            dynamo=True,
            opset_version=OPSET,
        )
    made: ModelProto = program.model_proto
    return made


def export(translator: Translator, into: Path, precision: Precision = "float32") -> dict[str, int]:
    """Write the graphs, what the engine has to know and the vocabularies into a folder; sizes in bytes by file name.

    Args:
        translator: a checkpoint of our own.
        into: the folder; it is made where it is not there.
        precision: of the stored weights, see ``model/onnx/quantize.py``; all sums stay in float32.

    Raises:
        HeadlightError: the packages that make graphs are not installed, or the checkpoint reads letter by letter.
    """
    if translator.by_letter:
        raise HeadlightError(f"{translator.name} reads letter by letter; the page's tokenizer reads English words.")
    into.mkdir(parents=True, exist_ok=True)
    model, written = copy.deepcopy(translator.model).float().cpu(), []
    weights = round_weights(model, precision)
    for name, plan in plans(model).items():
        graph = traced(plan, model.config.max_len)
        written.append(into / f"{name}.onnx")
        write_bytes(written[-1], with_codes(graph, weights).SerializeToString())
    for tokenizer in (translator.src_tokenizer, translator.tgt_tokenizer):
        tokenizer.save(into)
    write_text(into / FACTS, json.dumps(facts(translator, precision), indent=1) + "\n")
    written += [into / name for name in ("src.json", "casing.json", "tgt.json", FACTS)]
    return {path.name: path.stat().st_size for path in written}


def facts(translator: Translator, precision: Precision) -> dict[str, Any]:
    """What an engine has to know of the model: sizes, limits, and which weights these are."""
    config = translator.model.config
    sizes = ("n_heads", "n_encoder_layers", "n_decoder_layers", "d_model", "max_len")
    return {
        "checkpoint": translator.name,
        "weights": translator.meta.get("sha256", ""),
        "precision": precision,
        "max_src_tokens": translator.max_src_tokens,
        **{name: getattr(config, name) for name in sizes},
    }


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """The exporter tells its progress to stdout, to warnings and to a logger."""
    logger = logging.getLogger("torch.onnx")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)
