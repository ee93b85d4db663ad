"""The heads that wrote a token, beside the first picture, and the translation without some of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from model.analysis.what_if.mixing import mix
from model.attribution.per_head import vote_maps
from model.trace import HeadRef
from model.translator import Translator
from tests.pages import choose, components, opened, shipped
from viz.core.text import ENGLISH as STRINGS
from viz.web.codes import unpack_coarse

pytestmark = shipped
PLACE = 3
MUTED = [HeadRef("cross", 4, 0), HeadRef("cross", 5, 2)]


@pytest.fixture(scope="module")
def model() -> Translator:
    return Translator.from_checkpoint("en-zh")


def picture(at) -> dict:
    return next(each for each in components(at) if "tgt_words" in each)


def test_the_board_holds_what_each_heads_map_of_votes_adds_up_to(model, translation):
    """One number on one screen: votes are above the vocabulary's mean, in the board as in the map."""
    heads = picture(opened("translate", step=PLACE + 1))["heads"]
    maps = vote_maps(model, translation)["cross"]
    np.testing.assert_allclose(heads["board"]["kinds"][0]["values"], maps[:, :, PLACE].sum(-1), atol=1e-3)


def test_the_rows_are_what_each_head_looked_at_in_the_step_that_wrote_the_token(translation):
    heads = picture(opened("translate", step=PLACE + 1))["heads"]
    trace = translation.trace
    rows = unpack_coarse(heads["rows"]).reshape(*trace.cross.shape[:2], len(trace.src))
    np.testing.assert_allclose(rows, trace.cross[:, :, PLACE], atol=4e-3)


def test_without_muted_heads_the_translation_stands_there_with_what_is_new_and_the_tokens_chance(model, translation):
    code = ",".join(f"{head.code}:0" for head in MUTED)
    sent = picture(opened("translate", step=PLACE + 1, mix=code))["heads"]
    made = mix(model, translation, dict.fromkeys(MUTED, 0.0))
    assert "".join(each["text"] for each in sent["mixed"]["tokens"]) == made.mixed.text
    assert [each["fresh"] for each in sent["mixed"]["tokens"]] == list(made.new)
    assert f"{math.exp(made.after[PLACE]):.0%}" in sent["mixed"]["title"]
    assert sent["board"]["muted"] == [list(head) for head in MUTED]


def test_with_every_head_at_its_gain_nothing_is_said_of_another_translation():
    sent = picture(opened("translate"))["heads"]
    assert sent["mixed"] is None
    assert sent["board"]["muted"] == []
    assert picture(opened("translate", mix="nonsense,x9.9:0"))["heads"]["mixed"] is None


def test_a_faded_head_is_no_muted_one():
    sent = picture(opened("translate", mix="c4.0:0.5"))["heads"]
    assert sent["board"]["muted"] == []
    assert sent["mixed"]["title"].startswith(STRINGS["writers.mixed"].partition("{")[0])


def test_the_board_is_about_another_token_once_that_is_chosen():
    at = opened("translate", step=1)
    first = picture(at)["heads"]["board"]["kinds"][0]["values"]
    assert picture(choose(opened("translate", step=6)))["heads"]["board"]["kinds"][0]["values"] != first
