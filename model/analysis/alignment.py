"""Word alignment from cross-attention, and its error rate against links made by people."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from model.analysis.inside import attention_block
from model.capture import WEIGHTS, Captured, capture_attention, hook_name
from model.errors import CorpusError
from model.trace import Label
from model.translator import Translator, source_labels
from model.vocab import BOS_ID

Link = tuple[int, int]  # English word, Chinese word, both zero-based
LINK = re.compile(r"(\d+)([-p])(\d+)")
DRAWN = ("weights", "norms")
SHIFTS = ("written", "read")


@dataclass(frozen=True)
class GoldPair:
    """A sentence pair with its words, and the links that people made: sure ones, and sure or possible ones."""

    src_words: tuple[str, ...]
    tgt_words: tuple[str, ...]
    sure: frozenset[Link]
    possible: frozenset[Link]


def read_gold(path: Path) -> list[GoldPair]:
    """Pairs of a TSV file: tokenised English, segmented Chinese, links ``i-j`` (sure) or ``ipj`` (possible).

    Raises:
        CorpusError: the file cannot be read, is empty, or has a bad line; the message names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"cannot read {path}: {error}") from None
    if not lines:
        raise CorpusError(f"{path} holds no sentence pair")
    return [_gold_pair(line, f"{path} line {number}") for number, line in enumerate(lines, 1)]


def _gold_pair(line: str, where: str) -> GoldPair:
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
    return GoldPair(src, tgt, frozenset(sure), frozenset(possible))


@dataclass
class ErrorCounts:
    """Running counts for the alignment error rate over many sentences."""

    found: int = 0
    sure: int = 0
    hits_sure: int = 0
    hits_possible: int = 0

    def add(self, found: set[Link], gold: GoldPair) -> None:
        """Count one sentence's links."""
        self.found += len(found)
        self.sure += len(gold.sure)
        self.hits_sure += len(found & gold.sure)
        self.hits_possible += len(found & gold.possible)

    @property
    def rate(self) -> float:
        """AER = 1 − (|A∩S| + |A∩P|) / (|A| + |S|), in [0, 1] (Och and Ney 2003, section 5.2)."""
        total = self.found + self.sure
        return 1.0 - (self.hits_sure + self.hits_possible) / total if total else 0.0


def joined(words: tuple[str, ...]) -> tuple[str, list[tuple[int, int]]]:
    """Chinese words as running text, with a space only between Latin ones; and each word's span in it."""
    text, spans = "", []
    for word in words:
        if text and text[-1].isascii() and text[-1].isalnum() and word[0].isascii() and word[0].isalnum():
            text += " "
        spans.append((len(text), len(text) + len(word)))
        text += word
    return text, spans


def word_spans_of(words: tuple[str, ...]) -> list[tuple[int, int]]:
    """Spans of words in their text joined by single spaces."""
    starts = np.cumsum([0, *(len(word) + 1 for word in words)]).tolist()
    return [(start, start + len(word)) for start, word in zip(starts, words, strict=False)]


def membership(spans: list[tuple[int, int]], tokens: list[tuple[int, int]]) -> np.ndarray:
    """Share of each token in each word, by overlap of character spans: float32 [words, tokens]."""
    shares = np.zeros((len(spans), len(tokens)), dtype=np.float32)
    for column, (start, end) in enumerate(tokens):
        overlap = np.array([max(0, min(end, stop) - max(start, begin)) for begin, stop in spans], dtype=np.float32)
        if overlap.sum():
            shares[:, column] = overlap / overlap.sum()
    return shares


def argmax_links(word_map: np.ndarray) -> set[Link]:
    """For each Chinese word (row) the English word (column) with the most weight; none where a row is zero."""
    return {(int(row.argmax()), number) for number, row in enumerate(word_map) if row.max() > 0}


def cross_maps(translator: Translator, src_text: str, tgt_text: str) -> tuple[dict[str, np.ndarray], list[Label], list]:
    """Cross-attention of a forced translation, as weights and as norms, and the spans of its tokens.

    Returns:
        maps by what is drawn, [L, H + 1, T, S] each, where the last "head" is the whole layer: for
        ``weights`` the mean over heads; for ``norms`` ‖Σ_h α f(x)‖ (Kobayashi et al. 2020, equation 4),
        and ‖α f(x)‖ = α ‖v W_O‖ for a single head; labels of the source tokens; target tokens.
    """
    tokens, src_ids = translator.encode_source(src_text)
    forced = translator.tgt_tokenizer.encode(tgt_text)
    inputs = torch.tensor([[BOS_ID, *(token.id for token in forced)]], device=src_ids.device)
    with translator.running() as model, capture_attention(model, (WEIGHTS, "value_hook"), ("cross",)) as seen:
        model(src_ids, inputs)
        depth = model.config.n_decoder_layers
        weights = torch.stack([seen.values[hook_name("cross", layer, WEIGHTS)][0] for layer in range(depth)])
        per_layer = [_layer_norms(translator, seen, layer) for layer in range(depth)]
    whole = torch.cat((weights, weights.mean(1, keepdim=True)), 1)
    maps = {"weights": whole.cpu().numpy(), "norms": torch.stack(per_layer).cpu().numpy()}
    return maps, list(source_labels(src_text, tokens)), forced


def _layer_norms(translator: Translator, seen: Captured, layer: int) -> torch.Tensor:
    """Norms of each head's weighted, transformed values, then of their sum over heads: [H + 1, T, S]."""
    weights = seen.values[hook_name("cross", layer, WEIGHTS)][0]  # [H, T, S]
    value = seen.values[hook_name("cross", layer, "value_hook")][0]  # [H, S, d_head]
    block = attention_block(translator.model, "cross", layer)
    projection = block.out_proj.weight.T.view(block.n_heads, block.d_head, -1)  # [H, d_head, D]
    transformed = value @ projection  # [H, S, D]
    single = weights * transformed.norm(dim=-1)[:, None]
    summed = torch.einsum("hts,hsd->tsd", weights, transformed).norm(dim=-1)
    return torch.cat((single, summed[None]))
