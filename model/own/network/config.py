"""The sizes of a Transformer, checked when they are made, and what they mean to who asks a model. Needs no PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from model.source import ABILITIES, Anatomy, AttentionKind, Facts


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes of an encoder-decoder Transformer.

    Dropout rates are probabilities in [0, 1); ``max_len`` is the longest sequence, in tokens, that
    has positions.

    Raises:
        ValueError: a size is not positive, a rate is outside [0, 1), or ``d_model`` is not a
            multiple of ``n_heads`` or is odd (a sine needs its cosine).
    """

    src_vocab_size: int
    tgt_vocab_size: int
    d_model: int = 256
    d_ff: int = 1024
    n_heads: int = 8
    n_encoder_layers: int = 6
    n_decoder_layers: int = 6
    dropout: float = 0.1
    attention_dropout: float = 0.0
    max_len: int = 512

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name.endswith("dropout"):
                if not 0 <= value < 1:
                    raise ValueError(f"{field.name} must be in [0, 1), got {value}")
            elif not isinstance(value, int) or value < 1:
                raise ValueError(f"{field.name} must be a positive whole number, got {value!r}")
        if self.d_model % self.n_heads:
            raise ValueError(f"d_model {self.d_model} is not a multiple of n_heads {self.n_heads}")
        if self.d_model % 2:
            raise ValueError(f"d_model must be even, got {self.d_model}")

    @property
    def d_head(self) -> int:
        """Width of one head's queries, keys and values."""
        return self.d_model // self.n_heads

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON-ready values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TransformerConfig:
        """A config from its fields.

        Raises:
            ValueError: a key is unknown or missing, or a value is out of range.
        """
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise ValueError(f"unknown config key {unknown[0]!r}")
        if missing := sorted({"src_vocab_size", "tgt_vocab_size"} - set(values)):
            raise ValueError(f"config key {missing[0]!r} is missing")
        return cls(**values)


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
