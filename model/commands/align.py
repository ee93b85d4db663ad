"""python -m model align: alignment error rate of every cross-attention head, against links made by people."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from model.analysis.alignment.error_table import rates
from model.commands.shared.options import add_table_options, made_by, opened, say_left_out, say_written
from model.commands.shared.parts import add_parts, scores_of
from model.tables import save_table

if TYPE_CHECKING:
    from model.analysis.alignment.error_table import ErrorTable

RESAMPLES = 2_000


def held_out(table: ErrorTable, single: bool = False, seed: int = 1) -> dict[str, Any] | None:
    """Error rate of the setting that the other half of the pairs would have chosen; None for fewer than 4 pairs.

    The best of several hundred settings on some pairs does worse on others. So the pairs are halved
    (every other one), each half chooses a setting, and the other half scores it.

    Args:
        table: counts of every setting for each pair.
        single: choose among single heads, see ``ErrorTable.lowest``.
        seed: of the bootstrap.

    Returns:
        ``aer``: percent over all pairs, each scored with the setting that the half without it chose;
        ``interval``: its 95 % interval, by drawing pairs with replacement, the settings held fixed
        (Koehn 2004); ``halves``: for each half the setting it ``chose``, the ``aer_there``, and ``aer``
        and ``interval`` on the other half.
    """
    if table.pairs < 4:
        return None
    found, hits = (np.stack([counts[part] for counts in table.by_pair]) for part in (0, 1))
    sure = np.array([counts[2] for counts in table.by_pair])
    rng = np.random.default_rng(seed)
    halves, scored = [], []
    for half in (0, 1):
        here, there = (np.arange(table.pairs) % 2 == side for side in (half, 1 - half))
        every = rates(found[here].sum(0), hits[here].sum(0), int(sure[here].sum()))
        at = table.lowest(every, single)
        counts = np.stack((found[there][:, *at] + sure[there], hits[there][:, *at]), 1)
        scored.append(counts)
        facts = {"chose": table.named(at), "aer_there": _percent(float(every[at])), **_scored(counts, rng)}
        halves.append({"pairs": int(here.sum()), **facts})
    return {**_scored(np.concatenate(scored), rng), "halves": halves}


def _scored(counts: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    """AER in percent and its interval from [pairs, 2] counts: links that could be right or wrong, and hits."""
    method = rng.integers(len(counts), size=(RESAMPLES, len(counts)))
    again = counts[method].sum(1)
    low, high = np.quantile(1 - again[:, 1] / np.maximum(again[:, 0], 1), (0.025, 0.975))
    total, hits = counts.sum(0)
    return {"aer": _percent(1 - hits / max(total, 1)), "interval": [_percent(low), _percent(high)]}


def _percent(rate: float) -> float:
    return round(100 * float(rate), 2)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_table_options(parser, "English, segmented Chinese, links i-j or ipj a line", truth=True)
    add_parts(parser)


def run(args: argparse.Namespace) -> None:
    """Print the error rates in percent, and the best single setting."""
    from model.analysis.alignment.error_table import score_links, table_of
    from model.analysis.alignment.gold import read_gold
    from model.analysis.alignment.known_pairs import ALIGNMENT, truth_pairs
    from model.source import require

    translator = opened(args)
    require(translator, "cross", "internals", "gradients")
    by_letter = getattr(translator, "by_letter", False)
    gold = truth_pairs("characters" if by_letter else "english") if args.truth else read_gold(args.tsv, by_letter)
    texts = [(pair.src_text, pair.tgt_text) for pair in gold]
    found = scores_of(args, "align", translator, gold, texts, lambda _, pair: score_links(translator, pair))
    if found is None:
        return
    table = table_of(translator, found)
    say_left_out("align", table.refused)
    facts = facts_of(table)
    if args.save:
        say_written("align", save_table(args.checkpoint, ALIGNMENT, made_by(args, translator) | facts))
    print(json.dumps(facts) if args.json else _as_text(facts))


def facts_of(table: ErrorTable) -> dict[str, Any]:
    """What is printed and saved: the best settings, what they are worth on held-out pairs, and every rate."""

    return {
        "sentences": table.pairs,
        "sure_links": table.sure,
        "diagonal": round(100 * table.diagonal_rate, 1),
        "best": table.best(),
        "best_head": table.best(single=True),
        "one_head": table.best_of_one_head(),
        "held_out": {"best": held_out(table), "best_head": held_out(table, single=True)},
        "named": table.answers(),
        "heads": [*range(table.n_heads), "all"],
        "aer": table.percents(),
    }


RULE_TITLES = {
    "argmax": "each Chinese word linked to its strongest English word",
    "grow": "links on which both directions agree, by the product of their shares, grown by neighbours",
}


def _as_text(facts: dict[str, Any]) -> str:
    """The single heads for one rule, and for the other only what combines heads, so that the table stays readable."""
    heads = facts["heads"]
    lines = [f"AER % on {facts['sentences']} pairs; a guess along the diagonal: {facts['diagonal']}"]
    for rule, by_method in facts["aer"].items():
        lines += ["", f"== {RULE_TITLES[rule]} =="]
        for method, by_shift in by_method.items():
            for shift, table in by_shift.items():
                name = f"{method}, row of the step that has {shift} the word"
                if rule == "argmax":
                    lines += [name, "     " + "".join(f"{f'H{h}' if h != 'all' else 'all':>7}" for h in heads)]
                    lines += [
                        f"  L{n} " + "".join(f"{rate:7.1f}" for rate in row) for n, row in enumerate(table["layers"])
                    ]
                    lines += [f"  all layers {table['all']:.1f}"]
                else:
                    layers = "  ".join(f"L{n} {row[-1]:.1f}" for n, row in enumerate(table["layers"]))
                    lines += [f"{name}, all heads:", f"  {layers}  all layers {table['all']:.1f}"]
    first = max(facts["named"], key=lambda name: float(facts["named"][name]["percent"]))
    share = facts["named"][first]
    lines += ["", f"the strongest word of all layers is a linked one for {share['percent']} % by {first}"]
    for key, title in (("best", "best"), ("best_head", "best single head by its weights")):
        setting = " ".join(f"{name}={value}" for name, value in facts[key].items())
        lines += ["", f"{title}, chosen and scored on all pairs: {setting}"]
        if fair := facts["held_out"][key]:
            low, high = fair["interval"]
            lines.append(f"  chosen on one half and scored on the other: {fair['aer']} (95 %: {low} to {high})")
            for half in fair["halves"]:
                place = f"L{half['chose']['layer']} H{half['chose']['head']} {half['chose']['method']}"
                lines.append(f"    {half['pairs']} pairs chose {place}: {half['aer_there']} there, {half['aer']} here")
    setting = " ".join(f"{name}={value}" for name, value in facts["one_head"].items())
    return "\n".join([*lines, "", f"best single head by any map and any rule: {setting}"])
