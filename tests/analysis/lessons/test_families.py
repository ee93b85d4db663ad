"""Three families beside each other: shapes against their configs, who sees whom against counting."""

from __future__ import annotations

import json

import numpy as np
import pytest

from model.analysis.lessons.families import hide, seen_share, sizes_of
from model.common.scenes import scene_png
from model.folders import CHECKPOINTS
from model.translator import open_model

GIVEN = {"tiny-bert": "A cat [MASK].", "tiny-gpt": "A cat", "tiny-vit": "scene-5"}
NAMES = {"hidden_size": "n_embd", "num_attention_heads": "n_head"}


@pytest.mark.parametrize("name", GIVEN)
def test_shapes_are_those_of_the_config(name: str) -> None:
    config = json.loads((CHECKPOINTS / name / "config.json").read_text(encoding="utf-8"))
    width, heads = (config.get(key) or config[other] for key, other in NAMES.items())
    source = open_model(name, scene_png)
    found = source.translate(GIVEN[name], capture=True)
    sizes = sizes_of(source, found)
    tokens = 37 if name == "tiny-vit" else sizes.given[1]
    assert sizes.states == (tokens, width)
    assert sizes.query == (heads, tokens, width // heads)
    assert sizes.weights == (heads, tokens, tokens)
    if name == "tiny-vit":
        assert sizes.given == (1, 3, 48, 48)
        assert tokens == (48 // config["patch_size"]) ** 2 + 1


def test_a_causal_map_has_half_of_the_pairs_and_half_of_the_diagonal() -> None:
    for size in (1, 5, 12):
        causal = np.tril(np.ones((size, size)))
        assert seen_share(causal) == pytest.approx((size + 1) / (2 * size))
    assert seen_share(np.ones((3, 3))) == 1.0


def test_a_word_is_hidden_and_its_punctuation_stays() -> None:
    assert hide("Well, she left!", 2) == ("Well, she [MASK]!", "Well, she", "left")
    with pytest.raises(IndexError):
        hide("One word.", 5)
