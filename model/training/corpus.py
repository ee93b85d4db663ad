"""Sentence pairs from TSV files, their vocabularies, and their token ids on disk."""

from __future__ import annotations

import copy
import json
import random
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Regex, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as SubwordModel
from torch import Tensor

from model.files import write_arrays
from model.own.text.tokenize import (
    PIECES,
    PLAIN,
    CharacterTokenizer,
    EnglishTokenizer,
    normalise_chinese,
    word_spans,
)
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID, SPECIAL_TOKENS
from model.pairs import Row
from model.writing import WORD_START

RAREST_PAIR = 8  # times that two pieces stand side by side before they are merged
RAREST_CHARACTER = 2  # times that a character stands before it is a token
WRITTEN = ("written_tatoeba", "written_own", "written_words", "written_further", "written_later")
EVERYDAY = frozenset(("tatoeba", "jec", "copa_human", "xcopa", *WRITTEN))
LINKS = (  # what stands before the first clause and between two, in English and in Chinese
    (("", ", and "), ("", "，")),
    (("", ", but "), ("", "，但是")),
    (("", ", so "), ("", "，所以")),
    (("", ", while "), ("", "，而")),
    (("", ", because "), ("", "，因为")),
    (("", "; "), ("", "；")),
    (("When ", ", "), ("当", "时，")),
    (("If ", ", "), ("如果", "，")),
    (("Although ", ", "), ("虽然", "，但")),
)
LOWERED = frozenset(  # first words of a sentence that begin small within one
    (
        *("A", "All", "An", "At", "Both", "By", "Every", "Everyone", "Few", "He", "Her", "His", "How", "I", "If", "In"),
        *("It", "Its", "Many", "Most", "My", "Nobody", "No", "On", "One", "Our", "Several", "She", "Some", "Someone"),
        *("That", "The", "Their", "There", "These", "They", "This", "Those", "Two", "We", "What", "You", "Your"),
    )
)


def grown(
    src: EnglishTokenizer, tgt: CharacterTokenizer, rows: Sequence[Row], merges: int
) -> tuple[EnglishTokenizer, CharacterTokenizer]:
    """Both vocabularies with what these rows (English, Chinese, source) hold beyond them.

    Args:
        src: keeps the casing of every word that it knows; that of others is learnt.
        tgt: gains each character that it lacks and that stands ``RAREST_CHARACTER`` times.
        rows: pairs to train on.
        merges: most further English tokens.
    """
    casing = learn_casing(row[0] for row in rows) | src.casing
    cased = EnglishTokenizer(src.subwords, casing)
    subwords = with_merges(src.subwords, english_words(cased, (row[0] for row in rows)), merges)
    characters = unknown_characters(tgt, (row[1] for row in rows))
    more = [character for character, count in characters.items() if count >= RAREST_CHARACTER]
    return EnglishTokenizer(subwords, casing), CharacterTokenizer(with_characters(tgt.subwords, more))


def english_words(tokenizer: EnglishTokenizer, sentences: Iterable[str]) -> Counter[str]:
    """How often each word of letters stands in the sentences, in its usual casing, marked as a word's beginning."""
    words: Counter[str] = Counter()
    for sentence in sentences:
        text = sentence.translate(PLAIN)
        for number, (start, end) in enumerate(word_spans(sentence)):
            if (word := text[start:end]).isalpha():
                words[WORD_START + tokenizer.cased(word, number == 0)] += 1
    return words


def unknown_characters(tokenizer: CharacterTokenizer, sentences: Iterable[str]) -> Counter[str]:
    """How often each character that the vocabulary lacks stands in the sentences; marks without a letter are none."""
    normal = (normalise_chinese(sentence)[0] for sentence in sentences)
    counts = Counter(char for sentence in normal for char in sentence if unicodedata.category(char)[0] not in "MC")
    known = tokenizer.subwords.get_vocab()
    return Counter({character: count for character, count in counts.items() if character not in known})


def with_merges(subwords: SubwordModel, words: Mapping[str, int], merges: int) -> SubwordModel:
    """The same byte-pair encoding with further merges, most frequent pair first (Sennrich et al. 2016).

    A merge that is added comes after all that were there: a word is cut as before, and its pieces are then joined.

    Args:
        subwords: the byte-pair encoding.
        words: how often each word is seen.
        merges: most that are added; pairs seen fewer than ``RAREST_PAIR`` times are left alone.
    """
    cut = {word: subwords.encode([word], is_pretokenized=True).tokens for word in words}
    pieces = {word: parts for word, parts in cut.items() if "".join(parts) == word and len(parts) > 1}
    pairs: Counter[tuple[str, str]] = Counter()
    places: dict[tuple[str, str], set[str]] = {}
    for word, parts in pieces.items():
        _count(word, parts, words[word], pairs, places)
    description = json.loads(subwords.to_str())
    vocabulary = description["model"]["vocab"]
    for _ in range(merges):
        pair = max(pairs, key=lambda each: (pairs[each], each), default=None)
        if pair is None or pairs[pair] < RAREST_PAIR:
            break
        vocabulary.setdefault("".join(pair), len(vocabulary))
        description["model"]["merges"].append(list(pair))
        for word in places.pop(pair):
            _count(word, pieces[word], -words[word], pairs, places)
            pieces[word] = _joined(pieces[word], pair)
            _count(word, pieces[word], words[word], pairs, places)
        del pairs[pair]
    return SubwordModel.from_str(json.dumps(description))


def _count(
    word: str,
    parts: Sequence[str],
    times: int,
    pairs: Counter[tuple[str, str]],
    places: dict[tuple[str, str], set[str]],
) -> None:
    for pair in pairwise(parts):
        pairs[pair] += times
        places.setdefault(pair, set()).add(word)


def _joined(parts: Sequence[str], pair: tuple[str, str]) -> list[str]:
    joined: list[str] = []
    for part in parts:
        if joined and (joined[-1], part) == pair:
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def with_characters(subwords: SubwordModel, characters: Iterable[str]) -> SubwordModel:
    """The same vocabulary, and behind it a token for each further character, in the order of their code points."""
    description = json.loads(subwords.to_str())
    vocabulary = description["model"]["vocab"]
    for character in sorted(set(characters) - set(vocabulary)):
        vocabulary[character] = len(vocabulary)
    return SubwordModel.from_str(json.dumps(description))


def learn_casing(sentences: Iterable[str]) -> dict[str, str]:
    """The usual casing of each word, by its lower-case form, counted where words do not stand first."""
    counts: dict[str, Counter[str]] = {}
    for sentence in sentences:
        plain = sentence.translate(PLAIN)
        for start, end in word_spans(sentence)[1:]:
            word = plain[start:end]
            if word[0].isalpha() and len(word.lower()) == len(word):
                counts.setdefault(word.lower(), Counter())[word] += 1
    return {lower: seen.most_common(1)[0][0] for lower, seen in counts.items() if seen.total() > 1}


def learn_english(sentences: Sequence[str], vocab_size: int) -> EnglishTokenizer:
    """A byte-pair encoding of English words that falls back to bytes; digits stay single, to be copied."""
    plain = EnglishTokenizer(SubwordModel(models.BPE()), learn_casing(sentences))
    words: Counter[str] = Counter()
    for sentence in sentences:
        text = sentence.translate(PLAIN)
        for number, (start, end) in enumerate(word_spans(sentence)):
            words[WORD_START + plain.cased(text[start:end], number == 0)] += 1
    byte_tokens = [f"<0x{byte:02X}>" for byte in range(256)]
    model = SubwordModel(models.BPE(unk_token=SPECIAL_TOKENS[3], byte_fallback=True))
    model.pre_tokenizer = pre_tokenizers.Split(Regex(f"{WORD_START}?([0-9]|[^0-9{WORD_START}]+)"), "isolated")
    _train_bpe(model, _repeat(words), vocab_size, byte_tokens, limit_alphabet=200)
    return EnglishTokenizer(model, plain.casing)


def learn_characters(
    sentences: Iterable[str], n_merges: int, min_count: int = 2, file_name: str = "tgt.json"
) -> CharacterTokenizer:
    """Every character seen ``min_count`` times, and pieces of Latin words from ``n_merges`` merges."""
    characters: Counter[str] = Counter()
    runs: Counter[str] = Counter()
    for sentence in sentences:
        normal, _ = normalise_chinese(sentence)
        characters.update(normal)
        runs.update(match.group() for match in PIECES.finditer(normal))
    alphabet = sorted(char for char, count in characters.items() if count >= min_count)
    model = SubwordModel(models.BPE(unk_token=SPECIAL_TOKENS[3]))
    known = {run: count for run, count in runs.items() if all(characters[char] >= min_count for char in run)}
    size = len(alphabet) + len(SPECIAL_TOKENS) + n_merges
    _train_bpe(model, _repeat(known), size, [], initial_alphabet=alphabet)
    return CharacterTokenizer(model, file_name)


def _train_bpe(
    model: SubwordModel, words: Iterator[str], vocab_size: int, extra_tokens: list[str], **options: Any
) -> None:
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[*SPECIAL_TOKENS, *extra_tokens],
        min_frequency=2,
        show_progress=False,
        **options,
    )
    model.train_from_iterator(words, trainer)


def _repeat(words: dict[str, int]) -> Iterator[str]:
    for word, count in sorted(words.items()):
        for _ in range(count):
            yield word


def joined(rows: Sequence[Row], count: int, rng: random.Random) -> list[Row]:
    """``count`` rows of two or three everyday pairs that follow each other, as in a paragraph."""
    whole = [row for row in rows if row[2] in EVERYDAY and row[0][-1:] in ".!?" and row[1][-1:] in "。！？"]
    texts = []
    for _ in range(count if whole else 0):
        parts = [rng.choice(whole) for _ in range(rng.choice((2, 2, 3)))]
        texts.append((" ".join(part[0] for part in parts), "".join(part[1] for part in parts), "joined"))
    return texts


def linked(rows: Sequence[Row], count: int, rng: random.Random) -> list[Row]:
    """``count`` rows of two to four everyday pairs that are clauses of one long sentence (``LINKS``)."""
    whole = [row for row in rows if row[2] in EVERYDAY and _is_clause(*row[:2])]
    texts = []
    for _ in range(count if whole else 0):
        english, chinese, _ = rng.choice(whole)
        (start, _), (begin, _) = link = rng.choice(LINKS)
        english, chinese = (start + _small(english) if start else english)[:-1], begin + chinese[:-1]
        for place in range(rng.choice((1, 1, 2, 3))):
            further = rng.choice(whole)
            (_, between), (_, among) = link if place == 0 else rng.choice(LINKS[:6])
            english, chinese = english + between + _small(further[0])[:-1], chinese + among + further[1][:-1]
        texts.append((english + ".", chinese + "。", "linked"))
    return texts


def _is_clause(english: str, chinese: str) -> bool:
    first, _, rest = english.partition(" ")
    marks = set('.!?;:"') & set(english[:-1]) or set("。！？；：“”") & set(chinese[:-1])
    return first in LOWERED and english[-1:] == "." and chinese[-1:] == "。" and rest.count(" ") < 25 and not marks


def _small(english: str) -> str:
    return english if english.startswith("I ") else english[0].lower() + english[1:]


class Corpus:
    """Token ids of sentence pairs: two flat int32 arrays with their sentence boundaries, and sources.

    ``source`` holds, for each pair, an index into ``sources``, the names of where pairs came from.
    """

    _ARRAYS = ("src_flat", "src_ends", "tgt_flat", "tgt_ends", "source", "sources")

    def __init__(
        self, src: Sequence[Sequence[int]], tgt: Sequence[Sequence[int]], labels: Sequence[str] | None = None
    ) -> None:
        self.src_flat, self.src_ends = _flatten(src)
        self.tgt_flat, self.tgt_ends = _flatten(tgt)
        self.sources, self.source = np.unique(np.array(labels or [""] * len(src)), return_inverse=True)

    def __len__(self) -> int:
        return len(self.src_ends)

    def pair(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """Ids of one pair: English with <eos>, Chinese without special tokens."""
        return _row(self.src_flat, self.src_ends, index), _row(self.tgt_flat, self.tgt_ends, index)

    def lengths(self) -> tuple[np.ndarray, np.ndarray]:
        """Number of English and of Chinese ids, one entry a pair."""
        return np.diff(self.src_ends, prepend=0), np.diff(self.tgt_ends, prepend=0)

    def turned(self) -> Corpus:
        """The pairs the other way round: Chinese with <eos>, English without special tokens."""
        turned, places = copy.copy(self), np.arange(1, len(self) + 1)
        turned.src_flat = np.insert(self.tgt_flat, self.tgt_ends, EOS_ID).astype(np.int32)
        turned.src_ends, turned.tgt_ends = self.tgt_ends + places, self.src_ends - places
        turned.tgt_flat = np.delete(self.src_flat, self.src_ends - 1)
        return turned

    def save(self, path: Path) -> None:
        """Write one compressed NPZ file."""
        write_arrays(path, {name: getattr(self, name) for name in self._ARRAYS})

    @classmethod
    def load(cls, path: Path) -> Corpus:
        """Read what ``save`` wrote."""
        corpus = cls.__new__(cls)
        with np.load(path, allow_pickle=False) as arrays:
            for name in cls._ARRAYS:
                setattr(corpus, name, arrays[name])
        return corpus


def _flatten(rows: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    ends = np.cumsum([len(row) for row in rows], dtype=np.int64)
    flat = np.fromiter((item for row in rows for item in row), dtype=np.int32, count=int(ends[-1]))
    return flat, ends


def _row(flat: np.ndarray, ends: np.ndarray, index: int) -> np.ndarray:
    return flat[ends[index - 1] if index else 0 : ends[index]]


def encode_pairs(
    rows: Sequence[tuple[str, str, str]],
    src_tokenizer: EnglishTokenizer | CharacterTokenizer,
    tgt_tokenizer: CharacterTokenizer,
) -> Corpus:
    """A corpus of (English, Chinese, source) rows; each English side ends in <eos>."""
    src = [[*(token.id for token in src_tokenizer.encode(row[0])), EOS_ID] for row in rows]
    tgt = [[token.id for token in tgt_tokenizer.encode(row[1])] for row in rows]
    return Corpus(src, tgt, [row[2] for row in rows])


def split_dev(pairs: list[Row], n_dev: int, seed: int) -> tuple[list[Row], list[Row]]:
    """Training and dev rows, where none is given: ``n_dev`` drawn at random, at most a tenth."""
    order = list(range(len(pairs)))
    random.Random(seed).shuffle(order)
    held_out = set(order[: max(1, min(n_dev, len(pairs) // 10))])
    return (
        [pair for index, pair in enumerate(pairs) if index not in held_out],
        [pairs[index] for index in sorted(held_out)],
    )


Batch = tuple[Tensor, Tensor, Tensor]  # src_ids [B, S], decoder inputs [B, T], what they must predict [B, T]


def bucketed(
    corpus: Corpus, batch_tokens: int, max_len: int, seed: int, source_weights: Mapping[str, float] | None = None
) -> list[np.ndarray]:
    """Row numbers of one epoch's batches, shuffled; sentences of a batch have about the same length.

    Args:
        corpus: the pairs; those with a side of ``max_len`` tokens or more are left out.
        batch_tokens: most target positions (padding included) in a batch.
        max_len: the model's longest sequence.
        seed: of the shuffle; another one each epoch.
        source_weights: how often an epoch shows the pairs of a source; 1 where it is silent. A weight
            of 2.5 shows each pair twice, and half of them, drawn anew each epoch, once more.
    """
    src_len, tgt_len = corpus.lengths()
    rng = np.random.default_rng(seed)
    fits = (src_len < max_len) & (tgt_len + 1 < max_len)
    weights = np.array([(source_weights or {}).get(str(name), 1.0) for name in corpus.sources])[corpus.source]
    copies = np.floor(weights + rng.random(len(corpus))).astype(int) * fits
    rows = rng.permutation(np.repeat(np.arange(len(corpus)), copies))
    rows = rows[np.lexsort((src_len[rows], tgt_len[rows]))]
    longest = np.maximum(src_len, tgt_len + 1)
    batches, start, width = [], 0, 0
    for place, row in enumerate(rows):
        width = max(width, longest[row])
        if place > start and (place - start + 1) * width > batch_tokens:
            batches.append(rows[start:place])
            start, width = place, longest[row]
    batches.append(rows[start:])
    return [batches[index] for index in rng.permutation(len(batches))]


def collate(corpus: Corpus, rows: np.ndarray) -> Batch:
    """Padded tensors of these rows: <bos> opens the decoder's input, <eos> closes its output."""
    src = _gathered(corpus.src_flat, corpus.src_ends, rows)
    tgt = _gathered(corpus.tgt_flat, corpus.tgt_ends, rows)
    edge = np.full((len(rows), 1), PAD_ID)
    tgt_in, tgt_out = np.hstack((edge, tgt)), np.hstack((tgt, edge))
    tgt_in[:, 0] = BOS_ID
    tgt_out[np.arange(len(rows)), (tgt != PAD_ID).sum(1)] = EOS_ID
    return torch.from_numpy(src), torch.from_numpy(tgt_in), torch.from_numpy(tgt_out)


def _gathered(flat: np.ndarray, ends: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The ids of these rows, short ones filled with pad_id: int64 [B, longest]."""
    starts = np.where(rows > 0, ends[rows - 1], 0)
    lengths = (ends[rows] - starts)[:, None]
    places = np.arange(lengths.max())
    index = np.minimum(starts[:, None] + places, len(flat) - 1)
    return np.where(places < lengths, flat[index], PAD_ID).astype(np.int64)
