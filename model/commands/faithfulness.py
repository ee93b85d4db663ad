"""python -m model faithfulness: which sort of map marks the words that the translation needs."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from model.commands.options import add_checkpoint, positive

if TYPE_CHECKING:
    from model.analysis.faithfulness import FaithfulnessTable
    from model.translator import Translator

TITLES = {
    "comprehensiveness": "compreh. ↑",
    "sufficiency": "suffic. ↓",
    "rank_correlation": "rank ↑",
    "token_cost": "token cost ↑",
    "token_rank_correlation": "token rank ↑",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--tsv", type=Path, metavar="FILE", help="English, tab, Chinese a line")
    source.add_argument("--truth", action="store_true", help="use the pairs that come with this program")
    add_checkpoint(parser)
    parser.add_argument("--limit", type=positive, metavar="N", help="score the first N pairs only")
    parser.add_argument("--save", action="store_true", help="also write the table into the checkpoint's folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")


def run(args: argparse.Namespace) -> None:
    """Print comprehensiveness, sufficiency and rank correlation of every sort of map; left-out lines go to stderr."""
    from model.analysis.faithful_table import save_faithfulness
    from model.translator import Translator

    given = None if args.truth else _pairs(args.tsv)
    translator = Translator.from_checkpoint(args.checkpoint)
    pairs = _truth(translator) if given is None else given
    table = _with_bar(translator, pairs[: args.limit])
    for number, reason in table.refused.items():
        print(f"python -m model faithfulness: line {number} was left out: {reason}", file=sys.stderr)
    facts = table.facts()
    if args.save:
        names = {str(args.tsv): getattr(args.tsv, "name", ""), str(args.checkpoint): translator.name}
        argv = [names.get(word, word) for word in args.argv]
        made = {"sha256": translator.meta.get("sha256"), "command": f"python -m model {shlex.join(argv)}"}
        path = save_faithfulness(args.checkpoint, made | facts)
        print(f"python -m model faithfulness: wrote {path.parent.name}/{path.name}", file=sys.stderr)
    print(json.dumps(facts) if args.json else as_text(facts))


def _pairs(path: Path) -> list[tuple[str, str]]:
    from model.training.corpus import read_rows

    return [(english, chinese) for english, chinese, _ in read_rows(path)]


def _truth(translator: Translator) -> list[tuple[str, str]]:
    from model.analysis.truth import truth_pairs

    return [(pair.src_text, pair.tgt_text) for pair in truth_pairs(translator.src_tokenizer.kind)]


def as_text(facts: dict[str, Any]) -> str:
    """The table for people: mean ± standard error, one line a sort of map."""
    lines = [
        f"{facts['sentences']} pairs, {facts['tokens']} tokens; words are masked; nats a token, ± standard error",
        f"{'':16}" + "".join(f"{title:>18}" for title in TITLES.values()),
    ]
    for name, measures in facts["drawn"].items():
        lines.append(f"{name:16}" + "".join(f"{_cell(measures[measure]):>18}" for measure in TITLES))
    for measure, best in facts["best"].items():
        lead = f"{best['lead']:.3f} ± {best['se'] or 0:.3f}"
        lines.append(f"best by {measure}: {best['drawn']}, ahead of {best['next']} by {lead}")
    return "\n".join(lines)


def _cell(value: dict[str, float | None]) -> str:
    return "–" if value["mean"] is None else f"{value['mean']:.3f} ± {value['se'] or 0:.3f}"


def _with_bar(translator: Translator, pairs: list[tuple[str, str]]) -> FaithfulnessTable:
    from tqdm import tqdm

    from model.analysis.faithfulness import faithfulness_table

    with tqdm(total=len(pairs), unit="pair", file=sys.stderr, disable=None) as bar:
        return faithfulness_table(translator, pairs, progress=lambda done: bar.update(done - bar.n))
