"""What the sizes in a checkpoint's config.json mean to those who ask a model: known before PyTorch is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from model.source import ABILITIES, Anatomy, AttentionKind, Facts

NEVER_WRITTEN = (PAD_ID, BOS_ID, UNK_ID)


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
    vocabulary, max_len = int(config["tgt_vocab_size"]), int(config["max_len"])
    return Facts(anatomy, d_model, d_model // heads, vocabulary, max_len, EOS_ID, NEVER_WRITTEN)
