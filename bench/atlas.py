"""How much memory an atlas takes, by the number of sentences: the most that a process of its own held at once."""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SENTENCES = (200, 800, 3200)
# The command in a process of its own, which then says what it held: kilobytes on Linux.
_RUN = "import resource, sys; from model.__main__ import main; done = main(sys.argv[1:]); "
_RUN += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss); sys.exit(done)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--tsv", type=Path, required=True, metavar="FILE", help="English, tab, Chinese a line")
    parser.add_argument(
        "--sentences", type=int, nargs="+", default=SENTENCES, metavar="N", help="lines of each run (200 800 3200)"
    )


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Most memory and seconds by number of lines; a file that has fewer is refused."""
    with args.tsv.open(encoding="utf-8") as file:
        there = sum(1 for _ in itertools.islice(file, max(args.sentences)))
    if there < max(args.sentences):
        raise SystemExit(f"{args.tsv.name} has {there} lines, fewer than {max(args.sentences)}")
    rows = [{"sentences": number, **_one(args, number)} for number in args.sentences]
    return {"bench": "atlas", "checkpoint": args.checkpoint, "file": args.tsv.name, "rows": rows}


def _one(args: argparse.Namespace, sentences: int) -> dict[str, float]:
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as out:
        options = ["atlas", "--tsv", str(args.tsv), "--limit", str(sentences), "--checkpoint", args.checkpoint]
        command = [sys.executable, "-c", _RUN, *options, "--out", out]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 — our own command
    return {"megabytes": round(int(done.stdout.split()[-1]) / 1024), "seconds": round(time.perf_counter() - started)}


def table(result: dict[str, Any]) -> str:
    """The result for people."""
    rows = [f"{row['sentences']:>9,}  {row['megabytes']:>6,} MB  {row['seconds']:>6,} s" for row in result["rows"]]
    return "\n".join([f"{result['checkpoint']}, {result['file']}", *rows])
