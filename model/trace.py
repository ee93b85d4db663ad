"""What was captured: maps and labels together, and the translation they belong to. Numpy only."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

Kind = Literal["encoder_self", "decoder_self", "cross"]
Span = tuple[int, int]  # characters [start, end) of a text
KINDS: tuple[Kind, ...] = ("encoder_self", "decoder_self", "cross")
KIND_LETTERS: Mapping[Kind, str] = {"encoder_self": "e", "decoder_self": "d", "cross": "c"}
_PATCH = re.compile(r"r[0-9]+ c[0-9]+|[0-9]+\.[0-9]{2} s")
_HEAD_CODE = re.compile(r"([edc])\.?([0-9]{1,3})\.([0-9]{1,3})")


class HeadRef(NamedTuple):
    """One head: its kind of attention, its layer and its number there, both from 0."""

    kind: Kind
    layer: int
    head: int

    @property
    def code(self) -> str:
        """Its short name, for links and keys.

        >>> HeadRef("cross", 2, 5).code
        'c2.5'
        """
        return f"{KIND_LETTERS[self.kind]}{self.layer}.{self.head}"

    @property
    def title(self) -> str:
        """Its name within its kind, as people read it: "L2 H5"."""
        return f"L{self.layer} H{self.head}"

    @classmethod
    def parse(cls, code: str) -> HeadRef | None:
        """The head that a code names, also in the spelling ``c.2.5`` of older links; None where it names none.

        >>> HeadRef.parse("c.2.5"), HeadRef.parse("x2.5")
        (HeadRef(kind='cross', layer=2, head=5), None)
        """
        match = _HEAD_CODE.fullmatch(code)
        if match is None:
            return None
        kind = next(kind for kind, letter in KIND_LETTERS.items() if letter == match[1])
        return cls(kind, int(match[2]), int(match[3]))


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

    @property
    def is_patch(self) -> bool:
        """True for a patch of a picture or a group of a sound's frames, which is no part of a text."""
        return self.word >= 0 and self.start == self.end and _PATCH.fullmatch(self.text) is not None


def patch_label(place: int, columns: int) -> Label:
    """The label of a patch of a picture, counted row by row: its row and column.

    >>> patch_label(7, 5)
    Label(text='r1 c2', word=7, start=0, end=0)
    """
    row, column = divmod(place, columns)
    return Label(f"r{row} c{column}", place)


def time_label(place: int, seconds: float) -> Label:
    """The label of a group of a sound's frames: the second that it begins at.

    >>> time_label(7, 0.7)
    Label(text='0.70 s', word=7, start=0, end=0)
    """
    return Label(f"{seconds:.2f} s", place)


@dataclass(frozen=True)
class AttentionTrace:
    """Every attention map of one translation, with the tokens of its axes.

    Axes are [layer, head, query, key], float32, read-only; each kind has layers and heads of its own. Rows of
    the decoder's maps belong to its inputs: row t has read ``tgt_inputs[t]`` (<bos> first) and writes
    ``tgt_outputs[t]`` (<eos> last).

    Attributes:
        src: what the encoder reads; () where there is none.
        weights: after softmax, before dropout, by kind: those kinds that the model has.
        scores: q·k / √d_head before the mask, by kind; the same shapes; {} where the model does not show them.
        together: first and one past the last of the decoder's inputs that see each other both ways, as the parts of
            a picture do in Gemma 3; (0, 0) where none do.
    """

    src: tuple[Label, ...]
    tgt_inputs: tuple[Label, ...]
    tgt_outputs: tuple[Label, ...]
    weights: dict[Kind, np.ndarray]
    scores: dict[Kind, np.ndarray]
    together: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        for kind in self.kinds:
            expected = tuple(len(labels) for labels in self.axis_labels(kind))
            for values in (maps[kind] for maps in (self.weights, self.scores) if kind in maps):
                if values.ndim != 4 or values.shape[2:] != expected:
                    raise ValueError(f"{kind} maps have shape {values.shape}, but the axes hold {expected} tokens")
                values.setflags(write=False)  # many visitors share them

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # what another process sent is read-only as well

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of attention that there are, in the order of KINDS."""
        return tuple(kind for kind in KINDS if kind in self.weights)

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

    def may_attend(self, kind: Kind) -> np.ndarray:
        """Which keys each query of a kind may attend to: bool [query, key], True = may attend."""
        return may_attend(kind, self.weights[kind].shape, self.together)

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
            raise ValueError(f"kind must be one of {', '.join(self.kinds)}, got {kind!r}")
        layers, heads = self.weights[kind].shape[:2]
        if not (0 <= layer < layers and 0 <= head < heads):
            raise ValueError(f"{kind} has layers 0–{layers - 1} and heads 0–{heads - 1}, got L{layer} H{head}")
        found: np.ndarray = self.weights[kind][layer, head]
        return found


def may_attend(kind: Kind, shape: tuple[int, ...], together: tuple[int, int] = (0, 0)) -> np.ndarray:
    """Which keys a query of one unpadded sentence may attend to: bool [query, key], True = may attend.

    Args:
        kind: of attention; a query of the decoder's self-attention sees itself and what came before.
        shape: whose last two sizes are the numbers of queries and keys.
        together: as ``AttentionTrace.together``.
    """
    full = np.ones(shape[-2:], dtype=bool)
    if kind != "decoder_self":
        return full
    found, both = np.tril(full), slice(*together)
    found[both, both] = True
    return found


def mean_probability(log_probs: Sequence[float]) -> float:
    """The geometric mean of probabilities, given as natural logarithms: in [0, 1], and 0 of nothing."""
    return math.exp(sum(log_probs) / len(log_probs)) if log_probs else 0.0


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
        end_id: id of the token that ends a translation.
        given: how many of the target tokens, from the first, were given and not written: a prompt's.
    """

    source: str
    text: str
    src: tuple[Label, ...]
    tgt: tuple[Label, ...]
    tgt_ids: tuple[int, ...]
    log_probs: tuple[float, ...]
    finished: bool
    end_id: int
    given: int = field(default=0, kw_only=True)

    @property
    def confidence(self) -> float:
        """How sure the model was: the geometric mean of the token probabilities, in [0, 1]; 0 of nothing."""
        return mean_probability(self.log_probs)

    @property
    def written_ids(self) -> tuple[int, ...]:
        """Every id that was written, the end among them where it was reached."""
        return (*self.tgt_ids, self.end_id) if self.finished else self.tgt_ids


@dataclass(frozen=True)
class TracedTranslation(Translation):
    """A translation with every attention map."""

    trace: AttentionTrace


@dataclass(frozen=True)
class TranslatedText:
    """A text translated sentence by sentence.

    Attributes:
        source: what was typed.
        parts: the translations of its sentences, in order; at least one.
        spans: each sentence's characters [start, end) in ``source``.
    """

    source: str
    parts: tuple[Translation, ...]
    spans: tuple[tuple[int, int], ...]

    @property
    def text(self) -> str:
        """The translations in one line."""
        return join_parts([part.text for part in self.parts])

    @property
    def finished(self) -> bool:
        """False where the cap on length cut a sentence."""
        return all(part.finished for part in self.parts)


def join_parts(parts: Sequence[str]) -> str:
    """Translations of sentences in one line: Chinese needs no space between them, Latin letters and digits do."""
    joined = ""
    for part in filter(None, parts):
        joined += f" {part}" if joined and joined[-1].isascii() and part[0].isascii() else part
    return joined


TOLERANCE = 1e-5


@dataclass(frozen=True)
class Sanity:
    """Largest distance of a row sum from 1, and the largest weight on a key that the mask hides."""

    row_sum_error: float
    masked_weight: float

    @property
    def holds(self) -> bool:
        """True if rows sum to 1 within 1e-5 and masked keys get exactly nothing."""
        return self.row_sum_error <= TOLERANCE and self.masked_weight == 0.0


def check_map(trace: AttentionTrace, kind: Kind, layer: int, head: int) -> Sanity:
    """Sanity of one captured map, before any merging or hiding."""
    weights = trace.map(kind, layer, head)
    hidden = ~trace.may_attend(kind)
    masked = float(weights[hidden].max()) if hidden.any() else 0.0
    return Sanity(float(np.abs(weights.sum(axis=-1) - 1).max()), masked)
