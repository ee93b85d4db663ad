"""python -m model lessons report: what a class has gained, from the tables that it was saved as."""

from __future__ import annotations

import argparse
from pathlib import Path

from model.analysis.lessons.gains import AnswersError, as_table, gains, halves_gains, read_answers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("what", choices=("report",), help="report: (post − pre) / (1 − pre) of each lesson")
    parser.add_argument("tables", nargs="+", type=Path, metavar="CSV", help="answers as the app saves them")


def run(args: argparse.Namespace) -> None:
    """Print a line a lesson and form."""
    answers = [answer for path in args.tables for answer in read_answers(path)]
    if not (found := gains(answers)):
        raise AnswersError("no lesson was asked both before and after")
    print(as_table(found, halves_gains(answers)))
