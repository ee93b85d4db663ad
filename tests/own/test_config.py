from __future__ import annotations

import pytest

from model.own.network.config import TransformerConfig


def test_a_config_survives_the_round_trip() -> None:
    config = TransformerConfig(100, 200, n_decoder_layers=3)
    assert TransformerConfig.from_dict(config.to_dict()) == config
    assert config.d_head == 32


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"d_model": 250}, "d_model 250 is not a multiple of n_heads 8"),
        ({"d_model": 9, "n_heads": 3}, "d_model must be even"),
        ({"n_encoder_layers": 0}, "n_encoder_layers must be a positive whole number"),
        ({"d_ff": 10.5}, "d_ff must be a positive whole number"),
        ({"dropout": 1.0}, r"dropout must be in \[0, 1\)"),
        ({"attention_dropout": -0.1}, "attention_dropout must be in"),
        ({"heads": 8}, "unknown config key 'heads'"),
    ],
)
def test_wrong_sizes_are_refused_by_name(values: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        TransformerConfig.from_dict({"src_vocab_size": 100, "tgt_vocab_size": 100, **values})


def test_a_missing_vocabulary_size_is_named() -> None:
    with pytest.raises(ValueError, match="'tgt_vocab_size' is missing"):
        TransformerConfig.from_dict({"src_vocab_size": 100})
