"""Languages that a model of many can be asked for: as its tokenizer names them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Languages:
    """From which language into which, for models that must be told.

    Attributes:
        sources, targets: codes that can be chosen; () where there is no choice.
        source, target: the chosen ones; "" where there is none.
        ids: of the tokens that stand for languages.
        prefix: the code stands before the text as it is written: ``>>cmn<< Good morning``.
    """

    sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    source: str = ""
    target: str = ""
    ids: frozenset[int] = frozenset()
    prefix: bool = False

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
