"""Sentence pairs whose words people have linked, the error rate of an alignment against them, and links from maps."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from model.errors import CorpusError
from model.trace import Span

Link = tuple[int, int]  # English word, Chinese word, both zero-based
LINK = re.compile(r"(\d+)([-p])(\d+)")


@dataclass(frozen=True)
class GoldPair:
    """A sentence pair with its words, and the links that people made: sure ones, and sure or possible ones.

    ``by_letter`` is for checkpoints whose words are single letters, written without spaces.
    """

    src_words: tuple[str, ...]
    tgt_words: tuple[str, ...]
    sure: frozenset[Link]
    possible: frozenset[Link]
    by_letter: bool = False

    @property
    def src_text(self) -> str:
        """The source as the model is given it: its words, with a space between them."""
        return ("" if self.by_letter else " ").join(self.src_words)

    @property
    def src_spans(self) -> list[Span]:
        """Each source word's characters in ``src_text``."""
        spans, start, gap = [], 0, 0 if self.by_letter else 1
        for word in self.src_words:
            spans.append((start, start + len(word)))
            start += len(word) + gap
        return spans

    @property
    def tgt_text(self) -> str:
        """The target as the model is given it."""
        return "".join(self.tgt_words) if self.by_letter else joined(self.tgt_words)[0]

    @property
    def tgt_spans(self) -> list[Span]:
        """Each target word's characters in ``tgt_text``."""
        return [(n, n + 1) for n in range(len(self.tgt_words))] if self.by_letter else joined(self.tgt_words)[1]


def read_gold(path: Path, by_letter: bool = False) -> list[GoldPair]:
    """Pairs of a TSV file: tokenised English, segmented Chinese, links ``i-j`` (sure) or ``ipj`` (possible).

    Raises:
        CorpusError: the file cannot be read, is empty, or has a bad line; the message names the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CorpusError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise CorpusError(f"cannot read {path}: it is not UTF-8 ({error.reason} at byte {error.start})") from None
    lines = text.removesuffix("\n").split("\n") if text.strip() else []
    if not lines:
        raise CorpusError(f"{path} holds no sentence pair")
    return [gold_pair(line.rstrip("\r"), f"{path} line {number}", by_letter) for number, line in enumerate(lines, 1)]


def gold_pair(line: str, where: str, by_letter: bool = False) -> GoldPair:
    """The pair of one line of such a file; ``where`` it stands is said in the error.

    Raises:
        CorpusError: it is no such line.
    """
    cells = line.split("\t")
    if len(cells) != 3 or not cells[0].split() or not cells[1].split():
        raise CorpusError(f"{where}: expected English, a tab, segmented Chinese, a tab, links such as 0-0 1p2")
    src, tgt = tuple(cells[0].split()), tuple(cells[1].split())
    sure, possible = set(), set()
    for item in cells[2].split():
        match = LINK.fullmatch(item)
        if not match or int(match[1]) >= len(src) or int(match[3]) >= len(tgt):
            raise CorpusError(f"{where}: {item!r} is not a link between its {len(src)} and {len(tgt)} words")
        link = (int(match[1]), int(match[3]))
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    return GoldPair(src, tgt, frozenset(sure), frozenset(possible), by_letter)


def error_rate(found: Collection[Link], gold: GoldPair) -> float:
    """Alignment error rate of one sentence's links, in [0, 1]; 0 where there is nothing to find and nothing was found.

    AER = 1 − (|A∩S| + |A∩P|) / (|A| + |S|), where P contains S (Och and Ney 2003, section 5.2).
    """
    links = frozenset(found)
    total = len(links) + len(gold.sure)
    return 1.0 - (len(links & gold.sure) + len(links & gold.possible)) / total if total else 0.0


def diagonal_links(n_src: int, n_tgt: int) -> frozenset[Link]:
    """A guess that reads nothing: the target word half way through is linked to the source word half way through."""
    return frozenset((int((2 * word + 1) * n_src / (2 * n_tgt)), word) for word in range(n_tgt))


def joined(words: tuple[str, ...]) -> tuple[str, list[Span]]:
    """Chinese words as running text, with a space only between Latin ones; and each word's span in it."""
    text, spans = "", []
    for word in words:
        if text and text[-1].isascii() and text[-1].isalnum() and word[0].isascii() and word[0].isalnum():
            text += " "
        spans.append((len(text), len(text) + len(word)))
        text += word
    return text, spans


def detokenised(words: Collection[str]) -> str:
    """English words as a person writes them: "I do n't know ." becomes "I don't know."."""
    return re.sub(r" (?=[.,?!:;%]|n't\b|'(?:s|m|re|ve|ll|d)\b)", "", " ".join(words))


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
