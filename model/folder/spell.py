"""Tokens of any tokenizer of transformers as ids and labels; one rule makes words of character spans."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from model.errors import FolderError
from model.trace import Label, Span
from model.writing import WORD_START, Token


@dataclass(frozen=True)
class Languages:
    """From which language into which, for models that must be told."""

    # sources, targets: codes that can be chosen; () where there is no choice
    sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    # source, target: the chosen ones; "" where there is none
    source: str = ""
    target: str = ""
    ids: frozenset[int] = frozenset()  # of the tokens that stand for languages
    prefix: bool = False  # the code stands before the text as it is written: ``>>cmn<< Good morning``

    def chosen(self, source: str, target: str) -> Languages:
        """The same with these languages, as far as there are such."""
        return replace(
            self,
            source=source if source in self.sources else self.source,
            target=target if target in self.targets else self.target,
        )

    @property
    def code(self) -> str:
        """Both as one word: "eng_Latn-zho_Hans"; "" where there is nothing to choose."""
        return f"{self.source}-{self.target}" if self.targets else ""

    def set(self, tokenizer: Any) -> None:
        """Tell a tokenizer, which belongs to nobody else now."""
        if self.sources and (tokenizer.src_lang, tokenizer.tgt_lang) != (self.source, self.target):
            tokenizer.tgt_lang, tokenizer.src_lang = self.target, self.source

    def marked(self, text: str) -> str:
        """The text as the tokenizer wants it."""
        return f"{self.target} {text}" if self.prefix and self.target and not text.startswith(">>") else text


def languages_of(tokenizer: Any) -> Languages:
    """The languages of a tokenizer, English into Chinese where it has both."""
    if codes := _marian(tokenizer):
        return Languages((), codes, "", _like(codes, ("cmn", "zho", "zh")), _ids(tokenizer, codes), prefix=True)
    codes = _codes(tokenizer)
    if len(codes) < 2 or not hasattr(tokenizer, "src_lang"):
        return Languages()
    source = tokenizer.src_lang if tokenizer.src_lang in codes else _like(codes, ("en",))
    target = tokenizer.tgt_lang if tokenizer.tgt_lang in codes else _like(codes, ("zh", "zho_Hans"))
    return Languages(codes, codes, source, target, _ids(tokenizer, _tokens(tokenizer, codes)))


def _marian(tokenizer: Any) -> tuple[str, ...]:
    codes = getattr(tokenizer, "supported_language_codes", None)
    if not isinstance(codes, list | tuple) or not all(str(code).startswith(">>") for code in codes):
        return ()
    return tuple(sorted(map(str, codes)))


def _codes(tokenizer: Any) -> tuple[str, ...]:
    table = getattr(tokenizer, "lang_code_to_token", None) or getattr(tokenizer, "lang_code_to_id", None)
    if isinstance(table, dict):
        return tuple(sorted(table))
    extra = getattr(tokenizer, "extra_special_tokens", None) or getattr(tokenizer, "_extra_special_tokens", None) or ()
    names = [str(each) for each in (extra.values() if isinstance(extra, dict) else extra)]
    return tuple(sorted(name for name in names if name[:1].isalpha() and "_" in name))


def _tokens(tokenizer: Any, codes: Sequence[str]) -> list[str]:
    table = getattr(tokenizer, "lang_code_to_token", None)
    return [table[code] for code in codes] if isinstance(table, dict) else list(codes)


def _ids(tokenizer: Any, tokens: Sequence[str]) -> frozenset[int]:
    return frozenset(int(each) for each in tokenizer.convert_tokens_to_ids(list(tokens)) if each is not None)


def _like(codes: Sequence[str], wanted: Sequence[str]) -> str:
    """The first code that holds one of these; else the first."""
    return next((code for want in wanted for code in codes if want in code.strip("><").split("_")[0]), codes[0])


FIRST_CHINESE = "\u2e80"  # letters from here on are words of their own


class Speller:
    """A tokenizer that threads may share."""

    def __init__(self, tokenizer: Any, languages: Languages, lock: threading.RLock | None = None) -> None:
        self.tokenizer, self.languages = tokenizer, languages
        self._lock = lock or threading.RLock()

    def of(self, languages: Languages) -> Speller:
        """The same tokenizer, told other languages."""
        return Speller(self.tokenizer, languages, self._lock)

    def source(self, text: str) -> tuple[list[int], tuple[Label, ...]]:
        """Ids of a text as the model reads it, special tokens and all, and a label for each."""
        with self._lock:
            self.languages.set(self.tokenizer)
            ids, spans = self._read(self.languages.marked(text), len(text), target=False)
            return ids, labelled(text, spans, self._pieces(ids))

    def target(self, text: str) -> list[Token]:
        """The tokens of a target text: what the model would write, without the end."""
        with self._lock:
            self.languages.set(self.tokenizer)
            ids, spans = self._read(text, len(text), target=True)
            labels, pieces = labelled(text, spans, self._pieces(ids)), self._pieces(ids)
        told = zip(ids, labels, pieces, strict=True)
        return [
            Token(piece, number, each.word, each.start, each.end) for number, each, piece in told if not each.is_special
        ]

    def text(self, ids: Sequence[int]) -> str:
        """The text of ids, without special tokens."""
        with self._lock:
            return self._decoded([each for each in ids if not self.is_special(each)])

    def written(self, ids: Sequence[int]) -> tuple[str, tuple[Label, ...]]:
        """The text that ids make, and a label for each: a token's span is what the text grows by."""
        with self._lock:
            special = [self.is_special(each) for each in ids]
            plain = [each for each, is_special in zip(ids, special, strict=True) if not is_special]
            whole, ends = self._decoded(plain), [0]
            for length in range(1, len(plain) + 1):
                grown = self._decoded(plain[:length]).rstrip("\ufffd")
                ends.append(max(ends[-1], len(grown) if whole.startswith(grown) else ends[-1]))
            pieces = self._pieces(ids)
        spans: list[Span | None] = []
        at = 0
        for is_special in special:
            spans.append(None if is_special else trimmed(whole, (ends[at], ends[at + 1])))
            at += not is_special
        return whole, labelled(whole, spans, pieces)

    def piece(self, token_id: int) -> str:
        """How a token is spelt."""
        with self._lock:
            return self._pieces([token_id])[0]

    def is_special(self, token_id: int) -> bool:
        """Whether a token stands for nothing in the text: a beginning, an end, a language; not an unknown word."""
        if token_id >= len(self.tokenizer):
            return True  # a model's table may have more rows than its tokenizer has tokens
        if token_id in self.tokenizer.all_special_ids:
            return bool(token_id not in (self.tokenizer.unk_token_id, self.tokenizer.mask_token_id))
        return token_id in self.languages.ids

    def _pieces(self, ids: Sequence[int]) -> list[str]:
        known = [int(each) if each < len(self.tokenizer) else None for each in ids]
        found = [None if each is None else self.tokenizer.convert_ids_to_tokens(each) for each in known]
        return [str(piece) if piece is not None else f"<{number}>" for piece, number in zip(found, ids, strict=True)]

    def _decoded(self, ids: Sequence[int]) -> str:
        found = self.tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return str(found).lstrip()

    def _read(self, text: str, plain: int, target: bool) -> tuple[list[int], list[Span | None]]:
        """Ids, and each token's span in the last ``plain`` characters of the text; None for a special token."""
        key = {"text_target" if target else "text": text}
        try:
            return self._read_by(key, text, len(text) - plain, target)
        except BaseException as error:  # a panic of the tokenizers library is no Exception
            if type(error).__module__ != "pyo3_runtime":
                raise
            raise FolderError("The model's tokenizer gave up on this text: its rules take too long on it.") from None

    def _read_by(self, key: dict[str, str], text: str, added: int, target: bool) -> tuple[list[int], list[Span | None]]:
        if self.tokenizer.is_fast:
            found = self.tokenizer(**key, return_offsets_mapping=True)
            ids, offsets = list(found["input_ids"]), found["offset_mapping"]
            spans = [None if self.is_special(each) else span for each, span in zip(ids, offsets, strict=True)]
        else:
            ids = list(self.tokenizer(**key)["input_ids"])
            spans = self._by_bytes(text, ids, target)
        moved = [span and (max(0, span[0] - added), max(0, span[1] - added)) for span in spans]
        pieces = self._pieces(ids)
        return ids, [span and _of_piece(text[added:], span, piece) for span, piece in zip(moved, pieces, strict=True)]

    def _by_bytes(self, text: str, ids: Sequence[int], target: bool) -> list[Span | None]:
        """Spans from sentencepiece itself, which counts bytes: tokenizers written in Python know none."""
        tokenizer = self.tokenizer
        own = getattr(tokenizer, "spm_target" if target else "spm_source", None) or tokenizer.sp_model
        cut = getattr(tokenizer, "remove_language_code", lambda whole: ([], whole))(text)[1]
        raw, start = cut.encode(), len(text) - len(cut)

        def place(byte: int) -> int:
            return start + len(raw[:byte].decode(errors="ignore"))

        found = own.encode(cut, return_type="proto").pieces
        spans: list[Span | None] = [(place(each.begin), place(each.end)) for each in found]
        special = [place for place, each in enumerate(ids) if self.is_special(each)]
        before = next((place for place in range(len(ids)) if place not in special), len(ids))
        return [None] * before + spans + [None] * max(0, len(ids) - before - len(spans))


def labelled(text: str, spans: Sequence[Span | None], pieces: Sequence[str]) -> tuple[Label, ...]:
    """A label for each token: its own spelling in the text, ``##`` before a piece inside a word.

    A token goes on the word before it where both touch between letters or digits of an alphabet, or overlap: the
    later bytes of one character. A special token, which has no span, is called by its piece.
    """
    labels: list[Label] = []
    word, before = -1, None
    for span, piece in zip(spans, pieces, strict=True):
        if span is None:
            labels.append(Label(piece))
            before = None
            continue
        start, end = span
        inside = before is not None and start <= before[1] and (start < before[1] or _within(text, start))
        word += not inside
        shown = piece if before is not None and start < before[1] else text[start:end] or "␣"
        labels.append(Label(f"##{shown}" if inside else shown, word, start, end))
        before = span
    return tuple(labels)


def _of_piece(text: str, span: Span, piece: str) -> Span:
    """The span of a piece; one that is a space alone has nothing of the word behind it."""
    return (span[0], span[0]) if piece == WORD_START else trimmed(text, span)


def trimmed(text: str, span: Span) -> Span:
    """A span without the white space at its ends."""
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _within(text: str, place: int) -> bool:
    """Whether letters or digits of one word stand on both sides of a place."""
    sides = text[place - 1 : place], text[place : place + 1]
    return all(side.isalnum() and side < FIRST_CHINESE for side in sides)
