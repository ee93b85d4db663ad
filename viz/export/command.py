"""python -m viz export: a translation with its maps as a page, a picture or numbers."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from model.analysis.maps.sorts import DRAWN, SHIFTS, SORTS, Shift
from model.commands.shared.options import add_beam, add_checkpoint
from model.errors import HeadlightError
from model.folders import META, resolve
from model.trace import KIND_LETTERS, AttentionTrace, HeadRef
from viz.export.pages import page_of
from viz.export.shown import Shown, caption, names, sheet_of
from viz.text import LANGUAGES

if TYPE_CHECKING:
    import numpy as np

    from model.own.translator import Translator
    from model.trace import Kind, TracedTranslation

NUMBERS = ("csv", "json", "npz")


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
        "text", metavar="TEXT", help="what to translate; or a storyboard.yaml, which becomes a talk (html, pdf)"
    )
    parser.add_argument("--output", type=Path, required=True, metavar="FILE")
    parser.add_argument("--head", nargs="+", default=[], metavar="CODE", help="heads to show (default: the best one)")
    parser.add_argument("--together", choices=("head", "mean", "max"), default="head", help="several heads as one")
    parser.add_argument("--difference", action="store_true", help="of two heads, beside them")
    parser.add_argument("--drawn", choices=DRAWN, default="weights", help="what is drawn (default weights)")
    parser.add_argument("--words", action="store_true", help="pieces merged into words")
    parser.add_argument("--hide-special", action="store_true", help="without <bos> and <eos>")
    parser.add_argument("--shift", choices=SHIFTS, default="written", help="what names a row of cross-attention")
    parser.add_argument("--own-scale", action="store_true", help="colours end at each map's own maximum")
    parser.add_argument("--threshold", type=float, default=0.0, metavar="PART", help="smaller values are blank")
    parser.add_argument("--width", type=float, default=16.0, metavar="CM", help="of a picture (default 16)")
    parser.add_argument("--type", type=float, default=9.0, metavar="PT", help="size of its type (default 9)")
    parser.add_argument("--lang", choices=tuple(LANGUAGES), default="en", help="of all words (default en)")
    parser.add_argument("--anyway", action="store_true", help="a talk: though an expectation of it does not hold")
    add_checkpoint(parser)
    add_beam(parser)


def export(args: argparse.Namespace) -> str:
    """Write the file; returns what is printed.

    Raises:
        HeadlightError: the sentence cannot be translated, or the file's ending says nothing.
        ValueError: a head or a combination is not there.
    """
    from model.own.translator import Translator
    from viz.figures.sheet.files import FILES

    ending = args.output.suffix.lstrip(".").lower()
    known = ("html", *FILES, *NUMBERS)
    if ending not in known:
        raise HeadlightError(f"{args.output} must end in {', '.join(known)}")
    translator = Translator.from_checkpoint(args.checkpoint)
    translation = translator.translate(args.text, args.beam, capture=True)
    shown = shown_of(args, translation.trace, translator.name)
    if ending == "html":
        data = page_of(translator, translation, shown, args.lang).html.encode()
    else:
        data = file_of(ending, args, translator, translation, shown)
    args.output.write_bytes(data)
    return translation.text


def shown_of(args: argparse.Namespace, trace: AttentionTrace, name: str) -> Shown:
    """What the options ask for.

    Raises:
        ValueError: a head does not exist.
    """
    heads = []
    for code in args.head:
        head = HeadRef.parse(code)
        if head is None or head.kind not in trace.weights:
            raise ValueError(f"{code!r} is no head; c2.5 is head 5 of layer 2 of cross-attention")
        trace.map(*head)
        heads.append(head)
    chosen = tuple(heads) or (best_head(trace, name),)
    how, own = args.together, args.own_scale
    # Rows of some sorts are about what their step writes.
    shift: Shift = "written" if SORTS[args.drawn].of_written else args.shift
    return Shown(
        chosen, how, args.drawn, None, args.words, args.hide_special, shift, own, args.threshold, args.difference
    )


def best_head(trace: AttentionTrace, name: str) -> HeadRef:
    """The best head of the checkpoint's alignment table, if these weights made one; else the last kind's first."""
    from model.analysis.alignment.known_pairs import load_alignment

    meta = json.loads((resolve(name) / META).read_text(encoding="utf-8")) if (resolve(name) / META).is_file() else {}
    table, _ = load_alignment(name, str(meta.get("sha256")))
    if table:
        best = table["best_head"]
        return HeadRef(best["kind"], best["layer"], best["head"])
    return HeadRef([kind for kind in KIND_LETTERS if kind in trace.weights][-1], 0, 0)


def file_of(
    ending: str, args: argparse.Namespace, translator: Translator, translation: TracedTranslation, shown: Shown
) -> bytes:
    """A picture, or numbers."""
    from model.analysis.maps.export import maps_csv, maps_json, trace_npz
    from model.analysis.maps.sorts import drawn_maps
    from viz.figures.sheet.files import FILES
    from viz.figures.sheet.sheet import SheetStyle

    if ending == "npz":
        return trace_npz(translation)
    maps: Mapping[Kind, np.ndarray] = drawn_maps(translator, translation, shown.drawn)
    readings, titles = shown.readings(maps, translation.trace), names(shown, args.lang)
    if ending in NUMBERS:
        return (maps_csv if ending == "csv" else maps_json)(list(zip(titles, readings, strict=True))).encode()
    said = caption(shown, titles, (translation.source, translation.text, translator.name), args.lang)
    style = SheetStyle(args.width, args.type)
    return FILES[ending](sheet_of(shown, list(zip(titles, readings, strict=True)), args.lang, said, style))


def make_font(args: argparse.Namespace) -> str:
    """Write the subset of Noto that pictures use: the characters of a vocabulary and of the interface."""
    from viz.figures.sheet.font import SHEET_FONT, make

    spelt = str(json.loads(args.vocabulary.read_text(encoding="utf-8")))
    interface = "".join("".join(strings.values()) for strings in LANGUAGES.values())
    return f"{SHEET_FONT.name}: {make(args.collection, {*spelt, *interface}):,} bytes"
