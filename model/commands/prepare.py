"""python -m model prepare: TSV files → a folder to train on."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from model.training.prepare import VocabularySettings, prepare, prepare_reversal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--tsv", type=Path, nargs="+", metavar="FILE", help="English, tab, Chinese [, tab, source] a line"
    )
    what.add_argument("--reversal", action="store_true", help="the toy task: letters and digits, backwards")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write")
    parser.add_argument(
        "--dev",
        type=Path,
        nargs="*",
        default=[],
        metavar="FILE",
        help="TSVs that choose the checkpoint (else held out)",
    )
    parser.add_argument("--must", type=Path, metavar="FILE", help="chooses too: English, words that it must become")
    parser.add_argument("--src-vocab", type=int, default=8000, metavar="N", help="English subwords (default 8000)")
    parser.add_argument("--tgt-merges", type=int, default=1500, metavar="N", help="merges for Latin words in Chinese")
    parser.add_argument("--vary", action="store_true", help="add pairs with other numbers and names, and joined ones")
    parser.add_argument(
        "--vocabularies", type=Path, metavar="DIR", help="keep those of an earlier prepared folder, or of a checkpoint"
    )
    parser.add_argument(
        "--more-src", type=int, default=0, metavar="N", help="with --vocabularies: add up to N English subwords to them"
    )
    parser.add_argument("--without", nargs="*", default=[], metavar="SOURCE", help="sources to leave out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--credits", type=Path, metavar="FILE", help="JSON with the sources' licences and credits")


def run(args: argparse.Namespace) -> None:
    """Prepare, and print what was written as one JSON object."""
    if args.reversal:
        summary = prepare_reversal(args.out, seed=args.seed)
    else:
        summary = prepare(
            args.tsv,
            args.out,
            args.dev,
            VocabularySettings(args.src_vocab, args.tgt_merges, args.vocabularies, args.more_src),
            args.seed,
            args.credits,
            args.vary,
            args.without,
            args.must,
        )
    print(json.dumps(summary, ensure_ascii=False))
