"""Text ⇄ token ids; every token knows its word and the characters it came from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from string import digits

import numpy as np
import torch
from nltk.tokenize import NLTKWordTokenizer
from tokenizers import Tokenizer as SubwordModel
from torch import Tensor

from model.errors import CheckpointError
from model.files import aside, write_text
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID, SPECIAL_TOKENS, UNK_ID
from model.trace import Label
from model.writing import WORD_START, Token

MOST_EQUAL = 4  # digits of one token
RUN = "|".join(f"{digit}{{1,{MOST_EQUAL}}}" for digit in digits)


def has_runs(subwords: SubwordModel) -> bool:
    """Whether a vocabulary knows any run of equal digits; those of checkpoints of old know none."""
    return any(subwords.token_to_id(2 * digit) is not None for digit in digits)


def with_runs(subwords: SubwordModel) -> SubwordModel:
    """The same vocabulary, and behind it a token for each two to ``MOST_EQUAL`` equal digits in a row.

    Digits that it does not know have none; those that begin an English word have their own.
    """
    if has_runs(subwords):
        return subwords
    told = json.loads(subwords.to_str())
    vocabulary, merges = told["model"]["vocab"], told["model"]["merges"]
    for start in (WORD_START, ""):  # what begins a word is merged first, so that the rest of its run joins it
        for digit in digits:
            for length in range(2, MOST_EQUAL + 1 if start + digit in vocabulary else 0):
                before = start + (length - 1) * digit
                vocabulary[before + digit] = len(vocabulary)
                merges.append([before, digit])
    merges += [[2 * digit, 2 * digit] for digit in digits if 4 * digit in vocabulary]
    if told["pre_tokenizer"]:
        told["pre_tokenizer"]["pattern"] = {"Regex": f"{WORD_START}?({RUN}|[^0-9{WORD_START}]+)"}
    return SubwordModel.from_str(json.dumps(told))


def written_before(subwords: SubwordModel, before: SubwordModel) -> list[list[int]]:
    """How an earlier vocabulary writes each token that has been added to it since, in the order of their ids.

    Raises:
        CheckpointError: it is no earlier one: a token has another id there.
    """
    size = before.get_vocab_size()
    if any(before.id_to_token(number) != subwords.id_to_token(number) for number in range(size)):
        raise CheckpointError(
            "the two vocabularies number their tokens differently: weights of one mean nothing with the other"
        )
    added = [str(subwords.id_to_token(number)) for number in range(size, subwords.get_vocab_size())]
    return [before.encode([token], is_pretokenized=True).ids for token in added]


BYTE = re.compile(r"<0x([0-9A-F]{2})>")
SENTENCE_BREAK = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z])")
LATIN_RUN = r"[A-Za-z\u00C0-\u024F\u1E00-\u1EFF]"
PIECES = re.compile(rf"{WORD_START}?{LATIN_RUN}+|.", re.DOTALL)
PIECES_AND_RUNS = re.compile(rf"{WORD_START}?{LATIN_RUN}+|{RUN}|.", re.DOTALL)
# One character for one character, so that spans still point into what was typed.
PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " ", "\u3000": " "})
PLAIN |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")  # half a surrogate pair is no character
FULL_WIDTH = {ord(char) + 0xFEE0: char for char in map(chr, range(0x21, 0x7F)) if char.isalnum()}
FULL_WIDTH |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
BESIDE_CHINESE = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef])\s+|\s+(?=[\u3000-\u9fff\uff00-\uffef])")
_WORDS = NLTKWordTokenizer()


def word_spans(text: str) -> list[tuple[int, int]]:
    """Character spans of the words and punctuation marks of an English text, by NLTK's tokenizer.

    NLTK splits a full stop only at the end of its input, so every sentence is given to it alone.
    """
    text = text.translate(PLAIN)
    cuts = [0, *(match.end() for match in SENTENCE_BREAK.finditer(text)), len(text)]
    return [
        (begin + start, begin + end)
        for begin, stop in pairwise(cuts)
        for start, end in _sentence_spans(text[begin:stop])
    ]


def _sentence_spans(sentence: str) -> list[tuple[int, int]]:
    try:
        return list(_WORDS.span_tokenize(sentence))
    except ValueError:  # quotes that NLTK rewrote and cannot find again
        return [match.span() for match in re.finditer(r"\w+|[^\w\s]", sentence)]


class EnglishTokenizer:
    """English text → words (NLTK) → casing → subwords, down to bytes: no text has an unknown token."""

    kind = "english"

    def __init__(self, subwords: SubwordModel, casing: dict[str, str]) -> None:
        self.subwords, self.casing = subwords, casing
        subwords.encode_special_tokens = True  # "<eos>" typed by a visitor is text

    @property
    def vocab_size(self) -> int:
        """Number of ids."""
        return self.subwords.get_vocab_size()

    def encode(self, text: str) -> list[Token]:
        """The tokens of a text, without special tokens; empty for blank text."""
        spans = word_spans(text)
        plain = text.translate(PLAIN)
        words = [self.cased(plain[start:end], first=number == 0) for number, (start, end) in enumerate(spans)]
        encoding = self.subwords.encode([WORD_START + word for word in words], is_pretokenized=True)
        by_word: list[list[tuple[str, int]]] = [[] for _ in words]
        for piece, piece_id, word in zip(encoding.tokens, encoding.ids, encoding.word_ids, strict=True):
            by_word[int(word or 0)].append((piece, piece_id))
        return [
            Token(piece, piece_id, number, spans[number][0] + start, spans[number][0] + end)
            for number, pieces in enumerate(by_word)
            for piece, piece_id, start, end in _piece_spans(pieces)
        ]

    def cased(self, word: str, first: bool) -> str:
        """The word in its usual casing where it stands first, or where its own casing was never seen.

        After Moses' truecaser: "The" → "the" at the start, "tom" → "Tom" anywhere.
        """
        usual = self.casing.get(word.lower())
        if usual is None or len(usual) != len(word):
            return word
        unseen = word != usual and (word.isupper() or word.islower()) and len(word) > 1
        return usual if first or unseen or word == "i" else word

    def save(self, folder: Path) -> None:
        """Write src.json and casing.json."""
        with aside(folder / "src.json") as part:
            self.subwords.save(str(part), pretty=False)
        lines = json.dumps(self.casing, ensure_ascii=False, indent=0, sort_keys=True)
        write_text(folder / "casing.json", lines + "\n")

    @classmethod
    def load(cls, folder: Path) -> EnglishTokenizer:
        """Read what ``save`` wrote."""
        casing = json.loads((folder / "casing.json").read_text(encoding="utf-8"))
        return cls(_read_subwords(folder / "src.json"), casing)


class CharacterTokenizer:
    """Chinese characters one by one; Latin names and numbers in pieces; spaces between Latin words kept."""

    kind = "characters"

    def __init__(self, subwords: SubwordModel, file_name: str = "tgt.json") -> None:
        self.subwords, self.file_name = subwords, file_name
        self.pieces = PIECES_AND_RUNS if has_runs(subwords) else PIECES
        subwords.encode_special_tokens = True

    @property
    def vocab_size(self) -> int:
        """Number of ids."""
        return self.subwords.get_vocab_size()

    def encode(self, text: str) -> list[Token]:
        """The tokens of a text, without special tokens; a character never seen is <unk> with its span."""
        normal, origin = normalise_chinese(text)
        runs = [match.span() for match in self.pieces.finditer(normal)]
        encoding = self.subwords.encode([normal[start:end] for start, end in runs], is_pretokenized=True)
        tokens = []
        for piece, piece_id, word, (start, end) in zip(
            encoding.tokens, encoding.ids, encoding.word_ids, encoding.offsets, strict=True
        ):
            run = int(word or 0)
            begin = runs[run][0]
            last = origin[begin + max(end, start + 1) - 1]
            tokens.append(Token(piece, piece_id, run, origin[begin + start], last + 1))
        return tokens

    def decode(self, ids: list[int]) -> str:
        """The text of token ids; special tokens vanish."""
        pieces = [self.piece(token_id) for token_id in ids if token_id >= len(SPECIAL_TOKENS)]
        return "".join(pieces).replace(WORD_START, " ").strip()

    def piece(self, token_id: int) -> str:
        """The piece of one id."""
        return self.subwords.id_to_token(token_id) or SPECIAL_TOKENS[UNK_ID]

    def save(self, folder: Path) -> None:
        """Write the subword model."""
        with aside(folder / self.file_name) as part:
            self.subwords.save(str(part), pretty=False)

    @classmethod
    def load(cls, folder: Path, file_name: str = "tgt.json") -> CharacterTokenizer:
        """Read what ``save`` wrote."""
        return cls(_read_subwords(folder / file_name), file_name)


def _read_subwords(path: Path) -> SubwordModel:
    try:
        return SubwordModel.from_file(str(path))
    except Exception as error:  # the library raises nothing more specific
        raise ValueError(f"{path.name} is not a subword model: {error}") from None


def normalise_chinese(text: str) -> tuple[str, list[int]]:
    """Half-width Latin and digits, no space beside a Chinese character, other spaces as one ``▁``.

    Returns:
        the normal form, and for each of its characters the index of its origin in ``text``.
    """
    text = text.translate(FULL_WIDTH)
    dropped = {index for match in BESIDE_CHINESE.finditer(text) for index in range(*match.span())}
    kept: list[tuple[str, int]] = []
    for index, char in enumerate(text):
        if not char.isspace():
            kept.append((char, index))
        elif index not in dropped and kept and kept[-1][0] != WORD_START:
            kept.append((WORD_START, index))
    if kept and kept[-1][0] == WORD_START:
        kept.pop()
    return "".join(char for char, _ in kept), [index for _, index in kept]


def _piece_spans(pieces: list[tuple[str, int]]) -> Iterator[tuple[str, int, int, int]]:
    """Each piece with its span inside the word; the bytes of one character share its span."""
    position, pending = 0, 0
    for piece, piece_id in pieces:
        if byte := BYTE.fullmatch(piece):
            lead = int(byte[1], 16)
            if pending == 0:
                pending = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            pending -= 1
            yield piece, piece_id, position, position + 1
            position += pending == 0
            continue
        length = len(piece.removeprefix(WORD_START)) if position == 0 else len(piece)
        if length:  # a lone ▁ says nothing
            yield piece, piece_id, position, position + length
        position += length


LATER_BYTE = "▫"  # the label of a character's second, third and fourth byte
BOS, EOS = Label(SPECIAL_TOKENS[BOS_ID]), Label(SPECIAL_TOKENS[EOS_ID])


def source_labels(text: str, tokens: Sequence[Token], by_letter: bool = False) -> tuple[Label, ...]:
    """Labels of source tokens: their own spelling in the text; ``##`` before a piece inside a word.

    With ``by_letter`` every token is a word of its own.
    """
    if by_letter:
        return tuple(Label(text[t.start : t.end].strip() or "␣", n, t.start, t.end) for n, t in enumerate(tokens))
    labels = []
    for number, token in enumerate(tokens):
        earlier = tokens[number - 1] if number else None
        inside = earlier is not None and earlier.word == token.word
        surface = text[token.start : token.end]
        if earlier is not None and inside and BYTE.fullmatch(token.text) and earlier.start == token.start:
            surface = LATER_BYTE
        labels.append(Label(f"##{surface}" if inside else surface, token.word, token.start, token.end))
    return tuple(labels)


def target_labels(pieces: Sequence[str], by_letter: bool = False) -> tuple[Label, ...]:
    """Labels of target pieces; Latin pieces that continue a word begin with ``##``; a lone space is ␣.

    With ``by_letter`` every piece is a word of its own.
    """
    labels: list[Label] = []
    text = "".join(pieces).replace(WORD_START, " ")
    position, word = len(text.lstrip()) - len(text), -1  # a translation is shown without its leading space
    for number, piece in enumerate(pieces):
        surface = piece.replace(WORD_START, " ")
        inside = not by_letter and number > 0 and _is_latin(piece[0]) and _is_latin(pieces[number - 1][-1])
        word += 0 if inside else 1
        start = position + (len(surface) - len(surface.lstrip()))
        shown = surface.strip() or "␣"
        end = position + len(surface)
        labels.append(Label(f"##{shown}" if inside else shown, word, max(0, min(start, end)), max(0, end)))
        position = end
    return tuple(labels)


def _is_latin(char: str) -> bool:
    return char.isalpha() and char < "\u2e80"


def pad(rows: Sequence[np.ndarray]) -> Tensor:
    """One int64 tensor [B, longest], short rows filled with pad_id."""
    out = torch.full((len(rows), max(len(row) for row in rows)), PAD_ID, dtype=torch.long)
    for number, row in enumerate(rows):
        out[number, : len(row)] = torch.as_tensor(row)
    return out
