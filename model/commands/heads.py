"""python -m model heads: what every head does, and what it is worth, over a file of sentence pairs."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from model.commands.options import add_checkpoint, positive

if TYPE_CHECKING:
    from model.head_table import HeadTable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--tsv", type=Path, required=True, metavar="FILE", help="English, tab, Chinese a line")
    add_checkpoint(parser)
    parser.add_argument("--limit", type=positive, metavar="N", help="use the first N pairs only")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.add_argument("--save", action="store_true", help="write heads.json into the checkpoint's folder")


def run(args: argparse.Namespace) -> None:
    """Print every head, the most important first; what was left out goes to stderr."""
    from tqdm import tqdm

    from model.analysis.corpus_heads import corpus_heads
    from model.folders import resolve
    from model.training.corpus import read_rows
    from model.translator import Translator

    pairs = [(row[0], row[1]) for row in read_rows(args.tsv)][: args.limit]
    translator = Translator.from_checkpoint(args.checkpoint)
    command = f"python -m model heads --checkpoint {translator.name} --tsv {args.tsv.name}"
    command += f" --limit {args.limit}" if args.limit else ""
    facts = {"sha256": translator.meta.get("sha256", ""), "command": f"{command} --save", "file": args.tsv.name}
    with tqdm(total=len(pairs), unit="pair", file=sys.stderr, disable=None) as bar:
        table, refused = corpus_heads(translator, pairs, facts, bar.update)
    for number, reason in refused.items():
        print(f"python -m model heads: line {number} was left out: {reason}", file=sys.stderr)
    if args.save:
        table.save(resolve(args.checkpoint))
    entries = ranked(table)
    if args.json:
        print(json.dumps({**table.facts, "heads": entries}, ensure_ascii=False))
        return
    print(f"{'head':<22}{'nats/token':>11}{'nats/sentence':>15}{'entropy':>9}{'distance':>10}{'confidence':>12}  role")
    for entry in entries:
        name = f"{entry['kind']} L{entry['layer']} H{entry['head']}"
        numbers = f"{entry['nats_per_token']:>11.4f}{entry['nats_per_sentence']:>15.3f}{entry['entropy']:>9.2f}"
        print(f"{name:<22}{numbers}{entry['distance']:>10.2f}{entry['confidence']:>12.2f}  {entry['role'] or '-'}")


def ranked(table: HeadTable) -> list[dict[str, Any]]:
    """One entry a head, the most important first."""
    from model.head_table import plain
    from model.trace import KINDS

    entries = []
    for kind in KINDS:
        measures = {name: plain(values) for name, values in table.measures[kind].items()}
        patterns = {name: plain(values) for name, values in table.patterns[kind].items()}
        for layer, row in enumerate(plain(table.importance[kind])):
            for head, importance in enumerate(row):
                entries.append(
                    {
                        "kind": kind,
                        "layer": layer,
                        "head": head,
                        "nats_per_token": importance,
                        "nats_per_sentence": round((importance or 0.0) * table.tokens_per_sentence, 4),
                        "role": table.roles[kind][layer][head],
                        "offset_at": int(table.offset_at[kind][layer, head]),
                        **{name: values[layer][head] for name, values in measures.items()},
                        "patterns": {name: values[layer][head] for name, values in patterns.items()},
                    }
                )
    return sorted(entries, key=lambda entry: -float(entry["nats_per_token"]))
