"""What the sizes in a checkpoint's config.json mean to those who ask a model: known before PyTorch is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from model.source import ABILITIES, Anatomy, AttentionKind

NEVER_WRITTEN = (PAD_ID, BOS_ID, UNK_ID)


@dataclass(frozen=True)
class Facts:
    """Sizes of a checkpoint.

    Attributes:
        anatomy: kinds of attention with their layers and heads, and what can be asked.
        d_model: width of the residual stream; ``d_head`` of one head's queries, keys and values.
        vocabulary: number of target tokens.
        max_len: the longest translation, in tokens.
        end_id: of the token that ends a translation; ``never_written``: of those that decoding never writes.
    """

    anatomy: Anatomy
    d_model: int
    d_head: int
    vocabulary: int
    max_len: int
    end_id: int = EOS_ID
    never_written: tuple[int, ...] = NEVER_WRITTEN


def facts(config: Mapping[str, Any]) -> Facts:
    """The facts in the fields of a ``TransformerConfig``.

    Raises:
        KeyError: a field is missing.
    """
    heads, encoder, decoder = (int(config[name]) for name in ("n_heads", "n_encoder_layers", "n_decoder_layers"))
    anatomy = Anatomy(
        {
            "encoder_self": AttentionKind(encoder, heads, "src", "src", causal=False),
            "decoder_self": AttentionKind(decoder, heads, "tgt", "tgt", causal=True),
            "cross": AttentionKind(decoder, heads, "tgt", "src", causal=False),
        },
        frozenset(ABILITIES),
    )
    d_model = int(config["d_model"])
    return Facts(anatomy, d_model, d_model // heads, int(config["tgt_vocab_size"]), int(config["max_len"]))
