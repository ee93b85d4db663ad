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
    page.keyboard.press("f")
    page.wait_for_function("() => !document.fullscreenElement")
    assert talk.locator(".talk-tools").is_visible()
    with page.expect_popup() as opening:
        page.keyboard.press("v")
    assert "Next: Other heads look ahead" in (opening.value.locator(".speaker-next").text_content() or "")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Handout").click()
    assert waiting.value.path().read_bytes().startswith(b"%PDF")


def test_a_pin_survives_a_reload_and_becomes_a_talk(visit, page, wait_idle) -> None:
    visit("one_head", text="I love you.")
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


def test_a_sentence_from_the_hall_becomes_the_next_scene(visit) -> None:
    page = visit("talk", storyboard="attention", scene=2, click=1)
    talk = page.frame_locator("iframe").first
    talk.locator("#talk[data-ready]").wait_for()
    page.keyboard.press("i")
    talk.locator(".hall input").fill("The cat sleeps.")
    talk.locator(".hall input").press("Enter")
    talk.locator(".hall").wait_for(state="hidden")
    assert talk.locator(".talk-top h1").text_content() == "The cat sleeps."
    assert talk.locator(".place").text_content() == "3 / 8"
    assert talk.locator(".viewer:not([inert]) .chips").first.text_content().startswith("Thecatsleeps")
    page.keyboard.press("i")
    talk.locator(".hall input").fill("猫")
    talk.locator(".hall input").press("Enter")
    talk.locator(".hall .hint", has_text="English").wait_for()
    assert talk.locator(".place").text_content() == "3 / 8", "what cannot be translated is one sentence"


def test_a_view_is_pinned_and_played_as_it_stood(visit, page, wait_idle) -> None:
    visit("flow", text="I love you.", step=2)
    page.get_by_role("button", name="Pin", exact=True).click()
    wait_idle(page)
    visit("pinboard")
    page.get_by_role("button", name="Play as a talk").click()
    talk = page.frame_locator("iframe").first
    talk.locator("#talk[data-ready]").wait_for(timeout=120_000)
    still = talk.locator(".still")
    still.locator(".flow svg").first.wait_for()
    still.get_by_text("爱", exact=True).first.wait_for()
    assert still.locator(":focus").count() == 0
