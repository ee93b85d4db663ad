"""A saved page: what it draws is the trace, and everything is done in the page."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from bench.browser import VIEWPORT
from model.attribution.labelled_map import read
from model.trace import TracedTranslation
from tests.browser.reading import shade
from tests.browser.viewer.acts import coloured, link, pictured, title
from tests.viewer import fixture
from viz.core.theme import DARK, LIGHT
from viz.export.pages import traced_page
from viz.web.message import pack_coarse, unpack_coarse
from viz.web.page import page as page_of


@pytest.mark.parametrize(
    ("keys", "words", "special"), [("", False, False), ("w", True, False), ("s", False, True), ("ws", True, True)]
)
def test_what_is_drawn_is_the_trace_for_every_switch(
    shown, translation: TracedTranslation, keys, words, special
) -> None:
    page = shown(traced_page(translation, heads="c2.5"))
    for key in keys:
        page.keyboard.press(key)
    trace = translation.trace
    reading = read(trace.map("cross", 2, 5), trace.tgt_outputs, trace.src, words, special)
    found = [[int(part) for part in re.findall(r"\d+", fill)] for fill in pictured(page)]
    assert len(found) == reading.weights.size
    assert np.abs(np.array(found) - coloured(reading.weights)).max() <= 12  # a byte a weight, and merged pieces
    other = read(trace.map("cross", 2, 4), trace.tgt_outputs, trace.src, words, special)
    assert np.abs(np.array(found) - coloured(other.weights)).max() > 60


@pytest.mark.parametrize("choice", ["r=read", "o=own", "t=0.5", "g=1"])
def test_what_is_drawn_is_the_trace_on_every_scale(shown, translation: TracedTranslation, choice) -> None:
    maxima = translation.trace.cross.max(axis=(2, 3))
    layer, head = (int(place) for place in np.unravel_index(int(maxima.argmin()), maxima.shape))
    page = shown(traced_page(translation, heads=f"c{layer}.{head}"), f"#{choice}")
    weights = translation.trace.map("cross", layer, head)
    values = {
        "o=own": weights / weights.max(),
        "g=1": np.log10(np.maximum(weights, 1e-4) / 1e-4) / 4,
    }.get(choice, weights)
    expected = coloured(values)
    if choice == "t=0.5":
        expected[weights.ravel() < 0.5] = [int(LIGHT.surface[i : i + 2], 16) for i in (1, 3, 5)]
    found = np.array([[int(part) for part in re.findall(r"\d+", fill)] for fill in pictured(page)])
    sure = weights.ravel() > (0.002 if choice == "g=1" else 0)  # a byte cannot tell smaller ones apart
    assert np.abs(found - expected)[sure].max() <= 12
    assert choice == "r=read" or np.abs(found - coloured(weights))[sure].max() > 30
    rows = translation.trace.tgt_inputs if choice == "r=read" else translation.trace.tgt_outputs
    near = np.argwhere(weights >= weights.max() - 0.01)  # which of these is the largest, a byte may not tell
    pairs = [f"Strongest: {rows[row].text} → {translation.trace.src[column].text} " for row, column in near]
    assert (page.locator(".panel .said").text_content() or "").startswith(tuple(pairs))


def test_the_canvas_has_the_colours_of_the_weights(shown, translation: TracedTranslation) -> None:
    page = shown(traced_page(translation, heads="c2.5"))
    weights = translation.trace.map("cross", 2, 5)
    held = unpack_coarse(pack_coarse(weights)).reshape(weights.shape)  # of equal ones the first is the strongest
    row, column = np.unravel_index(int(held.argmax()), held.shape)
    box = page.locator(".panel .under").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    said = page.locator(".panel .said").text_content() or ""
    query, key, value = re.match(r"(\S+) → (\S+) ([\d.]+)", said).groups()
    axes = (translation.trace.tgt_outputs, translation.trace.src)
    rows, columns = ([label.text for label in labels] for labels in axes)
    found = [weights[i, j] for i, a in enumerate(rows) for j, b in enumerate(columns) if (a, b) == (query, key)]
    assert any(abs(float(value) - each) <= 0.01 for each in found)
    page.mouse.move(1, 1)
    assert f"{rows[row]} → {columns[column]} {held.max():.2f}" in (page.locator(".panel .said").text_content() or "")
    colours = page.evaluate(
        "() => { const c = document.querySelector('.panel .under'); const found = new Set();"
        "const {data} = c.getContext('2d').getImageData(0, 0, c.width, c.height);"
        "for (let i = 0; i < data.length; i += 4) found.add([...data.slice(i, i + 3)].join()); return [...found]; }"
    )
    strongest = shade(float(weights.max()), LIGHT.scale)
    found = np.array([[int(part) for part in colour.split(",")] for colour in colours])
    assert np.abs(found - strongest).max(axis=1).min() <= 12


def test_keys_go_through_heads_layers_kinds_and_views(shown, translation: TracedTranslation) -> None:
    page = shown(traced_page(translation, heads="c2.5"))
    for key, expected in (
        ("ArrowRight", "Cross · L2 H6"),
        ("ArrowDown", "Cross · L3 H6"),
        ("ArrowUp", "Cross · L2 H6"),
        ("0", "Cross · L2 H0"),
        ("ArrowLeft", "Cross · L2 H7"),
        ("Shift+Digit5", "Cross · L5 H7"),
        ("9", "Cross · L5 H7"),
        ("k", "Encoder self · L5 H7"),
    ):
        page.keyboard.press(key)
        assert title(page).startswith(expected), key
    assert link(page) == "h=e5.7"
    page.keyboard.press("a")
    assert page.locator(".kind canvas").count() == 6
    page.keyboard.press("Escape")
    assert title(page).startswith("Encoder self · L5 H7")


def test_a_head_is_previewed_opened_put_beside_and_compared(shown, translation: TracedTranslation) -> None:
    page = shown(traced_page(translation, heads="c2.5"))
    grid = page.locator(".small .grid canvas").first.bounding_box()
    place = (grid["x"] + grid["width"] * 0.9, grid["y"] + grid["height"] * 0.9)
    page.mouse.move(*place)
    assert page.locator(".preview .panel-title").text_content() == "Cross · L5 H7"
    assert title(page).startswith("Cross · L2 H5")
    page.keyboard.down("Shift")
    page.mouse.click(*place)
    page.keyboard.up("Shift")
    assert page.locator(".panel").count() == 2
    page.get_by_label("Chosen heads").select_option("difference")
    assert (page.locator(".panel .panel-title").last.text_content() or "").startswith("L2 H5 − L5 H7")
    page.get_by_label("Chosen heads").select_option("mean")
    assert page.locator(".panel").count() == 1
    assert title(page).startswith("Cross · mean of L2 H5, L5 H7")
    assert link(page) == "h=c2.5,c5.7&x=mean"
    page.mouse.click(*place)
    assert title(page).startswith("Cross · L5 H7")


def test_a_link_opens_the_same_view_and_a_broken_one_the_first(shown, translation: TracedTranslation) -> None:
    saved = traced_page(translation, heads="c2.5")
    page = shown(saved, "#h=d1.2&v=lines&w=1&t=0.1&c=dark")
    assert title(page).startswith("Decoder self · L1 H2")
    assert page.get_by_role("button", name="Lines").get_attribute("aria-pressed") == "true"
    background = page.evaluate("getComputedStyle(document.querySelector('#viewer')).backgroundColor")
    assert background == "rgb({}, {}, {})".format(*(int(DARK.background[i : i + 2], 16) for i in (1, 3, 5)))
    page.evaluate("location.hash = '#h=c1.1'")
    expect(page.locator(".panel-title").first).to_have_text(re.compile("^Cross · L1 H1"))
    assert title(shown(saved, "#h=<img>&w=7&v=pie")).startswith("Cross · L2 H5")


def test_tokens_are_pinned_summed_and_lifted(shown, translation: TracedTranslation) -> None:
    page = shown(traced_page(translation, heads="c2.5"))
    tokens = page.locator(".chips").nth(1).locator("button")
    tokens.nth(0).click()
    tokens.nth(1).click(modifiers=["Shift"])
    page.mouse.move(1, 1)
    said = page.locator(".panel .said").text_content() or ""
    sums = translation.trace.map("cross", 2, 5)[:2].sum(axis=0)
    expected = translation.trace.src[int(sums.argmax())].text
    assert said.startswith("Σ ")
    assert f"→ {expected} {sums.max():.2f}" in said or abs(float(said.split()[-1]) - sums.max()) <= 0.01
    assert "p=t0,t1" in link(page)
    page.keyboard.press("Escape")
    assert "p=" not in link(page)


def test_a_map_is_zoomed_and_moved_and_its_labels_stay(shown, translation: TracedTranslation) -> None:
    page = shown(traced_page(translation))
    stage = page.locator(".panel .stage").bounding_box()
    middle = (stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2)
    shot = lambda: page.locator(".panel .under").evaluate("canvas => canvas.toDataURL()")  # noqa: E731
    before = shot()
    page.mouse.move(*middle)
    for _ in range(8):
        page.mouse.wheel(0, -200)
    near = shot()
    page.mouse.down()
    page.mouse.move(middle[0] - 60, middle[1] - 60)
    page.mouse.up()
    moved = shot()
    assert len({before, near, moved}) == 3
    assert "p=" not in link(page), "dragging pins nothing"
    page.mouse.dblclick(*middle)
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    assert shot() == before


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("view", ["map", "lines", "all"])
def test_nothing_of_a_look_lies_below_the_fold(shown, translation: TracedTranslation, language, view) -> None:
    page = shown(traced_page(translation, language=language, heads="c2.5"), f"#v={view}")
    assert page.evaluate("document.documentElement.scrollHeight") <= VIEWPORT["height"]
    boxes = [canvas.bounding_box() for canvas in page.locator(".room canvas").all()]
    assert boxes
    for box in boxes:
        assert box["y"] + box["height"] <= VIEWPORT["height"] + 24
        assert box["x"] + box["width"] <= VIEWPORT["width"] + 24
    assert min(box["y"] for box in boxes) <= 190
    large = shown(traced_page(translation, heads="c2.5"), f"#v={view}", "light", {"width": 1920, "height": 1080})
    assert large.locator(".room canvas").first.bounding_box()["width"] > boxes[0]["width"]


def test_hostile_tokens_are_text_in_the_page(shown) -> None:
    page = shown(page_of(fixture.message(), fixture.HOSTILE, "en"))
    for key in ("l", "a", "a", "w", "s"):
        page.keyboard.press(key)
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator(".chips button", has_text=fixture.HOSTILE).count() == 1
    assert page.title() == fixture.HOSTILE


def test_the_page_forbids_what_is_not_its_own(shown, seen, translation: TracedTranslation) -> None:
    page = shown(traced_page(translation))
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.broken = 1'}))"
    )
    page.evaluate("""() => new Promise((refused) => document.body.append(
        Object.assign(document.createElement('img'), {src: 'https://example.org/x.png', onerror: () => refused()})))""")
    assert page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')") == "refused"
    assert page.evaluate("window.broken") is None
    refused = "request: https://example.org/x.png"  # the browser tells of what its policy stops
    assert [line for line in seen if "Security Policy" not in line and line != refused] == []
    assert len(seen) >= 3, seen
    seen.clear()


def test_a_png_is_saved_and_chinese_pages_speak_chinese(shown, translation: TracedTranslation) -> None:
    page = shown(traced_page(translation, model="en-zh", language="zh", heads="c2.5"))
    assert page.get_by_role("button", name="连线").count() == 1
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile("PNG$")).click()
    content = waiting.value.path().read_bytes()
    assert content.startswith(b"\x89PNG")
    assert int.from_bytes(content[16:20], "big") > 1000
    assert waiting.value.suggested_filename == "headlight-c2.5-weights.png"


def test_a_damaged_page_says_so(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    whole = page_of(fixture.message(), "t", "en")
    path.write_text(re.sub(r'(id="message">)[^<]*', r"\1H4sIAAAA", whole), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_function("() => document.querySelector('#viewer').textContent.length > 3")
    assert "Error" in page.locator("#viewer").text_content()
    assert page.locator("#viewer[data-ready]").count() == 0
    page.close()


def test_it_works_in_a_frame_without_an_origin(browser: Browser, translation: TracedTranslation) -> None:
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: said.type == "error" and errors.append(said.text))
    given = escape(traced_page(translation, heads="c2.5").html)
    page.set_content(f'<iframe style="width:100%;height:720px" sandbox="allow-scripts" srcdoc="{given}"></iframe>')
    frame = page.frame_locator("iframe")
    frame.locator("#viewer[data-ready]").wait_for()
    frame.get_by_role("button", name="Lines").click()
    expect(frame.get_by_role("button", name="Lines")).to_have_attribute("aria-pressed", "true")
    assert frame.locator(".panel-title").first.text_content().startswith("Cross · L2 H5")
    assert errors == []
    page.close()
