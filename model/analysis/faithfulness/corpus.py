"""The table of faithfulness over a corpus: scores of every pair, their means, errors and differences pair by pair."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from model.analysis.faithfulness.deletion import LeftOut, by_words, deletion_costs, leave_one_out, source_words
from model.analysis.faithfulness.once import Once
from model.analysis.faithfulness.table import BASE, LOWER_IS_BETTER, MEASURES, OWN_WAYS, ROWS, TARGETS, WAYS_SCORED
from model.analysis.faithfulness.verdict import top_words
from model.attribution.methods import METHODS, RIVALS, Maps, MethodName, attribution_maps
from model.errors import CorpusError
from model.pairs import PairArrays, PairScores
from model.source import WAYS, Source, Way
from model.trace import TracedTranslation

KEPT_SHARES = (0.1, 0.2, 0.3, 0.5)  # of the source words, deleted or kept together
RANDOM_DRAWS = 3
# Which of the maps that are scored are amounts with a sign: in a rank correlation they count by their size.
_BY_SIZE = tuple(n for n, sort in enumerate(METHODS.values()) if sort.signed and sort.words == "sum")
FEWEST_WORDS = 3
SLOW_PAIRS = 100  # the first so many are scored by slow sorts of map too
_SEED = 20


@dataclass(frozen=True)
class Scored:
    """One translation's scores."""

    rows: dict[Way, np.ndarray]  # by way of deleting, float64 [ROWS, MEASURES]; NaN where something is not known
    seconds: np.ndarray  # that making each of METHODS took; NaN where it was not made
    tokens: int  # that were written

    def arrays(self, target: str) -> PairArrays:
        """These, by names that begin with the target's."""
        rows = {f"{target}/{way}": values for way, values in self.rows.items()}
        return {f"{target}/tokens": np.array(self.tokens), f"{target}/seconds": self.seconds, **rows}

    @classmethod
    def of(cls, scores: PairArrays, target: str) -> Scored:
        """What ``arrays`` made."""
        rows = {way: scores[f"{target}/{way}"] for way in WAYS if f"{target}/{way}" in scores}
        return cls(rows, scores[f"{target}/seconds"], int(scores[f"{target}/tokens"]))


def score_translation(
    model: Source,
    translation: TracedTranslation,
    generator: np.random.Generator,
    slow: bool = True,
    ways: Sequence[Way] = WAYS_SCORED,
) -> Scored:
    """The five MEASURES of one translation for each of ROWS, under every way of deleting that the model offers.

    Maps are cross-attention by words, as ``AttributionMethod.whole`` makes one of all heads and layers.

    * ``comprehensiveness``, ``sufficiency``: log p(all) − log p(without the top words), and − log p(with only
      these), in nats a token, the mean over 10, 20, 30 and 50 % of the words (AOPC of DeYoung et al. 2020,
      section 4.2, who take probabilities of a class, and 1 and 5 % too). A word's rank is by its column's sum.
    * ``rank_correlation``: Spearman's, of those sums with |log p(all) − log p(without that word)|, after
      Jain and Wallace 2019, section 4.1, who take Kendall's.
    * ``token_cost``: what each token's log-probability loses without the top word of its row; the mean.
    * ``token_rank_correlation``: Spearman's, of each row with what each word's deletion changes; the mean.

    Args:
        model: whose model wrote, or was forced to write, the translation.
        translation: with its trace, of three words or more.
        generator: draws the importances of ``random``, whose measures are means of 3 draws.
        slow: make also the sorts of map that are too slow to be drawn.
        ways: of deleting.
    """
    model = Once(model)
    maps, seconds = word_maps(model, translation, slow)
    n_words, n_tokens = len(source_words(translation.src)), len(translation.written_ids)
    known = np.flatnonzero([name in maps for name in METHODS])
    rows = np.stack([maps[name][:n_tokens] for name in METHODS if name in maps])
    every = np.concatenate((rows, generator.random((RANDOM_DRAWS, n_tokens, n_words))))
    by_size = np.flatnonzero(np.isin(known, _BY_SIZE))
    found = {}
    for way in (way for way in ways if WAYS[way] in model.anatomy.abilities):
        scored = _measured(model, translation, every, by_size, way)
        found[way] = np.full((len(ROWS), len(MEASURES)), np.nan)
        found[way][known] = scored[: len(rows)]
        found[way][-1] = scored[len(rows) :].mean(axis=0)
    return Scored(found, np.array([seconds.get(name, np.nan) for name in METHODS]), n_tokens)


def _measured(
    model: Source, translation: TracedTranslation, every: np.ndarray, by_size: np.ndarray, way: Way
) -> np.ndarray:
    """The measures of N maps [N, T, W], of which ``by_size`` are ranked by their size: [N, MEASURES]."""
    left_out = leave_one_out(model, translation, way)
    ranked, sums = every.copy(), every.sum(axis=1)
    sums[by_size], ranked[by_size] = np.abs(sums[by_size]), np.abs(every[by_size])
    of_sentence = _of_sentence(model, translation, left_out, every, sums, way)
    return np.concatenate((of_sentence, _of_tokens(left_out, every, ranked)), 1)


def word_maps(
    model: Source, translation: TracedTranslation, slow: bool = True
) -> tuple[dict[MethodName, np.ndarray], dict[MethodName, float]]:
    """Cross-attention by words, [T, W], of every sort that the model can make; and the seconds that each takes.

    What several sorts are made of is computed once, and its seconds count for each of them.
    """
    once = model if isinstance(model, Once) else Once(model)
    maps: dict[MethodName, np.ndarray] = {}
    seconds: dict[MethodName, float] = {}
    made: dict[MethodName, Maps] = {}
    src, offered = translation.trace.src, model.anatomy.abilities
    for name, sort in METHODS.items():
        if not offered.issuperset(sort.needs) or (sort.slow and not slow):
            continue
        started, once.spared = time.perf_counter(), 0.0
        if sort.from_maps:  # after the maps that it is made of
            made[name] = sort.from_maps[1](made[sort.from_maps[0]], translation.trace)
        else:
            made[name] = attribution_maps(once, translation, name)
        cross = np.abs(made[name]["cross"]) if sort.by_size else made[name]["cross"]
        maps[name] = by_words(sort.whole(cross), src, name).astype(np.float64)
        seconds[name] = time.perf_counter() - started + once.spared
        if sort.from_maps:
            seconds[name] += seconds[sort.from_maps[0]]
    return maps, seconds


def top_sets(importance: np.ndarray) -> np.ndarray:
    """The words with the highest importance, for each of KEPT_SHARES: bool [4, W]; at least one, never all.

    Ties go to the earlier word.
    """
    order = np.argsort(-importance, kind="stable")
    sets = np.zeros((len(KEPT_SHARES), len(importance)), dtype=bool)
    for row, share in enumerate(KEPT_SHARES):
        sets[row, order[: min(max(1, round(share * len(importance))), len(importance) - 1)]] = True
    return sets


def spearman(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Spearman's rank correlation along the last axis, equal values sharing a rank; NaN where one does not vary."""
    one, two = _ranks(first), _ranks(second)
    one, two = one - one.mean(-1, keepdims=True), two - two.mean(-1, keepdims=True)
    size = np.sqrt((one**2).sum(-1) * (two**2).sum(-1))
    found: np.ndarray = np.divide((one * two).sum(-1), size, out=np.full(size.shape, np.nan), where=size > 0)
    return found


def _of_sentence(
    model: Source, translation: TracedTranslation, left_out: LeftOut, every: np.ndarray, ranked: np.ndarray, way: Way
) -> np.ndarray:
    """Comprehensiveness, sufficiency and rank correlation of N maps [N, T, W]: [N, 3]; one batch."""
    sets = np.stack([top_sets(importance) for importance in every.sum(axis=1)])  # [N, shares, W]
    asked = np.stack((sets, ~sets), axis=1).reshape(-1, sets.shape[-1])
    distinct, places = np.unique(asked, axis=0, return_inverse=True)
    costs = deletion_costs(model, translation, distinct, way).mean(axis=1)[places.reshape(-1)]
    aopc = costs.reshape(len(sets), 2, -1).mean(axis=-1)
    return np.column_stack((aopc, spearman(ranked, np.abs(left_out.costs.sum(axis=1))[None])))


def _of_tokens(left_out: LeftOut, every: np.ndarray, ranked: np.ndarray) -> np.ndarray:
    """Mean cost of each row's top word, and mean rank correlation of each row with the costs: [N, 2]."""
    costs = left_out.costs.T[None].astype(np.float64)
    ranks = spearman(ranked, np.abs(costs))
    known = np.isfinite(ranks)
    means = np.where(known, ranks, 0.0).sum(1) / np.where(known.any(1), known.sum(1), np.nan)
    return np.column_stack(((top_words(every) * costs).sum(-1).mean(-1), means))


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks along the last axis, from 1; equal values share the mean of theirs."""
    lower = (values[..., None, :] < values[..., :, None]).sum(-1)
    equal = (values[..., None, :] == values[..., :, None]).sum(-1)
    found: np.ndarray = lower + (equal + 1) / 2
    return found


@dataclass
class FaithfulnessTable:
    """Scores of many translations."""

    scored: list[dict[str, Scored]] = field(default_factory=list)  # of each pair and target
    refused: dict[int, str] = field(default_factory=dict)  # why a line was left out, by its number

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


def table_of(found: PairScores) -> FaithfulnessTable:
    """The table of the scores of pairs.

    Raises:
        CorpusError: no pair could be scored.
    """
    scored = [
        {target: Scored.of(each, target) for target in TARGETS if f"{target}/tokens" in each} for each in found.all()
    ]
    return FaithfulnessTable(scored, found.refused)


def score_pair(model: Source, number: int, pair: tuple[str, str]) -> PairArrays:
    """Scores by target: of the pair's own Chinese, and of what the model writes where that is three tokens or more.

    Args:
        model: whose cross-attention is scored.
        number: of the pair, from 1: the first SLOW_PAIRS are scored by slow sorts of map too.
        pair: English and Chinese.

    Raises:
        HeadlightError: the model cannot read the pair, or it is too short.
    """
    generator = np.random.default_rng((_SEED, number))
    forced = _forced(model, *pair)
    found = score_translation(model, forced, generator, number <= SLOW_PAIRS).arrays("references")
    own = model.retranslate(forced, 1, {}).text
    if own.strip():
        again = model.trace(pair[0], own)
        found |= score_translation(model, again, generator, slow=False, ways=OWN_WAYS).arrays("own")
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
