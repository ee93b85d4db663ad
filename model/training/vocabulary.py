"""A vocabulary that is kept and grows: more merges of English words and more Chinese characters, behind what was there.

Ids stay what they were, so that weights that know the earlier vocabulary can be trained on; see ``state.grow``.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from tokenizers import Tokenizer as SubwordModel

from model.own.text.tokenize import PLAIN, CharacterTokenizer, EnglishTokenizer, normalise_chinese, word_spans
from model.pairs import Row
from model.training.corpus import learn_casing
from model.writing import WORD_START

RAREST_PAIR = 8  # times that two pieces stand side by side before they are merged
RAREST_CHARACTER = 2  # times that a character stands before it is a token


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
