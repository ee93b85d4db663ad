"""How long the answers beyond raw weights take on sentences of 20 words, on CPU.

Every sort of map by its name, for all heads. roles: roles and importance of every head.
honesty: every word left out once, and from that the honesty of every cross-attention head. These
are computed on one processor thread with nothing cached. page: in Chromium against the real app, from
the click on another sort of map to its painted picture, each time one that this sentence has not yet shown.
With --tsv instead: the most memory that an atlas takes, by the number of sentences, each in a process of its own.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from bench.app import BOX, seconds_until_painted, sentences
from bench.browser import address, app_page, chromium, wait_until_idle
from model.analysis.faithfulness.deletion import by_words, leave_one_out
from model.analysis.faithfulness.verdict import honesty_of_all
from model.analysis.heads.ablation import ablate
from model.analysis.heads.roles import profile
from model.attribution.methods import METHOD_NAMES, METHODS, attribution_maps
from model.trace import KINDS, Translation
from model.translator import Translator

WAITS = {
    **{
        method: (f"map: {method}", 0.2 if method == "votes" else 0.4 if METHODS[method].perturbs else 0.5)
        for method in METHOD_NAMES
    },
    "roles": ("all roles and importances", 1.5),
    "honesty": ("honesty bar, all cross heads", 0.5),
    "page": ("another sort of map, to painted", 0.4),
}
MEANING = "[deep('.legend p:nth-of-type(2)')?.textContent]"  # of what is drawn, once it is


SENTENCES = (200, 800, 3200)
# The command in a process of its own, which then says what it held: kilobytes on Linux.
_RUN = "import resource, sys; from model.__main__ import main; done = main(sys.argv[1:]); "
_RUN += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss); sys.exit(done)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--runs", type=int, default=7, metavar="N", help="runs of each wait (default 7)")
    parser.add_argument("--tsv", type=Path, metavar="FILE", help="English, tab, Chinese a line: memory of an atlas")
    parser.add_argument(
        "--sentences", type=int, nargs="+", default=SENTENCES, metavar="N", help="lines of each (200 800 3200)"
    )


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Median seconds of each wait, with every run's own; or an atlas's memory."""
    if args.tsv:
        return memory(args)
    found = {**model_waits(args.checkpoint, args.runs), "page": page_waits(args.checkpoint, args.runs)}
    return {
        "bench": "analysis",
        "checkpoint": args.checkpoint,
        "words": 20,
        "runs": args.runs,
        "load": os.getloadavg()[0],
        "seconds": {name: round(statistics.median(runs), 3) for name, runs in found.items()},
        "every_run": {name: [round(seconds, 3) for seconds in runs] for name, runs in found.items()},
        "bars": {name: bar for name, (_, bar) in WAITS.items()},
    }


def model_waits(checkpoint: str, runs: int) -> dict[str, list[float]]:
    """Seconds of computing, by run; the first run, which warms up, is left out."""
    translator = Translator.from_checkpoint(checkpoint, device="cpu")
    found: dict[str, list[float]] = {}
    for sentence in sentences(runs + 1):
        for name, task in _tasks(translator, translator.translate(sentence, capture=True)).items():
            started = time.perf_counter()
            task()
            found.setdefault(name, []).append(time.perf_counter() - started)
    return {name: seconds[1:] for name, seconds in found.items()}


def _tasks(translator: Translator, made: Translation) -> dict[str, Callable[[], object]]:
    trace = made.trace
    assert trace is not None

    def roles() -> None:
        ablate(translator, made)
        for kind in KINDS:
            profile(trace, kind)

    def honesty() -> None:
        honesty_of_all(leave_one_out(translator, made), by_words(trace.cross, trace.src))

    return {
        **{method: lambda method=method: attribution_maps(translator, made, method) for method in METHOD_NAMES},
        "roles": roles,
        "honesty": honesty,
    }


def page_waits(checkpoint: str, runs: int) -> list[float]:
    """Seconds from choosing what is drawn to its painted map; the first run is left out."""
    with chromium() as browser, app_page(browser) as (page, url):
        page.goto(address(url, "one_head", checkpoint=checkpoint))
        wait_until_idle(page)
        found = list(_changes(page, runs + 1))
    return found[1:]


def _changes(page: Page, runs: int) -> Iterator[float]:
    others = [method for method in METHOD_NAMES if method != "weights"]
    for sentence in sentences(-(-runs // len(others))):
        page.fill(BOX, sentence)
        page.press(BOX, "Enter")
        page.wait_for_timeout(500)
        wait_until_idle(page)
        for method in others[:runs]:
            choose = partial(page.locator(".toolbar select").first.select_option, method)
            yield seconds_until_painted(page, MEANING, choose)
        runs -= len(others)


def memory(args: argparse.Namespace) -> dict[str, Any]:
    """Most memory and seconds of an atlas by number of lines; a file that has fewer is refused."""
    with args.tsv.open(encoding="utf-8") as file:
        there = sum(1 for _ in itertools.islice(file, max(args.sentences)))
    if there < max(args.sentences):
        raise SystemExit(f"{args.tsv.name} has {there} lines, fewer than {max(args.sentences)}")
    rows = [{"sentences": number, **_atlas_once(args, number)} for number in args.sentences]
    return {"bench": "analysis", "checkpoint": args.checkpoint, "file": args.tsv.name, "rows": rows}


def _atlas_once(args: argparse.Namespace, sentences: int) -> dict[str, float]:
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as out:
        options = ["atlas", "--tsv", str(args.tsv), "--limit", str(sentences), "--checkpoint", args.checkpoint]
        command = [sys.executable, "-c", _RUN, *options, "--out", out]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 — our own command
    if done.returncode:
        raise SystemExit(f"no atlas of {sentences} lines: {(done.stderr.strip() or 'it was ended').splitlines()[-1]}")
    return {"megabytes": round(int(done.stdout.split()[-1]) / 1024), "seconds": round(time.perf_counter() - started)}


def table(result: dict[str, Any]) -> str:
    """The result for a person."""
    if "rows" in result:
        rows = [f"{row['sentences']:>9,}  {row['megabytes']:>6,} MB  {row['seconds']:>6,} s" for row in result["rows"]]
        return "\n".join([f"{result['checkpoint']}, {result['file']}", *rows])
    lines = [f"{title:<34}{result['seconds'][name]:>7.3f} s   (bar {bar} s)" for name, (title, bar) in WAITS.items()]
    return "\n".join(
        ["20 source words, on CPU", *lines, f"medians of {result['runs']} runs; load {result['load']:.1f}"]
    )
