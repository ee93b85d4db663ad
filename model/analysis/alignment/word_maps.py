"""Word alignment from cross-attention: maps of heads, layers and all of it, merged to words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from model.analysis.alignment.gold import GoldPair
from model.attribution.labelled_map import words_of
from model.attribution.methods import METHOD_NAMES, METHODS, MethodName, attribution_maps
from model.trace import Label, Span, TracedTranslation

if TYPE_CHECKING:
    from model.source import Source

# What links can be made of: amounts, which add up over a word's pieces, and what is not too slow to make.
ALIGN_METHODS: tuple[MethodName, ...] = tuple(name for name in METHOD_NAMES if METHODS[name].words == "sum")
All = Literal["all"]
ALL: All = "all"
Place = tuple[int | All, int | All]  # layer, head


def places(n_layers: int, n_heads: int) -> list[Place]:
    """What can be aligned with: every head of every layer, every layer's heads together, all layers together.

    >>> places(1, 2)
    [(0, 0), (0, 1), (0, 'all'), ('all', 'all')]
    """
    heads: list[int | All] = [*range(n_heads), ALL]
    return [*((layer, head) for layer in range(n_layers) for head in heads), (ALL, ALL)]


def alignment_maps(
    model: Source, translation: TracedTranslation, methods: Sequence[MethodName] = ALIGN_METHODS
) -> np.ndarray:
    """Cross-attention of a translation, for every way of drawing and every place: float32 [D, N, T, S].

    D goes by ``methods``, N by ``places``. All values are 0 or more:

    =============  ==============  ==========================  ===========================
    method         one head        all heads of a layer        all layers
    =============  ==============  ==========================  ===========================
    weights        α               their mean                  the layers' mean
    norms          ‖α f(x)‖        ‖Σ_h α f(x)‖                the layers' mean
    with a sign v  max(0, v)       max(0, Σ_h v)               max(0, Σ_l Σ_h v)
    of a layer     0               the layer's                 the layers' mean, or the last
    of the model   0               0                           max(0, v)
    =============  ==============  ==========================  ===========================

    Norms are those of Kobayashi et al. 2020 (equations 3 and 4). What speaks against a written token counts as
    0 (Barkan et al. 2021), once all that is combined has been added. Where a sort has no map of a place it
    makes no links there, and a sort that the model cannot make has none anywhere.

    Raises:
        ValueError: the translation was made without its trace.
    """
    if translation.trace is None:
        raise ValueError("the translation was made without its trace")
    offered = model.anatomy.abilities
    return np.stack(
        [
            _of_sort(model, translation, name)
            if offered.issuperset(METHODS[name].needs)
            else _by_place(*_nothing(translation.trace.cross))
            for name in methods
        ]
    ).astype(np.float32)


def _of_sort(model: Source, translation: TracedTranslation, name: MethodName) -> np.ndarray:
    """Maps of every place, [N, T, S]."""
    from model.attribution.per_head import cross_norms

    if name == "norms":
        single, together = cross_norms(model, translation)
        return _by_place(single, together, together.mean(0))
    sort, cross = METHODS[name], attribution_maps(model, translation, name)["cross"]
    heads, layers, _ = _nothing(cross)
    if sort.per == "head":
        heads, layers = cross, cross.sum(1) if sort.signed else cross.mean(1)
    elif sort.per != "model":
        layers = cross[:, 0]
    every = cross.sum((0, 1)) if sort.signed and sort.per == "head" else sort.whole(cross)
    return _by_place(*(np.maximum(values, 0) for values in (heads, layers, every)))


def _nothing(cross: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Zeros in the shape of every head, every layer, and all: [L, H, T, S], [L, T, S] and [T, S]."""
    return np.zeros_like(cross), np.zeros_like(cross[:, 0]), np.zeros_like(cross[0, 0])


def _by_place(heads: np.ndarray, layers: np.ndarray, all_layers: np.ndarray) -> np.ndarray:
    """[L, H, T, S], [L, T, S] and [T, S] in the order of ``places``: [N, T, S]."""
    per_layer = np.concatenate((heads, layers[:, None]), 1)
    return np.concatenate((per_layer.reshape(-1, *all_layers.shape), all_layers[None]))


def word_maps(maps: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Maps [..., T, S] merged to words, for both shifts: [2, ..., target words, source words], by SHIFTS.

    A word's map is the sum over its tokens; <bos> and <eos> are left out. ``written`` takes the row
    that writes a token, ``read`` the row that has just read it (Chen et al. 2020, section 3.1).

    Args:
        maps: rows are decoder inputs, <bos> first; columns are source tokens, <eos> last.
        rows: share of each target token in each target word, [target words, T − 1].
        columns: share of each source token in each source word, [source words, S − 1].
    """
    return np.stack([rows @ maps[..., steps, :-1] @ columns.T for steps in (slice(None, -1), slice(1, None))])


def pair_maps(model: Source, pair: GoldPair, methods: Sequence[MethodName] = ALIGN_METHODS) -> np.ndarray:
    """Maps of a pair whose target the model is forced to write, merged to its words: [2, D, N, target, source words].

    Raises:
        EmptySentenceError, SentenceTooLongError, UnknownCharacterError: as ``Translator.trace``.
    """
    translation = model.trace(pair.src_text, pair.tgt_text)
    forced = model.encode_target(pair.tgt_text)  # their spans point into the text as it was given
    rows = membership(pair.tgt_spans, [(token.start, token.end) for token in forced])
    columns = membership(pair.src_spans, [(label.start, label.end) for label in translation.src])
    return word_maps(alignment_maps(model, translation, methods), rows, columns)


def tokens_per_word(model: Source, pair: GoldPair) -> np.ndarray:
    """How many tokens make up each target word of a pair, shared tokens by their share: float32 [target words]."""
    forced = model.encode_target(pair.tgt_text)
    found: np.ndarray = membership(pair.tgt_spans, [(token.start, token.end) for token in forced]).sum(1)
    return found


def translation_maps(
    model: Source, translation: TracedTranslation, methods: Sequence[MethodName] = ALIGN_METHODS
) -> tuple[list[str], list[str], np.ndarray]:
    """Source words, target words, and the maps over them, as ``pair_maps`` gives them, of a finished translation."""
    src, columns = label_words(translation.src)
    tgt, rows = label_words(translation.tgt)
    return src, tgt, word_maps(alignment_maps(model, translation, methods), rows, columns)


def membership(spans: Sequence[Span], tokens: Sequence[Span]) -> np.ndarray:
    """Share of each token in each word, by overlap of character spans: float32 [words, tokens]."""
    shares = np.zeros((len(spans), len(tokens)), dtype=np.float32)
    for column, (start, end) in enumerate(tokens):
        overlap = np.array([max(0, min(end, stop) - max(start, begin)) for begin, stop in spans], dtype=np.float32)
        if overlap.sum():
            shares[:, column] = overlap / overlap.sum()
    return shares


def label_words(labels: Sequence[Label]) -> tuple[list[str], np.ndarray]:
    """The words that tokens make up, and which token is in which: float32 [words, tokens]."""
    words, groups = words_of(labels)
    shares = np.zeros((len(groups), len(labels)), dtype=np.float32)
    for row, group in enumerate(groups):
        shares[row, group] = 1
    return [word.text for word in words], shares
