"""python -m model history: what a checkpoint could do at some twenty points of its training, kept beside it."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from model.analysis.alignment.error_table import rates
from model.analysis.alignment.gold import GoldPair, argmax_links
from model.analysis.alignment.known_pairs import truth_pairs
from model.analysis.alignment.word_maps import membership, word_maps
from model.commands.shared.options import add_checkpoint, positive
from model.evaluation.corpus import evaluate
from model.examples import sentences
from model.folders import LOG
from model.history import PAST, History, coded, example_facts, read_history, snapshots, spread
from model.trace import KINDS, Kind, TracedTranslation
from model.translator import Translator

DEV_PAIRS = 200
LATER = 4  # points, at least, of a run that goes on with the weights of an earlier one
ARRAYS = ("step", "tokens", "dev_bleu", "aer")


def points_of(translator: Translator, run: Path, points: int, after: int = -1) -> list[tuple[int, Path | None]]:
    """Up to ``points`` steps later than ``after`` with their snapshots; the last is the checkpoint, without one."""
    last = int(translator.meta.get("training", {}).get("steps_done", 0))
    found = snapshots(run)
    chosen = spread([step for step in found if after < step < last], points - 1)
    return [*((step, found[step]) for step in chosen), (last, None)]


def make_history(
    translator: Translator,
    run: Path,
    dev: Sequence[Sequence[str]],
    points: int = 20,
    progress: Callable[[int], object] = lambda _: None,
    earlier: History | None = None,
) -> History:
    """The history of a checkpoint from the snapshots of the run that made it.

    Args:
        translator: the finished checkpoint; its greedy translations of the examples are forced at every point.
        run: folder with snapshots and the training log.
        dev: rows for BLEU, DEV_PAIRS at most are used.
        points: at most so many, the checkpoint itself being the last.
        progress: called with the number of points done.
        earlier: of the run whose weights this one began with; it is prolonged, with the translations that it forced.

    Raises:
        CheckpointError: there are no snapshots, or they belong to a model of other sizes.
    """
    kind = translator.src_tokenizer.kind
    dev, gold = dev[:DEV_PAIRS], truth_pairs(kind)
    if earlier is None:
        examples = [translator.translate(source, capture=True) for source in sentences(kind)]
        chosen = points_of(translator, run, points)
    else:
        examples = [translator.trace(each["source"], each["target"]) for each in earlier.examples]
        chosen = points_of(translator, run, max(points - len(earlier.step), LATER), int(earlier.step[-1]))
    seen: list[Point] = []
    for number, (_, path) in enumerate(chosen, 1):
        seen.append(_point(translator if path is None else translator.at_snapshot(path), examples, gold, dev))
        progress(number)
    steps = np.array([step for step, _ in chosen])
    made = _together(examples, seen, str(translator.meta.get("sha256")), steps, tokens_at(run / LOG, steps))
    return prolonged(earlier, made) if earlier else made


def earlier_history(translator: Translator, folder: Path) -> History | None:
    """The history in a folder, where it ends with weights that the translator's own run goes back to.

    Of its examples those are left that the translator writes in the same tokens: a vocabulary may have grown since.
    """
    history = read_history(folder / PAST) if (folder / PAST).is_file() else None
    if history is None or int(history.step[-1]) not in beginnings(translator.meta):
        return None
    same = [number for number, each in enumerate(history.examples) if _has_axes_of(translator, each)]
    return history.only(same) if same else None


def beginnings(meta: Mapping[str, Any]) -> list[int]:
    """The steps that had been done when a run began, and when the run that it began with began, and so on."""
    began = meta.get("began_with")
    return [int(began["training"]["steps_done"]), *beginnings(began)] if began else []


def _has_axes_of(translator: Translator, example: Mapping[str, Any]) -> bool:
    source, target = str(example["source"]), str(example["target"])
    return example_facts(source, target, translator.trace(source, target).trace) == example


def prolonged(earlier: History, later: History) -> History:
    """Two histories of the same examples as one."""
    facts = {**later.facts, "translations": [*earlier.facts["translations"], *later.facts["translations"]]}
    step, tokens, bleu, aer = (np.concatenate((getattr(earlier, name), getattr(later, name))) for name in ARRAYS)
    pairs = zip(earlier.coded, later.coded, strict=True)
    maps = tuple({kind: np.concatenate((one[kind], other[kind])) for kind in one} for one, other in pairs)
    return History(facts, step, tokens, bleu, aer, maps)


class Point(NamedTuple):
    """What the weights of one point do: see ``History``."""

    translations: list[str]
    maps: list[dict[Kind, np.ndarray]]
    aer: np.ndarray
    bleu: float


def _together(
    examples: Sequence[TracedTranslation], seen: Sequence[Point], sha256: str, steps: np.ndarray, tokens: np.ndarray
) -> History:
    facts = {
        "sha256": sha256,
        "examples": [example_facts(each.source, each.text, each.trace) for each in examples],
        "translations": [point.translations for point in seen],
    }
    maps: list[dict[Kind, np.ndarray]] = [
        {kind: np.stack([point.maps[number][kind] for point in seen]) for kind in KINDS}
        for number in range(len(examples))
    ]
    bleu, aer = np.array([point.bleu for point in seen]), np.stack([point.aer for point in seen])
    return History(facts, steps, tokens, bleu, aer, tuple(maps))


def _point(
    translator: Translator,
    examples: Sequence[TracedTranslation],
    gold: Sequence[GoldPair],
    dev: Sequence[Sequence[str]],
) -> Point:
    traces = [translator.trace(each.source, each.text).trace for each in examples]
    return Point(
        translations=[translator.translate(each.source).text for each in examples],
        maps=[{kind: coded(trace.weights[kind]) for kind in KINDS} for trace in traces],
        aer=100 * head_rates(translator, gold),
        bleu=evaluate(translator, dev).scores.bleu,
    )


def head_rates(translator: Translator, gold: Sequence[GoldPair]) -> np.ndarray:
    """Alignment error rate in [0, 1] of every cross-attention head by its weights, argmax links: [2, L, H], by SHIFTS.

    The same as ``error_table``'s for this way of drawing and linking, at a tenth of its cost.
    """
    found, hits, sure = 0, 0, 0
    for pair, maps in _head_maps(translator, gold):
        links = argmax_links(maps)
        found += links.sum((-2, -1))
        for side in (pair.sure, pair.possible):
            src, tgt = (np.array([link[end] for link in sorted(side)], dtype=int) for end in (0, 1))
            hits += links[..., tgt, src].sum(-1)
        sure += len(pair.sure)
    return rates(np.asarray(found), np.asarray(hits), sure)


def _head_maps(translator: Translator, gold: Sequence[GoldPair]) -> Iterator[tuple[GoldPair, np.ndarray]]:
    """Each pair with the word maps of all heads, [2, L, H, target words, source words]."""
    for pair in gold:
        translation = translator.trace(pair.src_text, pair.tgt_text)
        forced = translator.tgt_tokenizer.encode(pair.tgt_text)
        rows = membership(pair.tgt_spans, [(token.start, token.end) for token in forced])
        columns = membership(pair.src_spans, [(label.start, label.end) for label in translation.src])
        yield pair, word_maps(translation.trace.cross, rows, columns)


def tokens_at(log: Path, steps: np.ndarray) -> np.ndarray:
    """Target tokens that a run had seen at these steps, by its log; in a line between two entries. int64 [N]."""
    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.is_file() else []
    known = {0: 0} | {int(entry["step"]): int(entry["tgt_tokens"]) for entry in entries}
    at = sorted(known)
    found: np.ndarray = np.round(np.interp(steps, at, [known[step] for step in at])).astype(np.int64)
    return found


if TYPE_CHECKING:
    from model.translator import Translator


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--run", type=Path, required=True, metavar="DIR", help="the folder that train wrote, with its snapshots"
    )
    parser.add_argument("--dev", type=Path, required=True, metavar="FILE", help="English, tab, Chinese a line")
    add_checkpoint(parser)
    parser.add_argument("--points", type=positive, default=20, metavar="N", help="at most so many (default 20)")
    parser.add_argument("--weights", action="store_true", help="keep the snapshots themselves too: for a small model")


def run(args: argparse.Namespace) -> None:
    """Write history.npz, and print BLEU and the best head's alignment error at every point."""
    from model.pairs import read_rows
    from model.translator import Translator

    rows = read_rows(args.dev)
    translator = Translator.from_checkpoint(args.checkpoint)
    print(write_history(translator, args.checkpoint, args.run, args.dev.name, rows, args.points, args.weights))


def write_history(
    translator: Translator,
    checkpoint: str,
    run: Path,
    dev_name: str,
    rows: list[tuple[str, str, str]],
    points: int,
    weights: bool,
) -> str:
    """Write history.npz into the checkpoint's folder; a line a point for people."""
    from tqdm import tqdm

    from model.files import aside
    from model.folders import resolve
    from model.history import SNAPSHOTS, save_history

    folder = resolve(str(checkpoint))
    earlier = earlier_history(translator, folder)
    with tqdm(total=points, unit="point", file=sys.stderr, disable=None) as bar:
        history = make_history(translator, run, rows, points, lambda done: bar.update(done - bar.n), earlier)
    history.facts["command"] = f"python -m model history --checkpoint {translator.name} --dev {dev_name}"
    history.facts["dev"] = {"file": dev_name, "sentences": min(DEV_PAIRS, len(rows))}
    path = save_history(folder, history)
    if weights and (run / SNAPSHOTS).resolve() != (folder / SNAPSHOTS).resolve():
        (folder / SNAPSHOTS).mkdir(exist_ok=True)
        for _, snapshot in points_of(translator, run, points):
            if snapshot is not None:
                with aside(folder / SNAPSHOTS / snapshot.name) as part:
                    shutil.copyfile(snapshot, part)
    lines = [f"{'step':>8}{'tokens':>12}{'dev BLEU':>10}{'best head AER':>15}"]
    for step, tokens, bleu, aer in zip(history.step, history.tokens, history.dev_bleu, history.aer, strict=True):
        lines.append(f"{step:>8,}{tokens:>12,}{bleu:>10.1f}{aer.min():>15.1f}")
    print(f"python -m model history: wrote {folder.name}/{path.name}", file=sys.stderr)
    return "\n".join(lines)
