"""What a hook on the weights is given is the gradient: checked by changing one weight a little."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.analysis.lessons.hooks import caught, hook_on, shown_code
from model.attribution.per_head import gradient_maps
from model.errors import HeadlightError
from model.own.capture import hook_name
from model.translator import Translator
from tests.pages import reverse

pytestmark = reverse
STEP, PLACES = 2, (("cross", 1, 0, 1, 3), ("decoder_self", 0, 2, 2, 1), ("encoder_self", 1, 1, 4, 0))


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.from_checkpoint("reverse", device="cpu")


@pytest.fixture(scope="module")
def written(translator: Translator):
    return translator.translate("lights", capture=True)


def log_p(translator: Translator, written, place: tuple, by: float) -> float:
    """The log-probability of STEP's token with one weight larger by so much, in double precision."""
    kind, layer, head, row, key = place
    ids = translator.ids(written.source, written.tgt_ids, written.finished)

    def moved(_module, _args, output: torch.Tensor) -> torch.Tensor:
        changed = output.clone()
        changed[0, head, row, key] += by
        return changed

    handle = translator.model.get_submodule(hook_name(kind, layer, "weights_hook")).register_forward_hook(moved)
    try:
        with torch.inference_mode():
            return float(translator.model(ids.src, ids.inputs)[0, STEP].double().log_softmax(-1)[ids.written[STEP]])
    finally:
        handle.remove()


@pytest.mark.parametrize("place", PLACES)
def test_the_gradient_is_what_a_small_change_of_the_weight_does(translator, written, place: tuple) -> None:
    kind, layer, *at = place
    found = caught(translator, written, kind, layer, STEP)
    slope = (log_p(translator, written, place, 5e-3) - log_p(translator, written, place, -5e-3)) / 1e-2
    assert float(found.gradients[tuple(at)]) == pytest.approx(slope, abs=2e-3)
    np.testing.assert_allclose(found.weights.sum(-1), 1.0, atol=1e-5)
    assert found.calls == 1


def test_a_key_of_the_future_has_a_gradient_that_no_picture_shows(translator, written) -> None:
    found = caught(translator, written, "decoder_self", 1, STEP)
    future = torch.ones(found.weights.shape[1:]).triu(1).bool()
    assert found.gradients[:, future].abs().max() > 0, "the hook is given one"
    assert not found.where_seen()[:, future].any()
    assert torch.equal(found.where_seen()[:, ~future], found.gradients[:, ~future])


def test_maps_of_gradients_are_what_the_hook_caught_where_a_key_may_be_seen(translator, written) -> None:
    found = caught(translator, written, "decoder_self", 1, STEP).gradients.numpy()
    map_ = gradient_maps(translator, written, STEP)["decoder_self"][1]
    later = np.triu(np.ones(found.shape[-2:], bool), 1)
    np.testing.assert_allclose(found[..., ~later], map_[..., ~later], atol=1e-6)
    assert (map_[..., later] == 0).all()
    assert (found[:, STEP + 1 :] == 0).all(), "rows after the step come too late"


def test_there_is_no_gradient_of_a_step_that_is_not_there(translator, written) -> None:
    with pytest.raises(IndexError):
        caught(translator, written, "cross", 0, 99)
    with pytest.raises(HeadlightError):
        caught(translator, translator.translate("ö"), "cross", 0, 0)


def test_the_code_that_is_shown_is_the_code_that_runs() -> None:
    given: dict[str, list[torch.Tensor]] = {"weights": [], "gradients": []}
    space = {"Tensor": torch.Tensor}
    exec(f"from __future__ import annotations\n{shown_code()}", space)
    for hang in (hook_on, space["hook_on"]):
        weights = torch.tensor([0.25, 0.75], requires_grad=True)
        hang(weights * 1, given)  # of a tensor in the graph, which is dropped: its hook is never called
        hang(weights, given)
        (weights * torch.tensor([2.0, 3.0])).sum().backward()
        assert torch.equal(given["gradients"].pop(), torch.tensor([2.0, 3.0]))
        assert given["gradients"] == []
