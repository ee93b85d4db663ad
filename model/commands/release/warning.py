"""python -m model warning: at which confidence to warn of a translation, and how often that is right."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sacrebleu

from model.commands.shared.options import add_table_options, made_by, pair_bar, positive, say_written
from model.errors import CorpusError, HeadlightError
from model.evaluation.kept import numbered_cells

if TYPE_CHECKING:
    from model.analysis.what_if.verdict import Verdict
    from model.trace import TracedTranslation
    from model.translator import Translator

POOR = 10.0  # chrF of a sentence with its one reference; what is poorer is taken for wrong
THRESHOLDS = np.arange(5, 100) / 100
MOST_FALSE = 0.1  # of the translations that are not poor by chrF, of which most are right


@dataclass(frozen=True)
class Judged:
    """Greedy translations and what the verdict says of them apart from confidence; arrays of one length N."""

    confidence: np.ndarray  # geometric mean of the token probabilities, in [0, 1]
    chrf: np.ndarray  # of each with its reference
    doubted: np.ndarray  # bool, for reasons that need no threshold; ``bad``: among them one that names a fault
    bad: np.ndarray

    @property
    def poor(self) -> np.ndarray:
        """Which are taken for wrong, bool [N]."""
        return self.chrf < POOR

    def warned(self, threshold: float) -> np.ndarray:
        """Of which the verdict is not "good", bool [N]."""
        return self.doubted | (self.confidence < threshold)


def measured(
    translator: Translator,
    rows: Sequence[Sequence[str]],
    judge: Callable[[TracedTranslation], tuple[float, bool, bool]],
    progress: Callable[[int], object] = lambda _: None,
) -> Judged:
    """The verdict on the greedy translation of each (English, Chinese, …) row, and its chrF.

    Args:
        translator: what writes the translations.
        rows: sentences, each with its reference behind it.
        judge: of a translation its confidence, whether it is doubted for another reason, and whether a fault is named.
        progress: called with the number of rows that are done.
    """
    found = []
    for done, row in enumerate(rows, 1):
        translation = translator.translate(row[0], capture=True)
        found.append((sacrebleu.sentence_chrf(translation.text, [row[1]]).score, *judge(translation)))
        progress(done)
    chrf, confidence, doubted, bad = np.array(found, dtype=float).reshape(-1, 4).T
    return Judged(confidence, chrf, doubted.astype(bool), bad.astype(bool))


def warning(chosen_on: Judged, scored_on: Judged) -> dict[str, Any]:
    """Where to warn, chosen on some sentences, and the rates of the verdict with that threshold on others.

    The threshold is the one with the largest difference between the share of poor translations that the verdict
    doubts and the share of others that it doubts (Youden 1950), of those by which confidence alone doubts at most
    MOST_FALSE of the others; among equals the middle one. Doubts about what is right are soon read by nobody.

    Args:
        chosen_on: sentences that choose.
        scored_on: sentences that have no say in it.

    Returns:
        ``threshold``; of the sentences scored on: ``caught`` (share of the poor ones that are warned of),
        ``false_alarms`` (of the others), ``right`` (share of those warned of that are poor; None without a warning),
        in [0, 1]; ``bad`` and ``bad_right``: the same of those of which a fault is named, as a share of all and how
        many of them are poor; ``sentences``, ``poor`` (how many), ``poor_below`` (chrF), and ``auc``: how often a poor
        translation has less confidence than another.

    Raises:
        ValueError: one of the two has no poor translation, or no other.
    """
    for each in (chosen_on, scored_on):
        if len(set(each.poor.tolist())) < 2:
            raise ValueError("too few poor translations, or too few others, to choose a threshold or to score it")
    threshold = _threshold(chosen_on)
    confidences, poor, warned = scored_on.confidence, scored_on.poor, scored_on.warned(threshold)
    lower = confidences[poor][:, None] < confidences[~poor]
    ties = confidences[poor][:, None] == confidences[~poor]
    return {
        "threshold": threshold,
        "caught": round(float(warned[poor].mean()), 3),
        "false_alarms": round(float(warned[~poor].mean()), 3),
        "right": round(float(poor[warned].mean()), 3) if warned.any() else None,
        "bad": round(float(scored_on.bad.mean()), 3),
        "bad_right": round(float(poor[scored_on.bad].mean()), 3) if scored_on.bad.any() else None,
        "sentences": len(poor),
        "poor": int(poor.sum()),
        "poor_below": POOR,
        "auc": round(float((lower + ties / 2).mean()), 3),
    }


def _threshold(judged: Judged) -> float:
    warned = np.stack([judged.warned(threshold) for threshold in THRESHOLDS])
    gains = warned[:, judged.poor].mean(1) - warned[:, ~judged.poor].mean(1)
    gains[(warned & ~judged.doubted)[:, ~judged.poor].mean(1) > MOST_FALSE] = -1
    best = np.flatnonzero(gains == gains.max())
    return float(THRESHOLDS[best[len(best) // 2]])


JUDGED = Path(__file__).resolve().parents[2] / "truth" / "judged-en-zh.tsv"
_WORDS = {"right": False, "wrong": True}


@dataclass(frozen=True)
class JudgedSentence:
    """A sentence, one translation of it, and whether a reader found that wrong in meaning."""

    english: str
    translation: str
    is_wrong: bool


def read_judged(path: Path = JUDGED) -> list[JudgedSentence]:
    """Sentences of a TSV file: English, a translation, ``right`` or ``wrong``.

    Raises:
        CorpusError: the file cannot be read or is empty, or a line is not so.
    """
    sentences = []
    for number, cells in numbered_cells(path):
        if len(cells) != 3 or not all(cells) or cells[2] not in _WORDS:
            raise CorpusError(f"{path} line {number}: expected English, a translation, and right or wrong")
        sentences.append(JudgedSentence(cells[0], cells[1], _WORDS[cells[2]]))
    return sentences


def judged_rates(
    translator: Translator,
    sentences: Sequence[JudgedSentence],
    is_doubted: Callable[[TracedTranslation], bool],
    progress: Callable[[int], object] = lambda _: None,
) -> dict[str, Any]:
    """How many of the wrong translations the verdict doubts, and how many of the right ones.

    Args:
        translator: what wrote the translations.
        sentences: judged ones; where it now writes something else, the judgement says nothing and is left out.
        is_doubted: whether the verdict on a translation is not "good".
        progress: called with the number of sentences that are done.

    Returns:
        ``sentences`` and ``wrong`` (how many), ``caught`` (share of the wrong ones that are doubted), ``false_alarms``
        (of the right ones), in [0, 1], None where there are none; ``changed``: how many were left out.
    """
    found: list[tuple[bool, bool]] = []
    for done, each in enumerate(sentences, 1):
        translation = translator.translate(each.english, capture=True)
        if translation.text == each.translation:
            found.append((each.is_wrong, is_doubted(translation)))
        progress(done)
    wrong, right = ([doubted for is_wrong, doubted in found if is_wrong is which] for which in (True, False))
    return {
        "sentences": len(found),
        "wrong": len(wrong),
        "caught": round(sum(wrong) / len(wrong), 3) if wrong else None,
        "false_alarms": round(sum(right) / len(right), 3) if right else None,
        "changed": len(sentences) - len(found),
    }


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
    from model.analysis.what_if.repair import WARNING
    from model.pairs import read_rows
    from model.tables import save_table
    from model.translator import Translator

    also = read_rows(args.also)[: args.limit] if args.also else []
    files = [[*read_rows(args.tsv)[: args.limit], *also], read_rows(args.score)[: args.limit]]
    translator = Translator.from_checkpoint(args.checkpoint)

    def judge(translation: TracedTranslation) -> tuple[float, bool, bool]:
        said = verdict_of(translator, translation, threshold=0.0)
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


def verdict_of(translator: Translator, translation: TracedTranslation, threshold: float) -> Verdict:
    """The verdict as the app says it."""
    from model.analysis.faithfulness.deletion import leave_some_out
    from model.analysis.what_if.verdict import may_be_traceless, verdict
    from model.attribution.per_head import vote_maps

    votes = vote_maps(translator, translation)["cross"].sum((0, 1))
    left = leave_some_out(translator, translation, may_be_traceless, votes, translation.log_probs)
    return verdict(translation, left, threshold)


def _judged(translator: Translator, threshold: float) -> dict[str, Any]:
    sentences = read_judged()
    with pair_bar(len(sentences)) as progress:
        return judged_rates(
            translator,
            sentences,
            lambda said: verdict_of(translator, said, threshold).level != "good",
            progress,
        )
