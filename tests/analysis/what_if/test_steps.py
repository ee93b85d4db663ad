"""Candidates of every step against one forward pass a step."""

from __future__ import annotations

import math

import pytest
import torch

from model.analysis.what_if.fork import decoding_steps
from model.errors import EmptySentenceError
from model.own.decoding.stepping import looping
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from model.translator import Translator

SENTENCE = "Tom didn't see the red car."


def next_token(translator: Translator, ids: tuple[int, ...]) -> list[float]:
    """Probabilities of the next token after ids, from a pass of its own."""
    _, src_ids = translator.encode_source(SENTENCE)
    with torch.inference_mode():
        return translator.model(src_ids, torch.tensor([[BOS_ID, *ids]]))[0, -1].double().softmax(-1).tolist()


@pytest.fixture(scope="module")
def ids(translator: Translator) -> tuple[int, ...]:
    return tuple(token.id for token in translator.tgt_tokenizer.encode("汤姆没看见红车。"))


def test_each_step_holds_the_five_most_probable_tokens(translator: Translator, ids: tuple[int, ...]) -> None:
    steps = decoding_steps(translator, SENTENCE, ids)
    assert len(steps) == len(ids) + 1
    for row, step in enumerate(steps):
        shares = next_token(translator, ids[:row])
        allowed = [token for token in range(len(shares)) if token not in {PAD_ID, BOS_ID, UNK_ID}]
        best = sorted(allowed, key=lambda token: -shares[token])[:5]
        assert [candidate.id for candidate in step.candidates] == best
        assert [candidate.probability for candidate in step.candidates] == pytest.approx(
            [shares[t] for t in best], rel=1e-4
        )
        assert step.entropy == pytest.approx(-sum(share * math.log(share) for share in shares), rel=1e-4)


def test_what_was_written_has_its_own_probability(translator: Translator, ids: tuple[int, ...]) -> None:
    steps = decoding_steps(translator, SENTENCE, ids)
    assert [step.written.id for step in steps] == [*ids, EOS_ID]
    for row, step in enumerate(steps):
        assert step.written.probability == pytest.approx(next_token(translator, ids[:row])[step.written.id], rel=1e-4)
        later = next_token(translator, ids[: row + 1] if row < len(ids) else ids[:-1])[step.written.id]
        assert step.written.probability != pytest.approx(later, rel=1e-4)  # a row beside it would show


@pytest.mark.parametrize("beam", [1, 3])
def test_the_steps_of_a_translation_are_its_own_probabilities(translator: Translator, beam: int) -> None:
    made = translator.translate(SENTENCE, beam)
    steps = decoding_steps(translator, SENTENCE, made.tgt_ids)
    found = [math.log(step.written.probability) for step in steps]
    assert found[: len(made.log_probs)] == pytest.approx(made.log_probs, abs=1e-4)
    if beam == 1:
        for place, step in enumerate(steps[: len(made.log_probs)]):
            first = next(each for each in step.candidates if each.id not in looping(made.tgt_ids[:place]))
            assert first.id == step.written.id, "the most probable token that is no loop"


def test_a_blank_sentence_has_no_steps(translator: Translator) -> None:
    with pytest.raises(EmptySentenceError):
        decoding_steps(translator, "  ", (7,))
