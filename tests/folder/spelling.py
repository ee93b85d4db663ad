"""Tokenizers of every sort that transformers has, learnt from the pairs that come with this program."""

from __future__ import annotations

import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import sentencepiece
import transformers as T
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from model.analysis.alignment.known_pairs import truth_pairs


@cache
def lines() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """English and Chinese sentences."""
    pairs = truth_pairs("english")
    return tuple(pair.src_text for pair in pairs), tuple(pair.tgt_text for pair in pairs)


@cache
def _sentencepiece(side: str, size: int, **options: int) -> Path:
    """A sentencepiece model of "src", "tgt" or "both"."""
    folder = Path(tempfile.mkdtemp())
    src, tgt = lines()
    text = folder / "text"
    text.write_text("\n".join({"src": src, "tgt": tgt, "both": (*src, *tgt)}[side]), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text),
        model_prefix=str(folder / "m"),
        vocab_size=size,
        hard_vocab_limit=False,
        character_coverage=1.0,
        minloglevel=2,
        num_threads=1,
        **options,
    )
    return folder / "m.model"


def _pieces(model: Path) -> list[tuple[str, float]]:
    """What a sentencepiece model knows, without its three special pieces."""
    spm = sentencepiece.SentencePieceProcessor(model_file=str(model))
    return [(spm.id_to_piece(place), spm.get_score(place)) for place in range(3, spm.get_piece_size())]


def marian(path: Path) -> tuple[Any, int]:
    """A tokenizer of two sentencepiece models and one vocabulary, and the id of its padding."""
    names = ("source.spm", "target.spm")
    pieces = {"</s>": None, "<unk>": None, ">>cmn<<": None}
    for name, side in zip(names, ("src", "tgt"), strict=True):
        shutil.copy(found := _sentencepiece(side, 340), path / name)
        pieces |= {piece: None for piece, _ in _pieces(found)}
    vocab = {piece: place for place, piece in enumerate([*pieces, "<pad>"])}
    (path / "vocab.json").write_text(json.dumps(vocab, ensure_ascii=False), encoding="utf-8")
    files = {"source_spm": str(path / names[0]), "target_spm": str(path / names[1]), "vocab": str(path / "vocab.json")}
    return T.MarianTokenizer(**files, source_lang="en", target_lang="zh"), vocab["<pad>"]


def t5(path: Path) -> Any:
    """A unigram tokenizer with ids of T5's own."""
    shutil.copy(_sentencepiece("both", 700, pad_id=0, eos_id=1, unk_id=2, bos_id=-1), path / "spiece.model")
    return T.T5Tokenizer.from_pretrained(str(path), extra_ids=0)


@cache
def _byte_level() -> tuple[dict[str, int], list[tuple[str, str]]]:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    options: dict[str, Any] = {"special_tokens": special, "initial_alphabet": alphabet, "show_progress": False}
    tokenizer.train_from_iterator([*lines()[0], *lines()[1]], trainers.BpeTrainer(vocab_size=600, **options))
    return _learnt(tokenizer)


def _learnt(tokenizer: Tokenizer) -> tuple[dict[str, int], list[tuple[str, str]]]:
    learnt = json.loads(tokenizer.to_str())["model"]
    return learnt["vocab"], [tuple(pair) for pair in learnt["merges"]]


def byte_pairs(kind: Any, **special: str) -> Any:
    """A byte-level tokenizer: BART's, RoBERTa's, GPT-2's or Qwen's."""
    vocab, merges = _byte_level()
    return kind(vocab=vocab, merges=merges, **special)


@cache
def _words() -> dict[str, int]:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=700, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator([*lines()[0], *lines()[1]], trainer)
    return dict(tokenizer.get_vocab())


def word_pieces(kind: Any) -> Any:
    """BERT's tokenizer."""
    return kind(vocab=_words())


def _metaspace(special: list[str], **options: Any) -> tuple[dict[str, int], list[tuple[str, str]]]:
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, **options))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=900, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator([*lines()[0], *lines()[1]], trainer)
    return _learnt(tokenizer)


def llama() -> Any:
    """Byte fallback, and a start token."""
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    vocab, merges = _metaspace(special, byte_fallback=True)
    return T.LlamaTokenizer(vocab=vocab, merges=merges)


def nllb() -> Any:
    """Languages as tokens before the text."""
    vocab, merges = _metaspace(["<s>", "<pad>", "</s>", "<unk>"])
    return T.NllbTokenizer(vocab=vocab, merges=merges, src_lang="eng_Latn", tgt_lang="zho_Hans")


def mbart() -> Any:
    """Languages as tokens after the text."""
    special = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    return T.MBartTokenizer(vocab=[*special, *_pieces(_sentencepiece("both", 700))], src_lang="en_XX", tgt_lang="zh_CN")


def m2m100(path: Path) -> tuple[Any, int]:
    """Languages as tokens, spelt by Python; and how many ids there are."""
    shutil.copy(found := _sentencepiece("both", 700), path / "sentencepiece.bpe.model")
    vocab = {name: place for place, name in enumerate(["<s>", "<pad>", "</s>", "<unk>"])}
    for piece, _ in _pieces(found):
        vocab.setdefault(piece, len(vocab))
    (path / "vocab.json").write_text(json.dumps(vocab, ensure_ascii=False), encoding="utf-8")
    files = {"vocab_file": str(path / "vocab.json"), "spm_file": str(path / "sentencepiece.bpe.model")}
    tokenizer = T.M2M100Tokenizer(**files, src_lang="en", tgt_lang="zh", num_madeup_words=8)
    return tokenizer, len(vocab) + 108
