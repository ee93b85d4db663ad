"""python -m model atlas: what every head does over a whole corpus, in parts that can be made on many machines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from model.commands.shared.options import add_checkpoint, opened, pair_bar, positive
from model.commands.shared.parts import own_part, part, part_files, ranks, weights_sha256
from model.errors import HeadlightError
from model.folders import resolve

if TYPE_CHECKING:
    from model.analysis.atlas.counts import Counts
    from model.source import ModelHandle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--tsv", type=Path, metavar="FILE", help="English, tab, Chinese a line")
    source.add_argument("--links", type=Path, metavar="FILE", help="pairs linked by people, as for align")
    source.add_argument("--merge", type=Path, nargs="+", metavar="DIR", help="add up the parts in these folders")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where parts, and the atlas, are written")
    add_checkpoint(parser)
    parser.add_argument("--limit", type=positive, metavar="N", help="the first N lines only")
    parser.add_argument("--mute", type=positive, default=0, metavar="N", help="on about N lines: what muting costs")
    parser.add_argument("--part", type=part, metavar="I/N", help="only the I-th of N parts, counted from 1")
    parser.add_argument(
        "--format",
        choices=["headvis"],
        help="also write the files of HeadVis and Neuronpedia; with nothing to count, of the atlas that is there",
    )
    parser.add_argument("--save", action="store_true", help="also write the atlas into the checkpoint's folder")


def run(args: argparse.Namespace) -> None:
    """Count, or add up what was counted; where all lines are counted, write the atlas."""
    if args.out is None and not args.save:
        raise HeadlightError("say with --out where the atlas is to be written, or --save for the checkpoint's folder")
    if not (args.tsv or args.links or args.merge or args.format):
        raise HeadlightError("say with --tsv, --links or --merge what is to be counted")
    if args.format and args.out is None:
        raise HeadlightError("say with --out where the files are to be written")
    if args.out is not None:
        args.out.mkdir(parents=True, exist_ok=True)
    if args.format and not (args.tsv or args.links or args.merge):
        write_other(resolve(args.checkpoint), args.out)
    elif args.merge:
        write(args, merge(args.merge))
    else:
        make(args)


def make(args: argparse.Namespace) -> None:
    """Count a part, or, of several processes that torchrun started, a part each, which the first adds up."""
    from model.analysis.atlas.lines import LineCorpus
    from model.analysis.atlas.run import count, facts_of, part_path

    corpus = LineCorpus.of(args.links or args.tsv, linked=args.links is not None, limit=args.limit)
    model = opened(args)
    facts = facts_of(model, corpus, weights_sha256(model, args.checkpoint), command_of(args, model), args.mute)
    with ranks() as (rank, size, wait):
        number, parts = own_part(args, rank, size)
        with pair_bar(sum(corpus.size(bucket) for bucket in corpus.buckets(number, parts))) as progress:
            counts = count(model, corpus, facts, number, parts, progress)
        if parts == 1 and not args.part:
            write(args, counts)
            return
        say(f"wrote {counts.save(part_path(args.out, number, parts)).name}")
        wait()
        if size > 1 and rank == 0:
            write(args, merge([part_path(args.out, each, parts) for each in range(parts)]))


def command_of(args: argparse.Namespace, model: ModelHandle) -> str:
    """The command that makes the whole at once, whichever parts were made; of paths the last part."""
    option, path = ("--links", args.links) if args.links else ("--tsv", args.tsv)
    words = ["python -m model atlas", option, path.name, "--checkpoint", model.name]
    words += ["--limit", str(args.limit)] if args.limit else []
    words += ["--mute", str(args.mute)] if args.mute else []
    return " ".join(words)


def merge(places: Sequence[Path]) -> Counts:
    """The sum of parts, files or all those in folders.

    Raises:
        CorpusError: there is none, or they do not fit together.
    """
    from model.analysis.atlas.counts import merged

    return merged(part_files(places))


def write(args: argparse.Namespace, counts: Counts) -> None:
    """Write the sum as one part, and the atlas where it is whole.

    Raises:
        HeadlightError: no line could be read.
    """
    from model.analysis.atlas.book import ATLAS, write_book
    from model.analysis.atlas.pages import index_of, pages_of
    from model.pairs import BUCKETS

    for name, number in sorted(counts.refused.items()):
        say(f"{number} lines were left out: {name}")
    if not counts.sentences:
        raise HeadlightError("no line could be read by this model")
    if not counts.is_whole:
        path = counts.save(args.out / "merged.npz")
        say(f"wrote {path.name}: {int(counts.buckets.sum())} of {BUCKETS} buckets are counted; there is no atlas yet")
        return
    counts.prune()
    index, pages = index_of(counts), pages_of(counts)
    for folder in [args.out] * bool(args.out) + [resolve(args.checkpoint)] * args.save:
        path = write_book(folder / ATLAS, index, pages)
        say(f"wrote {folder.name}/{path.name}, {path.stat().st_size:,} bytes")
    if args.format:
        write_other(args.out, args.out)


def write_other(folder: Path, out: Path) -> None:
    """Write the atlas that lies in a folder as HeadVis reads it.

    Raises:
        HeadlightError: there is none that can be read.
    """
    from model.analysis.atlas.book import read_atlas
    from model.analysis.atlas.headvis import write_headvis

    atlas = read_atlas(folder)
    if atlas is None:
        raise HeadlightError(f"{folder.name} has no atlas; make one with --tsv")
    for made in write_headvis(atlas, out):
        say(f"wrote {made.relative_to(out)}")


def say(what: str) -> None:
    """One line on stderr."""
    print(f"python -m model atlas: {what}", file=sys.stderr, flush=True)
