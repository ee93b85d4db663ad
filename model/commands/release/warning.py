"""python -m model warning: at which confidence to warn of a translation, and how often that is right."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
import sacrebleu

from model.commands.shared.options import add_table_options, made_by, pair_bar, positive, say_written
from model.errors import CorpusError, HeadlightError
from model.evaluation.kept import numbered_cells

if TYPE_CHECKING:
    from model.trace import TracedTranslation
    from model.translator import Translator

POOR = 10.0  # chrF of a sentence with its one reference; what is poorer is taken for wrong
THRESHOLDS = np.arange(200, 0, -1) / 200
MOST_FALSE = 0.15  # of the right translations among those that choose: of sentences of another kind it is more
JUDGED = Path(__file__).resolve().parents[2] / "truth" / "judged-en-zh.tsv"
_IS_WRONG = {"right": False, "wrong": True}
Use = Literal["chooses", "reports", "offered"]


@dataclass(frozen=True)
class Judged:
    """Greedy translations and what the verdict says of them apart from confidence; arrays of one length N."""

    confidence: np.ndarray  # geometric mean of the token probabilities, in [0, 1]
    joint: np.ndarray  # with what the backward model says (``joint_confidence``); the same where there is none
    wrong: np.ndarray  # bool, by reading or by ``POOR``
    doubted: np.ndarray  # bool, for reasons that need no threshold; ``bad``: among them one that names a fault
    bad: np.ndarray

    def warned(self, threshold: float) -> np.ndarray:
        """Of which the verdict is not "good" by a threshold of ``joint``, bool [N]."""
        return self.doubted | (self.joint < threshold)

    def alone(self) -> Judged:
        """As it is judged without the backward model."""
        return replace(self, joint=self.confidence)


@dataclass(frozen=True)
class JudgedSentence:
    """A sentence, one translation of it, whether a reader found that wrong in meaning, and what it is for."""

    english: str
    translation: str
    is_wrong: bool
    use: Use = "reports"  # "offered" is what ``Translator.best_both_ways`` gives


Judge = Callable[["TracedTranslation"], tuple[float, float, bool, bool]]  # as in ``Judged``, apart from ``wrong``


def read_judged(path: Path = JUDGED) -> list[JudgedSentence]:
    """Sentences of a TSV file: English, a translation, ``right`` or ``wrong``, and a ``Use``.

    Raises:
        CorpusError: the file cannot be read or is empty, or a line is not so.
    """
    sentences = []
    for number, cells in numbered_cells(path):
        if len(cells) != 4 or not all(cells) or cells[2] not in _IS_WRONG or cells[3] not in get_args(Use):
            uses = " or ".join(get_args(Use))
            raise CorpusError(f"{path} line {number}: expected English, a translation, right or wrong, and {uses}")
        english, translation, judgement, use = cells
        sentences.append(JudgedSentence(english, translation, _IS_WRONG[judgement], cast(Use, use)))
    return sentences


def by_reading(
    translator: Translator,
    sentences: Sequence[JudgedSentence],
    judge: Judge,
    progress: Callable[[int], object] = lambda _: None,
) -> Judged:
    """The verdict on judged translations; where something else is written now, the judgement says nothing: left out."""
    found = []
    for done, each in enumerate(sentences, 1):
        translation = translator.translate(each.english, capture=True)
        if translation.text == each.translation:
            found.append((each.is_wrong, *judge(translation)))
        progress(done)
    return _judged(found)


def by_reference(
    translator: Translator,
    rows: Sequence[Sequence[str]],
    judge: Judge,
    progress: Callable[[int], object] = lambda _: None,
) -> Judged:
    """The verdict on the greedy translation of each (English, Chinese, …) row; wrong is what is ``POOR``."""
    found = []
    for done, row in enumerate(rows, 1):
        translation = translator.translate(row[0], capture=True)
        is_poor = sacrebleu.sentence_chrf(translation.text, [row[1]]).score < POOR
        found.append((is_poor, *judge(translation)))
        progress(done)
    return _judged(found)


def offers(
    translator: Translator,
    sentences: Sequence[JudgedSentence],
    judge: Judge,
    threshold: float,
    progress: Callable[[int], object] = lambda _: None,
) -> dict[str, int]:
    """What is offered in the place of doubted translations, where both were read.

    Returns:
        how many translations were ``doubted``; for how many of those another was ``offered`` that both directions find
        better; of how many of those nobody has read what is offered (``unread``); of the others, how many are
        ``right``, and how many of those that they are offered for (``right_before``).
    """
    read = {(each.english, each.translation): each.is_wrong for each in sentences}
    counts = dict.fromkeys(("doubted", "offered", "unread", "right", "right_before"), 0)
    greedy = [each for each in sentences if each.use != "offered"]
    for done, each in enumerate(greedy, 1):
        progress(done)
        translation = translator.translate(each.english, capture=True)
        _, joint, doubted, _ = judge(translation)
        if translation.text != each.translation or not (doubted or joint < threshold):
            continue
        counts["doubted"] += 1
        better = translator.better_both_ways(translation)
        if better is None:
            continue
        counts["offered"] += 1
        is_wrong = read.get((each.english, better.text))
        counts["unread"] += is_wrong is None
        counts["right"] += is_wrong is False
        counts["right_before"] += is_wrong is not None and not each.is_wrong
    return counts


def _judged(found: Sequence[tuple[float, ...]]) -> Judged:
    wrong, confidence, joint, doubted, bad = np.array(found, dtype=float).reshape(-1, 5).T
    return Judged(confidence, joint, wrong.astype(bool), doubted.astype(bool), bad.astype(bool))


def choose(judged: Judged) -> float:
    """The highest threshold of ``joint`` with which at most MOST_FALSE of the right translations are doubted.

    Raises:
        ValueError: the verdict doubts more of them for other reasons, or there is none.
    """
    for threshold in THRESHOLDS:
        if (~judged.wrong).any() and judged.warned(threshold)[~judged.wrong].mean() <= MOST_FALSE:
            return float(threshold)
    raise ValueError("too few right translations that are not doubted to choose a threshold")


def rates(judged: Judged, threshold: float) -> dict[str, Any]:
    """How often the verdict is right with a threshold.

    Returns:
        ``caught`` (share of the wrong ones that are warned of), ``false_alarms`` (of the others), ``right`` (share of
        those warned of that are wrong), ``bad`` and ``bad_right``: the same of those of which a fault is named, as a
        share of all and how many of them are wrong; all in [0, 1], None where there are none; ``auc``: how often a
        wrong translation has less of ``joint`` than another; ``sentences`` and ``wrong``: how many.
    """
    wrong, warned = judged.wrong, judged.warned(threshold)
    lower = judged.joint[wrong][:, None] < judged.joint[~wrong]
    ties = judged.joint[wrong][:, None] == judged.joint[~wrong]
    return {
        "caught": _share(warned[wrong]),
        "false_alarms": _share(warned[~wrong]),
        "right": _share(wrong[warned]),
        "bad": _share(judged.bad),
        "bad_right": _share(wrong[judged.bad]),
        "auc": _share(lower + ties / 2),
        "sentences": len(wrong),
        "wrong": int(wrong.sum()),
    }


def _share(values: np.ndarray) -> float | None:
    return round(float(values.mean()), 3) if values.size else None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_table_options(parser, "English, tab, Chinese a line: rates by chrF are taken on them", truth=False)
    parser.add_argument("--limit", type=positive, metavar="N", help="use the first N pairs only")


def run(args: argparse.Namespace) -> None:
    """Print the threshold with its rates."""
    from model.analysis.what_if.repair import WARNING
    from model.pairs import read_rows
    from model.tables import save_table
    from model.translator import Translator

    translator = Translator.from_checkpoint(args.checkpoint)
    judge = partial(judged_by_verdict, translator)
    rows, judged = read_rows(args.tsv)[: args.limit], read_judged()
    choosing, reported = ([each for each in judged if each.use == use] for use in ("chooses", "reports"))
    with pair_bar(len(choosing)) as progress:
        chosen_on = by_reading(translator, choosing, judge, progress)
    try:
        threshold, alone = choose(chosen_on), choose(chosen_on.alone())
    except ValueError as error:
        raise HeadlightError(f"{JUDGED.name}: {error}: judge what the weights write now.") from None
    with pair_bar(len(reported)) as progress:
        reported_on = by_reading(translator, reported, judge, progress)
    with pair_bar(len(rows)) as progress:
        facts = rates(by_reference(translator, rows, judge, progress), threshold)
    with pair_bar(len(choosing) + len(reported)) as progress:
        offered = offers(translator, judged, judge, threshold, progress)
    table = {
        **made_by(args, translator),
        "scored_on": args.tsv.name,
        "threshold": alone,
        "joint_threshold": threshold,
        "poor_below": POOR,
        **facts,
        "chosen_on": _both(chosen_on, threshold, alone, len(choosing)),
        "judged": _both(reported_on, threshold, alone, len(reported)),
        "offers": offered,
    }
    if args.save:
        say_written("warning", save_table(args.checkpoint, WARNING, table))
    print(json.dumps(table, ensure_ascii=False) if args.json else _printed(table))


def _both(judged: Judged, threshold: float, alone: float, given: int) -> dict[str, Any]:
    """Rates, those without the backward model among them, and how many sentences are translated otherwise by now."""
    less = rates(judged.alone(), alone)
    return {
        **rates(judged, threshold),
        "changed": given - len(judged.wrong),
        "alone": {name: less[name] for name in ("caught", "false_alarms", "auc")},
    }


def _printed(table: Mapping[str, Any]) -> str:
    lines = [
        f"doubt below a confidence of {table['threshold']:.0%}, or read back too: of {table['joint_threshold']:.0%}"
    ]
    for name, facts in (("that chose", table["chosen_on"]), ("judged", table["judged"]), (table["scored_on"], table)):
        wrong, others = facts["wrong"], facts["sentences"] - facts["wrong"]
        caught, false, right = (facts[each] or 0 for each in ("caught", "false_alarms", "right"))
        lines.append(
            f"{name}: caught {caught:.1%} of {wrong} wrong ones, warned of {false:.1%} of {others} others; "
            f"of those warned of wrong {right:.1%}; area {facts['auc'] or 0:.2f}"
        )
        if less := facts.get("alone"):
            shares = [less[each] or 0 for each in ("caught", "false_alarms", "auc")]
            lines.append("  not read back: caught {:.1%}, warned of {:.1%} of the others; area {:.2f}".format(*shares))
        if facts.get("changed"):
            lines.append(f"  {facts['changed']} more are translated otherwise by these weights: judge them anew")
    said = table["offers"]
    lines.append(
        f"of {said['doubted']} doubted ones another is offered for {said['offered']} ({said['unread']} not read): "
        f"{said['right']} of these are right, {said['right_before']} of those in whose place they stand"
    )
    return "\n".join(lines)


def judged_by_verdict(translator: Translator, translation: TracedTranslation) -> tuple[float, float, bool, bool]:
    """Confidence, alone and joint; whether the verdict has another reason to doubt; whether it names a fault."""
    from model.analysis.faithfulness.deletion import leave_some_out
    from model.analysis.what_if.verdict import joint_confidence, may_be_traceless, verdict
    from model.attribution.per_head import vote_maps

    votes = vote_maps(translator, translation)["cross"].sum((0, 1))
    left = leave_some_out(translator, translation, may_be_traceless, votes, translation.log_probs)
    read_back = translator.read_back(translation)
    said = verdict(translation, left, threshold=0.0, read_back=read_back)
    joint = joint_confidence(translation, read_back) if read_back else said.confidence
    return said.confidence, joint, said.level != "good", said.level == "bad"
