"""Cached maps over words, of translations and of pairs whose alignment is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viz.core.answers.translations import translation
from viz.core.crowd.sharing import shared_out
from viz.core.kept import kept
from viz.core.models import entry_of

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.alignment.gold import GoldPair
    from model.attribution.methods import MethodName
    from viz.core.session import Subject


@kept(32)
@shared_out
def word_maps(subject: Subject, method: MethodName) -> tuple[list[str], list[str], np.ndarray]:
    """Words of a sentence and its translation, and the maps of one sort over them that can link them."""
    from model.analysis.alignment.word_maps import translation_maps

    return translation_maps(subject.model.opened, translation(subject), (method,))


@kept(8)
def truth_pairs(checkpoint: str) -> list[GoldPair]:
    """The pairs whose alignment is known, for a checkpoint."""
    from model.analysis.alignment.known_pairs import truth_pairs as pairs

    return pairs(str(entry_of(checkpoint).meta.get("src_tokenizer")))


@kept(64)
def truth_maps(checkpoint: str, number: int, method: MethodName) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The maps of one sort over the words of one such pair, its target forced; the error rates of the links they make;
    and how many tokens each target word has."""
    from model.analysis.alignment.error_table import ErrorTable
    from model.analysis.alignment.word_maps import pair_maps, tokens_per_word

    sizes, pair = entry_of(checkpoint).facts.anatomy.kinds["cross"], truth_pairs(checkpoint)[number]
    maps = pair_maps(entry_of(checkpoint).opened, pair, (method,))
    table = ErrorTable(sizes.layers, sizes.heads, (method,))
    table.add(maps, pair)
    return maps, table.rates, tokens_per_word(entry_of(checkpoint).opened, pair)
