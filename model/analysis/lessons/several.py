"""Why several heads: shapes at every reshaping, parameters, and what one head alone loses."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from torch import Tensor, nn

from model.analysis.lessons.scaling import softmax
from model.own.network.attention import MultiHeadAttention
from model.own.passes import attention_block
from model.own.text.tokenize import pad
from model.source import Source
from model.trace import HeadRef, Kind, TracedTranslation
from model.translator import Translator

# Each station of multi-head attention, the letters of its shape, and the module whose output (or input) it is; "viewed"
# is the output before its last transpose, which is a view of the same numbers.
STATIONS = (
    ("x", "BS, ML, ES", "q_proj", "input"),
    ("projected", "BS, ML, ES", "q_proj", "output"),
    ("viewed", "BS, ML, HC, HS", "query_hook", "viewed"),
    ("split", "BS, HC, ML, HS", "query_hook", "output"),
    ("scores", "BS, HC, ML, ML", "scores_hook", "output"),
    ("weights", "BS, HC, ML, ML", "weights_hook", "output"),
    ("gathered", "BS, HC, ML, HS", "heads_hook", "output"),
    ("joined", "BS, ML, ES", "out_proj", "input"),
    ("out", "BS, ML, ES", "out_proj", "output"),
)


def shapes(model: Translator, sentences: Sequence[str], layer: int) -> list[tuple[int, ...]]:
    """The shape of the tensor at each of STATIONS, in an encoder layer that reads these sentences as one batch."""
    ids = pad([model.encode_source(sentence)[1][0].cpu().numpy() for sentence in sentences])
    seen: dict[tuple[str, str], tuple[int, ...]] = {}

    def watch(name: str) -> object:
        def hook(_module: nn.Module, given: tuple[Tensor, ...], output: Tensor) -> None:
            seen[name, "input"], seen[name, "output"] = tuple(given[0].shape), tuple(output.shape)
            seen[name, "viewed"] = tuple(output.transpose(1, -2).shape)

        return hook

    with model.running() as network, ExitStack() as stack:
        block = attention_block(network, "encoder_self", layer)
        for name in {module for _, _, module, _ in STATIONS}:
            handle = block.get_submodule(name).register_forward_hook(watch(name))  # type: ignore[arg-type]
            stack.callback(handle.remove)
        network.encode(ids.to(model.device))
    return [seen[module, side] for _, _, module, side in STATIONS]


def parameters(d_model: int, n_heads: int) -> int:
    """Numbers that a multi-head attention of this size learns, counted on the module."""
    return sum(parameter.numel() for parameter in MultiHeadAttention(d_model, n_heads).parameters())


def divisors(d_model: int, most: int = 64) -> list[int]:
    """Numbers of heads that d_model can be split into."""
    return [heads for heads in range(1, most + 1) if d_model % heads == 0]


def alone(model: Source, translation: TracedTranslation, kind: Kind, layer: int) -> np.ndarray:
    """Change of the translation's log-probability with one head of a layer alone, then with none: [H + 1], in nats.

    All heads of the layer but one are muted (Michel et al. 2019, section 3.3).
    """
    n_heads = model.anatomy.kinds[kind].heads
    rows = [{HeadRef(kind, layer, head): 0.0 for head in range(n_heads) if head != kept} for kept in range(n_heads + 1)]
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    totals = model.log_probs(ids, [{}, *rows]).sum(-1).double().cpu().numpy()
    return np.asarray(totals[1:] - totals[0])


@dataclass(frozen=True)
class Variants:
    """One head's weights as it is, and with a part of its recipe left out: [T, T] each, float64."""

    own: np.ndarray  # softmax(q · k / √d)
    shared: np.ndarray  # with the keys also asking: softmax(k · k / √d)
    undivided: np.ndarray  # softmax(q · k)
    bare: np.ndarray  # with no matrices at all: softmax(x · x / √d_model) of what queries and keys are made of
    symmetry: tuple[float, float]  # largest |score(i, j) − score(j, i)| of own and of shared scores
    variance: tuple[float, float]  # of q · k, and of q · k / √d


def variants(query: np.ndarray, key: np.ndarray, given: np.ndarray, hidden: np.ndarray) -> Variants:
    """What a head of self-attention's weights would be without W_Q of its own, and without the division by √d.

    Args:
        query, key: [T, d_head].
        given: what both are made of, [T, D].
        hidden: bool [T, T], what the mask hides.
    """
    root, query, key = np.sqrt(query.shape[1]), query.astype(np.float64), key.astype(np.float64)
    dots = query @ key.T

    def weigh(scores: np.ndarray) -> np.ndarray:
        return softmax(np.where(hidden, -np.inf, scores))

    own, undivided = weigh(dots / root), weigh(dots)
    same = key @ key.T / root
    return Variants(
        own,
        weigh(same),
        undivided,
        weigh(given.astype(np.float64) @ given.T.astype(np.float64) / np.sqrt(given.shape[1])),
        (float(np.abs(dots - dots.T).max() / root), float(np.abs(same - same.T).max())),
        (float(dots.var()), float((dots / root).var())),
    )


@cache
def unlike(batch: int, queries: int, keys: int, d_model: int, heads: int) -> dict[str, tuple[int, ...]]:
    """Shapes of queries, keys, weights and what comes out of a fresh module, where fewer ask than answer or more."""
    attention = MultiHeadAttention(d_model, heads)
    asked, kept = torch.zeros(batch, queries, d_model), list[Tensor]()
    handle = attention.weights_hook.register_forward_hook(lambda _module, _given, output: kept.append(output))
    keys_values = attention.project(torch.zeros(batch, keys, d_model))
    out = attention(asked, keys_values)
    handle.remove()
    shapes_of = {"query": asked, "key": keys_values[0], "weights": kept[0], "out": out}
    return {name: tuple(each.shape) for name, each in shapes_of.items()}
