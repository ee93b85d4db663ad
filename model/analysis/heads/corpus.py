"""Roles, importance and patterns of every head, summed over a corpus of sentence pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from model.analysis.heads.ablation import ablate
from model.analysis.heads.patterns import PATTERNS, pattern_scores
from model.analysis.heads.roles import RowCounts, count_rows, summed_up
from model.analysis.heads.table import HeadTable
from model.analysis.heads.together import muted_together, ratio
from model.analysis.pairs import score_pairs
from model.source import Source
from model.trace import Kind


class _Sums:
    """Running sums over sentences, by kind."""

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []
        self.tokens: list[int] = []
        self.log_prob = 0.0
        self.importance: dict[Kind, list[np.ndarray]] = {}  # of each sentence
        self.rows: dict[Kind, RowCounts] = {}
        self.patterns: dict[Kind, dict[str, np.ndarray]] = {}

    def add(self, model: Source, src: str, tgt: str) -> None:
        forced = model.trace(src, tgt)
        ablation, rarity = ablate(model, forced), model.rarity(src)
        self.pairs.append((src, tgt))
        self.tokens.append(len(ablation.before))
        self.log_prob += float(ablation.before.sum())
        for kind in forced.trace.kinds:
            self.importance.setdefault(kind, []).append(ablation.importance[kind])
            rows = count_rows(forced.trace, kind, rarity)
            self.rows[kind] = self.rows[kind] + rows if kind in self.rows else rows
            scores = {name: pattern_scores(forced.trace, kind, name) for name in PATTERNS}
            sums = self.patterns.setdefault(kind, {name: np.zeros_like(score) for name, score in scores.items()})
            for name, score in scores.items():
                sums[name] += score

    def table(self, facts: dict[str, Any]) -> HeadTable:
        sentences, tokens = len(self.pairs), np.array(self.tokens)
        profiles = {kind: summed_up(self.rows[kind], kind) for kind in self.rows}
        more = {
            "sentences": sentences,
            "tokens": int(tokens.sum()),
            "nats_per_token": round(self.log_prob / int(tokens.sum()), 4),
        }
        importance = {kind: ratio(np.stack(self.importance[kind]).astype(float), tokens) for kind in self.rows}
        return HeadTable(
            facts | more,
            {kind: mean for kind, (mean, _) in importance.items()},
            {kind: profiles[kind].measures for kind in self.rows},
            {kind: profiles[kind].offset_at for kind in self.rows},
            {kind: profiles[kind].roles for kind in self.rows},
            {kind: {name: total / sentences for name, total in self.patterns[kind].items()} for kind in self.rows},
            {kind: error for kind, (_, error) in importance.items()},
        )

    def together(self, model: Source) -> dict[str, Any]:
        """Heads muted together, chosen on every other pair and measured on those between; {} for a single pair."""
        if len(self.pairs) < 2:
            return {}
        first, second = (
            {kind: np.sum(costs[half::2], axis=0) for kind, costs in self.importance.items()} for half in (0, 1)
        )
        return {"together": muted_together(model, self.pairs[::2], self.pairs[1::2], first, second)}


def corpus_heads(
    model: Source,
    pairs: Sequence[tuple[str, str]],
    facts: dict[str, Any],
    progress: Callable[[int], object] = lambda _: None,
) -> tuple[HeadTable, dict[int, str]]:
    """Every head's roles, importance and patterns over sentence pairs, whose Chinese is forced.

    Args:
        model: whose heads they are.
        pairs: English and Chinese.
        facts: put into the table as they are.
        progress: called with the number of pairs done.

    Returns:
        the table, and why a pair was left out, by its number, counted from 1.

    Raises:
        CorpusError: no pair could be scored.
    """
    sums = _Sums()
    refused = score_pairs(pairs, lambda pair: sums.add(model, *pair), progress)
    return sums.table(facts | sums.together(model)), refused
