"""Several sentences' maps of one kind, padded to one tensor, and what is known of their rows and keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.analysis.alignment.word_maps import membership
from model.analysis.atlas.lines import Line
from model.trace import AttentionTrace, Kind, Label, Span


@dataclass(frozen=True)
class Traced:
    """A line with its maps."""

    line: Line
    trace: AttentionTrace
    rarity: np.ndarray | None = None  # of each source token, from ``Source.rarity``; None where nobody knows
    tgt_spans: Sequence[Span] = ()  # of the target's tokens in the text as it was given, where its words are linked


@dataclass(frozen=True)
class MapBatch:
    """B sentences' maps of one kind; N is layers times heads, Q and K are those of the longest."""

    kind: Kind  # of attention
    weights: Tensor  # float32 [B, N, Q, K], 0 in rows that do not count and where a shorter sentence has ended
    # rows that count, bool [B, Q]: those that stand for no special token; of cross-attention a row belongs to the token
    # that its step writes
    counts: Tensor
    base: Tensor  # where each row stands among the keys, float32 [B, Q]; of cross-attention on the diagonal
    sees: Tensor  # keys that a row may attend to, int64 [B, Q], at least 1
    # which keys there are, special, punctuation, of the sentence's rarest word: bool [B, K] each, by name
    keys: dict[str, Tensor]
    aligned: Tensor | None  # which keys people linked to a row's word, bool [B, Q, K]; None where no line has links
    # row_texts, key_texts: what rows and keys stand for, of each sentence
    row_texts: list[list[str]]
    key_texts: list[list[str]]

    @property
    def offsets(self) -> Tensor:
        """How far each key lies from its row, rounded: int64 [B, Q, K]."""
        return torch.arange(self.weights.shape[-1]) - self.base.round().long()[..., None]

    @property
    def visible(self) -> Tensor:
        """Keys that a row that counts may see: bool [B, Q, K]."""
        seen = torch.arange(self.weights.shape[-1]) < self.sees[..., None]
        return seen & self.counts[..., None]


def row_labels(trace: AttentionTrace, kind: Kind) -> tuple[Label, ...]:
    """What the rows of a kind stand for: of cross-attention the token that each step writes."""
    return trace.tgt_outputs if kind == "cross" else trace.axis_labels(kind)[0]


def batch_of(items: Sequence[Traced], kind: Kind) -> MapBatch:
    """The maps of a kind of several sentences."""
    rows = [row_labels(each.trace, kind) for each in items]
    columns = [each.trace.axis_labels(kind)[1] for each in items]
    b, q, k = len(items), max(map(len, rows)), max(map(len, columns))
    layers, heads = items[0].trace.weights[kind].shape[:2]
    weights = np.zeros((b, layers * heads, q, k), np.float32)
    counts, base, sees = np.zeros((b, q), bool), np.zeros((b, q), np.float32), np.ones((b, q), np.int64)
    keys = {name: np.zeros((b, k), bool) for name in ("there", "special", "punctuation", "rare")}
    for n, (each, own, across) in enumerate(zip(items, rows, columns, strict=True)):
        height, width = len(own), len(across)
        counts[n, :height] = [not label.is_special for label in own]
        weights[n, :, :height, :width] = each.trace.weights[kind].reshape(-1, height, width)
        slope = (len(each.trace.src) - 1) / max(1, height - 1) if kind == "cross" else 1.0
        base[n, :height] = np.arange(height) * slope
        sees[n, :height] = each.trace.may_attend(kind).sum(-1)
        for name, found in _keys(across, kind, each.rarity).items():
            keys[name][n, :width] = found
    aligned = _aligned(items, (b, q, k)) if kind == "cross" else None
    weights *= counts[:, None, :, None]
    return MapBatch(
        kind,
        torch.from_numpy(weights),
        torch.from_numpy(counts),
        torch.from_numpy(base),
        torch.from_numpy(sees),
        {name: torch.from_numpy(each) for name, each in keys.items()},
        None if aligned is None else torch.from_numpy(aligned),
        [[text_of(label) for label in each] for each in rows],
        [[text_of(label) for label in each] for each in columns],
    )


def text_of(label: Label) -> str:
    """The text under which a token is counted: in small letters, special tokens as they are."""
    return label.text if label.is_special else label.text.lower()


def is_punctuation(label: Label) -> bool:
    """Whether a token has neither letter nor digit, and is not special."""
    return not label.is_special and not any(char.isalnum() for char in label.text)


def _keys(labels: Sequence[Label], kind: Kind, rarity: np.ndarray | None) -> dict[str, np.ndarray]:
    rare = np.zeros(len(labels), bool)
    if rarity is not None and rarity.size and kind != "decoder_self":
        rare = rarity == rarity.max()
    return {
        "there": np.ones(len(labels), bool),
        "special": np.array([label.is_special for label in labels], bool),
        "punctuation": np.array([is_punctuation(label) for label in labels], bool),
        "rare": rare,
    }


def _aligned(items: Sequence[Traced], shape: tuple[int, int, int]) -> np.ndarray | None:
    """Keys that share a sure or possible link with the word that a row writes."""
    if not any(each.line.gold for each in items):
        return None
    found = np.zeros(shape, bool)
    for number, each in enumerate(items):
        gold = each.line.gold
        if gold is None:
            continue
        rows = membership(gold.tgt_spans, each.tgt_spans)
        columns = membership(gold.src_spans, [(label.start, label.end) for label in each.trace.src[:-1]])
        links = np.zeros((len(gold.tgt_words), len(gold.src_words)))
        for src, tgt in gold.possible:
            links[tgt, src] = 1
        linked = (rows > 0).T @ links @ (columns > 0)
        found[number, : linked.shape[0], : linked.shape[1]] = linked > 0
    return found
