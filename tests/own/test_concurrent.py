"""Visitors who ask one translator at once each get their own answer."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from model.analysis.faithfulness.deletion import leave_one_out
from model.attribution.per_head import vote_maps
from model.own.capture import capture_attention
from model.own.network.transformer import Transformer
from model.own.source import Twins, twin
from model.translator import Translator

TEXTS = ("I love you.", "Tom didn't see the red car in Boston.", "The animal is tired.", "Where is the street?")


def asked(translator: Translator, text: str) -> list[np.ndarray]:
    """What one visitor asks: the translation and its maps, what deleting words costs, who voted."""
    found = translator.translate(text, capture=True)
    tables = [*found.trace.weights.values(), *found.trace.scores.values()]
    left, votes = leave_one_out(translator, found), vote_maps(translator, found)
    return [np.array(found.tgt_ids), np.array(found.log_probs), *tables, left.costs, *votes.values()]


def beamed(translator: Translator, text: str) -> list[np.ndarray]:
    found = translator.translate(text, beam=3, capture=True)
    return [np.array(found.tgt_ids), *found.trace.weights.values()]


def test_answers_asked_for_at_once_are_those_asked_for_alone(translator: Translator) -> None:
    wanted: list[tuple[Callable[..., list[np.ndarray]], str]] = [
        (ask, text) for text in TEXTS for ask in (asked, beamed)
    ]
    alone = [ask(translator, text) for ask, text in wanted]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda each: each[0](translator, each[1]), wanted * 3))
    for one, other in zip(alone * 3, together, strict=True):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert any(not np.array_equal(alone[0][2], other[2]) for other in alone[2:])


def test_without_taking_turns_one_would_get_the_maps_of_the_other(model: Transformer) -> None:
    mine, theirs = torch.tensor([[5, 6, 7, 2]]), torch.tensor([[8, 9, 2]])
    with torch.inference_mode(), capture_attention(model, kinds=("encoder_self",)) as captured:
        model.encode(mine)
        own = captured.stack(model, "encoder_self")
        with capture_attention(model, kinds=("encoder_self",)):
            model.encode(theirs)
        assert captured.stack(model, "encoder_self").shape != own.shape


def test_a_twin_has_the_same_weights_and_none_of_the_same_modules(model: Transformer) -> None:
    other = twin(model)
    for one, shared in zip(
        (*model.parameters(), *model.buffers()), (*other.parameters(), *other.buffers()), strict=True
    ):
        assert one is shared
    assert not set(map(id, model.modules())) & set(map(id, other.modules()))
    with torch.inference_mode(), capture_attention(model, kinds=("encoder_self",)) as captured:
        other.encode(torch.tensor([[5, 6, 7, 2]]))
    assert captured.values == {}


def test_no_model_is_given_to_two_callers_and_a_single_one_gets_the_first(model: Transformer) -> None:
    twins = Twins(model)
    with twins.one() as mine:
        assert mine is model
        if not twins._free.empty():
            with twins.one() as theirs:
                assert theirs is not model
                assert twins._free.empty()
    with twins.one() as again:
        assert again is model
