"""python -m model evaluate: corpus scores on a TSV file, or what is kept of numbers and names."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from model.commands.shared.options import (
    add_beam,
    add_checkpoint,
    add_joint,
    add_read_back,
    pair_bar,
    positive,
    say_left_out,
)
from model.errors import HeadlightError
from model.evaluation.kept import MustSentence, must_score, read_must
from model.files import write_text

if TYPE_CHECKING:
    from model.evaluation.kept import Kept
    from model.translator import Translator

SOURCE_OF_NEAREST = "written_chosen"  # the source that such pairs are given


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--tsv", type=Path, metavar="FILE", help="English, tab, Chinese a line")
    what.add_argument(
        "--truth", action="store_true", help="200 sentences with numbers and names that come with this program"
    )
    what.add_argument(
        "--must", type=Path, metavar="FILE", help="English, then words that the translation must have, a tab between"
    )
    add_beam(parser)
    add_read_back(parser)
    add_checkpoint(parser)
    parser.add_argument("--limit", type=positive, metavar="N", help="score the first N pairs only")
    parser.add_argument(
        "--join", type=positive, metavar="N", help="score N texts of two sentences each, drawn from the file"
    )
    add_joint(parser)
    parser.add_argument(
        "--nearest",
        type=Path,
        metavar="FILE",
        help="with --tsv: write each English with that hypothesis of six (or --beam) that is near to the Chinese",
    )
    parser.add_argument(
        "--json", action="store_true", help="with --truth or --must: one JSON object, with every failure"
    )


def run(args: argparse.Namespace) -> None:
    """Print the scores; what was left out or cut goes to stderr."""
    from model.translator import Translator

    if args.nearest and not args.tsv:
        raise HeadlightError("--nearest goes with --tsv: what is it to be near to?")
    rows = _rows(args) if args.tsv else None
    must = read_must(args.must)[: args.limit] if args.must else None
    translator = Translator.from_checkpoint(args.checkpoint)
    if args.nearest:
        print(json.dumps(write_nearest(translator, rows or [], args.nearest, args.beam)))
        return
    if rows is not None:
        print(json.dumps(corpus_facts(translator, rows, args.beam, args.joint, args.read_back)))
        return
    facts, titles = (
        (must_facts(translator, must, args.beam, args.read_back), MUST_TITLES)
        if must is not None
        else (kept_facts(translator, args.beam, args.limit, args.read_back), KEPT_TITLES)
    )
    print(json.dumps(facts, ensure_ascii=False) if args.json else facts_text(facts, titles))


def _rows(args: argparse.Namespace) -> list[tuple[str, str]]:
    from model.evaluation.corpus import joined_rows
    from model.pairs import read_rows

    rows = [(row[0], row[1]) for row in read_rows(args.tsv)]
    return joined_rows(rows, args.join) if args.join else rows[: args.limit]


def corpus_facts(
    translator: Translator, rows: list[tuple[str, str]], beam: int = 1, joint: bool = False, read_back: bool = False
) -> dict[str, Any]:
    """bleu, chrf, exact (percent), sentences, unfinished, seconds, signature; the rest goes to stderr."""
    from model.evaluation.corpus import evaluate

    result = evaluate(translator, rows, beam, joint, read_back)
    for number, reason in result.refused.items():
        print(f"python -m model evaluate: line {number} counts as untranslated: {reason}", file=sys.stderr)
    if result.unfinished:
        print(f"python -m model evaluate: {result.unfinished} translations reached the cap on length", file=sys.stderr)
    exact = sum(text == row[1] for text, row in zip(result.translations, rows, strict=True))
    return {
        "bleu": round(result.scores.bleu, 2),
        "chrf": round(result.scores.chrf, 2),
        "exact": round(100 * exact / len(rows), 1),
        "sentences": len(rows),
        "unfinished": result.unfinished,
        "seconds": round(result.seconds, 1),
        "signature": result.scores.signature,
    }


def write_nearest(translator: Translator, rows: Sequence[tuple[str, str]], path: Path, beam: int = 1) -> dict[str, int]:
    """Each English with ``nearest`` to its Chinese, and a source's name, a line each; how many there are.

    Raises:
        CorpusError: nothing could be written.
    """
    from model.evaluation.corpus import nearest
    from model.pairs import score_pairs

    lines: list[str] = []
    with pair_bar(len(rows)) as progress:
        refused = score_pairs(
            rows,
            lambda pair: lines.append(f"{pair[0]}\t{nearest(translator, *pair, beam)}\t{SOURCE_OF_NEAREST}\n"),
            progress,
        )
    say_left_out("evaluate", refused)
    write_text(path, "".join(lines))
    return {"written": len(lines)}


def kept_facts(
    translator: Translator, beam: int = 1, limit: int | None = None, read_back: bool = False
) -> dict[str, Any]:
    """What is kept of the numbers and names of the sentences in model/truth, and each failure."""
    from model.evaluation.corpus import translate_all
    from model.evaluation.kept import kept, read_kept

    sentences = read_kept()[:limit]
    found, _ = translate_all(translator, [sentence.english for sentence in sentences], beam, read_back=read_back)
    result: Kept = kept(sentences, [text for text, _ in found])
    counts = {
        "numbers": result.numbers,
        "numbers_of_long_sentences": result.long_numbers,
        "sentences_with_every_number": result.sentences,
        "names": result.names,
    }
    return {"sentences": len(sentences), **_shares(counts), "failures": _failures(result.failures)}


def must_facts(
    translator: Translator, sentences: Sequence[MustSentence], beam: int = 1, read_back: bool = False
) -> dict[str, Any]:
    """How many of the words that they must have stand in the translations of these sentences, and each failure."""
    from model.evaluation.corpus import translate_all

    found, _ = translate_all(translator, [sentence.english for sentence in sentences], beam, read_back=read_back)
    result = must_score(sentences, [text for text, _ in found])
    counts = {"words": result.words, "sentences_with_every_word": result.sentences}
    return {"sentences": len(sentences), **_shares(counts), "failures": _failures(result.failures)}


def _shares(counts: Mapping[str, tuple[int, int]]) -> dict[str, dict[str, float | None]]:
    return {
        name: {"kept": right, "of": total, "percent": round(100 * right / total, 1) if total else None}
        for name, (right, total) in counts.items()
    }


def _failures(failures: Sequence[tuple[str, str, tuple[str, ...]]]) -> list[dict[str, Any]]:
    return [
        {"source": source, "translation": translation, "missing": list(missing)}
        for source, translation, missing in failures
    ]


KEPT_TITLES = {
    "numbers": "numbers whose digits stand exactly",
    "numbers_of_long_sentences": "those of 15 words and more",
    "sentences_with_every_number": "sentences that keep all of theirs",
    "names": "names in a usual Chinese form",
}
MUST_TITLES = {"words": "words that must stand", "sentences_with_every_word": "sentences that have all of theirs"}


def facts_text(facts: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    """The facts for a person, a line a title, without the failures."""
    lines = [f"{title:<36}{facts[name]['kept']:>4} of {facts[name]['of']:>3}" for name, title in titles.items()]
    shares = [f"{line}  {facts[name]['percent'] or 0:5.1f} %" for line, name in zip(lines, titles, strict=True)]
    return "\n".join(shares)
