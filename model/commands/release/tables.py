"""python -m model tables: everything that follows from a checkpoint's weights, made where it is missing."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from model.commands.shared.options import add_checkpoint
from model.errors import HeadlightError
from model.release.parts import PARTS, Job


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_checkpoint(parser)
    line = "English, tab, Chinese a line"
    parser.add_argument("--dev", type=Path, metavar="FILE", help=f"{line}: heads, faithfulness, history")
    parser.add_argument("--test", type=Path, metavar="FILE", help=f"{line}: scores")
    parser.add_argument("--news", type=Path, metavar="FILE", help="pairs linked by people, as for align: news")
    parser.add_argument("--corpus", type=Path, metavar="FILE", help=f"{line}, 20,000 or more: atlas")
    parser.add_argument("--run", type=Path, metavar="DIR", help="the folder that train wrote: history")
    parser.add_argument("--weights", action="store_true", help="history keeps the snapshots too: for a small model")
    some = f"some of: {', '.join(PARTS)}"
    parser.add_argument("--only", nargs="+", type=_part, choices=PARTS, metavar="PART", help=some)
    parser.add_argument("--again", action="store_true", help="also what these weights have made already")


def run(args: argparse.Namespace) -> None:
    """Make every part that is missing or was made by other weights, and say on stderr how long it took.

    A part that needs a file that was not given is left out; so a run that was stopped goes on where it was.
    """
    job = Job.of(args)
    for name in args.only or PARTS:
        part = PARTS[name]
        if lacking := [need for need in part.needs if getattr(args, need) is None]:
            _say(name, f"left out: it needs --{', --'.join(lacking)}")
            continue
        if not part.applies(job):
            _say(name, f"left out: {part.unless}")
            continue
        if part.is_fresh(job) and not args.again:
            _say(name, "is there already")
            continue
        started = time.perf_counter()
        _say(name, "…")
        part.make(job)
        if not part.is_fresh(job):
            raise HeadlightError(f"{name} was made, but does not fit the weights")
        _say(name, f"{time.perf_counter() - started:.0f} s")


def _part(name: str) -> str:
    """A part by its name; the one that wrote into the README once is still known by that."""
    return "results" if name == "readme" else name


def _say(name: str, what: str) -> None:
    print(f"python -m model tables: {name}: {what}", file=sys.stderr, flush=True)
