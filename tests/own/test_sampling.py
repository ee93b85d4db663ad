"""Seeded draws and their filters."""

import pytest
import torch

from model.common.sampling import Sampler, filtered
from model.writing import Sampling

LOG_PROBS = torch.tensor([[0.5, 0.3, 0.15, 0.05]]).log()


def test_temperature_sharpens_and_flattens():
    assert (
        filtered(LOG_PROBS, Sampling(temperature=0.5))[0, 0] > 0.5 > filtered(LOG_PROBS, Sampling(temperature=2))[0, 0]
    )
    torch.testing.assert_close(filtered(LOG_PROBS, Sampling()), LOG_PROBS.exp())


def test_top_k_keeps_k_and_renormalises():
    torch.testing.assert_close(filtered(LOG_PROBS, Sampling(top_k=2)), torch.tensor([[0.625, 0.375, 0.0, 0.0]]))


@pytest.mark.parametrize(("top_p", "kept"), [(0.4, 1), (0.5, 1), (0.6, 2), (0.9, 3), (1.0, 4)])
def test_top_p_keeps_the_smallest_set_that_reaches_it(top_p, kept):
    assert int((filtered(LOG_PROBS, Sampling(top_p=top_p)) > 0).sum()) == kept


def test_the_same_seed_draws_the_same_tokens():
    wide = torch.zeros(50, 1000).log_softmax(-1)
    first, again, other = (Sampler(Sampling(seed=seed))(wide) for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_a_token_at_minus_infinity_is_never_drawn():
    log_probs = torch.tensor([[-torch.inf, 0.0, 0.0]]).log_softmax(-1).expand(500, -1)
    assert set(Sampler(Sampling(temperature=5))(log_probs).tolist()) == {1, 2}


@pytest.mark.parametrize("bad", [{"temperature": 0}, {"top_k": -1}, {"top_p": 0}, {"top_p": 1.5}])
def test_settings_out_of_range_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        Sampling(**bad)
