from __future__ import annotations

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.lessons import scaling
from model.analysis.residual.proof import proven_steps
from model.analysis.residual.reasons import largest, reasons
from model.source import ABILITIES
from model.trace import KINDS, HeadRef
from tests.pages import HOSTILE, SENTENCE, array, charts, choose, markup, opened, prepared, reverse, shipped, words
from viz.core.models import entry_of
from viz.core.numbers import number, signed
from viz.core.text import LANGUAGES, text
from viz.core.theme import DARK, LIGHT
from viz.views.inside.page import ReasonsTitles, reasons_figure, with_and_without
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
    grown = scaling.growth()
    said = f"{grown.saturated[0][-1]:.0%} of the rows have a weight above 0.99, and the steepest fifth has"
    assert f"At d_k 512 without the division {said} {grown.steep[0][-1]:.0%}" in words(at)
    at.slider(key="d_k").set_value(4).run()
    weight = array(charts(at)[2]["data"][1]["y"])
    assert weight[-1] == pytest.approx(1 / (1 + 2 * np.exp(-15)))


@reverse
def test_reverse_opens_too(at):
    choose(at, checkpoint="reverse", text="headlight", kind="decoder_self", inside=4, query=0)
    assert len(charts(at)[0]["data"]) == 2


TITLES = ReasonsTitles("query <b>", "key", "sum")


def heat(figure: dict) -> np.ndarray:
    return array(figure["data"][0]["z"])


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_table_is_drawn_with_its_sums(theme):
    table = np.array([[0.5, -1.25, 0.001], [0.25, 0.0, 2.0]])
    figure = reasons_figure(table, ["a<b>", "b"], ["x", "y", "z"], theme, TITLES)
    method = np.array(figure.data[0].z)
    np.testing.assert_allclose(method[:2, :3], table, atol=1e-6)
    assert np.isnan(method[2]).all()
    assert np.isnan(method[:, 3]).all()
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-2.0, 2.0)
    written = {
        (int(y), int(x)): said
        for trace in figure.data[1:]
        for y, x, said in zip(trace.y, trace.x, trace.text, strict=True)
    }
    assert written[0, 1] == "−1.25"
    assert (written[0, 3], written[1, 3], written[2, 3]) == ("−0.75", "2.25", "1.50")
    assert not {(0, 2), (1, 1)} & set(written)  # what would read as zero is left blank
    assert list(figure.layout.yaxis.ticktext) == ["a&lt;b&gt;", "b", "sum"]
    assert "<b>" not in figure.layout.yaxis.title.text


def test_a_table_that_does_not_fit_its_names_is_refused():
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        reasons_figure(np.zeros((2, 3)), ["a", "b"], ["x", "y"], LIGHT, TITLES)


@shipped
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_page_draws_the_table_of_the_strongest_key_and_names_the_largest(en_zh, translation, lang, kind):
    at = opened("inside", inside_view="reasons", lang=lang, kind=kind, layer=4, head=2, query=5, step="6")
    found = reasons(en_zh, translation, HeadRef(kind, 4, 2))
    rows, columns = translation.trace.axis_tokens(kind)
    key = found.strongest(5)
    table = found.table(5, key)
    (figure,) = charts(at)
    np.testing.assert_allclose(heat(figure)[:-1, :-1], table, atol=1e-6)
    names = [text(lang, f"reasons.part.{part.sort}", layer=part.layer) for part in found.query_parts]
    assert figure["layout"]["yaxis"]["ticktext"] == [*names, text(lang, "reasons.sum")]
    row, column = largest(table, 1)[0]
    said = words(at)
    assert text(lang, "reasons.long." + found.query_parts[row].sort, layer=found.query_parts[row].layer) in said
    assert f"“{rows[5]}”" in said
    assert f"“{columns[key]}”" in said
    assert signed(float(table[row, column])) in said
    assert number(float(found.scores[5, key]), 3) in said
    assert text(lang, "reasons.limits") in said
    assert "hl-holds" in markup(at)


@shipped
def test_another_key_is_another_table_and_the_strongest_follows_the_query(en_zh, translation):
    at = opened("inside", inside_view="reasons", kind="decoder_self", layer=1, head=2, step=6)
    found = reasons(en_zh, translation, HeadRef("decoder_self", 1, 2))
    choose(at, key_token=3)
    np.testing.assert_allclose(heat(charts(at)[0])[:-1, :-1], found.table(5, 3), atol=1e-6)
    assert len(at.selectbox(key="key_token").options) == 1 + 6  # the mask hides what comes after the query
    choose(at, step="3")  # from which key 3 is hidden
    assert at.session_state["key_token"] == -1
    np.testing.assert_allclose(heat(charts(at)[0])[:-1, :-1], found.table(2, found.strongest(2)), atol=1e-6)


@shipped
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_model_without_such_norms_is_told_in_one_sentence(monkeypatch, en_zh, lang):
    from viz.core.answers.maps import reasons as kept_reasons

    kept_reasons.clear()
    own = entry_of("en-zh").opened
    offered = frozenset(ABILITIES) - {"norms"}
    monkeypatch.setattr(own, "anatomy", replace(own.anatomy, abilities=offered))
    at = opened("inside", inside_view="reasons", lang=lang)
    assert words(at).count(text(lang, "view.lacks", checkpoint="en-zh", ability=text(lang, "ability.norms"))) == 1
    assert charts(at) == []
    assert len(charts(choose(at, inside_view="steps"))) == 1


@shipped
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sentence", ["Hello", "word " * 60, HOSTILE, "</script><b>$x$"])
def test_any_sentence_stays_text(kind, sentence):
    at = choose(prepared("inside", text=sentence, kind=kind, inside_view="reasons", query=1, key_token=0))
    figure = charts(at)[0]
    assert "<img" not in markup(at)
    assert "<b>" not in markup(at)
    assert "<" not in "".join(figure["layout"][axis]["title"]["text"] for axis in ("xaxis", "yaxis"))


@reverse
def test_the_toy_has_reasons_too():
    at = choose(
        prepared("inside", checkpoint="reverse", text="headlight", kind="cross", inside_view="reasons", query=0)
    )
    assert "hl-holds" in markup(at)
    assert heat(charts(at)[0]).shape[1] > 4
