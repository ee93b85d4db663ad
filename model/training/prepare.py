"""From TSV files to a folder that training reads: vocabularies, token ids, dev text."""

from __future__ import annotations

import calendar
import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from model.errors import CorpusError
from model.evaluation.kept import NUMERALS, read_must
from model.files import aside, write_json, write_text
from model.own.checkpoint import load_tokenizers
from model.own.text.tokenize import FULL_WIDTH, CharacterTokenizer, EnglishTokenizer, with_runs
from model.pairs import Row, read_rows
from model.training.corpus import (
    EVERYDAY,
    encode_pairs,
    grown,
    joined,
    learn_characters,
    learn_english,
    linked,
    split_dev,
)

LISTS = Path(__file__).parent / "lists"
NUMBER = re.compile(  # 1,280, 9:48, 39.4, 12; none that is a part of something longer
    r"(?<![\d.,:/A-Za-z-])(?:\d{1,3}(?:,\d{3})+|\d{1,2}:\d\d|\d{1,4}\.\d{1,2}|\d{1,6})(?![\d.,:/A-Za-z-]*[\dA-Za-z])"
)
WORD = re.compile(r"\w+")
_RANGES = {"year": (1500, 2049), "day": (1, 28), "age": (2, 99)}
_IN_WORDS = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "fraction": 0, "century": 0}
_PARTS = ("third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_COUNTS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SLOT = re.compile(r"\{(\w+)\}")

Names = Mapping[str, Sequence[tuple[str, str]]]
REVERSAL_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
REVERSAL_LENGTH = 24


@cache
def known_names() -> Names:
    """(English, Chinese) forms of common names, by class: male, female, surname, place, country, weekday."""
    names: dict[str, list[tuple[str, str]]] = {}
    for line in (LISTS / "names.tsv").read_text(encoding="utf-8").splitlines():
        kind, english, chinese = line.split("\t")
        names.setdefault(kind, []).append((english, chinese))
    return names


@cache
def _names_by_first_word() -> dict[str, list[tuple[str, str, str]]]:
    """Class, English and Chinese form of every name that is exchanged, by the word that it begins with."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for kind in ("male", "female", "surname", "place", "country"):
        for name, form in known_names()[kind]:
            found.setdefault(WORD.match(name).group(), []).append((kind, name, form))  # type: ignore[union-attr]
    return found


def with_other_numbers(row: Row, rng: random.Random) -> Row | None:
    """The pair with other numbers, where both sides carry the same ones in digits; else None."""
    english, chinese, source = row[0], row[1].translate(FULL_WIDTH), row[2]
    ours, theirs = (Counter(NUMBER.findall(text)) for text in (english, chinese))
    if not ours or ours != theirs or sum(ours.values()) != len(re.findall(r"[\d,.:]*\d", english)):
        return None
    new = {number: number if number == "1" else _another(number, rng) for number in ours}
    if new == {number: number for number in ours}:
        return None
    english, chinese = (NUMBER.sub(lambda match: new[match.group()], text) for text in (english, chinese))
    return english, chinese, source


def _another(number: str, rng: random.Random) -> str:
    if "," in number:
        length = rng.choice((len(number.replace(",", "")), rng.randint(4, 7)))
        return f"{int(_digits(length, rng)):,}"
    if ":" in number:
        return f"{rng.randint(1, 12)}:{rng.randint(0, 59):02}"
    if "." in number:
        whole, part = map(len, number.split("."))
        return f"{int(_digits(whole, rng))}.{_digits(part, rng)}"
    if len(number) == 4 and 1000 <= int(number) <= 2099:
        return str(rng.randint(1800, 2049))
    if len(number) == 1 or int(number) <= 12:
        return str(rng.randint(2, 12))
    return _digits(len(number), rng)


def _digits(length: int, rng: random.Random) -> str:
    """A number of ``length`` digits, often with equal ones in a row: 2004, 555, 70000 are the hardest to copy."""
    kind = rng.random()
    if kind < 0.25:
        start, run = rng.randrange(length), rng.randint(2, 4)
        digits = [rng.choice("0123456789")] * length if length < run else rng.choices("0123456789", k=length)
        digits[start : start + run] = [digits[start]] * len(digits[start : start + run])
        return (digits[0] if digits[0] != "0" else rng.choice("123456789")) + "".join(digits[1:])
    if kind < 0.5:
        few = rng.sample("0123456789", 2)
        first = rng.choice([digit for digit in few if digit != "0"])
        return first + "".join(rng.choices(few, k=length - 1))
    return str(rng.randint(10 ** (length - 1), 10**length - 1))


def with_other_names(row: Row, rng: random.Random) -> Row | None:
    """The pair with each known name exchanged for another of its class, on both sides; None without one."""
    english, chinese, source = row
    names, known = known_names(), _names_by_first_word()
    found = [
        (kind, name, form)
        for word in dict.fromkeys(WORD.findall(english))
        for kind, name, form in known.get(word, ())
        if form in chinese and len(re.findall(rf"\b{name}\b", english)) == chinese.count(form) > 0
    ]
    if not found or any(a != b and a[2] in b[2] for a in found for b in found):
        return None
    others = [rng.choice(names[kind]) for kind, _, _ in found]
    for number, (_, name, form) in enumerate(found):  # by way of a mark, so that no name is exchanged twice
        english = re.sub(rf"\b{name}\b", f"\x00{number}", english)
        chinese = chinese.replace(form, f"\x00{number}")
    for number, (name, form) in enumerate(others):
        english, chinese = english.replace(f"\x00{number}", name), chinese.replace(f"\x00{number}", form)
    return english, chinese, source


def filled_templates(rng: random.Random, each: int) -> Iterator[tuple[str, str]]:
    """Every template of ``lists/templates.tsv``, filled ``each`` times."""
    for line in (LISTS / "templates.tsv").read_text(encoding="utf-8").splitlines():
        english, chinese = line.split("\t")
        for _ in range(each):
            values = {slot: fill(slot, rng) for slot in SLOT.findall(english)}
            filled = _filled(english, values, 0)
            yield filled[0].upper() + filled[1:], _filled(chinese, values, 1)


def _filled(template: str, values: Mapping[str, tuple[str, str]], side: int) -> str:
    return SLOT.sub(lambda match: values[match.group(1)][side], template)


def fill(slot: str, rng: random.Random) -> tuple[str, str]:
    """A random English and Chinese value for a template's slot."""
    kind = slot.rstrip("2")
    if kind == "person":
        kind = rng.choice(("male", "female"))
    if kind in known_names():
        return rng.choice(known_names()[kind])
    if kind == "month":
        number = rng.randint(1, 12)
        return calendar.month_name[number], f"{number}月"
    if kind == "time":
        hour, minute = rng.randint(1, 12), rng.choice((0, rng.randint(1, 59)))
        return (f"{hour}:{minute:02}", f"{hour}:{minute:02}") if minute else (f"{hour} o'clock", f"{hour}点")
    if kind in _IN_WORDS:
        return _in_words(kind, rng)
    text = _number(kind, rng)
    return text, text


def _in_words(kind: str, rng: random.Random) -> tuple[str, str]:
    """A number that English writes with a word and Chinese with another: 2.5 million 250万, two thirds 三分之二."""
    if kind == "fraction":
        below = rng.randint(3, 10)
        above = rng.randint(1, below - 1)
        name = "quarter" if below == 4 else _PARTS[below - 3]
        plain = f"{rng.choice(('a', 'one'))} {name}" if above == 1 else f"{_COUNTS[above - 1]} {name}s"
        return plain, f"{NUMERALS[below]}分之{NUMERALS[above]}"
    if kind == "century":
        number = rng.randint(11, 21)
        return {21: "21st"}.get(number, f"{number}th"), str(number)
    if kind == "thousand":
        value = Decimal(rng.randint(11, 999))
    else:
        value = Decimal(_digits(rng.randint(2, 3), rng)) / rng.choice((1, 10, 10, 100))
    value = (value if value > 1 else 10 * value + 1).normalize()
    whole = value * _IN_WORDS[kind]
    unit, written = (10**8, "亿") if whole >= 10**8 else (10**4, "万")
    return f"{value:f} {kind}", f"{(whole / unit).normalize():f}{written}"


def _number(kind: str, rng: random.Random) -> str:
    if kind == "phone":
        groups = [_digits(rng.randint(2, 4), rng) for _ in range(rng.randint(2, 4))]
        trunk = rng.choice(("0", "", ""))  # the 0 that stands before an area's code
        return trunk + rng.choice(("-", "-", "")).join(groups)
    if kind in _RANGES:
        return str(rng.randint(*_RANGES[kind]))
    if kind == "big":
        return f"{int(_digits(rng.randint(4, 7), rng)):,}"
    if kind == "price":
        return f"{rng.randint(1, 999)}.{rng.randint(0, 99):02}"
    length = rng.randint(1, 5)
    number = max(2, int(_digits(length, rng)))
    return f"{number:,}" if rng.random() < 0.3 else str(number)


def varied(
    rows: Sequence[Row], seed: int, copies: int = 10, n_joined: int = 12_000, n_linked: int = 24_000
) -> list[Row]:
    """Further rows, of the sources ``numbers``, ``names``, ``templates``, ``joined`` and ``linked``.

    Args:
        rows: the pairs at hand; only everyday ones with their own names are varied.
        seed: of every choice.
        copies: tries a pair with numbers; a pair with names is tried a third as often.
        n_joined: joined texts.
        n_linked: long sentences.
    """
    rng = random.Random(seed)
    more: list[Row] = []
    for row in rows:
        numbers = [with_other_numbers(row, rng) for _ in range(copies)]
        more += [(*new[:2], "numbers") for new in numbers if new]
        names = [with_other_names(row, rng) for _ in range(-(-copies // 3)) if row[2] in EVERYDAY]
        more += [(*new[:2], "names") for new in names if new]
    more += [(*pair, "templates") for pair in filled_templates(rng, 100)]
    return more + joined(rows, n_joined, rng) + linked(rows, n_linked, rng)


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
        vary: add pairs with other numbers and names, filled templates, joined and linked sentences.
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
    with aside(out / "must.tsv") as part:
        shutil.copyfile(must, part)


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
    write_text(out / "dev.tsv", "".join("\t".join(row).rstrip("\t") + "\n" for row in dev_rows))
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
