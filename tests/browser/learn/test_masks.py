from __future__ import annotations

import numpy as np
import pytest

from model.analysis.lessons.masks import row_steps
from tests.browser.reading import matrices, settle

HOSTILE = "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1>"


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_minus_infinity_becomes_zero_on_screen(visit, en_zh, color_scheme):
    query = {"text": "I love you.", "kind": "decoder_self", "layer": 1, "head": 2, "row": 1, "mask": "steps"}
    page = visit("masks", **query)
    scores, masked, weights = matrices(page)
    trace = en_zh.translate("I love you.", capture=True).trace
    steps = row_steps(trace, "decoder_self", 1, 2, 1)
    np.testing.assert_allclose(scores[0], steps.scores, atol=1e-3)
    np.testing.assert_allclose(weights[0], steps.weights, atol=1e-5)
    assert np.isnan(masked[0]).tolist() == np.isneginf(steps.masked).tolist()
    assert page.locator(".js-plotly-plot .textpoint", has_text="−∞").count() == np.isneginf(steps.masked).sum()


def test_typed_sentences_become_one_padded_batch_shown_literally(visit):
    page = visit("masks")
    before = matrices(page)[0]
    page.get_by_role("textbox").last.fill(f"{HOSTILE}\nHi")
    page.get_by_role("button", name="Show the masks").click()
    settle(page)
    page.wait_for_function("rows => document.querySelector('.js-plotly-plot').calcdata[0][0].z.length === rows", arg=2)
    (mask,) = matrices(page)
    assert before.shape[0] == 3
    assert mask[0].all()
    assert 0 < mask[1].sum() < mask.shape[1]
    assert page.evaluate("window.pwned") is None
    assert page.locator(".js-plotly-plot img").count() == 0


def test_nine_sentences_are_refused_in_one_sentence_and_stay(visit, wait_idle):
    page = visit("masks", batch="one\n" * 9)
    assert page.locator('[role="alert"].hl-error').inner_text().startswith("The batch has 9 sentences")
    assert page.get_by_role("textbox").last.input_value() == "one\n" * 9
