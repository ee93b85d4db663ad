"""What is drawn, the shift switch and combined heads: every value on the page is the analysis' own."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

from model.analysis.heads.ablation import ablate
from model.analysis.maps.sorts import drawn_maps
from tests.browser.reading import drawn_map, settle
from tests.pages import SENTENCE
from viz.text.en import STRINGS


def shown(page) -> dict:
    found = drawn_map(page)
    return {**found, "z": np.array(found["z"], dtype=float)}


def choose(page, picker: str, option: str) -> None:
    page.get_by_role("combobox", name=picker).click()
    page.get_by_role("option", name=option, exact=True).click()
    settle(page)


def test_each_sort_of_map_is_named_and_is_the_analysis_own(visit, en_zh, translation):
    page = visit("one_head", text=SENTENCE, kind="Cross", layer=3, head=2)
    before = shown(page)["z"]
    np.testing.assert_allclose(before, translation.trace.map("cross", 3, 2), atol=1e-5)
    for drawn in ("scores", "norms", "gradient × weight"):
        choose(page, STRINGS["app.drawn"], drawn)
        found = shown(page)
        key = next(name for name in ("scores", "norms", "gradient_weight") if STRINGS[f"drawn.{name}"] == drawn)
        np.testing.assert_allclose(found["z"], drawn_maps(en_zh, translation, key)["cross"][3, 2], atol=1e-4)
        assert np.abs(found["z"] - before).max() > 1e-2
        assert drawn in found["title"]
        assert page.get_by_text(STRINGS[f"drawn.meaning.{key}"]).is_visible()


def test_a_gradient_is_of_the_chosen_token(visit, en_zh, translation):
    page = visit("one_head", text=SENTENCE, kind="Cross", layer=3, head=2, drawn="gradient")
    token = f"2 {translation.trace.tgt_outputs[1].text}"
    whole = shown(page)["z"]
    choose(page, STRINGS["app.of"], token)
    found = shown(page)
    expected = drawn_maps(en_zh, translation, "gradient", 1)["cross"][3, 2]
    np.testing.assert_allclose(found["z"], expected, atol=1e-4)
    assert not expected[2:].any(), "later steps cannot matter"
    assert np.abs(whole[2:]).max() > 0
    assert token in found["title"]


def test_the_shift_switch_renames_the_rows_and_says_why(visit, translation):
    page = visit("one_head", text=SENTENCE, kind="Cross", layer=3, head=2, shift="writes it")
    written = shown(page)
    page.get_by_role("radio", name=STRINGS["shift.read"]).click()
    settle(page)
    read = shown(page)
    np.testing.assert_array_equal(read["z"], written["z"])
    plain = [label.text.replace("<", "&lt;").replace(">", "&gt;") for label in translation.trace.tgt_outputs]
    assert written["rows"] == plain
    assert read["rows"] == ["&lt;bos&gt;", *plain[:-1]]
    assert page.get_by_text(STRINGS["shift.read.meaning"]).is_visible()


def test_heads_weighted_by_importance_are_drawn_as_one(visit, en_zh, translation):
    page = visit("one_head", text=SENTENCE, kind="Cross", layer=3, head=2, combine="By importance", over="L2")
    worth = np.maximum(ablate(en_zh, translation).importance["cross"][2], 0)
    expected = np.tensordot(worth / worth.sum(), translation.trace.cross[2], axes=1)
    found = shown(page)
    np.testing.assert_allclose(found["z"], expected, atol=1e-4)
    assert np.abs(found["z"] - translation.trace.cross[2].mean(0)).max() > 1e-3
    assert "weighted by importance" in found["title"]


def test_going_to_another_view_and_back_keeps_what_is_drawn(visit, wait_idle):
    page = visit("lines", text=SENTENCE, kind="Cross")
    choose(page, STRINGS["app.drawn"], STRINGS["drawn.norms"])
    page.get_by_role("link", name="One head").click()
    page.wait_for_selector(".js-plotly-plot .heatmaplayer")
    wait_idle(page)
    assert "norms" in page.text_content(".js-plotly-plot .gtitle")
    page.go_back()
    page.wait_for_url("**/lines?**drawn=norms**")
    wait_idle(page)
    expect(page.get_by_role("combobox", name=STRINGS["app.drawn"])).to_have_value(STRINGS["drawn.norms"])
    page.go_back()
    page.wait_for_url(lambda url: "drawn" not in url)
    wait_idle(page)
    expect(page.get_by_role("combobox", name=STRINGS["app.drawn"])).to_have_value(STRINGS["drawn.weights"])


def test_back_undoes_a_choice_and_the_map_follows(visit, wait_idle):
    page = visit("one_head", text=SENTENCE, layer=3, head=2)
    before = shown(page)
    choose(page, STRINGS["app.drawn"], STRINGS["drawn.norms"])
    page.get_by_role("radio", name=STRINGS["kind.encoder_self"]).click()
    settle(page)
    assert "drawn=norms&kind=encoder_self" in page.url
    assert "Encoder self · L3 H2 · norms" in shown(page)["title"]
    page.go_back()
    page.wait_for_url(lambda url: "kind" not in url)
    settle(page)
    assert "Cross · L3 H2 · norms" in shown(page)["title"]
    page.go_back()
    page.wait_for_url(lambda url: "drawn" not in url)
    settle(page)
    assert shown(page)["title"] == before["title"]
    np.testing.assert_array_equal(shown(page)["z"], before["z"])


def test_a_link_of_any_age_and_language_opens(visit):
    page = visit("one_head", text=SENTENCE, lang="中文", kind="Encoder self", drawn="范数", layer=1, head=3)
    assert "drawn=norms" in page.url
    assert "kind=encoder_self" in page.url
    assert "lang=zh" in page.url
    assert shown(page)["title"].startswith("编码器自注意力 · L1 H3")
