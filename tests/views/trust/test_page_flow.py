"""The flow page, through Streamlit's AppTest: what is sent to the picture is the analysis."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.residual.flow import flow_graph, weight_shares
from model.analysis.residual.lens import lens, promoted
from model.attribution.shares import norm_shares
from tests.pages import HOSTILE, array, charts, markup, opened, reverse, sent, shipped, words
from viz.core.text import text
from viz.views.flow.page import FlowTokens, edge_heads, flow_payload, source_words, summary
from viz.views.lens.page import lens_payload
from viz.widgets.places import opened_place


def edges(data: dict) -> list[tuple]:
    return [tuple(edge[name] for name in ("kind", "layer", "start", "end", "head")) for edge in data["edges"]]


@shipped
@pytest.mark.parametrize("measure", ["weights", "norms"])
def test_the_picture_is_sent_the_graph(en_zh, translation, measure):
    data = sent(opened("flow", 3, flow_by=measure, least=2.0))
    shares = weight_shares(translation.trace) if measure == "weights" else norm_shares(en_zh, translation)
    graph = flow_graph(shares, 2, 0.02)
    expected = sorted((e.kind, e.layer, e.start, e.end, e.head) for e in graph.edges)
    assert sorted(edges(data)) == expected
    np.testing.assert_allclose(sorted(e["flow"] for e in data["edges"]), sorted(e.flow for e in graph.edges), atol=1e-4)
    np.testing.assert_allclose(data["encoder"], graph.encoder, atol=1e-4)
    np.testing.assert_allclose(data["decoder"], graph.decoder, atol=1e-4)
    assert data["step"] == 3


@shipped
def test_threshold_measure_and_words_change_the_picture():
    at = opened("flow", 2, flow_by="weights")
    before = sent(at)
    at.slider(key="least").set_value(8.0).run()
    fewer = sent(at)
    assert len(fewer["edges"]) < len(before["edges"])
    assert fewer["n_edges"] == before["n_edges"]
    assert all(edge["flow"] >= 0.08 for edge in fewer["edges"])
    at.segmented_control(key="pick_flow_by").set_value("norms").run()
    assert sent(at)["encoder"] != fewer["encoder"]
    assert "Kobayashi" in words(at)


@shipped
def test_whole_words_join_the_pieces():
    sentence = "Antidisestablishmentarianism is a word."
    pieces, joined = (sent(opened("flow", 2, text=sentence, words=whole)) for whole in (False, True))
    assert any(token.startswith("##") for token in pieces["src"])
    assert not any(token.startswith("##") for token in joined["src"])
    assert sum(joined["encoder"][0]) == pytest.approx(sum(pieces["encoder"][0]), abs=1e-3)


@shipped
@pytest.mark.parametrize("sentence", ["Hello", "word " * 60, HOSTILE])
def test_any_sentence(sentence):
    at = opened("flow", 999, text=sentence)
    data = sent(at)
    assert len(data["encoder"][0]) == len(data["src"])
    assert sum(data["encoder"][0]) + sum(data["decoder"][0]) == pytest.approx(1, abs=2e-3)
    assert "<img" not in markup(at)


@shipped
def test_an_empty_sentence_is_an_error_and_chinese_is_chinese():
    assert "hl-error" in markup(opened("flow", text=" "))
    data = sent(opened("flow", 3, lang="zh"))
    assert data["labels"]["encoder"] == "编码器"
    assert data["summary"].startswith("到达 ")


@reverse
@pytest.mark.parametrize("place", range(4))
def test_reverse_flows_from_the_mirrored_letter(place):
    data = sent(opened("flow", place + 1, checkpoint="reverse", text="light", flow_by="norms"))
    sources = np.array(data["encoder"][0])
    assert data["src"][int(sources[:5].argmax())] == "light"[::-1][place]


def test_only_a_head_of_an_edge_can_be_opened(translator):
    translation = translator.trace("I love you.", "我爱你。")
    graph = flow_graph(weight_shares(translation.trace), 2)
    edge = next(edge for edge in graph.edges if edge.kind == "cross")
    message = {"kind": "cross", "layer": edge.layer, "head": edge.head}
    assert opened_place(message, edge_heads(graph)) == ("cross", edge.layer, edge.head)
    for wrong in (None, "cross", {**message, "kind": "<b>"}, {**message, "layer": 99}, {**message, "head": -1}):
        assert opened_place(wrong, edge_heads(graph)) is None


def test_labels_must_fit_the_graph(translator):
    trace = translator.trace("I love you.", "我爱你。").trace
    graph = flow_graph(weight_shares(trace), 2)
    with pytest.raises(ValueError, match="source words"):
        flow_payload(graph, FlowTokens(trace.src[1:], trace.tgt_inputs, trace.tgt_outputs))
    with pytest.raises(ValueError, match="steps"):
        flow_payload(graph, FlowTokens(trace.src, trace.tgt_inputs[:2], trace.tgt_outputs[:2]))


def test_the_sentence_names_what_came_from_where(translator):
    trace = translator.trace("I love you.", "我爱你。").trace
    graph = flow_graph(weight_shares(trace), 1)
    sentence = summary(graph, source_words(trace, words=False)[0], trace, lambda key, **more: text("en", key, **more))
    best = int(graph.sources.argmax())
    assert f"({trace.src[best].text} {graph.sources[best]:.0%}" in sentence
    assert f"{graph.inputs.sum():.0%} from the translation" in sentence


def bars(at: AppTest) -> np.ndarray:
    return array(charts(at)[0]["data"][0]["y"])


@pytest.fixture(scope="module")
def found(en_zh, translation):
    return lens(en_zh, translation)


@shipped
def test_the_grid_is_sent_the_lens(en_zh, translation, found):
    data = sent(opened("lens", 4))
    assert data["step"] == 4
    for step, shown in enumerate(data["steps"]):
        assert shown["ranks"] == found.ranks[:, step].tolist()
        np.testing.assert_allclose(shown["probabilities"], found.probabilities[:, step], atol=2e-4)
    np.testing.assert_allclose(
        [shown["written"][-1] for shown in data["steps"]], np.exp(translation.log_probs), atol=1e-3
    )
    for level, tokens in enumerate(found.tokens[:, 3]):
        shown = [data["tokens"][place] for place in data["steps"][3]["candidates"][level]]
        assert shown == [en_zh.tgt_tokenizer.piece(token).replace("▁", " ").strip() or "␣" for token in tokens]


@shipped
@pytest.mark.parametrize("kind", ["cross", "decoder_self"])
def test_bars_are_what_the_frames_head_promotes(en_zh, found, kind):
    moved = promoted(en_zh, found, kind, 1, 2, 2)
    expected = [change for _, change in (*moved.raised, *moved.lowered[::-1])]
    at = opened("lens", 3, kind=kind, layer=1, head=2)
    np.testing.assert_allclose(bars(at), expected, atol=1e-5)
    at.segmented_control(key="head").set_value(5).run()
    assert np.abs(bars(at) - expected).max() > 1e-4
    assert "L1 H5" in words(at)


@shipped
def test_an_encoder_head_has_no_direct_vote():
    at = opened("lens", kind="encoder_self")
    assert not at.get("plotly_chart")
    assert "no direct vote" in words(at)


@shipped
@pytest.mark.parametrize("sentence", ["Hello", "word " * 60, HOSTILE])
def test_any_sentence_has_a_lens(sentence):
    at = opened("lens", 999, text=sentence)
    data = sent(at)
    assert len(data["steps"]) == len(data["writes"]) == len(data["reads"]) == len(data["settles"])
    assert 1 <= data["step"] <= len(data["steps"])
    assert "<img" not in markup(at)


@shipped
def test_an_empty_sentence_has_no_lens_and_chinese_is_chinese():
    assert "hl-error" in markup(opened("lens", text=" "))
    at = opened("lens", 3, lang="zh")
    assert sent(at)["labels"]["writes"] == "写出"
    assert "推高" in words(at)


@reverse
def test_reverse_opens_too():
    data = sent(opened("lens", 2, checkpoint="reverse", text="headlight", kind="cross", layer=1, head=0))
    assert "".join(data["writes"][:-1]) == "headlight"[::-1]
    assert all(shown["ranks"][-1] == 1 for shown in data["steps"])
    assert len(data["steps"][0]["ranks"]) == 3


def test_labels_must_fit_the_lens(translator):
    translation = translator.trace("I love you.", "我爱你。")
    trace, found = translation.trace, lens(translator, translation, 3)
    with pytest.raises(ValueError, match="the lens has 5 steps"):
        lens_payload(found, str, trace.tgt_inputs * 2, trace.tgt_outputs * 2)
    shown = lens_payload(found, str, trace.tgt_inputs[:2], trace.tgt_outputs[:2])
    assert len(shown["steps"]) == 2
    assert set(shown["tokens"]) == {str(token) for token in found.tokens[:, :2].flatten()}
