"""The flow page, through Streamlit's AppTest: what is sent to the picture is the analysis."""

from __future__ import annotations

import numpy as np
import pytest

from model.analysis.residual.flow import flow_graph, weight_shares
from model.attribution.shares import norm_shares
from tests.pages import HOSTILE, markup, opened, reverse, sent, shipped, words
from viz.core.text import text
from viz.views.flow.page import FlowTokens, edge_heads, flow_payload, source_words, summary
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
