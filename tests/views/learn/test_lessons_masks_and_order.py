"""Lessons 4 and 5: every picture of masks and positions that can be chosen, of the visitor's own sentence."""

from __future__ import annotations

import numpy as np
import pytest

from model.analysis.lessons import positions
from model.analysis.lessons.masks import row_steps, sentence_mask
from model.own.network.layers import causal_mask
from tests.pages import SENTENCE, array, charts, markup, opened, plain_charts, shipped, words
from viz.core.answers.translations import trace
from viz.core.models import entry_of
from viz.core.session import Subject
from viz.core.views import VIEWS

pytestmark = shipped
SHORT = "I love you."


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    return positions.position_table(entry_of("en-zh").opened)


def shown(**choices: object) -> list[dict]:
    """The cells and curves under the lesson's first pictures."""
    return plain_charts(opened("lessons", **choices))[2:]


def test_masks_and_positions_are_no_views_of_their_own() -> None:
    assert not {"masks", "positions"} & set(VIEWS)


def test_the_padding_mask_is_of_the_sentence_and_two_others() -> None:
    (chart,) = shown(lesson="4", mask="padding", text=SHORT)
    cells = chart["cells"]
    assert len(cells["texts"]) == 3
    assert cells["texts"][0][:2] == ["I", "love"]
    np.testing.assert_array_equal([[text != "<pad>" for text in row] for row in cells["texts"]], cells["values"] == 1)
    assert not (cells["values"] == 1).all()


def test_what_is_typed_is_shown_literally() -> None:
    at = opened("lessons", lesson="4", mask="padding", text="<img src=x> and more of it")
    assert plain_charts(at)[2]["cells"]["texts"][0][0].startswith("<")
    assert "<img" not in markup(at)


def test_the_combination_is_both_masks_at_once() -> None:
    padding, causal, both = (chart["cells"]["values"] for chart in shown(lesson="4", mask="combined", text=SHORT))
    np.testing.assert_array_equal(padding * causal, both)
    np.testing.assert_array_equal(causal, causal_mask(len(causal))[0, 0].numpy())
    assert not padding.all()
    assert padding[0, 0] == 1


def test_minus_infinity_becomes_zero_in_the_chosen_row() -> None:
    at = opened("lessons", lesson="4", mask="steps", text=SHORT, kind="decoder_self", layer=1, head=2, l4_row=1)
    scores, weights = plain_charts(at)[2:]
    steps = row_steps(trace(Subject(SHORT, "en-zh")), "decoder_self", 1, 2, 1)
    np.testing.assert_allclose(scores["cells"]["values"][0], steps.scores, atol=1e-4)
    np.testing.assert_allclose(weights["cells"]["values"][0], steps.weights, atol=1e-6)
    hidden = np.array([text == "−∞" for text in scores["cells"]["texts"][1]])
    assert hidden.tolist() == (~sentence_mask("decoder_self", len(hidden))[1]).tolist()
    assert np.isnan(scores["cells"]["values"][1][hidden]).all()
    assert {text for text, gone in zip(weights["cells"]["texts"][0], hidden, strict=True) if gone} == {"0"}
    assert f"sets the scores of {hidden.sum()} keys to −∞" in words(at)


def test_with_minus_a_milliard_a_row_that_sees_nothing_is_even() -> None:
    said = words(opened("lessons", lesson="4"))
    keys = len(trace(Subject(SENTENCE, "en-zh")).tgt_inputs)
    assert f"is then even, {1 / keys:.3f} on each of {keys} keys" in said
    assert "keeps 2, 3, 4, 7, 8, 12, and" in said
    assert "it is the model’s own mask" in said
    other = words(opened("lessons", lesson="4", l4_k=0))
    assert "keeps 1, 2, 3, 4, 6, 7, 8, 11, 12, 16, and" in other
    assert "it is the model’s own mask" not in other


def test_the_curves_are_the_tables_and_those_of_the_usual_picture(table: np.ndarray) -> None:
    own, narrow = shown(lesson="5", l5_span=30)
    for place, (mine, other) in enumerate(zip(own["curves"], narrow["curves"], strict=True)):
        dimension = place + 4
        np.testing.assert_allclose(mine["values"], table[:30, dimension], atol=1e-6)
        wave = (np.sin, np.cos)[dimension % 2](np.arange(30) / 10_000 ** ((dimension - dimension % 2) / 20))
        np.testing.assert_allclose(other["values"], wave, atol=1e-6)


def test_the_matrix_is_the_models_and_the_other_a_whole_table_with_its_dimensions_down(table: np.ndarray) -> None:
    own, whole = (chart["cells"]["values"] for chart in shown(lesson="5", show="matrix"))
    np.testing.assert_array_equal(own, table[:200, :150])
    assert whole.shape == (150, 200)
    np.testing.assert_allclose(whole[148], np.sin(np.arange(200) / 10_000 ** (148 / 150)), atol=1e-6)


def test_likeness_is_of_the_sentences_own_places_and_has_ripples(table: np.ndarray) -> None:
    near, apart = shown(lesson="5", show="similarity")
    exact = table.astype(float) / np.linalg.norm(table.astype(float), axis=1, keepdims=True)
    tokens = len(trace(Subject(SENTENCE, "en-zh")).src)
    np.testing.assert_allclose(near["cells"]["values"], exact[:tokens] @ exact[:tokens].T, atol=1e-6)
    by_distance = exact @ exact[0]
    np.testing.assert_allclose(apart["curves"][0]["values"], by_distance, atol=1e-6)
    first = next(place for place in range(511) if by_distance[place + 1] > by_distance[place])
    said = words(opened("lessons", lesson="5", show="similarity"))
    assert f"first rises again after {first})" in said
    assert f"at 511 it is still {by_distance[511]:.2f}" in said
    assert (by_distance > 0).all()


@pytest.mark.parametrize(("phi", "pair"), [(0, 0), (3, 2), (100, 60)])
def test_the_computed_points_land_on_the_points_of_the_table(phi: int, pair: int) -> None:
    at = opened("lessons", lesson="5", show="rotation", l5_phi=phi, l5_pair=pair)
    (chart,) = charts(at)
    _, after, turned = chart["data"]
    for axis in ("x", "y"):
        np.testing.assert_allclose(array(turned[axis]), array(after[axis]), atol=1e-6)
    assert any(r"\begin{pmatrix}" in each.value for each in at.latex)
    assert f"block of M for pair {pair}" in words(at)


def test_wavelengths_and_shares_are_those_of_the_definition() -> None:
    said = words(opened("lessons", lesson="5"))
    longest = 2 * np.pi * 10_000 ** (254 / 256)
    assert f"after {2 * np.pi:.2f} (2π) to {longest:,.0f} positions" in said
    assert f"10000·2π = {20_000 * np.pi:,.0f}" in said
    tokens = len(trace(Subject(SENTENCE, "en-zh")).src)
    assert f"{4 / 5:.2f} is word 4 of 5 and word 16 of 20, and in yours, of {tokens} tokens, one step" in said


def test_choices_beyond_the_table_stay_in_it() -> None:
    at = opened("lessons", lesson="5", show="rotation", l5_phi=10**6, l5_pair=-5)
    assert charts(at)
    assert at.slider(key="l5_pair").value == 0
