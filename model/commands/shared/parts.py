"""Parts of a corpus: the options of a command, and the processes that torchrun started."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from model.commands.shared.options import pair_bar
from model.errors import HeadlightError
from model.folders import META, resolve
from model.pairs import BUCKETS, Pair, PairArrays, PairScores, merged, numbers_of, run_facts

if TYPE_CHECKING:
    from model.source import ModelHandle

_PART = re.compile(r"([0-9]{1,4})/([0-9]{1,4})")


def add_parts(parser: argparse.ArgumentParser) -> None:
    """--part I/N, --out DIR, --merge DIR."""
    parser.add_argument("--part", type=part, metavar="I/N", help="only the I-th of N parts, counted from 1, into --out")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where parts are written")
    parser.add_argument(
        "--merge",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="put the parts in these folders together; name the pairs, too",
    )


def part(text: str) -> tuple[int, int]:
    """A part, counted from 0, and how many there are.

    Raises:
        argparse.ArgumentTypeError: it is no I/N with 1 ≤ I ≤ N ≤ 512.
    """
    match = _PART.fullmatch(text)
    one, all_parts = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= one <= all_parts <= BUCKETS:
        raise argparse.ArgumentTypeError(f"must be I/N with 1 ≤ I ≤ N ≤ {BUCKETS}, got {text!r}")
    return one - 1, all_parts


def own_part(args: argparse.Namespace, rank: int, size: int) -> tuple[int, int]:
    """Which part this process makes, counted from 0, of how many.

    Raises:
        HeadlightError: the options do not say where, or contradict torchrun.
    """
    if size > 1 and (args.part or args.out is None):
        raise HeadlightError("under torchrun each process takes a part by itself: give --out, and no --part")
    if args.part and args.out is None:
        raise HeadlightError("say with --out where the part is to be written")
    return (rank, size) if size > 1 else args.part or (0, 1)


def part_files(places: Sequence[Path], of: str = "part") -> list[Path]:
    """Files of parts, or all those in folders: of an atlas, or ``of`` a table, by its command's name."""
    return [file for place in places for file in (sorted(place.glob(f"{of}-*.npz")) if place.is_dir() else [place])]


def weights_sha256(model: ModelHandle, checkpoint: str) -> str | None:
    """Of the weights: as the folder's meta.json says, else as the model does; None where nobody knows."""
    path = resolve(checkpoint) / META
    said: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    found = said.get("sha256") or getattr(model, "meta", {}).get("sha256")
    return None if found is None else str(found)


def scores_of(
    args: argparse.Namespace,
    command: str,
    model: ModelHandle,
    pairs: Sequence[Pair],
    texts: Sequence[tuple[str, str]],
    score: Callable[[int, Pair], PairArrays],
) -> PairScores | None:
    """Scores of all pairs: made here, by the processes of torchrun, or read with --merge; None after a part alone.

    Args:
        args: with ``add_parts``.
        command: that asks; parts of another command are refused.
        pairs: of the corpus, in its order.
        texts: English and Chinese of each.
        score: of one pair, by its number, counted from 1.

    Raises:
        HeadlightError: the options contradict each other, or parts do not fit together.
    """
    facts = run_facts(command, model.name, weights_sha256(model, args.checkpoint), texts)
    if args.merge:
        return merged(facts, part_files(args.merge, command))
    with ranks() as (rank, size, wait):
        number, parts = own_part(args, rank, size)
        numbers = numbers_of(texts, number, parts)
        with pair_bar(len(numbers)) as progress:
            found = PairScores.of(pairs, score, progress, facts, numbers)
        if parts == 1 and not args.part:
            return found
        files = saved_part(args.out, found, command, number, parts)
        wait()
    return merged(facts, files) if size > 1 and rank == 0 else None


def saved_part(folder: Path, found: PairScores, command: str, part: int, parts: int) -> list[Path]:
    """Write a part, counted from 0; the files of all parts."""
    from model.analysis.atlas.run import part_path

    folder.mkdir(parents=True, exist_ok=True)
    files = [part_path(folder, each, parts, command) for each in range(parts)]
    found.save(files[part])
    print(f"python -m model {command}: wrote {files[part].name}", file=sys.stderr, flush=True)
    return files


_LONGEST = timedelta(days=7)  # one part may take so much longer than another


@contextmanager
def ranks() -> Iterator[tuple[int, int, Callable[[], object]]]:
    """This process's number, how many there are, and a wait for all; (0, 1, nothing) where torchrun started none."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield 0, 1, lambda: None
        return
    import torch.distributed as dist

    dist.init_process_group("gloo", timeout=_LONGEST)
    try:
        yield dist.get_rank(), size, dist.barrier
    finally:
        dist.destroy_process_group()
