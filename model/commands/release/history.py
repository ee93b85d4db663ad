"""python -m model history: what a checkpoint could do at some twenty points of its training, kept beside it."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from model.commands.shared.options import add_checkpoint, positive

if TYPE_CHECKING:
    from model.translator import Translator


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--run", type=Path, required=True, metavar="DIR", help="the folder that train wrote, with its snapshots"
    )
    parser.add_argument("--dev", type=Path, required=True, metavar="FILE", help="English, tab, Chinese a line")
    add_checkpoint(parser)
    parser.add_argument("--points", type=positive, default=20, metavar="N", help="at most so many (default 20)")
    parser.add_argument("--weights", action="store_true", help="keep the snapshots themselves too: for a small model")


def run(args: argparse.Namespace) -> None:
    """Write history.npz, and print BLEU and the best head's alignment error at every point."""
    from model.pairs import read_rows
    from model.translator import Translator

    rows = read_rows(args.dev)
    translator = Translator.from_checkpoint(args.checkpoint)
    print(write_history(translator, args.checkpoint, args.run, args.dev.name, rows, args.points, args.weights))


def write_history(
    translator: Translator,
    checkpoint: str,
    run: Path,
    dev_name: str,
    rows: list[tuple[str, str, str]],
    points: int,
    weights: bool,
) -> str:
    """Write history.npz into the checkpoint's folder; a line a point for people."""
    from tqdm import tqdm

    from model.files import aside
    from model.folders import resolve
    from model.history import SNAPSHOTS, save_history
    from model.release.past import DEV_PAIRS, earlier_history, make_history, points_of

    folder = resolve(str(checkpoint))
    earlier = earlier_history(translator, folder)
    with tqdm(total=points, unit="point", file=sys.stderr, disable=None) as bar:
        history = make_history(translator, run, rows, points, lambda done: bar.update(done - bar.n), earlier)
    history.facts["command"] = f"python -m model history --checkpoint {translator.name} --dev {dev_name}"
    history.facts["dev"] = {"file": dev_name, "sentences": min(DEV_PAIRS, len(rows))}
    path = save_history(folder, history)
    if weights and (run / SNAPSHOTS).resolve() != (folder / SNAPSHOTS).resolve():
        (folder / SNAPSHOTS).mkdir(exist_ok=True)
        for _, snapshot in points_of(translator, run, points):
            if snapshot is not None:
                with aside(folder / SNAPSHOTS / snapshot.name) as part:
                    shutil.copyfile(snapshot, part)
    lines = [f"{'step':>8}{'tokens':>12}{'dev BLEU':>10}{'best head AER':>15}"]
    for step, tokens, bleu, aer in zip(history.step, history.tokens, history.dev_bleu, history.aer, strict=True):
        lines.append(f"{step:>8,}{tokens:>12,}{bleu:>10.1f}{aer.min():>15.1f}")
    print(f"python -m model history: wrote {folder.name}/{path.name}", file=sys.stderr)
    return "\n".join(lines)
