"""Options that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model.source import ModelHandle


def add_checkpoint(parser: argparse.ArgumentParser) -> None:
    """--checkpoint NAME, --models DIR."""
    parser.add_argument(
        "--checkpoint",
        default="en-zh",
        metavar="NAME",
        help="name or folder (default en-zh); of many languages: NAME@FROM-INTO",
    )
    parser.add_argument(
        "--models", metavar="DIR", help="folder of your own models, which --checkpoint may name (or HEADLIGHT_MODELS)"
    )


def opened(args: argparse.Namespace) -> ModelHandle:
    """The model that the options name.

    Raises:
        HeadlightError: there is none, or something is wrong with it.
    """
    from model.translator import open_model

    take_models(args)
    return open_model(args.checkpoint, _picture)


def take_models(args: argparse.Namespace) -> None:
    """Make the models in the folder that --models names known by their names.

    Raises:
        FolderError: there is no such folder.
    """
    from model.folders import set_models

    set_models(["--models", args.models] if args.models else [])


def _picture(name: str) -> bytes:
    """A picture that ships, by its name, or one in a file, by its path."""
    from model.common.pictures import shipped_picture
    from model.folder.picture import read_picture

    return shipped_picture(name) or read_picture(Path(name))


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
