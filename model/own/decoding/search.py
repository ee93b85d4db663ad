"""Greedy decoding and beam search over a key-value cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from model.common.decoding import expand, only
from model.own.decoding.stepping import Stepper
from model.own.network.transformer import Transformer
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID
from model.writing import LENGTH_ALPHA, Expansion, Hypothesis


def length_cap(src_len: int, max_len: int) -> int:
    """Most tokens that a translation of ``src_len`` may have: 99.98 % of the training pairs have fewer."""
    return min(2 * src_len + 10, max_len - 1)


@dataclass
class _Growing:
    """A translation that is being written."""

    cap: int
    ids: list[int] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)
    finished: bool = False

    def add(self, token: int, log_prob: float) -> None:
        self.log_probs.append(log_prob)
        self.finished = token == EOS_ID
        self.ids += [] if self.finished else [token]

    @property
    def goes_on(self) -> bool:
        return not self.finished and len(self.ids) < self.cap


@torch.inference_mode()
def greedy(
    model: Transformer,
    src_ids: Tensor,
    prefix: Sequence[int] = (),
    choose: Callable[[Tensor], Tensor] | None = None,
    step: Stepper | None = None,
) -> list[Hypothesis]:
    """The most probable token at every step, for each sentence of a batch.

    Args:
        model: in evaluation mode.
        src_ids: [B, S], padded with pad_id.
        prefix: target ids that every hypothesis must start with.
        choose: picks the ids [B] from log-probabilities [B, V] in place of the most probable ones.
        step: a fresh stepper over the same sentences, where the caller has one.
    """
    step = step or Stepper(model, model.encode(src_ids), src_ids)
    rows = [_Growing(length_cap(int(length), model.config.max_len)) for length in (src_ids != PAD_ID).sum(1)]
    active = rows
    last = torch.full((len(rows), 1), BOS_ID, dtype=torch.long, device=src_ids.device)
    while active:
        log_p, length = step(last, [row.ids for row in active]), len(active[0].ids)
        if length < len(prefix):
            best = torch.full_like(last[:, 0], prefix[length])
        else:
            best = log_p.argmax(-1) if choose is None else choose(log_p)
        for row, token, score in zip(active, best.tolist(), log_p.gather(1, best[:, None])[:, 0].tolist(), strict=True):
            row.add(token, score)
        last, going = best[:, None], [place for place, row in enumerate(active) if row.goes_on]
        if 0 < len(going) < len(active):
            kept = torch.tensor(going, dtype=torch.long, device=last.device)
            step.select(kept)
            last = last[kept]
        active = [active[place] for place in going]
    return [Hypothesis(tuple(row.ids), tuple(row.log_probs), row.finished) for row in rows]


@torch.inference_mode()
def beam_search(
    model: Transformer,
    src_ids: Tensor,
    beam: int,
    alpha: float = LENGTH_ALPHA,
    prefix: Sequence[int] = (),
    watch: Callable[[Expansion], None] | None = None,
    step: Stepper | None = None,
) -> list[Hypothesis]:
    """The hypotheses that beam search finishes, best first by log-probability over length penalty.

    Args:
        model: in evaluation mode.
        src_ids: one sentence, [1, S], without padding.
        beam: hypotheses kept at each step, at least 1.
        alpha: strength of the length penalty; 0 turns it off.
        prefix: target ids that every hypothesis must start with.
        watch: called with every step's expansion.
        step: a fresh stepper over the same sentence, where the caller has one.
    """
    step = step or Stepper(model, model.encode(src_ids), src_ids)
    cap = length_cap(src_ids.shape[1], model.config.max_len)
    growing, done = [Hypothesis((), (), finished=False)], list[Hypothesis]()
    last = torch.full((1, 1), BOS_ID, dtype=torch.long, device=src_ids.device)
    for length in range(cap):
        log_p = step(last, [hypothesis.ids for hypothesis in growing])
        if length < len(prefix):
            log_p = only(log_p, prefix[length])
        expansion = expand(growing, log_p, beam, EOS_ID)
        if watch is not None:
            watch(expansion)
        growing = expansion.kept
        done = sorted(done + expansion.ended, key=lambda h: h.score(alpha), reverse=True)[:beam]
        if not growing or (len(done) == beam and done[-1].score(alpha) >= growing[0].best_score(cap, alpha)):
            break
        step.select(torch.tensor(expansion.rows, dtype=torch.long, device=src_ids.device))
        last = torch.tensor([[hypothesis.ids[-1]] for hypothesis in growing], device=src_ids.device)
    return done or sorted(growing, key=lambda h: h.score(alpha), reverse=True)
