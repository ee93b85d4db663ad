"""Alignment error rate of every layer and head, drawn and shifted in each way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from model.analysis.alignment import (
    DRAWN,
    SHIFTS,
    ErrorCounts,
    GoldPair,
    argmax_links,
    cross_maps,
    joined,
    membership,
    word_spans_of,
)
from model.errors import CorpusError, SentenceTooLongError
from model.translator import Translator

Setting = tuple[str, str, int, int]  # drawn, shift, layer, head


def error_table(
    translator: Translator, gold: Sequence[GoldPair], progress: Callable[[int], None] = lambda _: None
) -> tuple[dict[Setting, ErrorCounts], dict[int, str]]:
    """Counts by (drawn, shift, layer, head), by forced decoding of the gold Chinese; head H is the whole layer.

    A Chinese word gets one link, to the English word with the most weight in the rows of its tokens;
    tokens are merged to the gold words by character spans. ``written`` takes the row that writes a
    token, ``read`` the row that has just read it (Chen et al. 2020, section 3.1).

    Args:
        translator: whose cross-attention is scored.
        gold: pairs with links.
        progress: called with the number of pairs done.

    Returns:
        the counts, and, by line number, why a pair was left out.
    """
    counts: dict[Setting, ErrorCounts] = {}
    refused: dict[int, str] = {}
    for number, pair in enumerate(gold, 1):
        try:
            for setting, word_map in word_maps(translator, pair).items():
                counts.setdefault(setting, ErrorCounts()).add(argmax_links(word_map), pair)
        except SentenceTooLongError as error:
            refused[number] = str(error)
        progress(number)
    if not counts:
        raise CorpusError("no sentence pair was short enough to align")
    return counts, refused


def word_maps(translator: Translator, pair: GoldPair) -> dict[Setting, np.ndarray]:
    """Every cross map of a pair merged to its words, [Chinese words, English words], by setting."""
    tgt_text, tgt_spans = joined(pair.tgt_words)
    maps, src, forced = cross_maps(translator, " ".join(pair.src_words), tgt_text)
    columns = membership(word_spans_of(pair.src_words), [(label.start, label.end) for label in src])
    rows = membership(tgt_spans, [(token.start, token.end) for token in forced])
    merged = {}
    for drawn in DRAWN:
        without_eos = maps[drawn][..., : len(src)]
        for shift in SHIFTS:
            steps = without_eos[:, :, :-1] if shift == "written" else without_eos[:, :, 1:]
            by_word = rows @ steps @ columns.T  # [L, H + 1, Chinese words, English words]
            for layer, heads in enumerate(by_word):
                merged.update({(drawn, shift, layer, head): one for head, one in enumerate(heads)})
    return merged


def best_setting(counts: dict[Setting, ErrorCounts], n_heads: int) -> dict[str, Any]:
    """The setting with the lowest error rate, as JSON-ready values; head is "all" for a whole layer."""
    drawn, shift, layer, head = min(counts, key=lambda setting: counts[setting].rate)
    rate = counts[drawn, shift, layer, head].rate
    return {
        "kind": "cross",
        "layer": layer,
        "head": "all" if head == n_heads else head,
        "drawn": drawn,
        "shift": shift,
        "aer": round(100 * rate, 2),
    }
