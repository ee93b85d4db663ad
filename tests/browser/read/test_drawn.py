"""What is drawn is chosen for every view, and goes along from view to view."""

from __future__ import annotations

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
