"""Options that several commands share."""

from __future__ import annotations

import argparse


def add_checkpoint(parser: argparse.ArgumentParser) -> None:
    """--checkpoint NAME."""
    parser.add_argument("--checkpoint", default="en-zh", metavar="NAME", help="name or folder (default en-zh)")


def add_beam(parser: argparse.ArgumentParser) -> None:
    """--beam N."""
    parser.add_argument("--beam", type=positive, default=1, metavar="N", help="hypotheses kept; 1 is greedy (default)")


def add_joint(parser: argparse.ArgumentParser) -> None:
    """--joint."""
    parser.add_argument(
        "--joint", action="store_true", help="several sentences as one, instead of sentence by sentence"
    )


def positive(text: str) -> int:
    """A whole number of at least 1.

    Raises:
        argparse.ArgumentTypeError: it is anything else.
    """
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text!r}")
    return value
