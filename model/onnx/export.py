"""A checkpoint of our own as ONNX graphs, in float32 or with weights of eight bits."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import logging
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from model.errors import HeadlightError
from model.files import write_bytes, write_text
from model.onnx.graphs import DecoderGraph, EncoderGraph, VotesGraph
from model.onnx.quantize import ROUNDING, Precision, rounded
from model.own.network.transformer import Transformer
from model.own.translator import Translator

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
    for name, plan in plans(model).items():
        graph = traced(plan, model.config.max_len)
        written.append(into / f"{name}.onnx")
        write_bytes(written[-1], rounded(graph, ROUNDING[precision].get(name)).SerializeToString())
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
