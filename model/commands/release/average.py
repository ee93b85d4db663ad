"""python -m model average: the mean of two checkpoints' weights."""

from __future__ import annotations

import argparse
from pathlib import Path

from model.folders import resolve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("first", metavar="FIRST", help="name or folder of a checkpoint")
    parser.add_argument(
        "second",
        metavar="SECOND",
        help="one that began with the first, or with the same weights; it may know more tokens",
    )
    parser.add_argument("--share", type=float, default=0.5, metavar="S", help="of the second (default 0.5)")
    parser.add_argument("--dev", type=Path, metavar="FILE", help="pairs on which to score the mean, into meta.json")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder of the new checkpoint")


def run(args: argparse.Namespace) -> None:
    """Write the mean, with its BLEU on dev."""
    from model.commands.evaluate import corpus_facts
    from model.own.averaging import average, keep_score
    from model.pairs import read_rows
    from model.translator import Translator

    command = f"python -m model {' '.join(args.argv)}"
    average(resolve(args.first), resolve(args.second), args.share, args.output, command)
    if args.dev:
        rows = [(row[0], row[1]) for row in read_rows(args.dev)]
        bleu = corpus_facts(Translator.from_checkpoint(args.output), rows)["bleu"]
        keep_score(args.output, bleu)
        print(f"dev BLEU {bleu:.2f}")
    print(f"wrote {args.output.name}")
