"""Batches of sentences of like length."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from torch import Tensor

from model.own.text.padding import pad
from model.own.text.vocab import BOS_ID, EOS_ID
from model.training.corpus import Corpus

Batch = tuple[Tensor, Tensor, Tensor]  # src_ids [B, S], decoder inputs [B, T], what they must predict [B, T]


def bucketed(
    corpus: Corpus, batch_tokens: int, max_len: int, seed: int, source_weights: Mapping[str, float] | None = None
) -> list[np.ndarray]:
    """Row numbers of one epoch's batches, shuffled; sentences of a batch have about the same length.

    Args:
        corpus: the pairs; those with a side of ``max_len`` tokens or more are left out.
        batch_tokens: most target positions (padding included) in a batch.
        max_len: the model's longest sequence.
        seed: of the shuffle; another one each epoch.
        source_weights: how often an epoch shows the pairs of a source; 1 where it is silent. A weight
            of 2.5 shows each pair twice, and half of them, drawn anew each epoch, once more.
    """
    src_len, tgt_len = corpus.lengths()
    rng = np.random.default_rng(seed)
    fits = (src_len < max_len) & (tgt_len + 1 < max_len)
    weights = np.array([(source_weights or {}).get(str(name), 1.0) for name in corpus.sources])[corpus.source]
    copies = np.floor(weights + rng.random(len(corpus))).astype(int) * fits
    rows = rng.permutation(np.repeat(np.arange(len(corpus)), copies))
    rows = rows[np.lexsort((src_len[rows], tgt_len[rows]))]
    longest = np.maximum(src_len, tgt_len + 1)
    batches, start, width = [], 0, 0
    for place, row in enumerate(rows):
        width = max(width, longest[row])
        if place > start and (place - start + 1) * width > batch_tokens:
            batches.append(rows[start:place])
            start, width = place, longest[row]
    batches.append(rows[start:])
    return [batches[index] for index in rng.permutation(len(batches))]


def collate(corpus: Corpus, rows: np.ndarray) -> Batch:
    """Padded tensors of these rows: <bos> opens the decoder's input, <eos> closes its output."""
    pairs = [corpus.pair(int(row)) for row in rows]
    src = pad([src for src, _ in pairs])
    tgt_in = pad([np.concatenate(([BOS_ID], tgt)) for _, tgt in pairs])
    tgt_out = pad([np.concatenate((tgt, [EOS_ID])) for _, tgt in pairs])
    return src, tgt_in, tgt_out
