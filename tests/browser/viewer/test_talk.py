"""A talk in one file, in Chromium from file:// with the network off: by keyboard alone."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.viewer.acts import now
from tests.pages import shipped

pytestmark = shipped
VEILED = """() => {
  const canvas = [...document.querySelectorAll(".viewer:not([inert]) .panel .over")].at(-1); // over its labels
  if (!canvas.width) return 0;
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  return data.filter((value, i) => i % 4 === 3 && value).length;
}"""  # pixels


def test_a_talk_is_played_by_keyboard_alone(talk_page_open) -> None:
    page = talk_page_open()
    assert now(page)[0] == "One"
    assert now(page)[1].startswith("Cross · L2 H5")
    page.keyboard.press("ArrowRight")
    assert now(page)[1].startswith("Cross · L2 H6"), "the viewer's own keys"
    page.keyboard.press("Space")
    assert now(page)[1].startswith("Cross · L2 H5")
    assert "爱 → love" in (page.locator(".said:visible").first.text_content() or "")
    page.keyboard.press("PageDown")
    assert now(page)[1].startswith("Cross · L1 H1")
    page.keyboard.press("n")
    assert now(page)[0] == "Two"
    assert page.locator(".ask h2").text_content() == "Which?"
    cells = page.locator(".viewer:not([inert]) .under").first
    assert now(page)[1].startswith("Cross · L3 H0"), "the question stands beside its picture"
    assert cells.is_hidden(), "whose values are hidden before the audience has said what it expects"
    assert page.locator(".viewer:not([inert]) .chips").first.text_content().startswith("Theblackcat")
    page.keyboard.press("d")
    assert page.locator(".ask").is_visible(), "there is no D"
    page.keyboard.press("PageUp")
    assert now(page)[1].startswith("Cross · L1 H1"), "back, where the scene before ended"
    page.keyboard.press("Space")
    page.keyboard.press("a")
    assert page.locator(".answer:visible").text_content() == "✗ A cat; it is C bed"
    assert page.locator(".ask h2:visible").text_content() == "Which?", "the question stays beside the picture"
    assert cells.is_visible()
    assert now(page)[1].startswith("Cross · L3 H0")
    assert page.locator(".place").text_content() == "✓ 0 / 1 · 2 / 3"
    page.keyboard.press("PageUp")
    page.keyboard.press("c")
    assert page.locator(".place").text_content() == "✓ 1 / 1 · 2 / 3"
    page.keyboard.press("Space")
    assert now(page)[0] == "Three"
    assert page.locator(".talk-stage > .viewer:not([inert]) .kind canvas").count() == 6
    page.keyboard.press("Space")
    assert now(page)[0] == "Three"
    assert page.url.endswith("#scene=3&click=0")
    page.keyboard.press("Home")
    assert now(page)[0] == "One"


def test_a_talk_opens_large_and_bare_and_stays_so_from_scene_to_scene(talk_page_open) -> None:
    page = talk_page_open()
    assert page.locator(".toolbar:visible, .rail:visible").count() == 0, "it opens as a slide"
    page.keyboard.press("p")
    sizes = "() => getComputedStyle(document.querySelector('.viewer:not([inert]) .panel-title')).fontSize"
    desk = page.locator(".viewer:not([inert]) .under").first.bounding_box()
    page.keyboard.press("p")
    assert page.locator(".toolbar:visible, .rail:visible").count() == 0
    assert float(page.evaluate(sizes).removesuffix("px")) >= 20
    hall = page.locator(".viewer:not([inert]) .under").first.bounding_box()
    assert hall["width"] > desk["width"]
    before = page.evaluate(VEILED)
    page.keyboard.press("Space")
    assert page.evaluate(VEILED) > before + 10_000, "all but what is in the light lies under a veil"
    page.keyboard.press("End")
    assert page.locator(".toolbar:visible").count() == 0
    page.keyboard.press("p")
    assert page.locator(".toolbar:visible").count() == 1


def test_a_link_opens_a_scene_and_a_wrong_one_the_first(talk_page_open) -> None:
    assert now(talk_page_open("#scene=3"))[0] == "Three"
    page = talk_page_open("#scene=77&h=<img>")
    assert now(page)[0] == "One"
    page.evaluate("location.hash = '#scene=2'")
    expect(page.locator(".talk-top h1")).to_have_text("Two")
    page.keyboard.press("c")
    page.reload()
    page.wait_for_selector("#talk[data-ready]")
    assert now(page)[1].startswith("Cross · L3 H0"), "the same click of the same scene"


def test_f_takes_the_whole_screen_and_escape_gives_the_slide_back_from_a_question_too(talk_page_open) -> None:
    page = talk_page_open()
    is_full = "() => Boolean(document.fullscreenElement) && document.querySelector('#talk').matches('.present')"
    is_slide = "() => !document.fullscreenElement && document.querySelector('#talk').matches('.present')"
    page.keyboard.press("f")
    page.wait_for_function(is_full)
    page.keyboard.press("f")
    page.wait_for_function(is_slide)
    page.evaluate("location.hash = '#scene=2'")
    page.locator(".ask:visible").wait_for()
    page.keyboard.press("f")
    page.wait_for_function(is_full)
    page.evaluate("document.exitFullscreen()")  # as the browser's own key does
    page.wait_for_function(is_slide)
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    assert page.locator(".toolbar:visible").count() == 1
