"""Which picture deserves trust: maps of every sort scored by what deleting the words that they mark costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from model.analysis.faithfulness.deletion import LeftOut, by_words, deletion_costs, leave_one_out
from model.analysis.faithfulness.table import LEAVE_ONE_OUT, LOWER_IS_BETTER, MEASURES, RANDOM, ROWS
from model.analysis.faithfulness.verdict import top_words
from model.analysis.maps.sorts import DRAWN, SORTS, Drawn, drawn_maps
from model.analysis.pairs import score_pairs
from model.errors import CorpusError
from model.source import Source
from model.trace import TracedTranslation

KEPT_SHARES = (0.1, 0.2, 0.3, 0.5)  # of the source words, deleted or kept together
RANDOM_DRAWS = 3
FEWEST_WORDS = 3
_SEED = 20
# Which of the maps that are scored keep their sign; the last is leave-one-out.
_KEEP_SIGN = (*(n for n, s in enumerate(SORTS.values()) if s.of_token and not s.by_size), len(DRAWN))


def score_translation(
    model: Source, translation: TracedTranslation, generator: np.random.Generator
) -> dict[str, np.ndarray]:
    """The five MEASURES of one translation, for each of ROWS: float64 [5].

    Maps are cross-attention by words, the mean of all heads and layers, a rollout as it is after the
    last layer; gradients are of the whole translation, by their size; gradient × weight and scores
    keep their sign, except that a rank correlation takes gradient × weight by its size too.

    * ``comprehensiveness``, ``sufficiency``: log p(all) − log p(without the top words), and log p(all) −
      log p(with only the top words), in nats a token of the translation, the mean over 10, 20, 30 and
      50 % of the words (DeYoung et al. 2020, section 4.2, AOPC; they take probabilities of a class
      where there is log-probability of a sentence here). A word's rank is by its sum over the rows.
    * ``rank_correlation``: Spearman's, of those sums with |log p(all) − log p(without that word)|, after
      Jain and Wallace 2019, section 4.1, who take Kendall's.
    * ``token_cost``: what each token's own log-probability loses, in nats, when the top word of its
      row is deleted; the mean over tokens.
    * ``token_rank_correlation``: Spearman's, of each row with what each word's deletion changes in that
      token's log-probability; the mean over tokens.

    Args:
        model: whose model wrote, or was forced to write, the translation.
        translation: with its trace, of FEWEST_WORDS words or more.
        generator: draws the importances of ``random``, whose measures are means of 3 draws.
    """
    left_out = leave_one_out(model, translation)
    n_words, n_tokens = left_out.costs.shape
    maps = [rows[:n_tokens] for rows in mean_maps(model, translation).values()]
    drawn = generator.random((RANDOM_DRAWS, n_tokens, n_words))
    every = np.stack([*maps, left_out.costs.T, *drawn])
    found = np.concatenate((_of_sentence(model, translation, left_out, every), _of_tokens(left_out, every)), 1)
    scores = dict(zip((*DRAWN, LEAVE_ONE_OUT), found, strict=False))
    return scores | {RANDOM: found[len(scores) :].mean(axis=0)}


def mean_maps(model: Source, translation: TracedTranslation) -> dict[Drawn, np.ndarray]:
    """Cross-attention by words, of every sort, as ``score_translation`` scores it: [T, W]."""
    maps: dict[Drawn, np.ndarray] = {}
    for name, sort in SORTS.items():
        if sort.from_maps:  # after the maps that it is made of
            other, make = sort.from_maps
            maps[name] = make({"cross": maps[other]}, translation.trace)["cross"]
        else:
            maps[name] = drawn_maps(model, translation, name)["cross"]
    maps["rollout"] = maps["rollout"][-1:, :1]
    src = translation.trace.src
    return {name: by_words(maps[name], src, name).mean(axis=(0, 1), dtype=np.float64) for name in DRAWN}


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
    return np.divide((one * two).sum(-1), size, out=np.full(size.shape, np.nan), where=size > 0)


@dataclass
class FaithfulnessTable:
    """Scores of many translations.

    Attributes:
        scores: of each pair, [ROWS, MEASURES].
        tokens: number of tokens that were scored.
        refused: why a line was left out, by its number.
    """

    scores: list[np.ndarray] = field(default_factory=list)
    tokens: int = 0
    refused: dict[int, str] = field(default_factory=dict)

    def add(self, scores: Mapping[str, np.ndarray], tokens: int) -> None:
        """Count one translation."""
        self.scores.append(np.stack([scores[name] for name in ROWS]))
        self.tokens += tokens

    def facts(self) -> dict[str, Any]:
        """The table as JSON-ready values: of each row and measure the mean over the pairs and its standard error.

        ``best`` names for each measure the sort of map that does best, the next one, and by how much it
        leads, with the standard error of that difference pair by pair.
        """
        scores = np.stack(self.scores)
        return {
            "sentences": len(scores),
            "tokens": self.tokens,
            "deletion": "mask",
            "shares": [round(100 * share) for share in KEPT_SHARES],
            "random_draws": RANDOM_DRAWS,
            "drawn": {
                name: {measure: _mean(scores[:, row, column]) for column, measure in enumerate(MEASURES)}
                for row, name in enumerate(ROWS)
            },
            "best": {
                measure: _best(scores[:, : len(DRAWN), column], measure) for column, measure in enumerate(MEASURES)
            },
        }


def faithfulness_table(
    model: Source, pairs: Iterable[tuple[str, str]], progress: Callable[[int], object] = lambda _: None
) -> FaithfulnessTable:
    """Scores of forced translations; a pair that the model cannot read, or that is too short, is left out.

    Args:
        model: whose cross-attention is scored.
        pairs: English and Chinese.
        progress: called with the number of pairs done.

    Raises:
        CorpusError: no pair is left; the sentence says why the first could not be scored.
    """
    table, generator = FaithfulnessTable(), np.random.default_rng(_SEED)

    def score(pair: tuple[str, str]) -> None:
        translation = _forced(model, *pair)
        table.add(score_translation(model, translation, generator), len(translation.tgt_ids) + 1)

    table.refused = score_pairs(pairs, score, progress)
    return table


def _forced(model: Source, english: str, chinese: str) -> TracedTranslation:
    translation = model.trace(english, chinese)
    words = len({label.word for label in translation.src})
    if words < FEWEST_WORDS:
        raise CorpusError(f"the English side has {words} words; to delete some takes {FEWEST_WORDS} or more")
    return translation


def _of_sentence(model: Source, translation: TracedTranslation, left_out: LeftOut, every: np.ndarray) -> np.ndarray:
    """Comprehensiveness, sufficiency and rank correlation of N maps [N, T, W]: [N, 3]; one batch."""
    importances = every.sum(axis=1)
    sets = np.stack([top_sets(importance) for importance in importances])  # [N, shares, W]
    asked = np.stack((sets, ~sets), axis=1).reshape(-1, sets.shape[-1])
    distinct, places = np.unique(asked, axis=0, return_inverse=True)
    costs = deletion_costs(model, translation, distinct).mean(axis=1)[places.reshape(-1)]
    aopc = costs.reshape(len(sets), 2, -1).mean(axis=-1)
    return np.column_stack((aopc, spearman(_to_rank(importances), np.abs(left_out.costs.sum(axis=1))[None])))


def _of_tokens(left_out: LeftOut, every: np.ndarray) -> np.ndarray:
    """Mean cost of each row's top word, and mean rank correlation of each row with the costs: [N, 2]."""
    costs = left_out.costs.T[None].astype(np.float64)
    ranks = spearman(_to_rank(every), np.abs(costs))
    known = np.isfinite(ranks)
    means = np.where(known, ranks, 0.0).sum(1) / np.where(known.any(1), known.sum(1), np.nan)
    return np.column_stack(((top_words(every) * costs).sum(-1).mean(-1), means))


def _to_rank(every: np.ndarray) -> np.ndarray:
    """What is compared with sizes of changes: the N maps, those that keep their sign by their size."""
    return np.stack([np.abs(each) if row in _KEEP_SIGN else each for row, each in enumerate(every)])


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks along the last axis, from 1; equal values share the mean of theirs."""
    lower = (values[..., None, :] < values[..., :, None]).sum(-1)
    equal = (values[..., None, :] == values[..., :, None]).sum(-1)
    return lower + (equal + 1) / 2


def _mean(values: np.ndarray) -> dict[str, float | None]:
    """Mean and standard error of what is known."""
    known = values[np.isfinite(values)]
    if not known.size:
        return {"mean": None, "se": None}
    error = known.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else None
    return {"mean": round(float(known.mean()), 4), "se": None if error is None else round(float(error), 4)}


def _best(scores: np.ndarray, measure: str) -> dict[str, Any]:
    """Which column of [N, DRAWN] does best, and how far the next one is behind."""
    sign = -1.0 if measure in LOWER_IS_BETTER else 1.0
    means = [sign * (_mean(column)["mean"] or 0.0) for column in scores.T]
    first, second = np.argsort([-mean for mean in means], kind="stable")[:2]
    lead = _mean(sign * (scores[:, first] - scores[:, second]))
    return {"drawn": DRAWN[first], "next": DRAWN[second], "lead": lead["mean"], "se": lead["se"]}
