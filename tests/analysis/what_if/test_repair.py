"""Which head's muting changes a token: against heads silenced one by one, by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from model.__main__ import main
from model.analysis.what_if.repair import Repair, repair_rates, repairs, turned
from model.own.text.vocab import BOS_ID
from model.trace import HeadRef
from model.translator import Translator
from tests.analysis.strong import strong_heads
from tests.pages import reverse

SENTENCE, CHINESE = "Tom didn't see the red car in Boston.", "汤姆没看见红车。"
BLOCKS = {"encoder_self": "encoder.layers.{}.self_attn", "decoder_self": "decoder.layers.{}.self_attn"}
BLOCKS["cross"] = "decoder.layers.{}.cross_attn"


@pytest.fixture(scope="module")
def loud(translator: Translator) -> Translator:
    """A model whose heads matter so much that muting one changes tokens."""
    return strong_heads(translator, decoder_layers=2, times=4)


def by_hand(model: Translator, ids: tuple[int, ...], step: int, head: HeadRef | None) -> torch.Tensor:
    """Log-probabilities [V] after the first ``step`` ids, what one head hands to W_O set to 0 by a hook."""
    hooks = []
    if head is not None:
        size = model.model.config.d_model // model.model.config.n_heads
        own = slice(head.head * size, (head.head + 1) * size)

        def silence(_module: object, args: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
            changed = args[0].clone()
            changed[..., own] = 0
            return (changed,)

        block = model.model.get_submodule(BLOCKS[head.kind].format(head.layer))
        hooks.append(block.out_proj.register_forward_pre_hook(silence))
    try:
        with torch.inference_mode():
            src = model.encode_source(SENTENCE)[1]
            return model.model(src, torch.tensor([[BOS_ID, *ids[:step]]]))[0, -1].log_softmax(-1)
    finally:
        for hook in hooks:
            hook.remove()


def test_all_heads_at_once_are_heads_silenced_by_hand_one_by_one(loud: Translator) -> None:
    ids = tuple(token.id for token in loud.encode_target(CHINESE))
    changes = []
    for step, written in enumerate([*ids, loud.end_id]):
        found, before = repairs(loud, SENTENCE, ids, step), by_hand(loud, ids, step, None)
        assert (found.written, found.first) == (written, _best(loud, before))
        np.testing.assert_allclose(found.plain, before[list(found.tokens)], atol=1e-4)
        for head in loud.anatomy.all_heads():
            after = by_hand(loud, ids, step, head)
            np.testing.assert_allclose(found.muted[head.kind][head[1:]], after[list(found.tokens)], atol=1e-4)
            assert int(found.then[head.kind][head[1:]]) == _best(loud, after)
            changes.append(_best(loud, after) != _best(loud, before))
            assert found.changes(head) == changes[-1]
    assert 0 < sum(changes) < len(changes)  # or nothing was told apart


def _best(model: Translator, log_probs: torch.Tensor) -> int:
    return max((i for i in range(len(log_probs)) if i not in model.never_written), key=lambda i: float(log_probs[i]))


def test_the_ranking_begins_with_what_changes_the_token_and_then_goes_by_the_change() -> None:
    muted = np.log(np.array([[[0.4, 0.5, 0.1], [0.5, 0.4, 0.1], [0.3, 0.2, 0.5], [0.2, 0.3, 0.1]]], np.float32))
    plain = np.log(np.array([0.6, 0.3, 0.1], np.float32))
    found = Repair(2, (7, 8, 9), plain, {"cross": muted}, {"cross": np.array([[8, 7, 9, 7]])}, 7)
    assert [head.head for head in found.ranked()] == [2, 0, 3, 1]
    assert [head.head for head in found.ranked(8)] == [0, 1, 3, 2]
    assert found.ranked(9)[0].head == 2
    np.testing.assert_allclose(found.change(7)["cross"][0, 1], np.log(0.5 / 0.6), atol=1e-6)
    with pytest.raises(ValueError, match="not in tuple"):
        found.change(5)


def test_a_step_that_wrote_nothing_is_refused(loud: Translator) -> None:
    for step in (-1, 3):
        with pytest.raises(IndexError, match="no step"):
            repairs(loud, SENTENCE, (5, 6), step)
    with pytest.raises(IndexError, match="no step 2 of 2"):
        repairs(loud, SENTENCE, (5, 6), 2, finished=False)


@reverse
def test_rates_count_by_hand_what_single_mutings_do_on_the_toy() -> None:
    toy = Translator.from_checkpoint("reverse", "cpu")
    facts = repair_rates(turned(toy, "abc", "cbx"))
    ids = [token.id for token in toy.encode_target("cbx")]
    wrong, right = [], []
    for step, token in enumerate([*ids, toy.end_id]):
        found = repairs(toy, "abc", ids, step)
        made = [int(found.then[head.kind][head[1:]]) for head in toy.anatomy.all_heads()]
        (right if found.first == token else wrong).append((token, made))
    assert (facts["wrong"], facts["right"]) == (len(wrong), len(right))
    assert facts["wrong"] >= 1  # x is no letter of abc
    assert facts["repaired"] == sum(token in made for token, made in wrong)
    assert facts["spoiled"] == sum(any(each != token for each in made) for token, made in right)
    assert repair_rates([(False, 0.0)]) == {
        "wrong": 0, "repaired": 0, "repairing": None, "right": 1, "spoiled": 0, "spoiling": 0.0
    }  # fmt: skip
    assert facts["spoiling"] == pytest.approx(np.mean([np.mean(np.array(made) != t) for t, made in right]), abs=1e-4)


@reverse
def test_the_command_prints_one_object(tmp_path, capsys) -> None:
    (tmp_path / "pairs.tsv").write_text("abc\tcba\néé\tx\n", encoding="utf-8")
    assert main(["repair", "--checkpoint", "reverse", "--tsv", str(tmp_path / "pairs.tsv")]) == 0
    out, err = capsys.readouterr()
    assert "line 2 was left out" in err
    told = json.loads(out)
    assert (told["sentences"], told["wrong"] + told["right"]) == (1, 4)
    assert main(["repair", "--tsv", str(tmp_path / "none.tsv")]) == 2
    assert "there is no file" in capsys.readouterr().err
