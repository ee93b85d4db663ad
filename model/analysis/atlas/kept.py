"""The sentences that an atlas keeps for each head: the strongest, and a sample that every head shares.

Both are chosen by numbers of the sentence alone, its strength and its hash, and a sentence counts once however often
it stands in the corpus. So what is kept of parts, kept again together, is what one run keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from model.analysis.atlas.batch import Traced, row_labels
from model.trace import Kind

MOST_STRONGEST = 8  # sentences a head
SHORTEST = 5  # a shorter sentence is no evidence of strength
SAMPLE = 96  # sentences, of smallest hash: a uniform sample without replacement
LARGEST = 8  # keys of a row that are stored, …
SMALLEST_KEPT = 0.005  # … of at least this weight
_LEVELS = 255


@dataclass(frozen=True)
class SparseMap:
    """A map's largest weights: key of each, int16 [Q, 8], and weight in 255ths, uint8 [Q, 8]; 0 is none."""

    keys: np.ndarray
    weights: np.ndarray

    def dense(self, width: int) -> np.ndarray:
        """The map as stored, float32 [Q, width]."""
        found = np.zeros((len(self.keys), width), np.float32)
        rows, places = np.nonzero(self.weights)
        found[rows, self.keys[rows, places]] = self.weights[rows, places] / np.float32(_LEVELS)
        return found


def sparse(maps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The eight largest weights of each row of maps [..., Q, K], at least SMALLEST_KEPT: keys and levels [..., Q, 8].

    Equal weights stand in the order of their keys.
    """
    width = maps.shape[-1]
    order = np.argsort(-maps, axis=-1, kind="stable")[..., :LARGEST]
    values = np.take_along_axis(maps, order, -1)
    levels = np.where(values >= SMALLEST_KEPT, np.rint(values * _LEVELS), 0).astype(np.uint8)
    short = [(0, 0)] * (maps.ndim - 1) + [(0, max(0, LARGEST - width))]
    return np.pad(order, short).astype(np.int16), np.pad(levels, short)


@dataclass(frozen=True)
class Sentence:
    """A kept sentence: its texts, and what stands on its axes; of cross-attention rows are named by ``outputs``."""

    src: str
    tgt: str
    tokens: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @classmethod
    def of(cls, each: Traced) -> Sentence:
        """The sentence of a line."""
        trace = each.trace
        sides = ([label.text for label in side] for side in (trace.src, trace.tgt_inputs, trace.tgt_outputs))
        tokens, inputs, outputs = map(tuple, sides)
        return cls(each.line.src, each.line.tgt, tokens, inputs, outputs)

    def axes(self, kind: Kind) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Texts of the rows and keys of a kind's maps."""
        rows = {"encoder_self": self.tokens, "decoder_self": self.inputs, "cross": self.outputs}[kind]
        return rows, self.inputs if kind == "decoder_self" else self.tokens


Key = tuple[int, int]  # strength and hash
Strong = dict[Key, SparseMap]


@dataclass
class KeptMaps:
    """What is kept of one kind."""

    strongest: list[Strong]  # of each of N heads, at most MOST_STRONGEST maps by strength and hash
    # of each sentence of the shared sample, by its hash: every head's strength [N], and every head's map
    sample: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=dict)

    def add(self, kind: Kind, items: Sequence[Traced], strength: np.ndarray) -> None:
        """Keep what a batch has that is worth it; ``strength`` is [B, N]."""
        for each, values in zip(items, strength, strict=True):
            rows = row_labels(each.trace, kind)
            maps = each.trace.weights[kind].reshape(len(values), len(rows), -1)
            counted = sum(not label.is_special for label in rows)
            if counted and self._is_sampled(each.line.digest):
                self.put_sample(each.line.digest, values, *sparse(maps))
            if counted >= SHORTEST:
                self._add_strong(each.line.digest, values, maps)

    def _is_sampled(self, digest: int) -> bool:
        return len(self.sample) < SAMPLE or digest <= max(self.sample)

    def _add_strong(self, digest: int, strength: np.ndarray, maps: np.ndarray) -> None:
        bars = np.array([min(own)[0] if len(own) == MOST_STRONGEST else -1 for own in self.strongest])
        for head in np.flatnonzero(strength >= bars):
            self.put_strong(int(head), (int(strength[head]), digest), SparseMap(*sparse(maps[head])))

    def put_strong(self, head: int, key: Key, found: SparseMap) -> None:
        """Keep a map, where it is among the strongest; of one sentence that stands twice the stronger."""
        own = self.strongest[head]
        same = next((other for other in own if other[1] == key[1]), None)
        if same is not None:
            key, found = max((same, own.pop(same)), (key, found), key=lambda each: (each[0], each[1].keys.tobytes()))
        own[key] = found
        if len(own) > MOST_STRONGEST:
            del own[min(own)]

    def put_sample(self, digest: int, strength: np.ndarray, keys: np.ndarray, levels: np.ndarray) -> None:
        """Keep a sentence, where its hash is among the smallest; of one that stands twice that with more bits."""
        new = (strength, keys, levels)
        old = self.sample.get(digest)
        self.sample[digest] = new if old is None else max(old, new, key=lambda each: [part.tobytes() for part in each])
        if len(self.sample) > SAMPLE:
            del self.sample[max(self.sample)]

    @property
    def digests(self) -> set[int]:
        """Hashes of every sentence that is kept."""
        return set(self.sample) | {digest for own in self.strongest for _, digest in own}


def only(sentences: Mapping[int, Sentence], kept: Iterable[KeptMaps]) -> dict[int, Sentence]:
    """Of sentences by hash those that are still kept, in the order of their hashes."""
    needed = set().union(*(each.digests for each in kept))
    return {digest: sentences[digest] for digest in sorted(needed)}
