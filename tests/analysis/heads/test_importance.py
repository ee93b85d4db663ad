from __future__ import annotations

import numpy as np
import pytest

from model.analysis.heads.ablation import ablate, ablate_ids
from model.analysis.what_if.mixing import log_probs
from model.folders import available
from model.own.capture import hook_name
from model.own.interventions import HEADS_OUT
from model.trace import KINDS
from model.translator import Translator
from tests.analysis.strong import strong_heads

SENTENCE, CHINESE = "Tom didn't see the red car in Boston.", "汤姆没看见红车。"


@pytest.fixture
def uneven(translator) -> Translator:
    """One encoder layer and three decoder layers, with weights large enough for heads to matter."""
    return strong_heads(translator, decoder_layers=3, times=2)


def one_by_one(translator: Translator, translation, kind: str) -> np.ndarray:
    """Fall of each token's log-probability with one head muted through the hooks, [L, H, T]."""
    config = translator.model.config
    depth = config.n_encoder_layers if kind == "encoder_self" else config.n_decoder_layers
    before = np.array(log_probs(translator, translation, {}))
    muted = [
        [np.array(log_probs(translator, translation, {(kind, layer, head): 0.0})) for head in range(config.n_heads)]
        for layer in range(depth)
    ]
    return before - np.array(muted)


@pytest.mark.parametrize("kind", KINDS)
def test_all_at_once_is_one_by_one(uneven, kind):
    forced = uneven.trace(SENTENCE, CHINESE)
    found, expected = ablate(uneven, forced), one_by_one(uneven, forced, kind)
    assert found.costs[kind].shape == expected.shape
    np.testing.assert_allclose(found.costs[kind], expected, atol=1e-4)
    np.testing.assert_allclose(found.importance[kind], expected.sum(-1), atol=1e-4)
    assert np.abs(expected.sum(-1)).min() > 3e-4  # each head leaves a trace, or another order would pass too
    spread = np.abs(expected.reshape(-1, 1, expected.shape[-1]) - expected.reshape(1, -1, expected.shape[-1])).max(-1)
    assert spread[~np.eye(len(spread), dtype=bool)].min() > 3e-4


def test_before_is_the_whole_models(uneven):
    forced = uneven.trace(SENTENCE, CHINESE)
    np.testing.assert_allclose(ablate(uneven, forced).before, forced.log_probs, atol=1e-4)


def test_eos_counts_only_where_it_was_written(uneven):
    ids = uneven.trace(SENTENCE, CHINESE).tgt_ids
    whole, cut = (ablate_ids(uneven, SENTENCE, ids, finished) for finished in (True, False))
    assert len(cut.before) == len(ids) == len(whole.before) - 1
    np.testing.assert_allclose(cut.costs["cross"], whole.costs["cross"][..., :-1], atol=1e-5)


def test_nothing_written_costs_nothing(uneven):
    found = ablate_ids(uneven, SENTENCE, (), finished=False)
    assert {kind: values.tolist() for kind, values in found.importance.items()} == {
        kind: np.zeros((1 if kind == "encoder_self" else 3, 4)).tolist() for kind in KINDS
    }


def test_the_model_is_left_as_it_was(uneven):
    forced = uneven.trace(SENTENCE, CHINESE)
    ablate(uneven, forced)
    hooks = [
        uneven.model.get_submodule(hook_name(kind, layer, HEADS_OUT))._forward_hooks
        for kind in KINDS
        for layer in range(1 if kind == "encoder_self" else 3)
    ]
    assert not any(hooks)
    assert uneven.trace(SENTENCE, CHINESE).log_probs == forced.log_probs


@pytest.mark.parametrize("name", [name for name in ("reverse", "en-zh") if name in available()])
def test_shipped_weights_agree_too(name):
    translator = Translator.from_checkpoint(name, "cpu")
    translation = translator.translate("abc123" if name == "reverse" else "I love you.")
    found, layer = ablate(translator, translation), translator.model.config.n_decoder_layers - 1
    for kind, place in (("encoder_self", (0, 1)), ("decoder_self", (0, 2)), ("cross", (layer, 0)), ("cross", (0, 3))):
        after = log_probs(translator, translation, {(kind, *place): 0.0})
        assert found.importance[kind][place] == pytest.approx(sum(translation.log_probs) - sum(after), abs=1e-3)
