"""The command line of what is seen: python -m viz COMMAND."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from model.__main__ import Parser
from model.attribution.methods import METHOD_NAMES, SHIFTS
from model.commands.shared.options import add_beam, add_checkpoint, opened
from model.errors import HeadlightError
from model.files import write_bytes
from model.trace import AttentionTrace, HeadRef
from viz.core.selection import Selection
from viz.core.text import LANGUAGES
from viz.export import live
from viz.export.pages import page_of
from viz.export.show import command as talks
from viz.export.show.sights import best_head
from viz.export.shown import caption, check, labelled_maps, names, sheet_of

if TYPE_CHECKING:
    import numpy as np

    from model.source import Source
    from model.trace import Kind, TracedTranslation

NUMBERS = ("csv", "json", "npz")


class Command(NamedTuple):
    """A command: what it does, what declares its options, and what runs it and returns the text to print."""

    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], str]


def add_font(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command that makes the font of pictures."""
    parser.add_argument("--from", dest="collection", type=Path, required=True, metavar="NotoSansCJK-Regular.ttc")
    parser.add_argument("--vocabulary", type=Path, required=True, metavar="tgt.json", help="whose characters it holds")


def add_export(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = (
        "The ending of FILE says what it becomes: html, a page with every map that needs no server and no network; "
        "pdf, svg or png, a picture of the heads on white with a caption; csv or json, their numbers; "
        "npz, those of all. A head is a letter (e, d, c), its layer and its number: c2.5."
    )
    parser.add_argument(
        "text",
        nargs="?",
        metavar="TEXT",
        help="what the model is given; or a storyboard.yaml, which becomes a talk (html, pdf)",
    )
    parser.add_argument("--output", type=Path, metavar="FILE")
    parser.add_argument("--head", nargs="+", default=[], metavar="CODE", help="heads to show (default: the best one)")
    parser.add_argument("--together", choices=("head", "mean", "max"), default="head", help="several heads as one")
    parser.add_argument("--difference", action="store_true", help="of two heads, beside them")
    parser.add_argument("--method", choices=METHOD_NAMES, default="weights", help="what is shown (default weights)")
    parser.add_argument("--words", action="store_true", help="pieces merged into words")
    parser.add_argument("--hide-special", action="store_true", help="without <bos> and <eos>")
    parser.add_argument("--shift", choices=SHIFTS, default="written", help="what names a row of cross-attention")
    parser.add_argument("--own-scale", action="store_true", help="colours end at each map's own maximum")
    parser.add_argument("--threshold", type=float, default=0.0, metavar="PART", help="smaller values are blank")
    parser.add_argument("--width", type=float, default=16.0, metavar="CM", help="of a picture (default 16)")
    parser.add_argument("--type", type=float, default=9.0, metavar="PT", help="size of its type (default 9)")
    parser.add_argument("--lang", choices=tuple(LANGUAGES), default="en", help="of all words (default en)")
    parser.add_argument("--anyway", action="store_true", help="a talk: though an expectation of it does not hold")
    live.add_live(parser)
    add_checkpoint(parser)
    add_beam(parser)


def exported(args: argparse.Namespace) -> str:
    """Write what the options ask for: a page that translates, a talk, or a sentence; returns what is printed.

    Raises:
        HeadlightError: as ``export``; or nothing says what is to be written, or where.
    """
    if args.live:
        return live.export_live(args)
    if args.text is None or args.output is None:
        raise HeadlightError("export needs TEXT and --output FILE; or --live.")
    return (talks.export if talks.is_storyboard(args.text) else export)(args)


def export(args: argparse.Namespace) -> str:
    """Write the file; returns what is printed.

    Raises:
        HeadlightError: there is no such model, it cannot read the text, or the file's ending says nothing.
        ValueError: a head or a combination is not there.
    """
    from viz.charts.sheet.files import FILES

    ending = args.output.suffix.lstrip(".").lower()
    known = ("html", *FILES, *NUMBERS)
    if ending not in known:
        raise HeadlightError(f"{args.output} must end in {', '.join(known)}")
    model = opened(args)
    translation: TracedTranslation = model.translate(args.text, args.beam, capture=True)
    shown = selection_of(args, model, translation.trace)
    if ending == "html":
        data = page_of(model, translation, shown, args.lang).html.encode()
    else:
        data = file_of(ending, args, model, translation, shown)
    write_bytes(args.output, data)
    return translation.text


def selection_of(args: argparse.Namespace, model: Source, trace: AttentionTrace) -> Selection:
    """What the options ask for.

    Raises:
        ValueError: a head does not exist, or as ``shown.check``.
    """
    heads = []
    for code in args.head:
        head = HeadRef.parse(code)
        if head is None or head.kind not in trace.weights:
            raise ValueError(f"{code!r} is no head; c2.5 is head 5 of layer 2 of cross-attention")
        trace.map(*head)
        heads.append(head)
    found = Selection(
        tuple(heads) or (best_head(args.checkpoint, model, trace),),
        words=args.words,
        hide_special=args.hide_special,
        method=args.method,
        shift=args.shift,
        threshold=args.threshold,
        scale="own" if args.own_scale else "full",
        together="difference" if args.difference else "side" if args.together == "head" else args.together,
    )
    check(found)
    return found


def file_of(
    ending: str, args: argparse.Namespace, model: Source, translation: TracedTranslation, shown: Selection
) -> bytes:
    """A picture, or numbers."""
    from model.attribution.export import maps_csv, maps_json, trace_npz
    from model.attribution.methods import attribution_maps
    from viz.charts.sheet.files import FILES
    from viz.charts.sheet.sheet import SheetStyle

    if ending == "npz":
        return trace_npz(translation)
    maps: Mapping[Kind, np.ndarray] = attribution_maps(model, translation, shown.method)
    readings, titles = labelled_maps(shown, maps, translation.trace), names(shown, args.lang)
    if ending in NUMBERS:
        return (maps_csv if ending == "csv" else maps_json)(list(zip(titles, readings, strict=True))).encode()
    said = caption(shown, titles, (translation.source, translation.text, model.name), args.lang)
    style = SheetStyle(args.width, args.type)
    return FILES[ending](sheet_of(shown, list(zip(titles, readings, strict=True)), args.lang, said, style))


def make_font(args: argparse.Namespace) -> str:
    """Write the subset of Noto that pictures use: the characters of a vocabulary and of the interface."""
    from viz.charts.sheet.font import SHEET_FONT, make

    spelt = str(json.loads(args.vocabulary.read_text(encoding="utf-8")))
    interface = "".join("".join(strings.values()) for strings in LANGUAGES.values())
    return f"{SHEET_FONT.name}: {make(args.collection, {*spelt, *interface}):,} bytes"


VIEW_COMMANDS: Mapping[str, Command] = {
    "export": Command(
        "a sentence with its attention as a page, a picture or numbers; a storyboard as a talk; a page that translates",
        add_export,
        exported,
    ),
    "storyboard": Command(
        "the talks that ship, and whether a talk still holds", talks.add_storyboard, talks.storyboard
    ),
    "font": Command("make the font of pictures anew from Debian's fonts-noto-cjk", add_font, make_font),
}


def main(argv: list[str] | None = None, prog: str = "python -m viz") -> int:
    """Run one command; 0 on success, 2 with one sentence on stderr where the caller can mend it."""
    parser = Parser(prog=prog, description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in VIEW_COMMANDS.items():
        command.add_arguments(commands.add_parser(name, help=command.help))
    args = parser.parse_args(argv)
    try:
        print(VIEW_COMMANDS[args.command].run(args))
    except (HeadlightError, ValueError) as error:
        print(f"{prog} {args.command}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{prog} {args.command}: {error.filename}: {error.strerror or error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
