"""All that is counted for an atlas over some buckets of a corpus: kept in a file, and added to that of others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from model.analysis.atlas.batch import MapBatch
from model.analysis.atlas.kept import KeptMaps, Sentence, SparseMap, only
from model.analysis.atlas.tally import SCALE, Tally, added
from model.errors import CorpusError
from model.files import write_arrays
from model.pairs import BUCKETS, UNREADABLE
from model.trace import KINDS, Kind

HARD = 0.5  # a row looks hard where its largest weight is as large

Texts = dict[str, np.ndarray]


class TextCounts:
    """Counts by text, of N heads. They add up exactly; texts stand in their own order, whatever came first.

    ==========  ===============================================================================
    at          rows whose largest weight is on the text, [texts, N]
    even        how many there would be if every row looked evenly, times SCALE, [texts]
    hard        rows of the text that look hard, [texts, N]
    own         rows of the text, [texts]
    ==========  ===============================================================================
    """

    NAMES = ("at", "even", "hard", "own")

    def __init__(self, n: int) -> None:
        self.n = n
        self.places: dict[str, int] = {}
        self._arrays = {name: np.zeros((0, n) if name in ("at", "hard") else (0,), np.int64) for name in self.NAMES}

    def add(self, batch: MapBatch) -> None:
        """Count a batch."""
        texts = sorted({text for each in (*batch.row_texts, *batch.key_texts) for text in each})
        local = {text: place for place, text in enumerate(texts)}
        b, n, q, k = batch.weights.shape
        rows, keys = (_indices(each, local, width) for each, width in ((batch.row_texts, q), (batch.key_texts, k)))
        peak, at = batch.weights.max(-1)
        counts = batch.counts[:, None].expand(b, n, q)
        looked = keys[:, None].expand(b, n, k).gather(-1, at)
        hard = counts & (peak >= HARD)
        even = (batch.visible / batch.sees[..., None]).double().sum(1)  # [B, K]
        fixed = (even * SCALE).round().long()
        own_keys = torch.zeros(len(texts), dtype=torch.long).index_add_(0, keys.reshape(-1), fixed.reshape(-1))
        self._merge(
            texts,
            {
                "at": _by_head(looked, counts, len(texts)),
                "even": own_keys.numpy(),
                "hard": _by_head(rows[:, None].expand(b, n, q), hard, len(texts)),
                "own": torch.bincount(rows[batch.counts], minlength=len(texts)).numpy(),
            },
        )

    def merge(self, texts: Sequence[str], arrays: Mapping[str, np.ndarray]) -> None:
        """Add what ``saved`` gave."""
        self._merge(texts, arrays)

    def saved(self) -> tuple[list[str], Texts]:
        """Texts in their order, and the counts."""
        order = sorted(self.places)
        at = [self.places[text] for text in order]
        return order, {name: values[at] for name, values in self._arrays.items()}

    def _merge(self, texts: Sequence[str], arrays: Mapping[str, np.ndarray]) -> None:
        new = [text for text in texts if text not in self.places]
        self.places.update({text: len(self.places) + number for number, text in enumerate(new)})
        self._grow(len(self.places))
        at = [self.places[text] for text in texts]
        for name, values in arrays.items():
            self._arrays[name][at] += values

    def _grow(self, size: int) -> None:
        for name, values in self._arrays.items():
            if size > len(values):
                more = max(size, 2 * len(values))
                grown = np.zeros((more, *values.shape[1:]), np.int64)
                grown[: len(values)] = values
                self._arrays[name] = grown


def _indices(texts: Iterable[Sequence[str]], local: Mapping[str, int], width: int) -> torch.Tensor:
    """The place of each token's text: int64 [B, width]; beyond a sentence's end it says nothing."""
    found = [[local[text] for text in each] + [0] * (width - len(each)) for each in texts]
    return torch.tensor(found)


def _by_head(places: torch.Tensor, which: torch.Tensor, size: int) -> np.ndarray:
    """How many rows that are meant have each place: [B, N, Q] twice → [size, N]."""
    n = places.shape[1]
    flat = places * n + torch.arange(n)[:, None]
    return torch.bincount(flat[which], minlength=size * n).reshape(size, n).numpy()


PART_VERSION = 1
_COSTS = ("costs", "votes")  # of sampled sentences
Arrays = dict[str, np.ndarray]


@dataclass
class KindCounts:
    """What is counted of one kind of attention, of N heads."""

    tally: Tally
    texts: TextCounts
    kept: KeptMaps

    @classmethod
    def empty(cls, n: int) -> KindCounts:
        """Nothing counted yet."""
        return cls({}, TextCounts(n), KeptMaps([{} for _ in range(n)]))


@dataclass
class Sampled:
    """Whole numbers of sampled sentences, a row each: hash uint64 [n], tokens int64 [n], values int64 [n, M]."""

    digests: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    values: list[np.ndarray] = field(default_factory=list)

    def add(self, digest: int, tokens: int, values: np.ndarray) -> None:
        """One more."""
        self.digests.append(digest)
        self.tokens.append(tokens)
        self.values.append(values)

    def arrays(self) -> Arrays:
        """In the order of hashes; {} where there is none."""
        if not self.digests:
            return {}
        order = np.argsort(np.array(self.digests, np.uint64), kind="stable")
        numbers = {"digests": np.array(self.digests, np.uint64), "tokens": np.array(self.tokens, np.int64)}
        return {name: each[order] for name, each in (numbers | {"values": np.stack(self.values)}).items()}


@dataclass
class Counts:
    """What was counted."""

    facts: dict[str, Any]  # of the model, the corpus and the settings; parts of one run have the same
    buckets: np.ndarray  # whose lines were counted, bool [512]
    kinds: dict[Kind, KindCounts]  # what was counted, by kind
    sentences: dict[int, Sentence] = field(default_factory=dict)  # those that are kept, by hash
    # ``costs`` and ``votes`` of sampled sentences
    samples: dict[str, Sampled] = field(default_factory=lambda: {name: Sampled() for name in _COSTS})
    # lines that the model could not read, by the name of the reason
    refused: dict[str, int] = field(default_factory=dict)

    @classmethod
    def empty(cls, facts: dict[str, Any]) -> Counts:
        """Nothing counted yet; ``facts["kinds"]`` says how many layers and heads there are of each kind."""
        sizes: Mapping[Kind, Sequence[int]] = {kind: facts["kinds"][kind] for kind in KINDS if kind in facts["kinds"]}
        kinds = {kind: KindCounts.empty(layers * heads) for kind, (layers, heads) in sizes.items()}
        return cls(facts, np.zeros(BUCKETS, bool), kinds)

    @property
    def is_whole(self) -> bool:
        """Whether every bucket was counted."""
        return bool(self.buckets.all())

    def prune(self) -> None:
        """Let go of sentences that no head keeps."""
        self.sentences = only(self.sentences, [each.kept for each in self.kinds.values()])

    def save(self, path: Path) -> Path:
        """Write the file aside, then rename it: it is whole, or not there."""
        self.prune()
        arrays = {f"{kind}/{name}": each for kind, own in self.kinds.items() for name, each in _arrays(own).items()}
        for name, sampled in self.samples.items():
            arrays |= {f"{name}/{part}": each for part, each in sampled.arrays().items()}
        texts = {
            "version": PART_VERSION,
            "facts": self.facts,
            "refused": dict(sorted(self.refused.items())),
            "texts": {kind: own.texts.saved()[0] for kind, own in self.kinds.items()},
            "sentences": {f"{digest:016x}": asdict(each) for digest, each in self.sentences.items()},
        }
        arrays["buckets"] = self.buckets
        arrays["json"] = np.frombuffer(json.dumps(texts, ensure_ascii=False).encode(), np.uint8)
        return write_arrays(path, arrays)

    def add(self, path: Path) -> None:
        """Add what another part's file holds.

        Raises:
            CorpusError: it is no such file, is of another run, or counts lines that were counted already.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            texts = json.loads(arrays.pop("json").tobytes())
            self._check(path, texts, arrays["buckets"])
            self._add(texts, arrays)
        except UNREADABLE as error:
            raise CorpusError(f"{path} is no part of an atlas: {error}") from None

    def _check(self, path: Path, texts: Mapping[str, Any], buckets: np.ndarray) -> None:
        if texts["version"] != PART_VERSION or texts["facts"] != self.facts:
            raise CorpusError(f"{path} is of another run: its model, corpus or settings differ")
        if (self.buckets & buckets).any():
            raise CorpusError(f"{path} counts lines that another part has counted")

    def _add(self, texts: Mapping[str, Any], arrays: Arrays) -> None:
        self.buckets |= arrays["buckets"]
        for name, number in texts["refused"].items():
            self.refused[name] = self.refused.get(name, 0) + number
        found = {int(digest, 16): Sentence(**_tuples(each)) for digest, each in texts["sentences"].items()}
        self.sentences |= found
        for kind, own in self.kinds.items():
            _merge(own, _under(arrays, kind), texts["texts"][kind])
        for name, sampled in self.samples.items():
            rows = _under(arrays, name)
            for number in range(len(rows.get("digests", ()))):
                sampled.add(int(rows["digests"][number]), int(rows["tokens"][number]), rows["values"][number])


def read_facts(path: Path) -> dict[str, Any]:
    """Of which run a part is.

    Raises:
        CorpusError: it is no part of an atlas.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            facts: dict[str, Any] = json.loads(file["json"].tobytes())["facts"]
        return facts
    except UNREADABLE as error:
        raise CorpusError(f"{path} is no part of an atlas: {error}") from None


def merged(paths: Iterable[Path]) -> Counts:
    """The sum of parts, in whatever order.

    Raises:
        CorpusError: there is none, one cannot be read, they are of several runs, or overlap.
    """
    paths = list(paths)
    if not paths:
        raise CorpusError("there is no part of an atlas to merge")
    counts = Counts.empty(read_facts(paths[0]))
    for path in paths:
        counts.add(path)
        counts.prune()
    return counts


def _arrays(own: KindCounts) -> Arrays:
    """A kind's counts as arrays; kept sentences in the order of their hashes, maps behind each other."""
    found = {f"tally/{name}": values for name, values in sorted(own.tally.items())}
    found |= {f"texts/{name}": values for name, values in own.texts.saved()[1].items()}
    strong = [(head, *key, each) for head, maps in enumerate(own.kept.strongest) for key, each in sorted(maps.items())]
    found["strong/heads"] = np.array([head for head, *_ in strong], np.int32)
    found["strong/strengths"] = np.array([strength for _, strength, *_ in strong], np.int64)
    found["strong/digests"] = np.array([digest for *_, digest, _ in strong], np.uint64)
    found |= _joined("strong", [(each.keys, each.weights) for *_, each in strong])
    sample = sorted(own.kept.sample.items())
    found["sample/digests"] = np.array([digest for digest, _ in sample], np.uint64)
    found["sample/strengths"] = np.array([strengths for _, (strengths, *_) in sample], np.int64)
    flat = [(keys.swapaxes(0, 1), levels.swapaxes(0, 1)) for _, (_, keys, levels) in sample]  # [Q, N, 8]
    return found | _joined("sample", flat)


def _joined(name: str, maps: Sequence[tuple[np.ndarray, np.ndarray]]) -> Arrays:
    if not maps:
        return {f"{name}/rows": np.zeros(0, np.int32)}
    keys, levels = (np.concatenate([each[part] for each in maps]) for part in (0, 1))
    return {f"{name}/rows": np.array([len(each[0]) for each in maps], np.int32), f"{name}/keys": keys} | {
        f"{name}/levels": levels
    }


def _merge(own: KindCounts, arrays: Arrays, texts: Sequence[str]) -> None:
    own.tally = added(own.tally, _under(arrays, "tally"))
    own.texts.merge(texts, _under(arrays, "texts"))
    strong, sample = _under(arrays, "strong"), _under(arrays, "sample")
    for number, maps in enumerate(_split(strong)):
        key = (int(strong["strengths"][number]), int(strong["digests"][number]))
        own.kept.put_strong(int(strong["heads"][number]), key, SparseMap(*maps))
    for number, (keys, levels) in enumerate(_split(sample)):
        rest = keys.swapaxes(0, 1), levels.swapaxes(0, 1)
        own.kept.put_sample(int(sample["digests"][number]), sample["strengths"][number], *rest)


def _split(arrays: Arrays) -> list[tuple[np.ndarray, np.ndarray]]:
    if not len(arrays["rows"]):
        return []
    ends = np.cumsum(arrays["rows"])[:-1]
    return list(zip(np.split(arrays["keys"], ends), np.split(arrays["levels"], ends), strict=True))


def _under(arrays: Arrays, name: str) -> Arrays:
    """What stands under a name, which is left off."""
    return {key.removeprefix(f"{name}/"): values for key, values in arrays.items() if key.startswith(f"{name}/")}


def _tuples(each: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in each.items()}
