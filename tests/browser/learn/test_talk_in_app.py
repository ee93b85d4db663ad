"""A talk in the app, by keyboard; a pin survives a reload and becomes a talk; a class points at tokens and heads, and
opens the scene that is on stage on its own devices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bench.browser import ROOT, VIEWPORT, serving
from model.own.translator import Translator
from tests.pages import shipped
from viz.core.text import text
from viz.export.live import live_site

pytestmark = shipped
PHONE = {"width": 360, "height": 740}
SERVED = ("-m", "streamlit", "run", "app.py", "--server.port", "{port}", "--", "--class")
# What the server answers a phone that sends what its page would not.
POSTED = """async ([verb, said]) => {
  const phone = localStorage.getItem(`headlight-class-${location.pathname}`);
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ ...said, phone });
  return (await fetch(`${location.pathname}/${verb}`, { method: "POST", headers, body })).json();
}"""


BOARD = """format: 1
scenes:
  - text: My brother was sleeping on the sofa when I came home last night.
    link: h=c3.0
    predict:
      ask: {en: "Which word does the second row look at most?", zh: 第二行最关注哪个词？}
      options: [the first, the second of them, the third, {en: the fourth and last, zh: 第四个}]
      answer: B
  - text: You love me.
    link: h=c2.5
    phones: open
    point: {head: {en: "Where is the diagonal?", zh: 对角线在哪里？}}
"""


@pytest.fixture(scope="module")
def class_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("class")


@pytest.fixture(scope="module")
def class_url(class_folder: Path) -> Iterator[str]:
    """The address of an app that was started with a class, with a talk, and with a place for the page of ``live``."""
    (class_folder / "talk.yaml").write_text(BOARD, encoding="utf-8")
    own = ("--storyboard", str(class_folder / "talk.yaml"), "--live", str(class_folder / "site"))
    with (
        (class_folder / "server.log").open("wb") as log,
        serving((*SERVED, str(class_folder), *own), ROOT, log) as (url, _),
    ):
        yield url


@pytest.fixture(scope="module")
def live(class_folder: Path, en_zh: Translator, compact_graphs: Path) -> None:
    """The page that translates by itself, served by that app."""
    pytest.importorskip("onnxscript")
    live_site(en_zh, class_folder / "site", graphs=compact_graphs)


def news(phone: Page) -> dict[str, Any]:
    """What the class tells a phone."""
    found: dict[str, Any] = phone.evaluate(POSTED, ["now", {"version": ""}])
    return found


def refusal(phone: Page, question: str, answer: int) -> str:
    """By which word the class refuses an answer."""
    return str(phone.evaluate(POSTED, ["answer", {"question": question, "answer": answer}])["error"])


def joined(phone: Page, stage: Page, url: str) -> Page:
    """A phone that has come into the class by the link on stage."""
    phone.set_viewport_size(PHONE)
    stage.get_by_role("button", name="Join").click()
    link = stage.locator(".hl-class-link").text_content() or ""
    stage.keyboard.press("Escape")
    phone.goto(f"{url}/class/{link.rpartition('/')[2]}")
    return phone


@pytest.fixture
def stage(page: Page, class_url: str) -> Iterator[Page]:
    """A talk whose second scene, which asks nothing itself, is on before a class; the class ends with the test."""
    page.goto(f"{class_url}/talk?storyboard=off-by-one&scene=2&lang=en")
    page.get_by_text("Class", exact=True).click()
    page.get_by_role("button", name="Ask for a token").wait_for()
    yield page
    page.get_by_text("Class", exact=True).click()
    page.get_by_role("button", name="Join").wait_for(state="hidden")


def test_a_phone_points_and_the_tally_grows_until_no_more_is_taken(stage, new_page, guard, class_url) -> None:
    guard.expected.append(r"status of 4\d\d")
    phones = [joined(new_page(), stage, class_url) for _ in range(2)]
    expect(phones[0].locator("#said")).to_have_text(re.compile("Nothing is asked"))
    stage.get_by_role("button", name="Ask for a token").click()
    rows, counts = stage.locator(".hl-class-bars dt"), stage.locator(".hl-class-bars .count")
    phones[0].get_by_role("radio", name="love", exact=True).click()
    expect(rows).to_have_text(["love"])
    expect(counts).to_have_text(["1"])
    phones[1].get_by_role("radio", name="love", exact=True).click()
    expect(counts).to_have_text(["2"])
    phones[1].get_by_role("radio", name="you", exact=True).click()
    expect(counts).to_have_text(["1", "1"])
    first = news(phones[0])["question"]
    assert refusal(phones[0], first, 99) == "answer"
    stage.get_by_role("button", name="Ask for a head").click()
    heads = phones[0].locator("#options.head").get_by_role("radio")
    heads.first.wait_for()
    assert refusal(phones[0], first, 0) == "over", "the question before takes no more"
    assert phones[0].evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    heads.nth(9).click()
    expect(rows).to_have_text([heads.nth(9).get_attribute("aria-label")])
    stage.frame_locator("iframe").first.locator(".talk-top h1").click()
    stage.keyboard.press("Space")
    expect(phones[0].locator("#said")).to_have_text(re.compile("No more answers"))
    expect(heads.first).to_be_disabled()
    assert refusal(phones[0], news(phones[0])["question"], 3) == "over"
    expect(counts).to_have_text(["1"])


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


def test_arrow_keys_walk_the_heads_of_a_phone_and_tab_leaves_them(stage, new_page, class_url) -> None:
    phone = joined(new_page(), stage, class_url)
    stage.get_by_role("button", name="Ask for a head").click()
    heads = phone.locator("#options.head").get_by_role("radio")
    heads.first.focus()
    for key, code in (("ArrowRight", "L0 H1"), ("ArrowDown", "L1 H1"), ("ArrowLeft", "L1 H0"), ("ArrowLeft", "L1 H0")):
        phone.keyboard.press(key)
        expect(phone.locator(":focus")).to_have_attribute("aria-label", code)
    assert phone.locator("#options [tabindex='0']").count() == 1
    assert news(phone)["mine"] is None, "walking answers nothing"
    phone.keyboard.press("Enter")
    expect(phone.get_by_role("radio", name="L1 H0", exact=True)).to_have_attribute("aria-checked", "true")
    expect(phone.locator(":focus")).to_have_attribute("aria-label", "L1 H0")
    phone.keyboard.press("Tab")
    expect(phone.locator("#sentence")).to_be_focused()


def test_each_half_of_a_hall_sees_its_own_and_a_number_being_typed_stays(stage, new_page, class_url) -> None:
    phones = [joined(new_page(), stage, class_url) for _ in range(2)]
    desk = new_page()
    desk.goto(f"{class_url}/talk?desk=1&lang=en")
    desk.get_by_label("A question of your own").fill("How many?")
    desk.get_by_label("A question of your own").press("Enter")
    expect(desk.get_by_text("Tokens and heads are those of scene 2.")).to_be_visible()
    expect(desk.locator(".hl-verdict")).to_be_hidden()  # of a sentence that the desk does not show
    desk.get_by_role("button", name="Ask for the number").click()
    for phone in phones:
        phone.locator("#number").fill("7")
    desk.get_by_role("combobox", name="Two halves").click()
    desk.get_by_role("option", name="A sees the picture").click()
    pictures = {}
    for phone in phones:
        told = phone.locator("#picture > p")
        told.wait_for()
        pictures[told.text_content()] = phone.locator("#picture table")
        expect(phone.locator("#number")).to_have_value("7")
        expect(phone.locator("#number")).to_be_focused()
    expect(pictures["You are in half A of the hall."]).to_have_count(1)
    expect(pictures["You are in half B of the hall."]).to_have_count(0)
    phones[0].keyboard.press("Enter")
    expect(stage.locator(".hl-class-halves section").first).to_contain_text("Half A · with the picture")
    expect(stage.locator(".hl-class-halves .count", has_text="1")).to_have_count(1)


@pytest.mark.usefixtures("live")
def test_a_phone_opens_what_is_on_stage_and_comes_back_to_its_answer(stage, new_page, guard, class_url) -> None:
    guard.expected.append(r"status of 4\d\d")
    phone = joined(new_page(), stage, class_url)
    stage.get_by_role("button", name="Ask for a token").click()
    answer = phone.get_by_role("radio", name="love", exact=True)
    answer.click()
    expect(answer).to_have_attribute("aria-checked", "true")
    phone.locator("#sentence").fill("Half a sent")
    phone.get_by_role("button", name="中文").click()
    phone.get_by_role("link", name=text("zh", "class.phone.own")).click()
    phone.locator("#live[data-shown='1']").wait_for(timeout=120_000)
    expect(phone.locator("#sentence")).to_have_value("I love you.")
    expect(phone.locator(".go[type=submit]")).to_have_text(text("zh", "live.translate"))
    expect(phone.locator(".joined")).to_contain_text(text("zh", "live.class_asks"))
    talk = stage.frame_locator("iframe").first
    title = talk.locator(".viewer:not([inert]) .panel-title").first.inner_text()
    head = re.search(r"L\d+ H\d+", title)[0]
    expect(phone.locator(".panel-title").first).to_contain_text(head)
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    talk.locator(".viewer:not([inert]) .chips >> nth=1").get_by_role("button").nth(1).click()
    phone.get_by_role("button", name=text("zh", "live.class_scene")).click()
    expect(phone).to_have_url(re.compile("p=t1"))
    expect(phone.locator(".chips >> nth=1").get_by_role("button").nth(1)).to_have_class("pinned")
    phone.get_by_role("link", name=text("zh", "live.class_back")).click()
    expect(answer).to_have_attribute("aria-checked", "true")
    expect(phone.locator("#sentence")).to_have_value("Half a sent")


@pytest.mark.usefixtures("live")
def test_a_link_to_no_class_and_a_phone_without_a_seat_are_one_sentence_each(stage, new_page, guard, class_url) -> None:
    guard.expected.append(r"status of 4\d\d")
    for made_up in ("zzzzzz", "%3Cb%3E", ""):
        stranger = new_page()
        stranger.goto(f"{class_url}/live/#i=I+love+you.&class={made_up}")
        expect(stranger.locator(".joined .told")).to_have_text(text("en", "class.phone.closed"))
        expect(stranger.get_by_role("link", name=text("en", "live.class_back"))).to_have_count(0)
        expect(stranger.locator(".chips").first).to_be_visible()
    phone = joined(new_page(), stage, class_url)
    code = phone.url.rpartition("/")[2]
    stranger = new_page()
    stranger.goto(f"{class_url}/live/#class={code}")
    expect(stranger.locator(".joined")).to_contain_text(text("en", "live.class_seat"))
    stranger.get_by_role("link", name=text("en", "live.class_back")).click()
    expect(stranger.locator("#said")).to_have_text(re.compile("Nothing is asked"))


@pytest.mark.usefixtures("live")
def test_four_bars_leave_room_for_the_talk_and_a_file_may_take_phones_along(stage, new_page, class_url) -> None:
    phone = joined(new_page(), stage, class_url)
    stage.goto(f"{class_url}/talk?storyboard=given&scene=1&lang=en")
    talk = stage.frame_locator("iframe").first
    expect(talk.locator(".options button")).to_have_count(4)
    expect(stage.locator(".hl-class-bars dt")).to_have_count(4)
    expect(phone.locator("#own")).to_be_hidden()  # the map is the answer
    for width, height in (tuple(VIEWPORT.values()), (1920, 1080)):
        stage.set_viewport_size({"width": width, "height": height})
        expect(talk.locator(".options button").last).to_be_in_viewport(ratio=1)
        frame = stage.locator(".st-key-talk_frame iframe")
        expect(frame).to_be_in_viewport(ratio=1)
        box = frame.bounding_box()
        assert height - 20 < box["y"] + box["height"] <= height
        assert stage.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= height
        assert box["height"] > 0.7 * height
    stage.set_viewport_size(VIEWPORT)
    talk.locator(".talk-top h1").click()
    stage.keyboard.press("Space")
    expect(phone.locator(".right")).to_have_count(1)
    assert "/class/" in phone.url, "the answer is seen first"
    stage.keyboard.press("Space")
    phone.locator("#live[data-shown='1']").wait_for(timeout=120_000)
    expect(phone.locator("#sentence")).to_have_value("You love me.")
    expect(phone.locator(".panel-title").first).to_contain_text("L2 H5")
    stage.get_by_role("button", name="Ask for a head").click()
    expect(phone.locator(".joined")).to_contain_text(text("en", "live.class_asks"))
    phone.get_by_role("link", name=text("en", "live.class_back")).click()
    expect(phone.locator("#question")).to_have_text("Scene 2: Where is the diagonal?")
