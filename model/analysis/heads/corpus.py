"""Roles, importance and patterns of every head, summed over a corpus of sentence pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from model.analysis.heads.ablation import ablate
from model.analysis.heads.patterns import PATTERNS, pattern_scores
from model.analysis.heads.roles import RowCounts, count_rows, summed_up
from model.analysis.heads.table import DECIMALS, HeadTable
from model.pairs import PairArrays, PairScores
from model.passage import one_thread
from model.source import Source
from model.trace import KINDS, HeadRef, Kind

MUTED = (1, 2, 4, 8, 16, 32, 64, 96)  # heads that are muted together, as far as there are so many
GREEDY = 5  # heads of the greedy set …
CANDIDATES = 16  # … among so many of those that cost most alone, …
PAIRS = 48  # … on so many pairs


def ratio(costs: np.ndarray, tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Costs of N sentences [N, …] over all their tokens [N], and the standard error of that, sentence by sentence.

    The ratio of two sums: its error is that of the residues cost − ratio · tokens (Cochran 1977, section 2.11);
    NaN for a single sentence.
    """
    total, n = float(tokens.sum()), len(tokens)
    mean = costs.sum(0) / total
    residues = costs - mean * tokens.reshape(-1, *([1] * (costs.ndim - 1)))
    return mean, np.sqrt((residues**2).sum(0) * (n / (n - 1) if n > 1 else np.nan)) / total


def ranked(importance: Mapping[Kind, np.ndarray]) -> list[HeadRef]:
    """Every head, the one that costs most alone first."""
    every = [
        (float(values[place]), HeadRef(kind, *place))
        for kind, values in importance.items()
        for place in np.ndindex(*values.shape)
    ]
    return [head for _, head in sorted(every, key=lambda each: -each[0])]


def muted_together(
    model: Source,
    chosen_on: Sequence[tuple[str, str]],
    measured_on: Sequence[tuple[str, str]],
    importance: Mapping[Kind, np.ndarray],
    alone: Mapping[Kind, np.ndarray],
) -> dict[str, Any]:
    """Costs of muting the heads that cost most, or least, alone, and of a greedy set; in nats a token, JSON-ready.

    Heads are chosen on some pairs and measured on others, so that no luck of the choice is in the costs.
    The greedy set begins with nothing and takes each time the head that adds most to what the set costs.

    Args:
        model: whose heads can be changed.
        chosen_on: English and Chinese; here heads are chosen.
        measured_on: the others; at least one of each.
        importance: what each head costs alone on ``chosen_on``, [L, H] by kind, in whatever unit.
        alone: what it costs on ``measured_on``, in nats over all tokens.

    Returns:
        ``sentences`` and ``tokens`` that were measured; ``sets``, each with ``which`` ("most", "least" or
        "greedy"), ``heads`` (codes), ``cost`` and ``se`` together, and ``alone``, the sum of their costs one by one.
    """
    order = ranked(importance)
    sizes = [size for size in MUTED if size <= len(order)]
    greedy = greedy_set(model, chosen_on[:PAIRS], order[:CANDIDATES])
    sets = [("most", order[:size]) for size in sizes] + [("least", order[-size:]) for size in sizes]
    sets += [("greedy", greedy[:size]) for size in range(1, len(greedy) + 1)]
    costs, tokens = _costs(model, measured_on, [heads for _, heads in sets])
    means, errors = ratio(costs, tokens)
    total = int(tokens.sum())
    rows = [
        _row(which, heads, float(mean), float(error), sum(float(alone[head.kind][head[1:]]) for head in heads) / total)
        for (which, heads), mean, error in zip(sets, means, errors, strict=True)
    ]
    return {"sentences": len(tokens), "tokens": total, "sets": rows}


def greedy_set(model: Source, pairs: Sequence[tuple[str, str]], candidates: Sequence[HeadRef]) -> list[HeadRef]:
    """Heads, each of which adds most to what muting those before it costs."""
    found: list[HeadRef] = []
    while len(found) < min(GREEDY, len(candidates)):
        left = [head for head in candidates if head not in found]
        costs, tokens = _costs(model, pairs, [[*found, head] for head in left])
        found.append(left[int(ratio(costs, tokens)[0].argmax())])
    return found


def _row(which: str, heads: Sequence[HeadRef], cost: float, error: float, alone: float) -> dict[str, Any]:
    return {
        "which": which,
        "heads": [head.code for head in heads],
        "cost": round(cost, DECIMALS),
        "se": None if np.isnan(error) else round(error, DECIMALS),
        "alone": round(alone, DECIMALS),
    }


def _costs(
    model: Source, pairs: Sequence[tuple[str, str]], sets: Sequence[Sequence[HeadRef]]
) -> tuple[np.ndarray, np.ndarray]:
    """What muting each set costs each pair, in nats, [N, sets], and the tokens written, [N]."""
    costs, tokens = [], []
    for source, target in pairs:
        ids = model.ids(source, [token.id for token in model.encode_target(target)])
        found = model.log_probs(ids, [{}, *({head: 0.0 for head in heads} for heads in sets)]).double().cpu().numpy()
        costs.append((found[0] - found[1:]).sum(-1))
        tokens.append(found.shape[1])
    return np.stack(costs), np.array(tokens)


def score_heads(model: Source, src: str, tgt: str) -> PairArrays:
    """What every head does in one forced translation, and what muting it costs: arrays by kind and measure.

    Raises:
        HeadlightError: the model cannot read the pair.
    """
    forced = model.trace(src, tgt)
    ablation, rarity = ablate(model, forced), model.rarity(src)
    scores = {"tokens": np.array(len(ablation.before)), "log_prob": np.array(float(ablation.before.sum()))}
    for kind in forced.trace.kinds:
        rows = count_rows(forced.trace, kind, rarity)
        scores[f"importance/{kind}"] = ablation.importance[kind]
        scores |= {f"sums/{kind}/{name}": values for name, values in rows.sums.items()}
        scores |= {f"rows/{kind}/{name}": np.asarray(values) for name, values in rows.rows.items()}
        scores |= {f"patterns/{kind}/{name}": pattern_scores(forced.trace, kind, name) for name in PATTERNS}
    return scores


def heads_of(model: Source, pairs: Sequence[tuple[str, str]], found: PairScores, facts: dict[str, Any]) -> HeadTable:
    """The table of the scores of pairs.

    Args:
        model: whose heads they are; some are muted together here, chosen on every other pair and measured between.
        pairs: English and Chinese.
        found: from ``score_heads``.
        facts: put into the table as they are.

    Raises:
        CorpusError: no pair could be scored.
    """
    every, scored = found.all(), [pairs[number - 1] for number in sorted(found.scores)]
    tokens = np.array([int(each["tokens"]) for each in every])
    kinds: list[Kind] = [kind for kind in KINDS if f"importance/{kind}" in every[0]]
    costs = {kind: [each[f"importance/{kind}"] for each in every] for kind in kinds}
    more: dict[str, Any] = {}
    if len(scored) > 1:
        first, second = ({kind: np.sum(own[half::2], axis=0) for kind, own in costs.items()} for half in (0, 1))
        with one_thread():
            more["together"] = muted_together(model, scored[::2], scored[1::2], first, second)
    log_prob = sum(float(each["log_prob"]) for each in every)
    more |= {"sentences": len(every), "tokens": int(tokens.sum()), "nats_per_token": round(log_prob / tokens.sum(), 4)}
    importance = {kind: ratio(np.stack(costs[kind]).astype(float), tokens) for kind in kinds}
    profiles = {kind: summed_up(_row_counts(every, kind), kind) for kind in kinds}
    return HeadTable(
        facts | more,
        {kind: mean for kind, (mean, _) in importance.items()},
        {kind: profiles[kind].measures for kind in kinds},
        {kind: profiles[kind].offset_at for kind in kinds},
        {kind: profiles[kind].roles for kind in kinds},
        {kind: _means(every, f"patterns/{kind}") for kind in kinds},
        {kind: error for kind, (_, error) in importance.items()},
    )


def _row_counts(every: Sequence[PairArrays], kind: Kind) -> RowCounts:
    return RowCounts(_added(every, f"sums/{kind}"), _added(every, f"rows/{kind}"))


def _means(every: Sequence[PairArrays], group: str) -> dict[str, np.ndarray]:
    return {name: total / len(every) for name, total in _added(every, group).items()}


def _added(every: Sequence[PairArrays], group: str) -> dict[str, np.ndarray]:
    """The arrays of a group, pair after pair."""
    names = [name for name in every[0] if name.startswith(f"{group}/")]
    return {name.removeprefix(f"{group}/"): np.add.reduce([each[name] for each in every]) for name in names}
