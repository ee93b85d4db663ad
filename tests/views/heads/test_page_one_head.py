"""The page of heads: what the viewer is sent, what its link means, and what becomes of what it tells."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.attribution.methods import METHODS, attribution_maps
from model.passage import Ask
from model.trace import KINDS
from tests.pages import HOSTILE, SENTENCE, choose, markup, opened, shipped, viewed, words
from viz.core.numbers import signed
from viz.core.text import text
from viz.widgets import map_choice

SHORT, LONG = "A cat sleeps.", " ".join(["cats"] * (map_choice.SHORT + 1))

pytestmark = shipped


def test_every_head_of_every_kind_is_sent_as_the_trace_has_it(trace) -> None:
    seen = viewed(opened("one_head"))
    assert [each["kind"] for each in seen.header["kinds"]] == list(KINDS)
    assert list(seen.sorts) == [name for name, sort in METHODS.items() if sort.from_trace]
    for kind, expected in trace.weights.items():
        found = seen.maps("weights", kind, expected.shape)
        np.testing.assert_allclose(found, expected, atol=1 / 255)
        assert np.abs(found[0, 0] - expected[0, 1]).max() > 0.1
    assert seen.sorts["rollout"]["maps"]["cross"]["heads"] == 1
    assert seen.header["tokens"]["src"]["texts"] == [label.text for label in trace.src]
    assert {"norms", "gradient", "votes"} <= {each["name"] for each in seen.header["more"]}


@pytest.mark.parametrize("method", ["scores", "norms", "gradient_weight", "leave_one_out"])
def test_a_sort_that_is_asked_for_is_sent_with_its_own_scale(en_zh, translation, method) -> None:
    seen = viewed(opened("one_head", method=method))
    assert seen.link["d"] == method
    assert method not in {each["name"] for each in seen.header["more"]}
    for kind, expected in attribution_maps(en_zh, translation, method).items():
        high = np.abs(expected).max()
        np.testing.assert_allclose(seen.maps(method, kind, expected.shape), expected, atol=high / 200)


def test_gradients_of_one_token_are_a_sort_of_their_own(en_zh, translation) -> None:
    seen = viewed(opened("one_head", method="gradient", of="2"))
    assert seen.link["d"] == "gradient@2"
    assert seen.sorts["gradient@2"]["title"].endswith(f"2 {translation.trace.tgt_outputs[1].text}")
    expected, whole = (attribution_maps(en_zh, translation, "gradient", step)["cross"] for step in (1, None))
    found = seen.maps("gradient@2", "cross", expected.shape)
    np.testing.assert_allclose(found, expected, atol=np.abs(expected).max() / 200)
    assert np.abs(found - whole).max() > np.abs(expected).max() / 20


def test_what_was_made_stays_for_this_sentence_and_not_for_another() -> None:
    at = opened("one_head", method="norms")
    assert "norms" in viewed(choose(at, method="weights")).sorts
    assert "norms" not in viewed(choose(at, text=SHORT)).sorts


def test_the_apps_choices_are_what_the_viewer_opens_on() -> None:
    at = opened("one_head", 3, kind="decoder_self", layer=1, head=5, words=True, special=True, shift="read")
    assert viewed(at).link == {"h": "d1.5", "w": "1", "s": "1", "r": "read", "p": "t2"}
    at = opened("one_head", kind="cross", layer=2, head=5, shift="written", viewer="h=c2.5,e0.1&v=lines&t=0.2&q=<b>")
    assert viewed(at).link == {"h": "c2.5,e0.1", "v": "lines", "t": "0.2"}
    assert viewed(choose(at, head=6)).link["h"] == "c2.6", "another head chosen elsewhere ends the comparison"


def test_another_choice_leads_the_viewer_and_the_same_one_does_not() -> None:
    at = opened("one_head", layer=1)
    first = viewed(at).envelope
    assert viewed(choose(at)).envelope == first
    second = viewed(choose(at, layer=2)).envelope
    assert (second["serial"], second["id"]) == (first["serial"] + 1, first["id"])
    assert viewed(choose(at, lang="zh")).envelope["id"] != first["id"]


def test_a_sort_that_has_no_maps_of_the_chosen_kind_shows_another() -> None:
    at = opened("one_head", method="votes", kind="encoder_self", layer=1, head=2, viewer="h=e1.2,e0.0,c1.1")
    assert viewed(at).link["h"] == "c0.0"
    assert viewed(choose(at, method="weights")).link["h"] == "e1.2,e0.0,c1.1"


def test_what_is_unfolded_says_whether_the_map_is_sound_and_matters() -> None:
    at = opened("one_head", kind="cross", layer=2, head=5)
    assert "is a sound map" not in words(at)
    found = words(choose(at, hl_matters=True))
    assert "L2 H5 is a sound map" in found
    assert text("en", "method.meaning.weights") in found
    assert text("en", "honesty.decoder_self") in words(choose(at, kind="decoder_self"))


def test_the_parts_that_held_gradients_leave_out_are_given(en_zh, translation) -> None:
    """All that the maps of a step hold, over its logit above the mean; the middle one of the steps."""
    maps = attribution_maps(en_zh, translation, "frozen")
    ids = en_zh.ids(SENTENCE, translation.tgt_ids)
    logits = en_zh.forced(ids, Ask(kinds=(), logits=True)).logits.double()
    whole = [float(row[token] - row.mean()) for row, token in zip(logits, ids.written.tolist(), strict=True)]
    parts = maps["cross"][0, 0].sum(1) + maps["decoder_self"][0, 0].sum(1)
    brought = sorted(parts / whole)[(len(whole) - 1) // 2]
    found = words(opened("one_head", method="frozen", kind="cross", hl_matters=True))
    assert f"bring {signed(brought)} times the logit" in found
    assert f"which belong to no token, {signed(1 - brought)} times" in found
    assert "times the logit" not in words(opened("one_head", method="votes", kind="cross", hl_matters=True))


def taken(link: str) -> AppTest:
    """What the app has chosen after the viewer told of this."""

    def script() -> None:
        import streamlit as st

        from viz.core.session import read_session
        from viz.views.one_head import page as chosen

        chosen.take(st.session_state["told"])
        st.session_state["again"] = chosen.settled(read_session()).selection.link

    at = AppTest.from_function(script, default_timeout=100)
    at.session_state["text"], at.session_state["told"] = SENTENCE, link
    return choose(at)


@pytest.mark.parametrize(
    "link",
    [
        "h=c2.5",
        "h=e0.7&v=lines&w=1&s=1&r=read&t=0.25&g=1&o=own",
        "h=c2.5,c3.1&x=difference&p=t3,t4&q=s1",
        "h=d1.2&d=gradient@4&p=t0",
        "h=c1.0&v=all&d=norms",
    ],
)
def test_what_the_viewer_tells_is_chosen_and_leads_it_nowhere_else(link) -> None:
    at = taken(link)
    assert at.session_state["again"] == link
    assert at.session_state["kind"] == {"c": "cross", "e": "encoder_self", "d": "decoder_self"}[link[2]]
    assert at.session_state["layer"] == int(link[3])
    assert at.session_state["words"] == ("w=1" in link)
    if "@4" in link:
        assert (at.session_state["method"], at.session_state["of"], at.session_state["step"]) == ("gradient", "4", "1")


def test_what_no_viewer_tells_chooses_nothing() -> None:
    at = taken("h=c99.0&d=luck&p=t999&w=<script>&viewer=x")
    assert not [name for name in ("kind", "layer", "head", "step") if name in at.session_state]
    assert (at.session_state["method"], at.session_state["words"]) == ("weights", False)


@pytest.mark.parametrize(("sentence", "prepared_sorts"), [(SHORT, list(map_choice.SOON)), (LONG, [])])
def test_maps_that_need_the_model_are_made_ahead_for_short_sentences(monkeypatch, sentence, prepared_sorts) -> None:
    made, real = [], map_choice.attribution_maps
    monkeypatch.setattr(map_choice, "attribution_maps", lambda *args: made.append(args[1]) or real(*args))
    opened("one_head", text=sentence)
    assert made == prepared_sorts


@pytest.mark.parametrize("language", ["en", "zh"])
def test_hostile_text_is_data_in_the_message_and_nowhere_markup(language) -> None:
    at = opened("one_head", text=HOSTILE, lang=language)
    assert "".join(viewed(at).header["tokens"]["src"]["texts"]).replace("##", "").startswith("<imgsrc=x")
    assert viewed(at).header["source"] == HOSTILE
    assert viewed(at).header["words"]["making"] == text(language, "viewer.making")
    assert "<img" not in markup(at)
