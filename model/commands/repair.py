"""python -m model repair: how often muting one head repairs a wrong token, over a file of sentence pairs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from model.commands.shared.options import add_checkpoint, opened, pair_bar, positive, say_left_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--tsv", type=Path, metavar="FILE", required=True, help="English, tab, Chinese a line")
    add_checkpoint(parser)
    parser.add_argument("--limit", type=positive, metavar="N", help="use the first N pairs only")


def run(args: argparse.Namespace) -> None:
    """Print one JSON object, see ``repair_rates``; what was left out goes to stderr."""
    from model.analysis.what_if.repair import repair_rates, turned
    from model.pairs import read_rows, score_pairs

    pairs = [(row[0], row[1]) for row in read_rows(args.tsv)][: args.limit]
    translator, tokens = opened(args), list[tuple[bool, float]]()
    with pair_bar(len(pairs)) as progress:
        refused = score_pairs(pairs, lambda pair: tokens.extend(turned(translator, *pair)), progress)
    say_left_out("repair", refused)
    print(json.dumps({"sentences": len(pairs) - len(refused), **repair_rates(tokens)}))
