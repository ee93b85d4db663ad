from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.maps.sorts import drawn_maps
from model.trace import KINDS
from tests.pages import SENTENCE, prepared, sent, shipped
from viz.components.shared.payload import unpack_coarse, unpack_signed

pytestmark = shipped


@pytest.fixture
def at() -> AppTest:
    return prepared("all_heads", text=SENTENCE, shift="read")


def test_every_head_of_every_kind_is_sent_as_the_trace_has_it(at, trace):
    data = sent(at.run())
    assert [each["kind"] for each in data["kinds"]] == list(KINDS)
    for each in data["kinds"]:
        expected = trace.weights[each["kind"]]
        drawn = unpack_coarse(each["weights"]).reshape(expected.shape)
        assert (each["layers"], each["heads"]) == expected.shape[:2]
        np.testing.assert_allclose(drawn, expected, atol=1 / 255)
        assert [each["rows"], each["columns"]] == list(trace.axis_tokens(each["kind"]))
        assert each["writes"] == (None if each["kind"] == "encoder_self" else [t.text for t in trace.tgt_outputs])


def test_the_shift_switch_names_the_rows_of_cross_attention_after_what_they_write(at):
    at.session_state["shift"] = "written"
    _, decoder, cross = sent(at.run())["kinds"]
    assert decoder["rows"][0] == "<bos>"
    assert (cross["rows"][-1], cross["beside"], cross["writes"]) == ("<eos>", "has_read", decoder["rows"])


@pytest.mark.parametrize("drawn", ["scores", "norms", "gradient", "gradient_weight"])
def test_anything_else_than_weights_is_sent_with_its_own_scale(at, en_zh, translation, drawn):
    at.session_state["drawn"] = drawn
    data = sent(at.run())
    maps = drawn_maps(en_zh, translation, drawn)
    for each in data["kinds"]:
        expected = maps[each["kind"]]
        assert each["high"] == pytest.approx(np.abs(expected).max(), rel=1e-3)
        assert each["signed"] == (drawn != "norms")
        parts = (unpack_signed if each["signed"] else unpack_coarse)(each["weights"]).reshape(expected.shape)
        np.testing.assert_allclose(parts * each["high"], expected, atol=each["high"] / 200)


def test_a_rollout_is_one_map_a_layer(at):
    at.session_state["drawn"] = "rollout"
    assert [each["heads"] for each in sent(at.run())["kinds"]] == [1, 1, 1]


def test_the_chosen_head_is_marked_and_the_scale_can_be_each_maps_own(at):
    for key, value in {"kind": "decoder_self", "layer": 1, "head": 5}.items():
        at.session_state[key] = value
    data = sent(at.run())
    assert data["selected"] == {"kind": "decoder_self", "layer": 1, "head": 5}
    assert data["own"] is False
    at.toggle(key="own").set_value(True).run()
    assert sent(at)["own"] is True


def test_words_are_merged_and_special_tokens_hidden(at):
    at.session_state["text"] = "Priya moved to Ljubljana."
    before = sent(at.run())["kinds"][0]["rows"]
    at.toggle(key="words").set_value(True).run()
    at.toggle(key="special").set_value(True).run()
    encoder, _, cross = sent(at)["kinds"]
    assert encoder["rows"] == encoder["columns"] == cross["columns"] == ["Priya", "moved", "to", "Ljubljana", "."]
    assert before != encoder["rows"]
    assert cross["writes"] is None


def test_hidden_special_tokens_keep_the_steps_in_line(at):
    at.session_state["special"] = True
    _, decoder, cross = sent(at.run())["kinds"]
    assert decoder["rows"] == cross["rows"]
    assert len(cross["writes"]) == len(cross["rows"])
    assert cross["writes"][:-1] == cross["rows"][1:]
    assert cross["writes"][-1] == "<eos>"
