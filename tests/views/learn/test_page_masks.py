from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.lessons.masks import row_steps
from model.own.network.masks import causal_mask
from tests.pages import array, charts, choose, prepared, shipped, words
from viz.core.answers.translations import trace
from viz.core.session import Subject

pytestmark = shipped


@pytest.fixture
def at() -> AppTest:
    return prepared("masks")


def test_it_opens_on_the_padding_mask_of_three_sentences(at: AppTest) -> None:
    (chart,) = charts(choose(at, mask="padding"))
    mask = array(chart["data"][0]["z"])
    texts = chart["data"][0]["text"]
    assert len(texts) == 3
    assert [[text != "&lt;pad&gt;" for text in row] for row in texts] == mask.astype(bool).tolist()
    assert not mask.all()


def test_typed_sentences_are_masked_and_shown_literally(at: AppTest) -> None:
    (chart,) = charts(choose(at, mask="padding", batch="<img src=x> and more of it\nHi"))
    texts = chart["data"][0]["text"]
    assert len(texts) == 2
    assert texts[1][1] == "&lt;eos&gt;"
    assert not any("<" in text for row in texts for text in row)


@pytest.mark.parametrize("batch", ["", "x\n" * 9, "word " * 5000])
@pytest.mark.parametrize("mask", ["padding", "combined"])
def test_a_bad_batch_gets_one_sentence_and_stays_in_the_box(at: AppTest, mask: str, batch: str) -> None:
    choose(at, mask=mask, batch=batch)
    assert len([e for e in at.get("html") if 'role="alert"' in e.proto.body]) == 1
    assert at.text_area(key="batch").value == batch
    assert not charts(at)


@pytest.mark.parametrize("size", [2, 20, 60])
def test_the_causal_mask_is_the_models(at: AppTest, size: int) -> None:
    (chart,) = charts(choose(at, mask="causal", size=size))
    np.testing.assert_array_equal(array(chart["data"][0]["z"]), causal_mask(size)[0, 0].numpy())


def test_the_combination_is_both_masks_at_once(at: AppTest) -> None:
    (chart,) = charts(choose(at, mask="combined", batch="I love you very much.\nHi", which=2))
    padding, causal, both = (array(trace["z"]).astype(bool) for trace in chart["data"][:3])
    np.testing.assert_array_equal(padding & causal, both)
    assert not padding.all()
    assert padding[0, 0]


def test_only_one_triu_is_the_models_mask(at: AppTest) -> None:
    method = charts(choose(at, mask="triu", n=5))
    allowed = [array(chart["data"][0]["z"]).astype(bool) for chart in method]
    assert [(mask == causal_mask(5)[0, 0].numpy()).all() for mask in allowed] == [False, False, True]
    ticks = [element.value.endswith("✓") for element in at.markdown if "np.triu" in element.value]
    assert ticks == [False, False, True]


def test_minus_infinity_becomes_zero_in_the_chosen_row(at: AppTest) -> None:
    at.session_state["mask"] = "steps"
    (chart,) = charts(choose(at, text="I love you.", kind="decoder_self", layer=1, head=2, row=1))
    steps = row_steps(trace(Subject("I love you.", "en-zh")), "decoder_self", 1, 2, 1)
    np.testing.assert_allclose(array(chart["data"][0]["z"])[0], steps.scores, atol=1e-4)
    np.testing.assert_allclose(array(chart["data"][2]["z"])[0], steps.weights, atol=1e-6)
    hidden = np.array([value == "−∞" for value in chart["data"][1]["customdata"][0]])
    assert hidden.tolist() == [False, False] + [True] * (len(hidden) - 2)
    assert (array(chart["data"][2]["z"])[0][hidden] == 0).all()
    assert f"{hidden.sum()} keys" in words(at)


def test_where_nothing_is_hidden_it_says_so_and_leads_to_where_something_is(at: AppTest) -> None:
    choose(at, mask="steps", text="I love you.", kind="cross", layer=0, head=0, row=99)
    assert "hides nothing" in words(at)
    at.button[-1].click().run()
    assert not at.exception
    assert at.session_state["kind"] == "decoder_self"
