"""A talk in one file, in Chromium from file:// with the network off: by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from model.translator import Translator
from tests.browser.test_axe import violations
from tests.pages import shipped
from viz.export.show.staged import stage
from viz.export.show.storyboard import Both, Light, Predict, Step, Storyboard, TalkScene
from viz.export.show.talk import talk_page

pytestmark = shipped
HOSTILE = "<img src=x onerror=alert(1)>"
VEILED = """() => {
  const canvas = [...document.querySelectorAll(".viewer:not([inert]) .panel .over")].at(-1); // over its labels
  if (!canvas.width) return 0;
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  return data.filter((value, i) => i % 4 === 3 && value).length;
}"""  # pixels
OPTIONS = (Both("cat"), Both("dog"), Both("bed"))


@pytest.fixture(scope="module")
def talk(en_zh: Translator) -> str:
    black, love = "The black cat is sleeping on the bed.", "I love you."
    steps = (Step(light=Light("爱", "love")), Step("h=c1.1"))
    note, asked = Both(f"first [click] {HOSTILE} [click] third"), Predict(Both("Which?"), OPTIONS, 2)
    scenes = (
        TalkScene(love, "我爱你。", link="h=c2.5", title=Both("One"), note=note, steps=steps, minutes=0.5),
        TalkScene(black, "黑猫在床上睡觉。", link="h=c3.0", title=Both("Two"), predict=asked),
        TalkScene(love, "我爱你。", link="v=all", title=Both("Three")),
    )
    return talk_page(stage(Storyboard(Both("Talk"), scenes, minutes=3), lambda _: en_zh), "en")


def now(page: Page) -> tuple[str, str]:
    """The scene's title, and the title of the map that is seen."""
    seen = page.locator(".talk-stage > .viewer:not([inert]) .panel-title")
    return page.locator(".talk-top h1").text_content() or "", seen.first.text_content() or "" if seen.count() else ""


@pytest.fixture
def talk_page_open(shown, talk: str) -> Callable[..., Page]:
    return lambda link="": shown(talk, link)


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
    assert now(page)[1] == "", "the picture is hidden before the audience has said what it expects"
    page.keyboard.press("d")
    assert page.locator(".ask").is_visible(), "there is no D"
    page.keyboard.press("PageUp")
    assert now(page)[1].startswith("Cross · L1 H1"), "back, where the scene before ended"
    page.keyboard.press("Space")
    page.keyboard.press("a")
    assert page.locator(".answer").text_content() == "✗ A cat; it is C bed"
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


def test_presenter_mode_is_large_bare_and_stays_from_scene_to_scene(talk_page_open) -> None:
    page = talk_page_open()
    sizes = "() => getComputedStyle(document.querySelector('.viewer:not([inert]) .panel-title')).fontSize"
    desk = page.locator(".viewer:not([inert]) .under").first.bounding_box()
    page.keyboard.press("p")
    assert page.locator(".toolbar:visible, .rail:visible, .talk-tools:visible").count() == 0
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


def test_the_speakers_window_follows_and_leads(talk_page_open) -> None:
    page = talk_page_open()
    with page.expect_popup() as opening:
        page.keyboard.press("v")
    other = opening.value
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


def test_a_link_opens_a_scene_and_a_wrong_one_the_first(talk_page_open) -> None:
    assert now(talk_page_open("#scene=3"))[0] == "Three"
    page = talk_page_open("#scene=77&h=<img>")
    assert now(page)[0] == "One"
    page.evaluate("location.hash = '#scene=2'")
    page.wait_for_timeout(100)
    assert now(page)[0] == "Two"
    page.keyboard.press("c")
    page.reload()
    page.wait_for_selector("#talk[data-ready]")
    assert now(page)[1].startswith("Cross · L3 H0"), "the same click of the same scene"


def test_f_takes_the_whole_screen_and_escape_gives_it_back_from_a_question_too(talk_page_open) -> None:
    page = talk_page_open()
    is_full = "() => Boolean(document.fullscreenElement) && document.querySelector('#talk').matches('.present')"
    is_desk = "() => !document.fullscreenElement && !document.querySelector('#talk').matches('.present')"
    page.keyboard.press("f")
    page.wait_for_function(is_full)
    page.keyboard.press("Escape")
    page.wait_for_function(is_desk)
    page.evaluate("location.hash = '#scene=2'")
    page.locator(".ask:visible").wait_for()
    page.keyboard.press("f")
    page.wait_for_function(is_full)
    page.evaluate("document.exitFullscreen()")  # as the browser's own key does
    page.wait_for_function(is_desk)
    page.keyboard.press("Space")
    assert page.locator(".toolbar:visible").count() == 1


def test_the_screen_is_dark_until_the_talk_goes_on_and_b_answers_a_question(talk_page_open) -> None:
    page = talk_page_open()
    with page.expect_popup() as opening:
        page.keyboard.press("v")
    told, dark = opening.value.locator(".speaker-told"), page.locator(".darkness")
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
    with page.expect_popup() as opening:
        page.keyboard.press("v")
    other = opening.value
    assert other.locator(".lasted").text_content() == "Scene 0:00 / 0:30"
    page.keyboard.press("Space")
    page.wait_for_timeout(1600)
    assert other.locator(".lasted").text_content() != "Scene 0:00 / 0:30"
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
    with page.expect_popup() as opening:
        page.keyboard.press("v")
    other = opening.value
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
