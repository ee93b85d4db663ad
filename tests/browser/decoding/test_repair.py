"""From a token to the head whose muting changes it, and to the translation without that head: in four clicks."""

from __future__ import annotations

from model.analysis.what_if.mixing import mix
from model.analysis.what_if.repair import repairs
from tests.browser.reading import PATIENCE, settle
from tests.pages import SENTENCE
from viz.core.text import ENGLISH as STRINGS


def test_four_clicks_find_and_mute_a_head_and_a_click_undoes_it(visit, en_zh, translation):
    page = visit("", text=SENTENCE)
    page.locator('.links .chip[data-side="tgt"]').nth(2).click()
    settle(page)
    page.get_by_text(STRINGS["quality.how"]).click()
    page.get_by_role("button", name=STRINGS["panel.open.repair"]).click()
    page.wait_for_url("**/mixing_desk?**", timeout=PATIENCE)
    page.wait_for_selector(".alone button")
    settle(page)
    found = repairs(en_zh, SENTENCE, translation.tgt_ids, 2)
    head = found.ranked()[0]
    assert head.title in page.locator(".alone button").first.inner_text().replace("\u00a0", " ")
    page.locator(".alone button").first.click()
    page.locator(".desk:not(.waiting)").wait_for()
    settle(page)
    mixed = mix(en_zh, translation, {head: 0.0}).mixed
    assert page.locator('.desk [data-row="after"] .text').all_inner_texts() == [label.text for label in mixed.tgt]
    assert "repair=1" in page.url
    assert f"mix={head.code}%3A0" in page.url
    cells = page.locator(".desk .cell.other")
    others = [each for each in found.ranked() if found.changes(each) and each != head]
    assert cells.count() == len(others)
    page.locator('.alone button[aria-pressed="true"]').click()
    settle(page)
    assert "mix=" not in page.url
    boxes = [page.locator(".desk .cell").nth(n).bounding_box() for n in (0, page.locator(".desk .cell").count() - 1)]
    assert max(box["y"] + box["height"] for box in boxes) <= 720
