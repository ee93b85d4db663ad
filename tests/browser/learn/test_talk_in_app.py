"""A talk in the app, by keyboard; a pin survives a reload and becomes a talk."""

from __future__ import annotations

from tests.pages import shipped

pytestmark = shipped


def test_a_talk_is_played_in_the_page_by_keyboard(visit) -> None:
    page = visit("talk", storyboard="off-by-one", scene=2)
    talk = page.frame_locator("iframe").first
    talk.locator("#talk[data-ready]").wait_for()
    heading = talk.locator(".talk-top h1")
    assert heading.text_content() == "The same numbers under another name"
    page.keyboard.press("Space")  # the talk has the keys by itself
    assert "爱 → love" in (talk.locator(".said:visible").first.text_content() or "")
    page.keyboard.press("Space")
    assert heading.text_content() == "It is no accident"
    assert talk.locator(".ask").is_visible()
    page.keyboard.press("Space")
    page.reload()
    talk.locator(".answer:visible").wait_for()
    assert "scene=3&click=1" in page.url, "the page's link follows, and opens the same place"
    page.keyboard.press("f")
    page.wait_for_function("() => document.fullscreenElement?.tagName === 'IFRAME'")
    page.keyboard.press("Escape")
    page.wait_for_function("() => !document.fullscreenElement")
    assert talk.locator(".talk-tools").is_visible()
    with page.expect_popup() as opening:
        page.keyboard.press("v")
    assert "Next: Other heads look ahead" in (opening.value.locator(".speaker-next").text_content() or "")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Handout").click()
    assert waiting.value.path().read_bytes().startswith(b"%PDF")


def test_a_pin_survives_a_reload_and_becomes_a_talk(visit, page, wait_idle) -> None:
    visit(text="I love you.")
    page.get_by_role("button", name="Pin", exact=True).click()
    wait_idle(page)
    visit("pinboard")
    page.reload()
    wait_idle(page)
    page.get_by_label("Caption").wait_for()
    assert "I love you." in page.get_by_label("Caption").input_value()
    page.get_by_role("button", name="Play as a talk").click()
    talk = page.frame_locator("iframe").first
    talk.locator("#talk[data-ready]").wait_for()
    assert talk.locator(".chips").first.text_content().startswith("Iloveyou")
