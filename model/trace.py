"""What was captured: maps and labels together, and the translation they belong to. Numpy only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

Kind = Literal["encoder_self", "decoder_self", "cross"]
KINDS: tuple[Kind, ...] = ("encoder_self", "decoder_self", "cross")


@dataclass(frozen=True)
class Label:
    """A token as an axis shows it.

    Attributes:
        text: what the token stands for; a piece inside a word begins with ``##``.
        word: index of its word in the sentence; -1 for a special token.
        start, end: character span in the text that it came from; equal for a special token.
    """

    text: str
    word: int = -1
    start: int = 0
    end: int = 0

    @property
    def is_special(self) -> bool:
        """True for <bos> and <eos>."""
        return self.word < 0


@dataclass(frozen=True)
class AttentionTrace:
    """Every attention map of one translation, with the tokens of its axes.

    Axes are [layer, head, query, key], float32. Rows of the decoder's maps belong to its inputs:
    row t has read ``tgt_inputs[t]`` (<bos> first) and writes ``tgt_outputs[t]`` (<eos> last).

    Attributes:
        weights: after softmax, before dropout, by kind.
        scores: q·k / √d_head before the mask, by kind; the same shapes.
    """

    src: tuple[Label, ...]
    tgt_inputs: tuple[Label, ...]
    tgt_outputs: tuple[Label, ...]
    weights: dict[Kind, np.ndarray]
    scores: dict[Kind, np.ndarray]

    def __post_init__(self) -> None:
        for kind in KINDS:
            expected = tuple(len(labels) for labels in self.axis_labels(kind))
            for values in (self.weights[kind], self.scores[kind]):
                if values.ndim != 4 or values.shape[2:] != expected:
                    raise ValueError(f"{kind} maps have shape {values.shape}, but the axes hold {expected} tokens")

    @property
    def encoder_self(self) -> np.ndarray:
        """Weights of the encoder's self-attention, [L, H, S, S]."""
        return self.weights["encoder_self"]

    @property
    def decoder_self(self) -> np.ndarray:
        """Weights of the decoder's self-attention, [L, H, T, T]."""
        return self.weights["decoder_self"]

    @property
    def cross(self) -> np.ndarray:
        """Weights of the cross-attention, [L, H, T, S]."""
        return self.weights["cross"]

    def axis_labels(self, kind: Kind) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Labels of the rows (queries) and columns (keys) of a kind's maps."""
        rows = self.src if kind == "encoder_self" else self.tgt_inputs
        return rows, self.tgt_inputs if kind == "decoder_self" else self.src

    def axis_tokens(self, kind: Kind) -> tuple[list[str], list[str]]:
        """Texts of the rows (queries) and columns (keys) of a kind's maps."""
        rows, columns = self.axis_labels(kind)
        return [label.text for label in rows], [label.text for label in columns]

    def map(self, kind: Kind, layer: int, head: int) -> np.ndarray:
        """One head's weights, [query, key].

        Raises:
            ValueError: there is no such kind, layer or head.
        """
        if kind not in self.weights:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
        layers, heads = self.weights[kind].shape[:2]
        if not (0 <= layer < layers and 0 <= head < heads):
            raise ValueError(f"{kind} has layers 0–{layers - 1} and heads 0–{heads - 1}, got L{layer} H{head}")
        return self.weights[kind][layer, head]


@dataclass(frozen=True)
class Translation:
    """A translation and how sure the model was.

    Attributes:
        source: what was typed.
        text: the translation.
        src, tgt: tokens as labels, without special tokens; spans point into source and text.
        tgt_ids: ids of the target tokens.
        log_probs: natural log-probability of each target token, then of <eos> if it was reached.
        finished: False where the cap on length cut the translation.
        trace: every attention map, where asked for.
    """

    source: str
    text: str
    src: tuple[Label, ...]
    tgt: tuple[Label, ...]
    tgt_ids: tuple[int, ...]
    log_probs: tuple[float, ...]
    finished: bool
    trace: AttentionTrace | None = None
