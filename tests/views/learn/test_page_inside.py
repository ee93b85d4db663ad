from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.residual.proof import proven_steps
from model.trace import KINDS
from tests.pages import SENTENCE, array, charts, choose, markup, prepared, reverse, shipped
from viz.core.text import text
from viz.core.theme import DARK, LIGHT
from viz.views.inside.page import with_and_without
from viz.views.inside.six_steps import STEPS, Bars, Cells, Strip, in_words, step_facts, step_figure, step_picture


def say(key: str, **values: object) -> str:
    return text("en", key, **values)


@pytest.mark.parametrize("kind", KINDS)
def test_the_steps_by_hand_are_the_model_s(translator, kind):
    original = translator.translate("I love you.", capture=True)
    proof = proven_steps(translator, "I love you.", original.tgt_ids, kind, 1, 2)
    assert proof.holds
    assert max(proof.weights_error, proof.output_error) < 1e-5
    np.testing.assert_allclose(proof.steps.weights, original.trace.map(kind, 1, 2), atol=1e-5)
    assert np.abs(proof.steps.weights - original.trace.map(kind, 1, 3)).max() > 1e-4


def test_a_proof_fails_where_the_steps_are_not_the_model_s(translator, monkeypatch):
    monkeypatch.setattr(
        "model.analysis.residual.proof.may_attend", lambda kind, shape: np.tri(*shape[-2:], k=1, dtype=bool)
    )
    proof = proven_steps(translator, "I love you.", (9, 10, 11), "decoder_self", 0, 0)
    assert not proof.holds


@pytest.fixture
def made(translator):
    ids = translator.translate("I love you.").tgt_ids[:5]
    steps = proven_steps(translator, "I love you.", ids, "decoder_self", 1, 2).steps
    return steps, ["<bos>", "<b>我</b>", "爱", "你", "。", "x"][: len(ids) + 1]


def method(figure: go.Figure) -> list[np.ndarray]:
    """Numbers of every trace: cells and bars, in order."""
    return [np.array(trace.x if trace.type == "bar" else trace.z, dtype=float) for trace in figure.data]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_step_draws_the_head_s_numbers(made, theme):
    steps, keys = made
    at, weights = 2, made[0].weights[2]
    masked = np.where(np.isneginf(steps.masked_scores[at]), 0, steps.masked_scores[at])
    expected = {
        1: [steps.key, steps.query[[at]], steps.value, steps.inputs[[at]]],
        2: [steps.query[at] * steps.key, steps.query[[at]], steps.dots[at]],
        3: [steps.dots[at], steps.scores[at]],
        4: [steps.scores[at], masked],
        5: [masked, weights],
        6: [weights, weights[:, None] * steps.value, steps.gathered[[at]], steps.projected[[at]]],
    }
    for step in STEPS:
        figure, words = step_picture(step, steps, at, keys, theme, say)
        assert len(figure.data) == len(expected[step])
        for shown, wanted in zip(method(figure), expected[step], strict=True):
            np.testing.assert_allclose(shown, wanted, atol=1e-6)
        assert words
    np.testing.assert_allclose(
        method(step_picture(2, steps, at, keys, theme, say)[0])[0].sum(1), steps.dots[at], atol=1e-5
    )


def test_hidden_keys_say_so_and_tokens_are_inert(made):
    steps, keys = made
    figure, words = step_picture(4, steps, 1, keys, LIGHT, say)
    assert list(figure.data[1].text)[2:] == ["−∞"] * (len(keys) - 2)
    assert "−∞" not in figure.data[0].text
    assert "<b>" not in "".join(figure.layout.yaxis.ticktext)
    facts = step_facts(steps, 1, keys, keys)
    assert (facts["hidden"], facts["mask"], facts["d_head"]) == (len(keys) - 2, "hides", 8)
    assert step_facts(steps, len(keys) - 1, keys, keys)["mask"] == "open"
    assert "q · k" in in_words([Bars("q · k", steps.dots[0])], keys)
    assert "−" in words


def test_wrong_shapes_and_steps_are_refused(made):
    steps, keys = made
    with pytest.raises(ValueError, match="step must be"):
        step_picture(7, steps, 0, keys, LIGHT, say)
    for panel in (Bars("b", np.zeros(3)), Cells("c", np.zeros((3, 4)), above=Strip("s", np.zeros(4)))):
        with pytest.raises(ValueError, match=r"shape \(3"):
            step_figure([panel], ["one", "two"], LIGHT)
    with pytest.raises(ValueError, match=r"has shape \(2,\)"):
        with_and_without(np.zeros(3), (np.zeros(3), np.zeros(2)), LIGHT, names=("a", "b"), axes=("x", "y"))


@pytest.fixture
def at() -> AppTest:
    return prepared("inside", text=SENTENCE)


@shipped
def test_forward_and_back_through_the_steps(at, en_zh, translation):
    choose(at, step="3")
    state = at.session_state
    steps = proven_steps(en_zh, SENTENCE, translation.tgt_ids, state["kind"], state["layer"], state["head"]).steps
    for step in STEPS[1:]:
        at.button(key="next").click().run()
        assert at.session_state["inside"] == str(step)
        bars = [trace for trace in charts(at)[0]["data"] if trace["type"] == "bar"]
        wanted = steps.dots if step in (2, 3) else steps.scores if step == 4 else None
        if wanted is not None:
            np.testing.assert_allclose(array(bars[0]["x"]), wanted[2], atol=1e-5)
    np.testing.assert_allclose(array(bars[0]["x"]), steps.weights[2], atol=1e-5)
    assert at.button(key="next").disabled
    at.button(key="back").click().run()
    assert at.session_state["inside"] == "5"
    assert "hl-holds" in markup(at)


@shipped
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sentence", ["Hello", "word " * 60, "</script><b>$x$"])
def test_any_sentence_and_kind(at, kind, sentence):
    choose(at, text=sentence, kind=kind, inside=4, query=50)
    assert len(charts(at)[0]["data"]) == 2
    assert "<b>" not in markup(at)


@shipped
def test_the_experiment(at):
    choose(at, inside_view="scaling")
    assert len(charts(at)) == 4
    variance = [array(trace["y"]) for trace in charts(at)[0]["data"]]
    assert variance[0][-1] == pytest.approx(512, rel=0.1)
    assert variance[1][-1] == pytest.approx(1, rel=0.1)
    at.slider(key="d_k").set_value(4).run()
    weight = array(charts(at)[2]["data"][1]["y"])
    assert weight[-1] == pytest.approx(1 / (1 + 2 * np.exp(-15)))


@reverse
def test_reverse_opens_too(at):
    choose(at, checkpoint="reverse", text="headlight", kind="decoder_self", inside=4, query=0)
    assert len(charts(at)[0]["data"]) == 2
