"""What whoever speaks has beside the stage: notes in a second window, all scenes, a dark screen, a dot."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.test_axe import violations
from tests.browser.viewer.acts import HOSTILE, now
from tests.pages import shipped

pytestmark = shipped


def notes_of(page: Page) -> Page:
    """The window of the notes, opened by its key."""
    with page.expect_popup() as opening:
        page.keyboard.press("v")
    return opening.value


def test_the_speakers_window_follows_and_leads(talk_page_open) -> None:
    page = talk_page_open()
    other = notes_of(page)
    assert other.locator(".said-now").text_content() == "first"
    assert other.locator(".elapsed").text_content() == "Talk 0:00 / 3:00"
    assert other.locator(".speaker-next").text_content() == "Next: Two"
    assert other.locator(".speaker-coming").text_content() == "It asks: Which? — C bed"
    assert other.locator(".speaker-sight canvas").is_visible()
    assert violations(other) == []
    page.keyboard.press("Space")
    assert other.locator(".said-now").text_content() == HOSTILE
    assert other.locator("img").count() == 0
    other.keyboard.press("Space")
    assert now(page)[1].startswith("Cross · L1 H1")
    assert other.locator(".said-now").text_content() == "third"
    assert other.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 21, 28)", "its look is allowed"


def test_the_screen_is_dark_until_the_talk_goes_on_and_b_answers_a_question(talk_page_open) -> None:
    page = talk_page_open()
    told, dark = notes_of(page).locator(".speaker-told"), page.locator(".darkness")
    for press in ("b", "."):
        page.keyboard.press(press)
        assert dark.bounding_box() == {"x": 0, "y": 0, **page.viewport_size}
        assert "dark" in (told.text_content() or "")
        page.keyboard.press(press)
        assert dark.is_hidden()
        assert told.is_hidden()
    page.keyboard.press("b")
    page.keyboard.press("Space")
    assert dark.is_hidden()
    page.evaluate("location.hash = '#scene=2'")
    page.locator(".ask:visible").wait_for()
    page.keyboard.press("b")
    assert dark.is_hidden()
    assert "B dog" in (page.locator(".answer").text_content() or "")


def test_the_speaker_sees_the_answer_before_the_room_and_both_clocks(talk_page_open) -> None:
    page = talk_page_open()
    other = notes_of(page)
    assert other.locator(".lasted").text_content() == "Scene 0:00 / 0:30"
    page.keyboard.press("Space")
    expect(other.locator(".lasted")).not_to_have_text("Scene 0:00 / 0:30")
    page.evaluate("location.hash = '#scene=2'")
    page.locator(".ask:visible").wait_for()
    assert other.locator(".speaker-note").text_content() == "Which?It is C bed"
    assert "bed" not in (page.locator(".answer").text_content() or "")
    assert other.locator(".lasted").text_content() == "Scene 0:00", "nobody planned this one"
    assert (other.locator(".elapsed").text_content() or "") > "Talk 0:00 / 3:00"
    page.keyboard.press("r")
    assert other.locator(".elapsed").text_content() == "Talk 0:00 / 3:00"


def test_all_scenes_are_seen_and_reached_by_keys_and_a_dot_points(talk_page_open) -> None:
    page = talk_page_open("#scene=2")
    overview, dot = page.locator(".overview"), page.locator(".dot")
    page.keyboard.press("o")
    assert overview.locator("button").all_text_contents() == ["1One", "?2Two", "3Three"]
    assert overview.locator("canvas").count() == 2, "what is asked keeps its picture until it is answered"
    assert violations(page) == []
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert (now(page)[0], overview.is_visible()) == ("Three", False)
    for key in ("o", "1", "Enter"):
        page.keyboard.press(key)
    assert now(page)[0] == "One"
    assert now(page)[1].startswith("Cross · L2 H5"), "no map behind took the digit"
    page.keyboard.press("o")
    page.keyboard.press("Escape")
    assert (now(page)[0], overview.is_visible()) == ("One", False)
    page.keyboard.press("l")
    page.mouse.move(300, 400)
    box = dot.bounding_box()
    assert (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) == (300, 400)
    page.keyboard.press("l")
    assert dot.is_hidden()
    page.keyboard.press("Shift+L")
    assert page.locator(".viewer:not([inert]) .toolbar .segments [aria-pressed=true]").first.text_content() == "Lines"


def test_whoever_speaks_goes_to_a_scene_from_the_second_window_and_the_room_sees_no_list(talk_page_open) -> None:
    page = talk_page_open("#scene=2")
    other = notes_of(page)
    other.keyboard.press("o")
    assert other.locator(".overview canvas:visible").count() == 3, "whoever speaks knows the answers"
    assert page.locator(".overview").count() == 0
    assert violations(other) == []
    for key in ("ArrowRight", "Enter"):
        other.keyboard.press(key)
    assert (now(page)[0], other.locator(".overview").is_visible()) == ("Three", False)
    other.keyboard.press("o")
    other.close()
    page.keyboard.press("Home")
    assert now(page)[0] == "One", "no list in a closed window takes the key"
    page.keyboard.press("o")
    assert page.locator(".overview button").all_text_contents() == ["1One", "?2Two", "3Three"]


def test_a_question_that_was_revealed_without_a_guess_is_no_secret(talk_page_open) -> None:
    page = talk_page_open("#scene=2")
    page.keyboard.press("Space")
    page.keyboard.press("o")
    assert page.locator(".overview canvas").count() == 3


def test_a_new_scene_lights_nothing_under_a_mouse_that_rests(talk_page_open) -> None:
    page = talk_page_open("#scene=3")
    page.keyboard.press("Home")
    page.locator(".viewer:not([inert]) .chips button").first.hover()
    lit = page.locator(".viewer:not([inert]) .chips button.lit")
    assert lit.count() > 0
    page.keyboard.press("Space")
    assert lit.count() == 0
