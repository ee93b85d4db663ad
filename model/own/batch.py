"""Several translations gone through at once, padded: the weights of each, for whoever counts over a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch

from model.errors import HeadlightError
from model.own.capture import WEIGHTS, Captured, capture_attention, hook_name, n_layers
from model.own.network.transformer import Transformer
from model.own.source import OwnSource
from model.own.text.labels import BOS, EOS, source_labels, target_labels
from model.own.text.padding import pad
from model.own.text.vocab import BOS_ID, UNK_ID
from model.trace import KINDS, AttentionTrace, Kind, Label
from model.writing import Token


class _Read(NamedTuple):
    """A pair as ids, with what stands on its axes."""

    src_ids: np.ndarray
    inputs: np.ndarray
    src: tuple[Label, ...]
    tgt: tuple[Label, ...]


def batched_traces(source: OwnSource, pairs: Sequence[tuple[str, str]]) -> list[AttentionTrace | HeadlightError]:
    """As ``Source.traces``: one padded pass over all pairs that can be read.

    Short rows are padded behind their end, where nothing may attend to; so a pair's weights differ from those of a
    pass by itself in rounding alone, and are the same bits whenever the same pairs are gone through together.
    """
    read = [_attempt(source, *pair) for pair in pairs]
    fine = [each for each in read if isinstance(each, _Read)]
    traces = iter(_run(source, fine) if fine else ())
    return [next(traces) if isinstance(each, _Read) else each for each in read]


def _attempt(source: OwnSource, text: str, target: str) -> _Read | HeadlightError:
    try:
        tokens, ids = source.encode_source(text)
        forced = source.forced_target(target)
    except HeadlightError as error:
        return error
    inputs = np.array([BOS_ID, *(token.id for token in forced)])
    src = (*source_labels(text, tokens, source.by_letter), EOS)
    return _Read(ids[0].cpu().numpy(), inputs, src, target_labels(forced_pieces(target, forced), source.by_letter))


def forced_pieces(target: str, tokens: Sequence[Token]) -> list[str]:
    """How the tokens of a given target are spelt: unknown ones as they stand in the text."""
    return [target[token.start : token.end] if token.id == UNK_ID else token.text for token in tokens]


def _run(source: OwnSource, read: Sequence[_Read]) -> Iterator[AttentionTrace]:
    src_ids = pad([each.src_ids for each in read]).to(source.device)
    inputs = pad([each.inputs for each in read]).to(source.device)
    with source.running() as model, capture_attention(model, (WEIGHTS,)) as captured:
        model.decode(inputs, model.encode(src_ids), src_ids)
        maps = {kind: _stacked(model, captured, kind) for kind in KINDS}
    for number, each in enumerate(read):
        sizes = {"src": len(each.src_ids), "tgt": len(each.inputs)}
        yield AttentionTrace(
            each.src, (BOS, *each.tgt), (*each.tgt, EOS), {kind: _cut(maps, number, kind, sizes) for kind in KINDS}, {}
        )


def _stacked(model: Transformer, captured: Captured, kind: Kind) -> np.ndarray:
    """One kind's weights over all layers: float32 [B, L, H, Q, K]."""
    layers = [captured.values[hook_name(kind, layer, WEIGHTS)] for layer in range(n_layers(model, kind))]
    return torch.stack(layers, 1).float().cpu().numpy()


def _cut(maps: Mapping[Kind, np.ndarray], number: int, kind: Kind, sizes: Mapping[str, int]) -> np.ndarray:
    """What belongs to one sentence, without padding: [L, H, Q, K]."""
    rows, columns = sizes["src" if kind == "encoder_self" else "tgt"], sizes["tgt" if kind == "decoder_self" else "src"]
    return maps[kind][number, :, :, :rows, :columns]
