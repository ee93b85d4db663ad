"""Processor time that the server spends on one visitor's script, without a browser.

head: the One head view runs once more for another head. sentence: the Translate view runs for a new
sentence of 20 words, translation and maps included. Counted is the script's own thread, in Streamlit's
AppTest, so that neither the test's reading of the page nor other visitors have a part in it.
With --told it counts instead how often the answer and the verdict, which delete only some words, say what they would
say if every word were deleted.
"""

from __future__ import annotations

import argparse
import logging
import os
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from bench.app import sentences
from bench.browser import ROOT
from model.analysis.faithfulness.deletion import by_words
from model.analysis.faithfulness.evidence import evidence, told_by_deletion
from model.analysis.what_if.verdict import traceless_words
from model.attribution.methods import MethodName
from viz.core.answers.maps import whole_map
from viz.core.answers.translations import translation
from viz.core.answers.what_if import faithfulness, left_out, word_traces
from viz.core.models import entry_of
from viz.core.session import Subject

PATIENCE = 300  # seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--runs", type=int, default=40, metavar="N", help="reruns of each (default 40)")
    parser.add_argument("--told", type=Path, metavar="FILE.tsv", help="sentences in whose first column N are looked at")


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Median and least milliseconds of processor time of each kind of rerun."""
    logging.disable(logging.WARNING)
    if args.told is not None:
        return {"bench": "server", **_told(args)}
    with _timed() as spent:
        heads = [
            _spent(at, spent, head=number % 8) for at in [_opened("one_head", args)] for number in range(args.runs)
        ]
        new = sentences(args.runs)
        texts = [_spent(at, spent, text=text) for at in [_opened("translate", args)] for text in new]
    waits = {"head": heads, "sentence": texts}
    return {
        "bench": "server",
        "runs": args.runs,
        "load": os.getloadavg()[0],
        "milliseconds": {name: round(statistics.median(values), 1) for name, values in waits.items()},
        "least": {name: round(min(values), 1) for name, values in waits.items()},
    }


def _told(args: argparse.Namespace) -> dict[str, int]:
    """Over sentences: tokens, and of them those whose answer is the same; words without a trace, and those found."""
    counts, checkpoint = Counter[str](), args.checkpoint
    table, _ = faithfulness(checkpoint, entry_of(checkpoint).sha256)
    method: MethodName = table["best"] if table else "weights"
    lines = args.told.read_text(encoding="utf-8").splitlines()[: args.runs]
    for subject in (Subject(line.split("\t")[0], checkpoint) for line in lines):
        whole = left_out(subject)
        marks = by_words(whole_map(subject, method), translation(subject).trace.src, method)
        for costs, marked in zip(whole.costs.T, marks, strict=False):
            one = told_by_deletion(partial(_only, costs), marked)
            every = evidence(costs, marked)
            counts.update(tokens=1, same=(one.found, one.word) == (every.found, every.word))
        lost, named = traceless_words(whole), traceless_words(word_traces(subject))
        counts.update(sentences=1, traceless=len(lost), named=len(set(lost) & set(named)))
    return dict(counts)


def _only(costs: np.ndarray, words: tuple[int, ...]) -> np.ndarray:
    return np.where(np.isin(np.arange(len(costs)), words), costs, 0)


def _opened(view: str, args: argparse.Namespace) -> AppTest:
    """A view of the checkpoint, warmed up."""
    at = AppTest.from_file(ROOT / "router.py", default_timeout=PATIENCE)
    at._page_hash = calc_hash(view)  # switch_page() knows files alone
    at.session_state["checkpoint"] = args.checkpoint
    for _ in range(3):
        at.run()
    return at


def _spent(at: AppTest, spent: list[float], **choices: object) -> float:
    """Milliseconds that the script takes with other choices."""
    spent.clear()
    for name, value in choices.items():
        at.session_state[name] = value
    at.run()
    if at.exception:
        raise RuntimeError(at.exception[0].message)
    return 1000 * sum(spent)


@contextmanager
def _timed() -> Iterator[list[float]]:
    """Seconds of processor time of every script run while the ``with`` lasts."""
    spent: list[float] = []
    run = ScriptRunner._run_script

    def timed(self: ScriptRunner, *args: Any, **kwargs: Any) -> None:
        started = time.thread_time()
        run(self, *args, **kwargs)
        spent.append(time.thread_time() - started)

    ScriptRunner._run_script = timed  # type: ignore[method-assign]
    try:
        yield spent
    finally:
        ScriptRunner._run_script = run  # type: ignore[method-assign]


def table(result: dict[str, Any]) -> str:
    """The result for a person."""
    if "tokens" in result:
        said = f"{result['same']} of {result['tokens']} tokens have the answer that deleting every word gives"
        named = f"{result['named']} of {result['traceless']} words without a trace are named"
        return f"{said}; {named}; {result['sentences']} sentences"
    names = {"head": "another head", "sentence": "a new sentence of 20 words"}
    lines = [
        f"{names[name]:<30}{value:6.1f} ms of processor time (least {result['least'][name]:.1f})"
        for name, value in result["milliseconds"].items()
    ]
    return "\n".join([*lines, f"medians of {result['runs']} reruns; load {result['load']:.1f}"])
