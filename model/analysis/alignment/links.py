"""Links between words from a map over words, and how they are written down. Numpy only."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from model.analysis.alignment.gold import Link

LinkRule = Literal["argmax", "grow"]


def argmax_links(maps: np.ndarray) -> np.ndarray:
    """For each target word (row) the source word (column) with the most weight; none where a row is zero.

    Args:
        maps: weights from 0 up, [..., target words, source words].

    Returns:
        bool of the same shape.
    """
    best = maps.argmax(-1, keepdims=True)
    found: np.ndarray = (np.arange(maps.shape[-1]) == best) & (maps.max(-1, keepdims=True) > 0)
    return found


def agreement(maps: np.ndarray) -> np.ndarray:
    """How much two words choose each other: product of both directions' shares (after Liang et al. 2006, section 3).

    One share is the part of its row that a cell has, the other the part of its column; so a word that
    everything looks at, or that is made of many tokens, is not favoured.

    Args:
        maps: weights from 0 up, [..., target words, source words].

    Returns:
        values from 0 to 1, of the same shape.
    """
    rows, columns = maps.sum(-1, keepdims=True), maps.sum(-2, keepdims=True)
    shares = (np.divide(maps, total, out=np.zeros_like(maps), where=total > 0) for total in (rows, columns))
    found: np.ndarray = np.multiply(*shares)
    return found


def grown_links(maps: np.ndarray) -> np.ndarray:
    """Links on which both directions agree, grown by neighbours on which one does (grow-diag, Koehn et al. 2005).

    One direction is the best source word of each target word, the other the best target word of each
    source word. From the links in both, those of either are added in rounds, all at once, that touch a
    link, also at its corner, and belong to a word that had none before the round; so the order in which
    links are looked at does not matter.

    Args:
        maps: weights from 0 up, [..., target words, source words].

    Returns:
        bool of the same shape.
    """
    flat = maps.reshape(-1, *maps.shape[-2:])
    by_row, by_column = argmax_links(flat), argmax_links(flat.swapaxes(1, 2)).swapaxes(1, 2)
    either, links = by_row | by_column, by_row & by_column
    while True:
        free = ~links.any(2, keepdims=True) | ~links.any(1, keepdims=True)
        new = either & ~links & free & _beside(links)
        if not new.any():
            found: np.ndarray = links.reshape(maps.shape)
            return found
        links |= new


def both_ways(maps: np.ndarray) -> np.ndarray:
    """The links grown from the words' agreement: bool, of the same shape as the maps."""
    return grown_links(agreement(maps))


def _beside(links: np.ndarray) -> np.ndarray:
    """Cells that touch a link, or are one: bool [N, rows, columns]."""
    rows, columns = links.shape[1:]
    padded = np.pad(links, ((0, 0), (1, 1), (1, 1)))
    shifts = [padded[:, down : down + rows, right : right + columns] for down in range(3) for right in range(3)]
    found: np.ndarray = np.logical_or.reduce(shifts)
    return found


RULES: dict[LinkRule, Callable[[np.ndarray], np.ndarray]] = {"argmax": argmax_links, "grow": both_ways}


def link_set(links: np.ndarray) -> frozenset[Link]:
    """Pairs (source word, target word) of one bool map [target words, source words]."""
    return frozenset((int(src), int(tgt)) for tgt, src in np.argwhere(links))


def pharaoh(links: frozenset[Link]) -> str:
    """Links as ``0-0 2-1 1-2``: source word, target word, zero-based, in the order of the target (Koehn 2004).

    >>> pharaoh(frozenset({(1, 2), (0, 0), (2, 1)}))
    '0-0 2-1 1-2'
    """
    return " ".join(f"{src}-{tgt}" for src, tgt in sorted(links, key=lambda link: (link[1], link[0])))


def links_csv(links: frozenset[Link], src: Sequence[str], tgt: Sequence[str], word_map: np.ndarray) -> str:
    """Links as a CSV file: index and word of either side, and the map's value [target words, source words]."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(("src_index", "src_word", "tgt_index", "tgt_word", "value"))
    for i, j in sorted(links, key=lambda link: (link[1], link[0])):
        writer.writerow((i, src[i], j, tgt[j], f"{word_map[j, i]:.6g}"))
    return table.getvalue()
