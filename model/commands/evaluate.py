"""python -m model evaluate: corpus scores on a TSV file, as one JSON object."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from model.commands.options import add_beam, add_checkpoint, positive


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--tsv", type=Path, required=True, metavar="FILE", help="English, tab, Chinese a line")
    add_beam(parser)
    add_checkpoint(parser)
    parser.add_argument("--limit", type=positive, metavar="N", help="score the first N pairs only")


def run(args: argparse.Namespace) -> None:
    """Print bleu, chrf, sentences, seconds and signature; what was left out or cut goes to stderr."""
    from model.evaluation import evaluate
    from model.training.corpus import read_rows
    from model.translator import Translator

    rows = read_rows(args.tsv)[: args.limit]
    result = evaluate(Translator.from_checkpoint(args.checkpoint), rows, args.beam)
    for number, reason in result.refused.items():
        print(f"python -m model evaluate: line {number} counts as untranslated: {reason}", file=sys.stderr)
    if result.unfinished:
        print(f"python -m model evaluate: {result.unfinished} translations reached the cap on length", file=sys.stderr)
    values = {
        "bleu": round(result.scores.bleu, 2),
        "chrf": round(result.scores.chrf, 2),
        "sentences": len(rows),
        "seconds": round(result.seconds, 1),
        "signature": result.scores.signature,
    }
    print(json.dumps(values))
