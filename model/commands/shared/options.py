"""Options that several commands share."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from model.source import ModelHandle

PART_OPTIONS = ("--part", "--out", "--merge")  # a table does not say how it was cut


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
    from model.common.scenes import shipped_picture
    from model.folder.picture import read_picture

    return shipped_picture(name) or read_picture(Path(name))


def add_beam(parser: argparse.ArgumentParser) -> None:
    """--beam N."""
    parser.add_argument("--beam", type=positive, default=1, metavar="N", help="hypotheses kept; 1 is greedy (default)")


def add_read_back(parser: argparse.ArgumentParser) -> None:
    """--read-back."""
    parser.add_argument(
        "--read-back",
        action="store_true",
        help="of the hypotheses of --beam (6 without it), take the one that the model and its backward model, "
        "which reads the translation back, together find best",
    )


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


def add_table_options(parser: argparse.ArgumentParser, line: str, truth: bool) -> None:
    """--tsv FILE (or --truth), --checkpoint NAME, --save, --json.

    Args:
        parser: of the command.
        line: what a line of the file holds.
        truth: whether the pairs that come with the program will do too.
    """
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--tsv", type=Path, metavar="FILE", help=line)
    if truth:
        source.add_argument("--truth", action="store_true", help="use the pairs that come with this program")
    add_checkpoint(parser)
    parser.add_argument("--save", action="store_true", help="also write the table into the checkpoint's folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")


def made_by(args: argparse.Namespace, translator: Any) -> dict[str, Any]:
    """Which weights and which command made a table."""
    names = {str(args.checkpoint): translator.name}
    return {"sha256": translator.meta.get("sha256"), "command": command_line(args, names)}


def command_line(args: argparse.Namespace, names: Mapping[str, str]) -> str:
    """The command as typed, whichever parts were made; of paths the last part, and what ``names`` says for a word."""
    files = [path for path in vars(args).values() if isinstance(path, Path)]
    named = {str(path): path.name for path in files} | dict(names)
    parts = PART_OPTIONS if "merge" in vars(args) else ()
    argv, in_parts = [], False
    for word in args.argv:
        in_parts = word.split("=")[0] in parts or (in_parts and not word.startswith("-"))
        argv += [] if in_parts else [named.get(word, word)]
    return f"python -m model {shlex.join(argv)}"


@contextmanager
def pair_bar(total: int) -> Iterator[Callable[[int], object]]:
    """A progress bar on stderr, to be called with the number of pairs done."""
    from tqdm import tqdm

    with tqdm(total=total, unit="pair", file=sys.stderr, disable=None) as bar:
        yield lambda done: bar.update(done - bar.n)


def say_left_out(command: str, refused: Mapping[int, str]) -> None:
    """One line on stderr for each line of the file that was left out."""
    for number, reason in refused.items():
        print(f"python -m model {command}: line {number} was left out: {reason}", file=sys.stderr)


def say_written(command: str, path: Path) -> None:
    """One line on stderr for a table that was saved."""
    print(f"python -m model {command}: wrote {path.parent.name}/{path.name}", file=sys.stderr)
