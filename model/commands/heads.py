"""python -m model heads: what every head does, and what it is worth, over a file of sentence pairs."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from model.commands.shared.options import (
    add_table_options,
    made_by,
    opened,
    positive,
    say_left_out,
    say_written,
)
from model.commands.shared.parts import add_parts, scores_of

if TYPE_CHECKING:
    from model.analysis.heads.table import HeadTable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_table_options(parser, "English, tab, Chinese a line", truth=False)
    parser.add_argument("--limit", type=positive, metavar="N", help="use the first N pairs only")
    add_parts(parser)


def run(args: argparse.Namespace) -> None:
    """Print every head, the most important first; what was left out goes to stderr."""
    from model.analysis.heads.corpus import heads_of, score_heads
    from model.folders import resolve
    from model.pairs import read_rows

    pairs = [(row[0], row[1]) for row in read_rows(args.tsv)][: args.limit]
    translator = opened(args)
    facts = {**made_by(args, translator), "file": args.tsv.name}
    found = scores_of(args, "heads", translator, pairs, pairs, lambda _, pair: score_heads(translator, *pair))
    if found is None:
        return
    table = heads_of(translator, pairs, found, facts)
    say_left_out("heads", found.refused)
    if args.save:
        say_written("heads", table.save(resolve(args.checkpoint)))
    entries = ranked(table)
    if args.json:
        print(json.dumps({**table.facts, "heads": entries}, ensure_ascii=False))
        return
    titles = f"{'head':<22}{'nats/token':>11}{'±':>8}{'nats/sentence':>15}{'entropy':>9}"
    print(f"{titles}{'distance':>10}{'confidence':>12}  role")
    for entry in entries:
        name = f"{entry['kind']} L{entry['layer']} H{entry['head']}"
        numbers = f"{entry['nats_per_token']:>11.4f}{entry['se'] or 0:>8.4f}{entry['nats_per_sentence']:>15.3f}"
        numbers += f"{entry['entropy']:>9.2f}"
        print(f"{name:<22}{numbers}{entry['distance']:>10.2f}{entry['confidence']:>12.2f}  {entry['role'] or '-'}")
    for each in table.facts.get("together", {}).get("sets", ()):
        error = "" if each["se"] is None else f" ± {each['se']:.4f}"
        name = f"muted together, {each['which']} {len(each['heads'])}"
        print(f"{name}: {each['cost']:.4f}{error}, alone {each['alone']:.4f}")


def ranked(table: HeadTable) -> list[dict[str, Any]]:
    """One entry a head, the most important first."""
    from model.analysis.heads.table import plain

    entries = []
    for kind in table.importance:
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
                        "se": plain(table.errors[kind])[layer][head],
                        "nats_per_sentence": round((importance or 0.0) * table.tokens_per_sentence, 4),
                        "role": table.roles[kind][layer][head],
                        "offset_at": int(table.offset_at[kind][layer, head]),
                        **{name: values[layer][head] for name, values in measures.items()},
                        "patterns": {name: values[layer][head] for name, values in patterns.items()},
                    }
                )
    return sorted(entries, key=lambda entry: -float(entry["nats_per_token"]))
