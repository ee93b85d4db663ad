"""python -m model tiny: train a tiny BERT, GPT or ViT in a few minutes, as a folder that transformers reads."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from model.folders import META

LOOKED_AT = 200  # scenes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("family", choices=("bert", "gpt", "vit"))
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument(
        "--tsv",
        type=Path,
        nargs="*",
        default=[],
        help="English, tab, anything, tab, source: Tatoeba and 3AM are taken; the ViT needs none",
    )
    parser.add_argument("--steps", type=int, help="other than its own number of steps")
    parser.add_argument(
        "--measure", action="store_true", help="train nothing: only look where the ViT in FOLDER looks on its scenes"
    )


def run(args: argparse.Namespace) -> None:
    """Train, write the folder, and say what was measured."""
    from model.tiny.make import make

    if not args.measure:
        command = " ".join(["python -m model tiny", args.family])
        command += "" if args.family == "vit" else f" --tsv {' '.join(path.name for path in args.tsv)}"
        command += f" --steps {args.steps}" if args.steps else ""
        scores = make(args.family, args.out, args.tsv, f"{command} --out {args.out}", args.steps)
        print(", ".join(f"{name} {value}" for name, value in scores.items()))
    if args.family == "vit":
        _look(args.out)


def _look(folder: Path) -> None:
    """Measure which share of what each map puts on patches falls on those that decide."""
    from model.analysis.faithfulness.table import SCENE_TABLE, measure
    from model.common.scenes import scene, scene_png
    from model.tables import save_table
    from model.tiny.vit import HELD_OUT_SCENES
    from model.translator import open_model

    numbers = HELD_OUT_SCENES[:LOOKED_AT]
    source = open_model(f"{folder}/", scene_png)
    seen = ((source.translate(f"scene-{number}", capture=True), *scene(number)[1:]) for number in numbers)
    table = measure(source, seen)
    sha256 = json.loads((folder / META).read_text(encoding="utf-8"))["sha256"]
    command = f"python -m model tiny vit --measure --out {folder}"
    save_table(f"{folder}/", SCENE_TABLE, {**table, "sha256": sha256, "command": command})
    print(f"{table['scenes']} scenes, {table['right_percent']} % right; {table['chance']:.0%} of the patches decide")
    for method, found in table["maps"].items():
        best = found["best"]
        print(f"{method}: {found['mean']:.0%} on them, best L{best['layer']} H{best['head']} {best['share']:.0%}")
