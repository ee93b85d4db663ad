"""Forks: where translations part, who voted, and how a fork travels in a link."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.analysis.what_if.fork import Fork, best_rival, decoding_steps, fork_between, fork_votes, prefix_ids
from model.own.facts import NEVER_WRITTEN
from model.own.text.vocab import BOS_ID, EOS_ID
from model.translator import Translator
from viz.charts.versions import Version, versions_html
from viz.charts.votes import bars_figure
from viz.core.numbers import signed
from viz.core.session import token_code, token_ids
from viz.core.theme import DARK, LIGHT
from viz.views.fork.page import picked_candidate

TEXT = "Tom saw a bird."


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_forced_prefix_of_the_own_translation_changes_nothing(translator: Translator, share: float) -> None:
    own = translator.translate(TEXT)
    prefix = own.tgt_ids[: int(share * len(own.tgt_ids))]
    forced = translator.translate(TEXT, prefix=prefix)
    assert (forced.tgt_ids, forced.log_probs) == (own.tgt_ids, own.log_probs)
    assert fork_between(own, forced) is None


def test_a_forced_ending_ends_the_translation_and_its_maps_are_its_own(translator: Translator) -> None:
    own = translator.translate(TEXT)
    forced = translator.translate(TEXT, capture=True, prefix=(*own.tgt_ids[:2], EOS_ID))
    assert forced.tgt_ids == own.tgt_ids[:2]
    assert forced.finished
    assert forced.trace is not None
    same = translator.trace(TEXT, forced.text)
    if same.tgt_ids == forced.tgt_ids:
        np.testing.assert_allclose(forced.trace.cross, same.trace.cross, atol=1e-6)
    fork = fork_between(own, forced)
    assert fork is not None
    assert (fork.place, fork.written, fork.other) == (2, own.tgt_ids[2], EOS_ID)


def test_a_fork_at_a_rejected_candidate_parts_there_and_the_votes_add_up(translator: Translator) -> None:
    own = translator.translate(TEXT)
    steps = decoding_steps(translator, TEXT, own.tgt_ids, 5)[: len(own.log_probs)]
    rival = best_rival(steps[1])
    rejected = [each for each in steps[1].candidates if each.id != own.tgt_ids[1]]
    assert rival.probability == max(each.probability for each in rejected)
    call = Fork(1, own.tgt_ids[1], rival.id)
    forked = translator.translate(TEXT, prefix=(own.tgt_ids[0], rival.id))
    assert fork_between(own, forked) == call
    votes = fork_votes(translator, TEXT, own.tgt_ids[: call.place], call.written, call.other)
    _, src_ids = translator.encode_source(TEXT)
    with torch.inference_mode():
        logits = translator.model(src_ids, torch.tensor([[BOS_ID, *own.tgt_ids[: call.place]]]))[0, -1]
    assert votes.difference == pytest.approx(float(logits[call.written] - logits[call.other]), abs=1e-4)
    assert votes.total == pytest.approx(votes.difference, abs=1e-4)


def test_unknown_characters_of_a_prefix_are_named_once(translator: Translator) -> None:
    ids, unknown = prefix_ids(translator, translator.translate(TEXT).text)
    assert ids
    assert unknown == ()
    assert prefix_ids(translator, "😀ы😀")[1] == ("😀", "ы")


def test_a_code_holds_for_its_own_sentence_only() -> None:
    code = token_code((45, 7, EOS_ID), "a")
    assert token_ids(code, "a", 50, 9, EOS_ID, NEVER_WRITTEN) == (45, 7, EOS_ID)
    assert token_ids(code, "b", 50, 9, EOS_ID, NEVER_WRITTEN) == ()
    assert token_code((), "a") == ""


@pytest.mark.parametrize("ids", [(45, 50), (2, 45), (0, 45), (1,), (3,), (4,) * 10])
def test_a_code_that_no_model_could_have_written_is_ignored(ids: tuple[int, ...]) -> None:
    assert token_ids(token_code(ids, "a"), "a", 50, 9, EOS_ID, NEVER_WRITTEN) == ()


@pytest.mark.parametrize("code", ["", "45.7", "zzzzzzzz.4", "<script>", "e8b7be43.", "e8b7be43.-4", "e8b7be43.4.x"])
def test_a_damaged_code_is_ignored(code: str) -> None:
    assert token_ids(code, "a", 50, 9, EOS_ID, NEVER_WRITTEN) == ()


def test_a_message_can_pick_listed_candidates_only(translator: Translator) -> None:
    steps = decoding_steps(translator, TEXT, translator.translate(TEXT).tgt_ids, 5)
    known = steps[1].candidates[3].id
    assert picked_candidate(known, steps[1]) == known
    for wrong in (None, -5, True, str(known), float(known), {"id": known}):
        assert picked_candidate(wrong, steps[1]) is None


def test_versions_are_literal_and_the_difference_is_marked() -> None:
    page = versions_html([Version("<i>", "a<b>c", (1, 4), "x"), Version("t", "a", (1, 1), "")], LIGHT)
    assert "<i>" not in page
    assert "&lt;b&gt;</mark>c" in page
    assert "■</mark>" in page
    assert "<mark" not in versions_html([Version("t", "a", None, "")], DARK)


def test_vote_figures_draw_the_given_numbers_with_labels_inert() -> None:
    bars = bars_figure(["<i>", "b"], np.array([1.0, -0.5]), DARK, ["<i>\n1", "b"], pitch=100)
    assert list(bars.data[0].y) == [1.0, -0.5]
    assert bars.data[0].customdata[0] == "&lt;i&gt;<br>1"
    assert list(bars.layout.xaxis.ticktext) == ["&lt;i&gt;", "b"]
    with pytest.raises(ValueError, match="2 names"):
        bars_figure(["a", "b"], np.zeros(3), LIGHT, ["", ""], pitch=100)


def test_votes_are_written_with_their_sign() -> None:
    assert [signed(value) for value in (0.251, -0.251, -0.001)] == ["+0.25", "−0.25", "0.00"]
    assert signed(-0.00126, 4) == "−0.0013"
