"""The parts of ``python -m model tables``: what each needs, whether it is there, and how it is made."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from model import examples
from model.analysis.alignment.known_pairs import ALIGNMENT, load_alignment, unaligned_methods
from model.analysis.atlas.book import read_atlas
from model.analysis.faithfulness.table import load_faithfulness, unscored_methods
from model.analysis.heads.table import load_head_table
from model.analysis.what_if.repair import load_warning
from model.errors import HeadlightError
from model.files import write_json, write_text
from model.folders import CHECKPOINTS, META, resolve
from model.history import load_history
from model.release.figures import FIGURES, Tables
from model.tables import save_table

ROOT = CHECKPOINTS.parent
RESULTS = {"en": ROOT / "docs" / "results.md", "zh": ROOT / "docs" / "results.zh.md"}
BLOCK = re.compile(r"(<!-- figures: (?P<name>\w+) -->)(?P<old>.*?)(<!-- /figures -->)", re.DOTALL)
LICENCE, CREDITS = "LICENSE.md", "credits.json"
START, END = "<!-- sources -->", "<!-- /sources -->"
RESULTS_CHECKPOINT = "en-zh"  # whose figures stand in the documents
JOINED = 200  # texts of two sentences
CHOSEN_BY = ("dev_bleu_greedy", "dev_long_bleu_greedy", "must_percent")  # scores that training writes


def filled(text: str, tables: Tables, language: str) -> str:
    """A document with every figure between its marks as the tables have it.

    Raises:
        HeadlightError: a mark has a name that no figure has, or a table lacks what a figure needs.
    """

    def figure(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in FIGURES:
            raise HeadlightError(f"there is no figure {name!r}; there are: {', '.join(FIGURES)}")
        try:
            new = FIGURES[name](tables, language)
        except (KeyError, TypeError) as error:
            raise HeadlightError(f"the tables lack what the figure {name!r} needs: {error}") from None
        block = match["old"].startswith("\n")
        return f"{match[1]}\n{new}\n{match[4]}" if block else f"{match[1]}{new}{match[4]}"

    return BLOCK.sub(figure, text)


def source_table(counts: dict[str, int], sources: dict[str, dict[str, str]]) -> str:
    """Pairs, licence and credit of every source that the weights were trained on, in the order of the credits.

    Raises:
        HeadlightError: a source has no credit.
    """
    if missing := sorted(set(counts) - set(sources)):
        raise HeadlightError(f"{CREDITS} has no credit for {', '.join(missing)}")
    lines = ["| source | pairs | licence | credit |", "|---|--:|---|---|"]
    for name, facts in sources.items():
        if name in counts:
            lines.append(f"| {name} | {counts[name]:,} | {facts['licence']} | {facts['credit']} |")
    return "\n".join(lines)


def trained_on(meta: dict[str, Any]) -> dict[str, int]:
    """Pairs of each source that the weights have seen: of this run, and of those whose weights it began with."""
    counts = dict(meta["data"]["pairs_by_source"])
    began = meta.get("began_with")
    while began:
        for name, count in began.get("pairs_by_source", {}).items():
            counts[name] = max(count, counts.get(name, 0))
        began = began.get("began_with")
    return counts


def credited(folder: Path, meta: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """LICENSE.md with its table between the marks, and meta with the credits of credits.json.

    Raises:
        HeadlightError: a file is missing, a source has no credit, or LICENSE.md lacks the marks.
    """
    try:
        credits = json.loads((folder / CREDITS).read_text(encoding="utf-8"))
        text = (folder / LICENCE).read_text(encoding="utf-8")
    except OSError as error:
        raise HeadlightError(f"the licence needs {LICENCE} and {CREDITS} in {folder.name}: {error.strerror}") from None
    before, mark, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not (mark and end):
        raise HeadlightError(f"{LICENCE} in {folder.name} has no {START} … {END} for its table")
    counts = trained_on(meta)
    used = {name: facts for name, facts in credits["sources"].items() if name in counts}
    table = source_table(counts, credits["sources"])
    new = {**meta, "data": {**meta["data"], "credits": {**credits, "sources": used}}}
    return f"{before}{START}\n\n{table}\n\n{END}{after}", new


@dataclass(frozen=True)
class Job:
    """A checkpoint, and what was asked."""

    checkpoint: str
    folder: Path
    args: argparse.Namespace

    @classmethod
    def of(cls, args: argparse.Namespace) -> Job:
        """The job of parsed options; raises CheckpointError where there is no such checkpoint."""
        return cls(str(args.checkpoint), resolve(str(args.checkpoint)), args)

    @property
    def meta(self) -> dict[str, Any]:
        """What meta.json says now."""
        value: dict[str, Any] = json.loads((self.folder / META).read_text(encoding="utf-8"))
        return value

    @property
    def sha256(self) -> str:
        """Of the weights."""
        return str(self.meta["sha256"])

    @property
    def letters(self) -> bool:
        """True where the checkpoint reads letters, not English."""
        return bool(self.meta.get("src_tokenizer") == "characters")

    @property
    def golden(self) -> Path:
        """The golden translations that the tests compare with: source, tab, translation a line."""
        return ROOT / "tests" / "model" / "golden" / f"{self.folder.name}.tsv"

    def save_meta(self, meta: dict[str, Any]) -> None:
        """Write meta.json."""
        write_json(self.folder / META, meta)

    def command(self, *argv: str | Path) -> str:
        """Run another command on this checkpoint in this process: what it prints.

        Raises:
            HeadlightError: it failed; it has said why on stderr.
        """
        from model.__main__ import main

        printed = io.StringIO()
        words = [str(word) for word in argv]
        with contextlib.redirect_stdout(printed):
            if main([*words, "--checkpoint", self.checkpoint]):
                raise HeadlightError(f"{words[0]} failed")
        return printed.getvalue()

    def spread(self, *argv: str | Path) -> None:
        """Run another command on this checkpoint in as many processes as there are cores, a part of the pairs each.

        Raises:
            HeadlightError: it failed; it has said why on stderr.
        """
        cores = os.cpu_count() or 1
        torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(cores), "-m"]
        with tempfile.TemporaryDirectory() as parts:
            words = [str(word) for word in (*argv, "--checkpoint", self.checkpoint, "--out", parts)]
            done = subprocess.run(  # noqa: S603 — our own command
                [sys.executable, *torchrun, __package__.removesuffix(".release"), *words],
                stdout=subprocess.DEVNULL,
                check=False,
            )
        if done.returncode:
            raise HeadlightError(f"{argv[0]} failed")

    def facts(self, *argv: str | Path) -> dict[str, Any]:
        """What a command prints as JSON."""
        value: dict[str, Any] = json.loads(self.command(*argv, "--json").splitlines()[-1])
        return value


@dataclass(frozen=True)
class Part:
    """One part: the options that it needs, whether it is made for these weights, and how to make it."""

    is_fresh: Callable[[Job], bool]
    make: Callable[[Job], object]
    needs: tuple[str, ...] = ()
    applies: Callable[[Job], bool] = lambda job: True
    unless: str = ""


def _has_examples(job: Job) -> bool:
    wanted = examples.sentences(str(job.meta.get("src_tokenizer")))
    return all(examples.load_example(job.folder, text, job.sha256) for text in wanted)


def _has_alignment(job: Job) -> bool:
    """Whether the table is of these weights and has every method; one that lacks a newer method is made anew."""
    table, _ = load_alignment(job.checkpoint, job.sha256)
    return table is not None and not unaligned_methods(table)


def _has_faithfulness(job: Job) -> bool:
    """As ``_has_alignment``."""
    table, _ = load_faithfulness(job.checkpoint, job.sha256)
    return table is not None and not unscored_methods(table)


def _make_scores(job: Job) -> None:
    meta, test = job.meta, job.args.test
    scores: dict[str, Any] = {key: score for key, score in meta.get("scores", {}).items() if key in CHOSEN_BY}
    for how, beam in (("greedy", "1"), ("beam4", "4")):
        facts = job.facts("evaluate", "--tsv", test, "--beam", beam)
        scores |= {f"test_bleu_{how}": facts["bleu"], f"test_chrf_{how}": facts["chrf"]}
        if how == "greedy":
            scores |= {
                "test_exact_percent": facts["exact"],
                "test_pairs": facts["sentences"],
                "test_unfinished": facts["unfinished"],
            }
    if not job.letters:
        joined, one = (
            job.facts("evaluate", "--tsv", test, "--join", str(JOINED), *more) for more in ((), ("--joint",))
        )
        truth = job.facts("evaluate", "--truth")
        scores |= {
            "joined_texts": joined["sentences"],
            "joined_unfinished": joined["unfinished"],
            "joined_bleu": joined["bleu"],
            "joined_as_one_bleu": one["bleu"],
            "numbers_kept_percent": truth["numbers"]["percent"],
            "numbers_kept_in_long_sentences_percent": truth["numbers_of_long_sentences"]["percent"],
            "sentences_with_every_number_percent": truth["sentences_with_every_number"]["percent"],
            "names_right_percent": truth["names"]["percent"],
        }
    measured = {"measured_by": "python -m model tables", "measured_on": job.sha256[:12]}
    job.save_meta({**job.meta, "scores": scores | measured})


def _make_news(job: Job) -> None:
    table, _ = load_alignment(job.checkpoint, job.sha256)
    if table is None:
        raise HeadlightError(f"news goes into {ALIGNMENT}: make the part alignment first")
    facts = job.facts("align", "--tsv", job.args.news)
    kept = {
        name: facts[name]
        for name in ("sentences", "sure_links", "diagonal", "best", "best_head", "one_head", "held_out", "named")
    }
    save_table(job.checkpoint, ALIGNMENT, {**table, "news": {"file": job.args.news.name, **kept}})


def _make_alignment(job: Job) -> None:
    """The table over the pairs that come with the program; what it says of news is made anew by its own part."""
    job.command("align", "--truth", "--save")


def _make_faithfulness(job: Job) -> None:
    pairs = ("--truth",) if job.letters or job.args.dev is None else ("--tsv", job.args.dev)
    job.spread("faithfulness", *pairs, "--save")


def _make_history(job: Job) -> None:
    weights = ("--weights",) if job.args.weights else ()
    job.command("history", "--run", job.args.run, "--dev", job.args.dev, *weights)


def _golden(job: Job) -> str:
    """The golden sources with what the checkpoint makes of them now."""
    from model.translator import Translator

    translator = Translator.from_checkpoint(job.checkpoint, device="cpu")
    sources = [line.split("\t")[0] for line in job.golden.read_text(encoding="utf-8").splitlines()]
    return "".join(f"{source}\t{translator.translate(source).text}\n" for source in sources)


def _make_licence(job: Job) -> None:
    text, meta = credited(job.folder, job.meta)
    write_text(job.folder / LICENCE, text)
    job.save_meta(meta)


def _make_results(job: Job) -> None:
    tables = Tables.of(job.folder)
    for language, path in RESULTS.items():
        write_text(path, filled(path.read_text(encoding="utf-8"), tables, language))


def _has_results(job: Job) -> bool:
    try:
        tables = Tables.of(job.folder)
        texts = {language: path.read_text(encoding="utf-8") for language, path in RESULTS.items()}
        return all(filled(text, tables, language) == text for language, text in texts.items())
    except HeadlightError:
        return False


def _has_licence(job: Job) -> bool:
    return credited(job.folder, job.meta) == ((job.folder / LICENCE).read_text(encoding="utf-8"), job.meta)


PARTS: dict[str, Part] = {
    "examples": Part(_has_examples, lambda job: job.command("examples")),
    "scores": Part(
        lambda job: job.meta.get("scores", {}).get("measured_on") == job.sha256[:12], _make_scores, ("test",)
    ),
    "alignment": Part(_has_alignment, _make_alignment),
    "news": Part(lambda job: "news" in (load_alignment(job.checkpoint, job.sha256)[0] or {}), _make_news, ("news",)),
    "heads": Part(
        lambda job: getattr(load_head_table(job.folder), "facts", {}).get("sha256") == job.sha256,
        lambda job: job.spread("heads", "--tsv", job.args.dev, "--save"),
        ("dev",),
    ),
    "atlas": Part(
        lambda job: getattr(read_atlas(job.folder), "facts", {}).get("sha256") == job.sha256,
        lambda job: job.command("atlas", "--tsv", job.args.corpus, "--save"),
        ("corpus",),
    ),
    "faithfulness": Part(_has_faithfulness, _make_faithfulness, ("dev",)),
    "warning": Part(
        lambda job: load_warning(job.checkpoint, job.sha256)[0] is not None,
        lambda job: job.command("warning", "--tsv", job.args.test, "--save"),
        ("test",),
        applies=lambda job: not job.letters,
        unless="it reads letters, of which none is ever poor",
    ),
    "history": Part(lambda job: load_history(job.checkpoint, job.sha256)[0] is not None, _make_history, ("run", "dev")),
    "golden": Part(
        lambda job: job.golden.read_text(encoding="utf-8") == _golden(job),
        lambda job: write_text(job.golden, _golden(job)),
        applies=lambda job: job.golden.is_file(),
        unless="the tests have no golden translations of this checkpoint",
    ),
    "licence": Part(
        _has_licence,
        _make_licence,
        applies=lambda job: (job.folder / LICENCE).is_file(),
        unless=f"there is no {LICENCE}",
    ),
    "results": Part(
        _has_results,
        _make_results,
        applies=lambda job: job.folder.name == RESULTS_CHECKPOINT,
        unless=f"docs/results.md is about {RESULTS_CHECKPOINT}",
    ),
}
