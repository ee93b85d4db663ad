"""Methods of the whole model where a model has a part of the three kinds of attention only."""

from __future__ import annotations

import numpy as np
import pytest

from model.attribution.methods import METHODS, attribution_maps
from model.folder.source import FolderSource
from model.passage import Ask
from model.source import LacksAbilityError
from tests.folder import tiny


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    return FolderSource.open(tiny.made("gpt2", tmp_path_factory.mktemp("folder")))


def test_relevancy_of_a_decoder_is_worked_out_step_by_step_by_hand(gpt2):
    made = gpt2.translate("The old baker", capture=True)
    found = attribution_maps(gpt2, made, "chefer")
    assert set(found) == {"decoder_self"}
    ids = gpt2.ids(made.source, made.tgt_ids, made.finished)
    for step in (0, 3, ids.steps - 1):
        gradients = gpt2.forced(ids, Ask(kinds=("decoder_self",), gradient=step)).gradients
        relevance = np.eye(len(ids.written))
        for layer, weights in enumerate(made.trace.weights["decoder_self"]):
            helped = np.maximum(gradients["decoder_self", layer].numpy() * weights, 0).mean(0)
            relevance = relevance + helped @ relevance
        np.testing.assert_allclose(found["decoder_self"][0, 0, step], relevance[step], atol=1e-5)
    assert found["decoder_self"][0, 0, 3, :3].max() > 1e-3


@pytest.mark.parametrize("family", ["bert", "vit"])
def test_what_is_about_writing_is_refused_by_models_that_only_read(family, tmp_path_factory):
    from model.common.pictures import drawing

    source = FolderSource.open(tiny.made(family, tmp_path_factory.mktemp("folder")), pictures=drawing)
    made = source.translate("house" if family == "vit" else "The old [MASK] sleeps.", capture=True)
    refused = [name for name, sort in METHODS.items() if "encoder_self" not in sort.kinds]
    assert {"chefer", "leave_one_out"} <= set(refused)
    for name in refused:
        with pytest.raises(LacksAbilityError):
            attribution_maps(source, made, name)
    assert set(attribution_maps(source, made, "rollout")) == {"encoder_self"}
