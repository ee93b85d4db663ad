"""What is drawn is chosen for every view, and goes along from view to view."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.reading import settle
from tests.pages import SENTENCE
from viz.core.text import ENGLISH as STRINGS

DRAWN = STRINGS["app.method"]


def test_going_to_another_view_and_returning_keeps_what_is_drawn(visit, wait_idle):
    page = visit("compare", text=SENTENCE, kind="cross")
    page.get_by_role("button", name=STRINGS["app.display"]).click()
    page.get_by_role("combobox", name=DRAWN).click()
    page.get_by_role("option", name=STRINGS["method.norms"], exact=True).click()
    settle(page)
    page.keyboard.press("Escape")
    page.locator(".st-key-hl_modes").get_by_role("link", name="Heads").click()
    page.wait_for_selector("#viewer[data-ready]")
    wait_idle(page)
    assert page.locator(".toolbar select").first.input_value() == "norms"
    page.locator(".st-key-hl_modes").get_by_role("link", name="Read").click()
    settle(page)
    page.locator(".st-key-hl_views").get_by_role("link", name="Two sentences").click()
    page.wait_for_url("**/compare?**method=norms**")
    settle(page)
    page.get_by_role("button", name=STRINGS["app.display"]).click()
    expect(page.get_by_role("combobox", name=DRAWN)).to_have_value(STRINGS["method.norms"])


def test_back_from_heads_leads_to_what_was_drawn_there(visit, wait_idle):
    page = visit("compare", text=SENTENCE, method="norms")
    page.locator(".st-key-hl_modes").get_by_role("link", name="Heads").click()
    page.wait_for_selector("#viewer[data-ready]")
    wait_idle(page)
    page.locator(".toolbar select").first.select_option("weights")
    settle(page)
    for before in ("/one_head", "/compare"):
        page.go_back()
        settle(page)
        assert before in page.url
        assert "method=norms" in page.url
    page.get_by_role("button", name=STRINGS["app.display"]).click()
    expect(page.get_by_role("combobox", name=DRAWN)).to_have_value(STRINGS["method.norms"])


LOVE = "I love you."


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "html"])
def test_a_map_can_be_kept_offline_as_a_picture_of_a_chosen_width_and_as_a_page(visit, ending):
    page = visit("one_head", text=LOVE, kind="decoder_self")
    page.wait_for_selector("#viewer[data-ready]")
    page.get_by_text("Take away").click()
    page.get_by_label("Width in cm").fill("10")
    page.get_by_label("Width in cm").press("Enter")
    settle(page)
    with page.expect_download(timeout=60_000) as waiting:
        page.get_by_role("button", name="Save as page" if ending == "html" else ending.upper(), exact=True).click()
    assert waiting.value.suggested_filename.startswith("headlight-d")
    assert waiting.value.suggested_filename.endswith(f".{ending}")
    content = waiting.value.path().read_bytes()
    if ending == "png":
        assert content.startswith(b"\x89PNG")
        assert int.from_bytes(content[16:20], "big") == pytest.approx(10 / 2.54 * 300, abs=2)
    if ending == "svg":
        chinese = page.locator(".chips").nth(1).locator("button").first.text_content()
        assert chinese in content.decode("utf-8")
        assert f'width="{10 / 2.54 * 72:.2f}pt"' in content.decode("utf-8")
    if ending == "pdf":
        assert content.startswith(b"%PDF")
        assert b"/FontFile3" in content
    if ending == "html":
        assert b"Content-Security-Policy" in content
        assert len(content) < 400_000


def test_compared_maps_are_kept_with_their_difference(visit):
    page = visit("one_head", text=LOVE, kind="cross", layer=2, head=5, viewer="h=c2.5,c3.1&x=difference")
    page.wait_for_selector("#viewer[data-ready]")
    page.get_by_text("Take away").click()
    with page.expect_download(timeout=60_000) as waiting:
        page.get_by_role("button", name="SVG", exact=True).click()
    content = waiting.value.path().read_text(encoding="utf-8")
    for title in ("L2 H5", "L3 H1", "L2 H5 − L3 H1"):
        assert title in content
