"""python -m model faithfulness: which sort of map marks the words that the translation needs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from model.commands.shared.options import opened, positive
from model.commands.shared.table_options import add_table_options, made_by, pair_bar, say_left_out, say_written
from model.tables import save_table

TITLES = {
    "comprehensiveness": "compreh. ↑",
    "sufficiency": "suffic. ↓",
    "rank_correlation": "rank ↑",
    "token_cost": "token cost ↑",
    "token_rank_correlation": "token rank ↑",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_table_options(parser, "English, tab, Chinese a line", truth=True)
    parser.add_argument("--limit", type=positive, metavar="N", help="score the first N pairs only")


def run(args: argparse.Namespace) -> None:
    """Print comprehensiveness, sufficiency and rank correlation of every sort of map; left-out lines go to stderr."""
    from model.analysis.faithfulness.scores import faithfulness_table
    from model.analysis.faithfulness.table import FAITHFULNESS
    from model.source import require

    given = None if args.truth else _pairs(args.tsv)
    translator = opened(args)
    require(translator, "cross", "hide", "gradients")
    pairs = (_truth(translator) if given is None else given)[: args.limit]
    with pair_bar(len(pairs)) as progress:
        table = faithfulness_table(translator, pairs, progress)
    say_left_out("faithfulness", table.refused)
    facts = table.facts()
    if args.save:
        made = made_by(args, translator)
        say_written("faithfulness", save_table(args.checkpoint, FAITHFULNESS, made | facts))
    print(json.dumps(facts) if args.json else as_text(facts))


def _pairs(path: Path) -> list[tuple[str, str]]:
    from model.pairs import read_rows

    return [(english, chinese) for english, chinese, _ in read_rows(path)]


def _truth(translator: Any) -> list[tuple[str, str]]:
    from model.analysis.alignment.known_pairs import truth_pairs

    known = truth_pairs("characters" if getattr(translator, "by_letter", False) else "english")
    return [(pair.src_text, pair.tgt_text) for pair in known]


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
