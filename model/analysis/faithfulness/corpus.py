"""The table of faithfulness over a corpus: scores of every pair, their means, errors and differences pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

import numpy as np

from model.analysis.faithfulness.scores import KEPT_SHARES, RANDOM_DRAWS, Scored, score_translation
from model.analysis.faithfulness.table import BASE, LOWER_IS_BETTER, MEASURES, OWN_WAYS, ROWS, TARGETS
from model.analysis.pairs import score_pairs
from model.attribution.methods import METHODS, RIVALS, MethodName
from model.errors import CorpusError, HeadlightError
from model.source import Source, Way
from model.trace import TracedTranslation

FEWEST_WORDS = 3
SLOW_PAIRS = 100  # the first so many are scored by slow sorts of map too
_SEED = 20
Task = tuple[int, tuple[str, str]]  # a pair and its number, from 1


@dataclass
class FaithfulnessTable:
    """Scores of many translations.

    Attributes:
        scored: of each pair and target.
        refused: why a line was left out, by its number.
    """

    scored: list[dict[str, Scored]] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)

    def facts(self) -> dict[str, Any]:
        """The table as JSON-ready values.

        ``settings`` are what is forced and how words are deleted; of each row and measure the mean over the
        pairs, its standard error, and ``gap``: by how much the row is ahead of norms, pair by pair, with the
        standard error of that. ``seconds`` is what a sort of map takes for one sentence, ``pairs`` how many
        it was scored on. ``best`` is the sort of map to begin with: see ``best_of``.
        """
        settings = [self._setting(target, way) for target in TARGETS for way in self._ways(target)]
        seconds = np.stack([each[target].seconds for each in self.scored for target in each])
        known = np.stack([np.isfinite(each["references"].seconds) for each in self.scored])
        return {
            "sentences": len(self.scored),
            "tokens": sum(each["references"].tokens for each in self.scored),
            "shares": [round(100 * share) for share in KEPT_SHARES],
            "random_draws": RANDOM_DRAWS,
            "base": BASE,
            "best": best_of(settings),
            "pairs": dict(zip(METHODS, known.sum(0).tolist(), strict=True)),
            "seconds": dict(zip(METHODS, map(_seconds, seconds.T), strict=True)),
            "settings": settings,
        }

    def _ways(self, target: str) -> list[Way]:
        return list(dict.fromkeys(way for each in self.scored if target in each for way in each[target].rows))

    def _setting(self, target: str, way: Way) -> dict[str, Any]:
        values = np.stack([each[target].rows[way] for each in self.scored if target in each])  # [N, ROWS, MEASURES]
        base = values[:, ROWS.index(BASE)]
        rows: dict[str, Any] = {}
        for place, name in enumerate(ROWS):
            rows[name] = {}
            for column, measure in enumerate(MEASURES):
                sign = -1.0 if measure in LOWER_IS_BETTER else 1.0
                gap = _mean(sign * (values[:, place, column] - base[:, column]))
                cell = _mean(values[:, place, column])
                rows[name][measure] = {**cell, "gap": gap["mean"], "gap_se": gap["se"]}
        return {"target": target, "way": way, "sentences": len(values), "rows": rows}


def best_of(settings: Sequence[dict[str, Any]]) -> MethodName:
    """The sort of map that is most ahead in comprehensiveness and sufficiency together, the mean over all settings.

    Sorts that take something away themselves are kin of the yardstick, and slow ones cannot be shown; both
    are left aside.
    """

    def lead(name: MethodName) -> float:
        cells = [each["rows"][name] for each in settings]
        gaps = [cell[measure]["gap"] for cell in cells for measure in ("comprehensiveness", "sufficiency")]
        return float(np.mean(gaps)) if None not in gaps else -np.inf

    return max(RIVALS, key=lead)


def faithfulness_table(
    model: Source,
    pairs: Sequence[tuple[str, str]],
    progress: Callable[[int], object] = lambda _: None,
    workers: int = 1,
    checkpoint: str = "",
) -> FaithfulnessTable:
    """Scores of forced translations; a pair that the model cannot read, or that is too short, is left out.

    Args:
        model: whose cross-attention is scored.
        pairs: English and Chinese.
        progress: called with the number of pairs done.
        workers: processes; with more than one, each opens the model itself.
        checkpoint: what the model is opened by, see ``open_model``; "": its name.

    Raises:
        CorpusError: no pair is left; the sentence says why the first could not be scored.
    """
    table = FaithfulnessTable()

    def add(found: dict[str, Scored] | HeadlightError) -> None:
        if isinstance(found, HeadlightError):
            raise found
        table.scored.append(found)

    table.refused = score_pairs(_every(model, list(enumerate(pairs, 1)), workers, checkpoint), add, progress)
    return table


def _every(
    model: Source, tasks: list[Task], workers: int, checkpoint: str
) -> Iterator[dict[str, Scored] | HeadlightError]:
    """Scores of each pair, or why there are none, in order."""
    if workers == 1:
        yield from (_one(model, task) for task in tasks)
        return
    # Forked processes would share the locks of PyTorch's threads.
    with ProcessPoolExecutor(workers, get_context("spawn"), _start, (checkpoint or model.name,)) as pool:
        yield from pool.map(_by_worker, tasks, chunksize=4)


_loaded: list[Source] = []  # of a worker


def _start(checkpoint: str) -> None:
    import torch

    from model.translator import open_model

    torch.set_num_threads(1)
    _loaded.append(open_model(checkpoint))


def _by_worker(task: Task) -> dict[str, Scored] | HeadlightError:
    return _one(_loaded[0], task)


def _one(model: Source, task: Task) -> dict[str, Scored] | HeadlightError:
    """Scores by target: of the pair's own Chinese, and of what the model writes where that is three tokens or more."""
    number, (english, chinese) = task
    generator = np.random.default_rng((_SEED, number))
    try:
        forced = _forced(model, english, chinese)
        slow = number <= SLOW_PAIRS
        found = {"references": score_translation(model, forced, generator, slow)}
        own = model.retranslate(forced, 1, {}).text
        if own.strip():
            found["own"] = score_translation(model, model.trace(english, own), generator, slow=False, ways=OWN_WAYS)
    except HeadlightError as error:
        return error
    return found


def _forced(model: Source, english: str, chinese: str) -> TracedTranslation:
    translation = model.trace(english, chinese)
    words = len({label.word for label in translation.src})
    if words < FEWEST_WORDS:
        raise CorpusError(f"the English side has {words} words; to delete some takes {FEWEST_WORDS} or more")
    return translation


def _seconds(values: np.ndarray) -> float | None:
    known = values[np.isfinite(values)]
    return round(float(np.median(known)), 4) if known.size else None


def _mean(values: np.ndarray) -> dict[str, float | None]:
    """Mean and standard error of what is known."""
    known = values[np.isfinite(values)]
    if not known.size:
        return {"mean": None, "se": None}
    error = known.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else None
    return {"mean": round(float(known.mean()), 4), "se": None if error is None else round(float(error), 4)}
