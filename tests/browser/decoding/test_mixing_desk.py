from __future__ import annotations

import pytest

from model.analysis.what_if.mixing import mix
from tests.pages import SENTENCE

HOSTILE = "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1> {kind} $x$"


@pytest.fixture(scope="module")
def layers(en_zh):
    return en_zh.model.config.n_decoder_layers


def opened(visit, **query):
    page = visit("mixing_desk", **{"text": SENTENCE, **query})
    page.wait_for_selector(".desk[data-serial]")
    return page


def board(page, kind: str, layer: object = "", head: object = ""):
    return page.locator(f'.desk [data-kind="{kind}"][data-layer="{layer}"][data-head="{head}"]')


def settled(page) -> None:
    """Wait until the answer to the newest change is drawn."""
    page.locator(".desk:not(.waiting)").wait_for()


def tokens(page, row: str) -> list[str]:
    return page.locator(f'.desk [data-row="{row}"] .text').all_inner_texts()


def lit(page) -> list[str]:
    return page.locator('.desk [data-row="after"] .new .text').all_inner_texts()


def deltas(page) -> list[float]:
    return [float(item.get_attribute("data-delta")) for item in page.locator('.desk [data-row="before"] li').all()]


def agrees(page, expected) -> None:
    """What is drawn is what the model gives."""
    assert tokens(page, "after") == [label.text for label in expected.mixed.tgt]
    new = [label.text for label, is_new in zip(expected.mixed.tgt, expected.new, strict=True) if is_new]
    assert lit(page) == new
    changes = [after - before for before, after in zip(expected.before, expected.after, strict=True)]
    assert deltas(page) == pytest.approx(changes, abs=2e-3)


def test_a_mute_is_seen_and_undone(visit, en_zh, translation, layers):
    page = opened(visit)
    agrees(page, mix(en_zh, translation, {}))
    assert lit(page) == []
    board(page, "cross", 1).click()
    settled(page)
    gains = {("cross", 1, head): 0.0 for head in range(8)}
    expected = mix(en_zh, translation, gains)
    agrees(page, expected)
    assert expected.change < -0.5  # and it is an effect worth seeing
    page.wait_for_url("**mix=c1%3A0*")
    assert board(page, "cross", 1, 3).get_attribute("data-gain") == "0"
    page.get_by_role("button", name="Reset all").click()
    settled(page)
    agrees(page, mix(en_zh, translation, {}))
    page.wait_for_function("() => !location.search.includes('mix=')")


def test_a_box_at_rest_has_the_colour_and_the_note_of_its_cost_and_a_muted_one_no_colour(visit):
    page = opened(visit, mix="c0.0:0")
    resting, muted = board(page, "cross", 1, 2), board(page, "cross", 0, 0)
    grounds = [each.evaluate("each => getComputedStyle(each).backgroundColor") for each in (resting, muted)]
    assert grounds[0] != grounds[1] == "rgba(0, 0, 0, 0)"  # which is hatched instead
    for box in (resting, muted):
        assert "over the corpus" in box.get_attribute("title")
        assert box.get_attribute("title") in box.get_attribute("aria-label")
    assert "over the corpus" in page.locator(".desk .tints").inner_text()


def test_while_a_token_is_asked_about_no_box_is_tinted_by_its_cost(visit):
    page = opened(visit, repair="1")
    page.locator(".desk .cell.swept").first.wait_for()
    assert page.locator(".desk .tinted").count() == 0
    assert page.locator(".desk .tints").inner_text() == ""


def test_a_link_brings_back_the_faders(visit, en_zh, translation):
    page = opened(visit, mix="c0:0,e1.2:1.3,rubbish:9")
    gains = {("cross", 0, head): 0.0 for head in range(8)} | {("encoder_self", 1, 2): 1.3}
    agrees(page, mix(en_zh, translation, gains))
    assert board(page, "encoder_self", 1, 2).inner_text() == "1.3"


def test_keyboard_mutes_solos_and_turns(visit, layers):
    page = opened(visit)
    board(page, "cross", layers - 1, 0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    settled(page)
    assert board(page, "cross", layers - 1, 1).get_attribute("data-gain") == "0"
    page.keyboard.press("Enter")
    settled(page)
    for _ in range(3):
        page.keyboard.press("+")
    settled(page)
    assert board(page, "cross", layers - 1, 1).get_attribute("data-gain") == "130"
    page.keyboard.press("s")
    settled(page)
    row = [board(page, "cross", layers - 1, head).get_attribute("data-gain") for head in range(8)]
    assert row == ["0", "130", *["0"] * 6]
    page.wait_for_url(f"**mix=c{layers - 1}%3A0%2Cc{layers - 1}.1%3A1.3*")


def test_shift_click_only_chooses_and_quick_clicks_all_count(visit):
    page = opened(visit)
    board(page, "cross", 0, 0).click(modifiers=["Shift"])
    assert page.locator(".desk .target").inner_text() == "Cross L0 H0"
    assert board(page, "cross", 0, 0).get_attribute("data-gain") == "100"
    for head in range(5):
        board(page, "decoder_self", 0, head).click()
    page.wait_for_url("**mix=d0%3A0%2Cd0.5%3A1%2C*")
    settled(page)
    gains = [board(page, "decoder_self", 0, head).get_attribute("data-gain") for head in range(6)]
    assert gains == ["0"] * 5 + ["100"]


@pytest.mark.parametrize("color_scheme", ["dark"])
def test_hostile_text_stays_text(visit, color_scheme):
    page = opened(visit, text=HOSTILE, mix="c0:0")
    assert page.evaluate("window.pwned") is None
    assert page.locator(".desk script, .desk img").count() == 0
    assert tokens(page, "before")
