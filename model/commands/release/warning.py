"""python -m model warning: at which confidence to warn of a translation, and how often that is right."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from model.commands.shared.options import add_table_options, made_by, pair_bar, positive, say_written
from model.errors import HeadlightError

if TYPE_CHECKING:
    from model.trace import Translation
    from model.translator import Translator


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_table_options(parser, "English, tab, Chinese a line", truth=False)
    parser.add_argument("--also", type=Path, metavar="FILE", help="more pairs that choose, such as long ones")
    parser.add_argument(
        "--score",
        type=Path,
        required=True,
        metavar="FILE",
        help="pairs that do not choose, on which the rates are taken",
    )
    parser.add_argument(
        "--judged", action="store_true", help="also on the translations that come with this program, judged by reading"
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="use the first N pairs of each file only")


def run(args: argparse.Namespace) -> None:
    """Print the threshold with its rates."""
    from model.analysis.faithfulness.deletion import leave_one_out
    from model.analysis.what_if.quality import WARNING
    from model.analysis.what_if.verdict import verdict
    from model.evaluation.warning import measured, warning
    from model.pairs import read_rows
    from model.tables import save_table
    from model.translator import Translator

    also = read_rows(args.also)[: args.limit] if args.also else []
    files = [[*read_rows(args.tsv)[: args.limit], *also], read_rows(args.score)[: args.limit]]
    translator = Translator.from_checkpoint(args.checkpoint)

    def judge(translation: Translation) -> tuple[float, bool, bool]:
        said = verdict(translation, leave_one_out(translator, translation), threshold=0.0)
        return said.confidence, said.level != "good", said.level == "bad"

    found = []
    for rows in files:
        with pair_bar(len(rows)) as progress:
            found.append(measured(translator, rows, judge, progress))
    try:
        facts = warning(*found)
    except ValueError as error:
        raise HeadlightError(f"{args.tsv.name}, {args.score.name}: {error}") from None
    if args.judged:
        facts["judged"] = _judged(translator, facts["threshold"])
    table = {**made_by(args, translator), "file": args.tsv.name, "scored_on": args.score.name, **facts}
    if args.save:
        say_written("warning", save_table(args.checkpoint, WARNING, table))
    if args.json:
        print(json.dumps(table, ensure_ascii=False))
    else:
        _print_rates(facts)


def _print_rates(facts: dict[str, Any]) -> None:
    others = facts["sentences"] - facts["poor"]
    print(f"doubt below a confidence of            {facts['threshold']:6.0%}")
    print(f"poor translations (chrF below {facts['poor_below']:.0f}) caught {facts['caught']:6.1%} of {facts['poor']}")
    print(f"others warned of                       {facts['false_alarms']:6.1%} of {others}")
    print(f"of those warned of, poor               {facts['right'] or 0:6.1%}")
    print(f"area under the curve                   {facts['auc']:6.2f}")
    if read := facts.get("judged"):
        print(f"by reading, wrong in meaning: caught   {read['caught'] or 0:6.1%} of {read['wrong']}")
        others = read["sentences"] - read["wrong"]
        print(f"by reading, right: warned of           {read['false_alarms'] or 0:6.1%} of {others}")
        if read["changed"]:
            print(f"{read['changed']} more are translated otherwise by these weights: judge them anew")


def _judged(translator: Translator, threshold: float) -> dict[str, Any]:
    from model.analysis.faithfulness.deletion import leave_one_out
    from model.analysis.what_if.verdict import verdict
    from model.evaluation.warning import judged_rates, read_judged

    sentences = read_judged()
    with pair_bar(len(sentences)) as progress:
        return judged_rates(
            translator,
            sentences,
            lambda said: verdict(said, leave_one_out(translator, said), threshold).level != "good",
            progress,
        )
