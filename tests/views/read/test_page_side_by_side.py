from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import components, prepared, sent, shipped
from viz.components.shared.payload import unpack_fine

SENTENCE = "I love you."
pytestmark = shipped


@pytest.fixture
def at() -> AppTest:
    return prepared("side_by_side", text=SENTENCE)


def heads(at: AppTest) -> list[tuple[str, int, int]]:
    return [(each["kind"], each["layer"], each["head"]) for each in sent(at)["maps"]]


@pytest.fixture
def trace(en_zh):
    return en_zh.translate(SENTENCE, capture=True).trace


def test_a_link_names_the_heads_and_what_it_gets_wrong_is_ignored(at, trace):
    at.query_params["heads"] = "c.1.2,e.0.3,zz,c.99.0,c.1.2,<img>"
    at.run()
    assert heads(at) == [("cross", 1, 2), ("encoder_self", 0, 3)]
    assert at.query_params["heads"] == "c1.2,e0.3"
    for each in sent(at)["maps"]:
        expected = trace.map(each["kind"], each["layer"], each["head"])
        np.testing.assert_allclose(unpack_fine(each["values"]).reshape(expected.shape), expected, atol=1e-4)


@pytest.mark.parametrize("link", [None, "nonsense", ""])
def test_without_a_usable_link_two_neighbours_of_the_chosen_kind_are_shown(at, link):
    if link is not None:
        at.query_params["heads"] = link
    at.session_state["layer"] = 1
    (kind, layer, head), (other_kind, other_layer, other_head) = heads(at.run())
    assert (kind, layer) == (other_kind, other_layer) == ("cross", 1)
    assert head != other_head


def test_picking_heads_changes_the_link_and_none_is_an_answer_too(at):
    at.query_params["heads"] = "c.1.2,e.0.3"
    at.run()
    at.multiselect(key="heads").set_value(["d0.0", "d1.1", "c0.0"]).run()
    assert len(heads(at)) == 3
    assert at.query_params["heads"] == "d0.0,d1.1,c0.0"
    at.multiselect(key="heads").set_value([]).run()
    assert not at.exception
    assert components(at) == []


def test_two_heads_of_a_kind_can_be_subtracted(at, trace):
    at.query_params["heads"] = "c.1.2,c.0.5"
    at.run()
    at.toggle(key="difference").set_value(True).run()
    *_, gap = sent(at)["maps"]
    expected = trace.map("cross", 1, 2) - trace.map("cross", 0, 5)
    assert gap["difference"]
    assert gap["title"] == "L1 H2 − L0 H5"
    np.testing.assert_allclose(unpack_fine(gap["values"]).reshape(expected.shape), expected, atol=1e-4)


def test_heads_of_two_kinds_have_no_difference(at):
    at.query_params["heads"] = "c.1.2,e.0.5"
    at.session_state["difference"] = True
    at.run()
    assert at.toggle(key="difference").disabled
    assert not any(each["difference"] for each in sent(at)["maps"])


def test_the_scale_can_end_at_the_common_maximum(at, trace):
    at.query_params["heads"] = "c.1.2,c.0.5"
    assert sent(at.run())["high"] == 1
    at.toggle(key="common").set_value(True).run()
    largest = max(trace.map("cross", 1, 2).max(), trace.map("cross", 0, 5).max())
    assert sent(at)["high"] == pytest.approx(largest, abs=1e-4)
