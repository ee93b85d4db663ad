"""python -m model faithfulness: which sort of map marks the words that the translation needs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from model.commands.shared.options import (
    add_table_options,
    made_by,
    opened,
    positive,
    say_left_out,
    say_written,
)
from model.commands.shared.parts import add_parts, scores_of
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
    add_parts(parser)


def run(args: argparse.Namespace) -> None:
    """Print how well every sort of map does in each setting; left-out lines go to stderr."""
    from model.analysis.faithfulness.corpus import score_pair, table_of
    from model.analysis.faithfulness.table import FAITHFULNESS
    from model.source import require

    given = None if args.truth else _pairs(args.tsv)
    translator = opened(args)
    require(translator, "cross", "hide", "gradients")
    pairs = (_truth(translator) if given is None else given)[: args.limit]
    found = scores_of(args, "faithfulness", translator, pairs, pairs, lambda *each: score_pair(translator, *each))
    if found is None:
        return
    table = table_of(found)
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
    """The table for people: mean ± standard error a row, and how far it is ahead of norms, a block a setting."""
    lines = [
        f"{facts['sentences']} pairs, {facts['tokens']} tokens; nats a token, ± standard error; < > ahead of norms"
    ]
    for setting in facts["settings"]:
        lines += ["", f"{setting['target']}, {setting['way']} ({setting['sentences']} translations)"]
        lines.append(f"{'':16}" + "".join(f"{title:>28}" for title in TITLES.values()) + "      seconds")
        for name, measures in setting["rows"].items():
            cells = "".join(f"{_cell(measures[measure]):>28}" for measure in TITLES)
            seconds = facts["seconds"].get(name)
            lines.append(f"{name:16}{cells}{'' if seconds is None else f'{seconds:13.4f}'}")
    return "\n".join([*lines, "", f"most ahead, of those that take nothing away: {facts['best']}"])


def _cell(value: dict[str, float | None]) -> str:
    if value["mean"] is None:
        return "–"
    gap = "" if value["gap"] is None else f" <{value['gap']:+.3f}±{value['gap_se'] or 0:.3f}>"
    return f"{value['mean']:.3f}±{value['se'] or 0:.3f}{gap}"
