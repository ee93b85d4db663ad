"""“Find the head” on the mixing desk, through Streamlit's AppTest: no browser."""

from __future__ import annotations

import math

import numpy as np
import pytest

from model.analysis.what_if.repair import repairs
from tests.pages import HOSTILE, SENTENCE, choose, markup, opened, sent, shipped

pytestmark = shipped
STEP = 4


@pytest.fixture(scope="module")
def found(en_zh, translation):
    return repairs(en_zh, SENTENCE, translation.tgt_ids, STEP - 1)


def test_nobody_asked_nothing_is_told() -> None:
    assert sent(opened("mixing_desk", step=STEP))["alone"] is None


def test_cells_and_rows_are_the_models_for_the_chosen_token(en_zh, found) -> None:
    told = sent(opened("mixing_desk", step=STEP, repair="1"))["alone"]
    for kind, cells in zip(en_zh.anatomy.kinds, told["cells"], strict=True):
        changes = np.array([[cell["change"] for cell in row] for row in cells])
        np.testing.assert_allclose(changes, found.change(found.written)[kind], atol=1e-3)
        others = np.array([[cell["other"] for cell in row] for row in cells])
        assert (others == (found.then[kind] != found.first)).all()
    kinds = list(en_zh.anatomy.kinds)
    assert [(kinds[row["kind"]], row["layer"], row["head"]) for row in told["heads"]] == found.ranked()[:6]
    count = sum(map(found.changes, en_zh.anatomy.all_heads()))
    assert f"“{en_zh.piece(found.written)}” ({100 * math.exp(found.plain[0]):.0f} %)" in told["said"]
    assert ("none of 144" if not count else f"{count} of 144") in told["said"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_expected_token_ranks_by_its_rise_and_one_that_is_no_candidate_is_none(en_zh, found, language) -> None:
    wanted = found.tokens[2]
    told = sent(opened("mixing_desk", step=STEP, repair="1", wanted=str(wanted), lang=language))["alone"]
    kinds = list(en_zh.anatomy.kinds)
    assert [(kinds[row["kind"]], row["layer"], row["head"]) for row in told["heads"]] == found.ranked(wanted)[:6]
    assert en_zh.piece(wanted) in told["said"]
    for nonsense in ("x", "-1", str(found.written)):
        plain = sent(opened("mixing_desk", step=STEP, repair="1", wanted=nonsense, lang=language))["alone"]
        assert plain["heads"] != told["heads"]


def test_the_button_asks_and_lets_go(found) -> None:
    at = opened("mixing_desk", step=STEP)
    at.toggle(key="repair_asked").set_value(True).run()
    assert len(sent(at)["alone"]["heads"]) == 6
    assert at.session_state["repair"] == "1"
    at.toggle(key="repair_asked").set_value(False).run()
    assert sent(at)["alone"] is None
    assert sent(opened("mixing_desk", step=STEP, repair="<b>"))["alone"] is None


def test_hostile_text_is_literal() -> None:
    at = opened("mixing_desk", text=HOSTILE, repair="1")
    assert "<img" not in markup(at)
    assert len(sent(at)["alone"]["heads"]) == 6


def test_the_answer_panel_leads_to_the_desk_and_asks() -> None:
    at = opened("translate", step=STEP, hl_how=True)
    at.button(key="more_repair").click()
    choose(at)
    assert sent(at)["alone"] is not None
    assert at.session_state["repair"] == "1"
