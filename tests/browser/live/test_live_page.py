"""The page that translates by itself, in Chromium: one file from disk with the network off, and a static site."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from bench.browser import VIEWPORT
from model.trace import HeadRef, Translation
from model.translator import Translator
from tests.browser.test_axe import violations
from viz.core.text import text
from viz.export.live import OPENS_ON, engine_parts, live_page, live_site
from viz.export.show import talk
from viz.export.show.staged import stage
from viz.export.show.storyboard import Both, Step, Storyboard, TalkScene

pytest.importorskip("onnxscript")
SENTENCE = "My brother was sleeping on the sofa when I came home last night."
HOSTILE = "<img src=x onerror=alert(1)> </script> $x$ :red[y]"
MARKUP = "<script>alert(1)</script> <img src=x onerror=alert(1)>"
PHONE = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def file(en_zh: Translator, compact_graphs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("live") / "headlight.html"
    path.write_bytes(live_page(en_zh, graphs=compact_graphs).encode())
    return path


@pytest.fixture(scope="module")
def seen() -> list[str]:
    """Requests, errors and dialogs of the pages, but not of a page for its own file and its worker's script."""
    return []


@pytest.fixture(scope="module")
def alone(browser: Browser, seen: list[str]) -> Iterator[Page]:
    """A page without a network."""
    context = browser.new_context(viewport=VIEWPORT, offline=True)
    page = context.new_page()
    page.on("request", lambda request: request.url.startswith(("file:", "blob:")) or seen.append(request.url))
    page.on("pageerror", lambda error: seen.append(f"error: {error}"))
    page.on("console", lambda said: said.type in {"error", "warning"} and seen.append(said.text))
    page.on("dialog", lambda dialog: seen.append(f"dialog: {dialog.message}"))
    yield page
    context.close()


@pytest.fixture(scope="module")
def page(alone: Page, file: Path) -> Page:
    alone.goto(file.as_uri())
    assert alone.inner_text(".chips >> nth=0").startswith("My")  # there before the translator is
    alone.wait_for_selector("#live[data-ready]", timeout=120_000)
    return alone


def translate(page: Page, sentence: str) -> str:
    """The translation that the page shows of a sentence."""
    before = int(page.get_attribute("#live", "data-shown") or 0)
    page.fill("#sentence", sentence)
    page.press("#sentence", "Enter")
    page.wait_for_selector(f"#live[data-shown='{before + 1}']", timeout=60_000)
    return shown(page)


def shown(page: Page) -> str:
    """The target tokens as they stand in the page, without the end."""
    return "".join(page.locator(".chips >> nth=1").locator("button").all_inner_texts()).removesuffix("<eos>")


def test_the_file_is_small_and_asks_nobody(file: Path, page: Page, seen: list[str]) -> None:
    assert file.stat().st_size <= 30_000_000
    assert OPENS_ON in page.input_value("#sentence")
    assert seen == []


def test_a_sentence_that_is_typed_is_translated_with_its_maps(page: Page, en_zh: Translator, seen: list[str]) -> None:
    expected = en_zh.translate(SENTENCE)
    assert translate(page, SENTENCE) == expected.text
    assert "144" in page.inner_text(".status")
    tokens = page.locator(".chips >> nth=0").locator("button").all_inner_texts()
    assert tokens == [*(label.text for label in expected.src), "<eos>"]
    assert f"{len(expected.tgt) + 1} × {len(expected.src) + 1}" in page.inner_text(".panel-title")
    page.select_option(".sorts select", "votes")
    assert page.locator(".stage canvas").count() >= 1
    page.select_option(".sorts select", "weights")
    assert seen == []


def test_a_muted_head_changes_the_translation_as_it_changes_the_models(page: Page, en_zh: Translator) -> None:
    plain = translate(page, SENTENCE)
    count = int(page.get_attribute("#live", "data-shown") or 0)
    page.click(".mutes button")
    page.wait_for_selector(f"#live[data-shown='{count + 1}']", timeout=60_000)
    muted = HeadRef("cross", 3, 0)
    assert "m=c3.0" in page.url
    assert shown(page) == en_zh.translate(SENTENCE, gains={muted: 0}).text
    assert plain in page.inner_text(".mutes .before")
    page.click(".mutes .muted")
    page.wait_for_selector(f"#live[data-shown='{count + 2}']", timeout=60_000)
    assert shown(page) == plain
    assert "m=" not in page.url


def test_a_head_counts_as_much_as_its_fader_says(page: Page, en_zh: Translator) -> None:
    plain = translate(page, SENTENCE)
    count = int(page.get_attribute("#live", "data-shown") or 0)
    page.fill(".mutes input", "0.25")
    page.wait_for_selector(f"#live[data-shown='{count + 1}']", timeout=60_000)
    assert shown(page) == en_zh.translate(SENTENCE, gains={HeadRef("cross", 3, 0): 0.25}).text
    assert "m=c3.0%3A0.25" in page.url
    page.click(".mutes .turned button:has-text('× 0.25')")
    page.wait_for_selector(f"#live[data-shown='{count + 2}']", timeout=60_000)
    assert (shown(page), page.inner_text(".mutes output")) == (plain, "× 1")


def test_what_deleting_words_costs_is_a_method_that_is_made_where_it_is_chosen(page: Page) -> None:
    translate(page, SENTENCE)
    count = int(page.get_attribute("#live", "data-shown") or 0)
    page.select_option(".sorts select", "leave_one_out")
    page.wait_for_selector(f"#live[data-shown='{count + 1}']", timeout=60_000)
    assert page.input_value(".sorts select") == "leave_one_out"
    assert "d=leave_one_out" in page.url
    assert text("en", "method.per.model") in page.inner_text(".panel-title")
    page.select_option(".sorts select", "weights")
    assert page.get_attribute("#live", "data-shown") == str(count + 1), "nothing is translated again for what is there"


def test_a_deleted_word_is_not_attended_to(page: Page) -> None:
    plain = translate(page, SENTENCE)
    count = int(page.get_attribute("#live", "data-shown") or 0)
    page.click(".chips >> nth=0 >> button:text-is('brother')")
    page.click(".mutes button:has-text('Delete “brother”')")
    page.wait_for_selector(f"#live[data-shown='{count + 1}']", timeout=60_000)
    assert "弟" in plain
    assert "弟" not in shown(page)
    assert plain in page.inner_text(".mutes .before")
    page.click(".mutes .muted")
    page.wait_for_selector(f"#live[data-shown='{count + 2}']", timeout=60_000)
    assert shown(page) == plain


def test_another_candidate_is_gone_on_from_and_back(page: Page, en_zh: Translator) -> None:
    plain = translate(page, SENTENCE)
    count = int(page.get_attribute("#live", "data-shown") or 0)
    page.click(".steps summary")
    page.click(".steps button >> nth=1")  # to the second step
    other = page.locator(".candidates button:not(:disabled)").first
    forced = [en_zh.translate(SENTENCE).tgt_ids[0], int(other.get_attribute("data-id") or 0)]
    other.click()
    page.wait_for_selector(f"#live[data-shown='{count + 1}']", timeout=60_000)
    assert shown(page) == en_zh.translate(SENTENCE, prefix=forced).text != plain
    assert f"y=0.{forced[0]}.{forced[1]}" in page.url
    page.get_by_role("button", name=text("en", "live.unfork")).click()
    page.wait_for_selector(f"#live[data-shown='{count + 2}']", timeout=60_000)
    assert shown(page) == plain
    page.select_option(".steps select", "4")
    page.wait_for_selector(f"#live[data-shown='{count + 3}']", timeout=60_000)
    assert shown(page) == en_zh.translate(SENTENCE, beam=4).text
    assert "b=4" in page.url
    assert violations(page) == []
    page.select_option(".steps select", "1")
    page.wait_for_selector(f"#live[data-shown='{count + 4}']", timeout=60_000)
    page.click(".steps summary")


def test_several_sentences_are_shown_one_by_one(page: Page, en_zh: Translator) -> None:
    assert translate(page, "I love you. You love me.") == en_zh.translate("I love you.").text
    page.click(".parts button >> nth=1")
    assert shown(page) == en_zh.translate("You love me.").text


def test_hostile_text_is_text(page: Page, seen: list[str]) -> None:
    translate(page, HOSTILE)
    assert page.locator("img").count() == 0
    assert seen == []


@pytest.mark.parametrize(("typed", "why"), [("我爱你。", "live.script"), (" ", "live.empty")])
def test_what_cannot_be_translated_is_said(page: Page, typed: str, why: str) -> None:
    page.fill("#sentence", typed)
    page.press("#sentence", "Enter")
    page.get_by_text(text("en", why)).wait_for()
    assert "wrong" in str(page.get_attribute(".status", "class"))


def test_axe_finds_nothing_and_the_words_are_chinese_too(page: Page) -> None:
    translate(page, SENTENCE)
    assert violations(page) == []
    page.click(".language")
    assert page.inner_text(".go") == text("zh", "live.translate")
    assert text("zh", "kind.cross") in page.inner_text(".panel-title")
    assert violations(page) == []
    page.click(".language")
    assert page.inner_text(".go") == text("en", "live.translate")


def test_a_phone_shows_it_without_sideways_scrolling(page: Page) -> None:
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=PHONE["width"])
    assert page.locator(".go").is_visible()
    page.set_viewport_size(VIEWPORT)


def test_a_site_holds_the_same_in_files_that_may_be_kept(
    browser: Browser, en_zh: Translator, compact_graphs: Path, tmp_path: Path
) -> None:
    written = live_site(en_zh, tmp_path / "site", graphs=compact_graphs)
    assert written[0].stat().st_size < 1_000_000
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page(viewport=VIEWPORT)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
        page.goto(f"http://127.0.0.1:{server.server_port}/#i=I+love+you.")
        page.wait_for_selector("#live[data-shown='1']", timeout=120_000)
        assert shown(page) == en_zh.translate("I love you.").text
        assert {path.name for path in written[1:]} <= set(asked)
        page.close()
        server.shutdown()


ENDS = """window.Worker = class extends EventTarget {
  terminate() {}
  postMessage() {
    const data = { failed: "RangeError: WebAssembly.Memory(): could not allocate memory" };
    setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
  }
};"""


@pytest.fixture
def other(browser: Browser) -> Iterator[Page]:
    """Another page, not yet opened."""
    page = browser.new_page(viewport=VIEWPORT)
    yield page
    page.close()


def test_a_link_opens_a_sentence_with_its_head_and_token_in_a_language(other: Page, file: Path) -> None:
    other.goto(f"{file.as_uri()}#i=I+love+you.&h=c2.5&p=t1&d=norms&lang=zh")
    other.wait_for_selector("#live[data-shown='1']", timeout=120_000)
    assert "L2 H5" in other.inner_text(".panel-title >> nth=0")
    assert other.locator(".chips >> nth=1").locator(".pinned").count() == 1
    assert other.inner_text(".go") == text("zh", "live.translate")
    lacks = text("zh", "talk.live_weights").format(method=text("zh", "method.norms"))
    assert lacks in other.inner_text(".status >> nth=-1")
    assert translate(other, "You love me.")
    assert other.locator(".chips >> nth=1").locator(".pinned").count() == 0, "it was the other sentence's"
    assert lacks not in other.inner_text(".status >> nth=-1")


def test_nonsense_in_a_link_opens_the_page_as_it_is(other: Page, file: Path) -> None:
    other.goto(f"{file.as_uri()}#i=I+love+you.&h=z9.99&p=<b>&d=nothing&lang=constructor&y=0.<b>")
    other.wait_for_selector("#live[data-shown='1']", timeout=120_000)
    assert other.inner_text(".go") == text("en", "live.translate")
    assert other.locator(".chips .pinned").count() == 0
    assert "nothing" not in other.inner_text(".status >> nth=-1")


def test_a_device_without_memory_is_told_so(other: Page, file: Path) -> None:
    other.add_init_script(ENDS)
    other.goto(file.as_uri())
    other.get_by_text(text("en", "live.weak")).wait_for()
    assert other.locator(".chips").first.is_visible()
    assert other.locator(".go").is_disabled()


def test_a_page_that_was_ended_while_it_opened_opens_when_it_is_asked_to(other: Page, file: Path) -> None:
    other.add_init_script("sessionStorage.setItem('headlight-live-begun', '1')")
    other.goto(file.as_uri())
    other.get_by_text(text("en", "live.weak")).wait_for()
    assert other.get_attribute("#live", "data-ready") is None
    other.get_by_role("button", name=text("en", "live.retry")).click()
    other.wait_for_selector("#live[data-ready]", timeout=120_000)
    assert other.evaluate("sessionStorage.getItem('headlight-live-begun')") is None
    assert other.get_by_role("button", name=text("en", "live.retry")).count() == 0


@pytest.fixture
def live_talk(en_zh: Translator, compact_graphs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A talk with two live scenes, and one between them that is not."""
    monkeypatch.setattr(talk, "engine_parts", lambda source, _: engine_parts(source, compact_graphs))
    scenes = (
        TalkScene("I love you.", link="h=c3.0", live=True, steps=(Step("d=norms"),)),
        TalkScene("You love me.", link="h=c2.5"),
        TalkScene("You love me.", link="v=all", live=True),
    )
    path = tmp_path / "talk.html"
    written = talk.talk_page(stage(Storyboard(Both("Talk"), scenes), lambda _: en_zh), "en")
    path.write_text(written, encoding="utf-8")
    return path


def test_a_talk_translates_what_is_typed_in_its_live_scene(
    alone: Page, seen: list[str], en_zh: Translator, live_talk: Path
) -> None:
    alone.goto(live_talk.as_uri())
    alone.wait_for_selector("#talk[data-ready]")
    assert in_scene(alone) == en_zh.translate("I love you.").text
    expected = type_in_scene(alone, SENTENCE, en_zh)  # also where the translator has not opened yet
    assert len(expected.tgt) > 6
    assert "L3 H0" in alone.inner_text(".viewer:not([inert]) .panel-title")
    hint = alone.locator(".live-box .hint")
    alone.keyboard.press("Space")
    lacks = text("en", "talk.live_weights").format(method=text("en", "method.norms"))
    assert lacks.lower() in hint.inner_text().lower()
    assert in_scene(alone) == expected.text
    alone.keyboard.press("Space")
    assert in_scene(alone) == en_zh.translate("You love me.").text
    assert alone.locator(".live-box").count() == 0
    alone.keyboard.press("Space")
    assert in_scene(alone) == en_zh.translate("You love me.").text, "each live scene has its own sentence"
    type_in_scene(alone, f"Tom likes {MARKUP}.", en_zh)
    assert alone.locator("img").count() == 0
    assert violations(alone) == []
    alone.keyboard.press("i")
    alone.keyboard.type("我爱你。")
    alone.keyboard.press("Enter")
    alone.get_by_text(text("en", "live.script")).wait_for()
    alone.keyboard.press("Escape")
    alone.keyboard.press("Home")
    assert in_scene(alone) == expected.text
    assert seen == []


def in_scene(page: Page) -> str:
    """The target tokens of the slide that is shown."""
    chips = page.locator(".viewer:not([inert]) .chips >> nth=1")
    return "".join(chips.locator("button").all_inner_texts()).removesuffix("<eos>")


def type_in_scene(page: Page, sentence: str, en_zh: Translator) -> Translation:
    """What PyTorch makes of a sentence, which the live scene that is shown has made too."""
    page.fill(".live-box input", sentence)
    page.press(".live-box input", "Enter")
    is_shown = "said => document.querySelector('.live-box').dataset.shown === said"
    page.wait_for_function(is_shown, arg=sentence, timeout=120_000)
    expected = en_zh.translate(sentence)
    for chips, labels in enumerate((expected.src, expected.tgt)):
        texts = page.locator(f".viewer:not([inert]) .chips >> nth={chips}").locator("button").all_inner_texts()
        assert texts == [*(label.text for label in labels), "<eos>"]
    return expected
