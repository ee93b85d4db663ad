"""python -m model align: alignment error rate of every cross-attention head, against links made by people."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from model.commands.options import add_checkpoint


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--tsv", type=Path, required=True, metavar="FILE", help="English, segmented Chinese, links i-j or ipj a line"
    )
    add_checkpoint(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")


def run(args: argparse.Namespace) -> None:
    """Print the error rates in percent, and the best single setting."""
    from tqdm import tqdm

    from model.analysis.alignment import DRAWN, SHIFTS, read_gold
    from model.analysis.error_table import best_setting, error_table
    from model.translator import Translator

    gold = read_gold(args.tsv)
    translator = Translator.from_checkpoint(args.checkpoint)
    with tqdm(total=len(gold), unit="pair", file=sys.stderr, disable=None) as bar:
        counts, refused = error_table(translator, gold, progress=lambda done: bar.update(done - bar.n))
    for number, reason in refused.items():
        print(f"python -m model align: line {number} was left out: {reason}", file=sys.stderr)
    config = translator.model.config
    heads = [*range(config.n_heads), "all"]
    table = {
        drawn: {
            shift: [
                [round(100 * counts[drawn, shift, layer, head].rate, 1) for head in range(len(heads))]
                for layer in range(config.n_decoder_layers)
            ]
            for shift in SHIFTS
        }
        for drawn in DRAWN
    }
    best = best_setting(counts, config.n_heads)
    if args.json:
        print(json.dumps({"sentences": len(gold) - len(refused), "best": best, "aer": table, "heads": heads}))
        return
    for drawn, by_shift in table.items():
        for shift, rows in by_shift.items():
            print(f"{drawn}, row of the step that has {shift} the word (AER %)")
            print("      " + "".join(f"{f'H{head}' if head != 'all' else 'all':>7}" for head in heads))
            for layer, row in enumerate(rows):
                print(f"  L{layer}  " + "".join(f"{value:7.1f}" for value in row))
    print(f"best: {best}")
