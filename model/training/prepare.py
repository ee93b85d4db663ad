"""From TSV files to a folder that training reads: vocabularies, token ids, dev text."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from model.errors import CorpusError
from model.evaluation.must import read_must
from model.own.checkpoint import load_tokenizers
from model.own.text.digits import with_runs
from model.own.text.tokenize import CharacterTokenizer, EnglishTokenizer
from model.pairs import Row, read_rows
from model.training.corpus import encode_pairs, learn_characters, learn_english, split_dev, write_json
from model.training.vary import varied
from model.training.vocabulary import grown

REVERSAL_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
REVERSAL_LENGTH = 24


@dataclass(frozen=True)
class VocabularySettings:
    """How large vocabularies are, or which are kept.

    ``src`` English subwords and ``tgt_merges`` merges for Latin words in Chinese are learnt; or those of ``keep`` are
    taken, a prepared folder or a checkpoint, so that its runs can go on, with up to ``more_src`` further English
    subwords beside the Chinese characters that they lack.
    """

    src: int = 8000
    tgt_merges: int = 1500
    keep: Path | None = None
    more_src: int = 0


def prepare(
    tsv: list[Path],
    out: Path,
    dev: Sequence[Path] = (),
    vocabulary: VocabularySettings | None = None,
    seed: int = 1,
    credits_file: Path | None = None,
    vary: bool = False,
    without: Collection[str] = (),
    must: Path | None = None,
) -> dict[str, object]:
    """Learn vocabularies from TSV files, write the token ids that ``train`` reads, and say what prepared.json says.

    Args:
        tsv: files of English, tab, Chinese and, if you like, a third column that names the source.
        out: folder to write: train.npz, dev.npz, dev.tsv, vocabularies, prepared.json.
        dev: TSV files that choose checkpoints; without one up to 1,000 pairs are held out.
        vocabulary: how large the vocabularies are, or which are kept.
        seed: of the split and of what is varied.
        credits_file: JSON with ``weights_licence`` and ``sources``, for the checkpoint's meta.json.
        vary: add pairs with other numbers and names, filled templates, and joined sentences.
        without: sources to leave out.
        must: sentences with words that their translations must have; they choose checkpoints too.

    Raises:
        CorpusError: a file is missing or has a bad line, or there are too few pairs.
    """
    rows = [row for path in tsv for row in read_rows(path) if row[2] not in without]
    if len(rows) < 10:
        raise CorpusError(f"{len(rows)} sentence pairs are too few to train on; give at least 10")
    chosen_on = [(*row[:2], path.stem) for path in dev for row in read_rows(path)]
    train_rows, dev_rows = (rows, chosen_on) if dev else split_dev(rows, 1000, seed)
    _keep_must(must, out)
    if vary:
        train_rows = [*train_rows, *varied(train_rows, seed)]
    tokenizers = _with_runs(*_vocabularies(train_rows, vocabulary or VocabularySettings()))
    return write_prepared(out, train_rows, dev_rows, tokenizers, {"credits": _read_credits(credits_file)})


def _keep_must(must: Path | None, out: Path) -> None:
    if must is None:
        return
    read_must(must)  # raises where it is not such a file
    out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(must, out / "must.tsv")


def _vocabularies(
    rows: list[Row], settings: VocabularySettings
) -> tuple[EnglishTokenizer | CharacterTokenizer, CharacterTokenizer]:
    """Both vocabularies; in a large corpus a Chinese character must stand three times to be learnt."""
    if settings.keep is None:
        chinese = learn_characters([row[1] for row in rows], settings.tgt_merges, 3 if len(rows) > 10_000 else 1)
        return learn_english([row[0] for row in rows], settings.src), chinese
    src, tgt = load_tokenizers(settings.keep, EnglishTokenizer.kind)
    if settings.more_src and isinstance(src, EnglishTokenizer):
        return grown(src, tgt, rows, settings.more_src)
    return src, tgt


def _with_runs(
    src: EnglishTokenizer | CharacterTokenizer, tgt: CharacterTokenizer
) -> tuple[EnglishTokenizer, CharacterTokenizer]:
    casing = src.casing if isinstance(src, EnglishTokenizer) else {}
    return EnglishTokenizer(with_runs(src.subwords), casing), CharacterTokenizer(with_runs(tgt.subwords))


def prepare_reversal(out: Path, n_pairs: int = 20_000, seed: int = 1) -> dict[str, object]:
    """The toy task of ``checkpoints/reverse``: up to 24 random letters and digits, and the same backwards.

    A quarter of the texts draw from one to four characters only: among equal letters nothing but
    their positions can tell what to copy next.
    """
    rng = random.Random(seed)
    texts = []
    for number in range(n_pairs + 200):
        few = number % 4 == 0
        alphabet = rng.sample(REVERSAL_ALPHABET, rng.randint(1, 4)) if few else REVERSAL_ALPHABET
        texts.append("".join(rng.choices(alphabet, k=rng.randint(1, REVERSAL_LENGTH))))
    rows = [(text, text[::-1], "synthetic") for text in texts]
    src = learn_characters(REVERSAL_ALPHABET, 0, 1, "src.json")
    tgt = learn_characters(REVERSAL_ALPHABET, 0, 1)
    facts = {"max_src_tokens": REVERSAL_LENGTH, "credits": {"weights_licence": "Apache-2.0", "sources": {}}}
    return write_prepared(out, rows[200:], rows[:200], (src, tgt), facts)


def write_prepared(
    out: Path,
    train_rows: list[Row],
    dev_rows: list[Row],
    tokenizers: tuple[EnglishTokenizer | CharacterTokenizer, CharacterTokenizer],
    facts: dict[str, object],
) -> dict[str, object]:
    """Write everything that ``train`` reads, and say what it holds, with further ``facts`` about it."""
    src, tgt = tokenizers
    out.mkdir(parents=True, exist_ok=True)
    src.save(out)
    tgt.save(out)
    train = encode_pairs(train_rows, src, tgt)
    train.save(out / "train.npz")
    encode_pairs(dev_rows, src, tgt).save(out / "dev.npz")
    (out / "dev.tsv").write_text("".join("\t".join(row).rstrip("\t") + "\n" for row in dev_rows), encoding="utf-8")
    counts = {str(name): int((train.source == index).sum()) for index, name in enumerate(train.sources)}
    summary = {
        "src_tokenizer": src.kind,
        "src_vocab_size": src.vocab_size,
        "tgt_vocab_size": tgt.vocab_size,
        "train_pairs": len(train_rows),
        "dev_pairs": len(dev_rows),
        "pairs_by_source": counts,
        **facts,
    }
    write_json(out / "prepared.json", summary)
    return summary


def _read_credits(path: Path | None) -> dict[str, object]:
    if path is None:
        return {}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(f"cannot read the credits in {path}: {error}") from None
    if not isinstance(value, dict):
        raise CorpusError(f"{path} must hold a JSON object")
    return value
