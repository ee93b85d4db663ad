"""python -m model average: the mean of two checkpoints' weights."""

from __future__ import annotations

import argparse
from pathlib import Path

from model.folders import resolve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("first", metavar="FIRST", help="name or folder of a checkpoint")
    parser.add_argument("second", metavar="SECOND", help="one that began with the first, or with the same weights")
    parser.add_argument("--share", type=float, default=0.5, metavar="S", help="of the second (default 0.5)")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder of the new checkpoint")


def run(args: argparse.Namespace) -> None:
    """Write the mean, for ``evaluate`` to judge on dev."""
    from model.own.averaging import average

    command = f"python -m model {' '.join(args.argv)}"
    average(resolve(args.first), resolve(args.second), args.share, args.output, command)
    print(f"wrote {args.output.name}")
