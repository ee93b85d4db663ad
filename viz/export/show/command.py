"""python -m viz storyboard, and python -m viz export of one: a talk in a file, checked before it is written."""

from __future__ import annotations

import argparse
from pathlib import Path

from model.commands.shared.options import take_models
from model.errors import CheckpointError
from model.files import write_bytes
from model.folders import entry, shelf
from model.source import ModelHandle
from viz.export.show.handout import handout
from viz.export.show.reading import ENDINGS, open_storyboard, shipped, shipped_storyboard
from viz.export.show.staged import Stage, stage
from viz.export.show.storyboard import Storyboard, StoryboardError
from viz.export.show.talk import talk_page, view_stills


def add_storyboard(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``storyboard``."""
    parser.description = (
        "Says which talks ship; with names or files, whether each can be played and still shows what it expects."
    )
    parser.add_argument("what", nargs="?", choices=("list", "check"), default="list", help="(default list)")
    parser.add_argument("files", nargs="*", metavar="NAME|FILE", help="of talks (default: those that ship)")


def storyboard(args: argparse.Namespace) -> str:
    """The talks and their titles; or that they hold.

    Raises:
        HeadlightError: one cannot be played, or an expectation does not hold.
        OSError: a file cannot be read.
    """
    names = args.files or shipped()
    found = {name: storyboard_of(name) for name in names}
    if args.what == "list":
        return "\n".join(
            f"{name}: {each.title.en} · {each.title.zh}, scenes: {len(each.scenes)}" for name, each in found.items()
        )
    lines, problems = [], []
    for name, each in found.items():
        shown = stage(each, open_named)
        problems += [f"{name}, {problem}" for problem in shown.problems]
        view_stills(shown, "en")
        count, expected = len(each.scenes), sum(len(scene.expect) for scene in each.scenes)
        lines.append(f"{name}: scenes: {count}, expectations that hold: {expected - len(shown.problems)} of {expected}")
    if problems:
        raise StoryboardError("; ".join(problems))
    return "\n".join(lines)


def is_storyboard(text: str) -> bool:
    """Whether what is to be exported is a storyboard and no sentence."""
    return text.lower().endswith(ENDINGS) or text in shipped()


def storyboard_of(name: str) -> Storyboard:
    """A talk that ships, by its name, or one in a file.

    Raises:
        OSError, StoryboardError: it cannot be read.
    """
    return shipped_storyboard(name) if name in shipped() else open_storyboard(Path(name))


def export(args: argparse.Namespace) -> str:
    """Write the talk, or its handout; returns what is printed.

    Raises:
        HeadlightError: it cannot be played, or an expectation does not hold.
        OSError: a file cannot be read or written.
    """
    ending = args.output.suffix.lstrip(".").lower()
    if ending not in ("html", "pdf"):
        raise StoryboardError(f"{args.output} must end in html or pdf: a storyboard becomes a talk or a handout.")
    take_models(args)
    shown = stage(storyboard_of(args.text), open_named)
    if shown.problems and not args.anyway:
        found = "; ".join(map(str, shown.problems))
        raise StoryboardError(f"The talk no longer shows what it expects: {found}. --anyway writes it nevertheless.")
    data = file_of(shown, ending, args.lang)
    write_bytes(args.output, data)
    return f"{args.output}: {len(data):,} bytes, scenes: {len(shown.scenes)}"


def file_of(shown: Stage, ending: str, language: str) -> bytes:
    """The talk as "html", or its handout as "pdf"."""
    return talk_page(shown, language).encode() if ending == "html" else handout(shown, language)


def open_named(name: str) -> ModelHandle:
    """A model by the name that it is listed under, with languages or a step; a storyboard cannot name a path.

    Raises:
        HeadlightError: there is none, or something is wrong with it.
    """
    from model.translator import open_model

    if entry(name) is None:
        raise CheckpointError(f"there is no model {name[:60]!r}; there are: {', '.join(shelf())}")
    return open_model(name)
