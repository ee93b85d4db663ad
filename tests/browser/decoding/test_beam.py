"""The beam tree and forks in Chromium: what is drawn is what the model computed."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

from bench.browser import VIEWPORT
from model.analysis.what_if.beam_tree import grown_tree
from model.analysis.what_if.fork import fork_between, fork_votes
from model.analysis.what_if.mixing import mix
from model.own.text.vocab import EOS_ID
from model.trace import HeadRef
from tests.browser.reading import PATIENCE, settle
from tests.browser.viewer.acts import coloured, colours
from tests.pages import SENTENCE

HOSTILE = "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1> {token} $x$"
PREFIX = 'input[aria-label="Or type how the translation must begin"]'


def expect_translation(page, text: str) -> None:
    expect(page.locator(".hl-translation")).to_have_text(text, timeout=PATIENCE)


def test_the_tree_drawn_is_the_search_and_a_finished_hypothesis_opens_with_its_own_maps(visit, en_zh):
    page = visit("beam", text=SENTENCE, width=4)
    page.wait_for_selector(".node")
    tree, found = grown_tree(en_zh, SENTENCE, 4)
    method = page.eval_on_selector_all(".node", "all => all.map(n => [n.dataset.fate, Number(n.dataset.score)])")
    assert [fate for fate, _ in method] == [node.fate for node in tree.nodes]
    assert [score for _, score in method] == pytest.approx([node.score for node in tree.nodes], abs=1e-3)
    assert page.locator(".node.won").count() == len(tree.path(found[0]))
    chosen, other = en_zh.translate(SENTENCE).text, en_zh.tgt_tokenizer.decode(list(found[-1].ids))
    expect_translation(page, chosen)
    page.locator(".results li").last.get_by_role("button").click()
    settle(page)
    expect_translation(page, other)
    assert other != chosen
    head = visit(page.url.split("/", 3)[3].replace("beam?", "one_head?layer=1&head=0&kind=cross&"))
    head.wait_for_selector("#viewer[data-ready]")
    own = en_zh.translate(SENTENCE, capture=True, prefix=(*found[-1].ids, EOS_ID)).trace.map("cross", 1, 0)
    assert np.abs(colours(head) - coloured(own)).max() <= 12
    head.get_by_role("button", name="Back to the model’s choice").click()
    settle(head)
    expect_translation(head, chosen)
    assert "hyp=" not in head.url


def test_a_node_is_read_out_and_reached_by_keyboard(visit, en_zh):
    page = visit("beam", text=SENTENCE, width=3)
    page.locator(".node.dropped").first.hover()
    assert "dropped" in page.inner_text(".beam .readout")
    page.locator('.node[tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    tree, found = grown_tree(en_zh, SENTENCE, 3)
    second = tree.nodes[tree.path(found[0])[0]]
    here = page.inner_text(".beam .readout")
    assert here.startswith(en_zh.tgt_tokenizer.decode(list(second.hypothesis.ids)))


def test_a_rejected_candidate_forks_and_its_votes_are_the_models(visit, reopen, en_zh):
    page = visit("fork", text=SENTENCE)
    own = en_zh.translate(SENTENCE)
    page.locator(".sentence-chips .tgt .token").nth(1).click()
    settle(page)
    candidate = page.locator(".candidates button:not(:disabled)").nth(1)
    other = int(candidate.get_attribute("data-id"))
    candidate.click()
    settle(page)
    forked = en_zh.translate(SENTENCE, prefix=(own.tgt_ids[0], other))
    fork = fork_between(own, forked)
    assert (fork.place, fork.other) == (1, other)
    shown = page.locator(".hl-versions td[lang=zh]")
    expect(shown).to_have_text([own.text, forked.text], timeout=PATIENCE)
    votes = fork_votes(en_zh, SENTENCE, own.tgt_ids[:1], fork.written, fork.other)
    for kind, values in votes.heads.items():
        cells = page.locator(f'.head-board .cell[data-kind="{kind}"]')
        method = [float(value) for value in cells.evaluate_all("all => all.map(cell => cell.dataset.value)")]
        np.testing.assert_allclose(method, values.ravel(), atol=1e-3)
    line = page.locator("#hl-votes")
    assert float(line.get_attribute("data-total")) == pytest.approx(votes.difference, abs=1e-4)
    same = reopen(page)
    expect(same.locator("#hl-votes")).to_have_text(line.inner_text(), timeout=PATIENCE)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_votes_are_on_the_first_screen_and_one_that_is_clicked_is_muted_on_the_desk(visit, en_zh, language):
    page = visit("fork", text=SENTENCE, lang=language, step=3)
    cells = page.locator(".head-board .cell")
    boxes = [box["y"] + box["height"] for box in (cells.nth(n).bounding_box() for n in (0, cells.count() - 1))]
    assert max(boxes) <= VIEWPORT["height"]
    page.locator('.head-board .cell[data-kind="cross"][data-layer="3"][data-head="2"]').click()
    page.wait_for_url("**/mixing_desk?**")
    settle(page)
    mixed = mix(en_zh, en_zh.translate(SENTENCE), {HeadRef("cross", 3, 2): 0.0}).mixed
    assert page.locator('.desk [data-row="after"] .text').all_inner_texts() == [label.text for label in mixed.tgt]
    assert page.locator(".desk .cell.muted").count() == 1


def test_hostile_text_is_inert_and_an_unknown_prefix_stays(visit):
    for path in ("beam", "fork"):
        page = visit(path, text=HOSTILE)
        assert page.evaluate("window.pwned") is None
    page.fill(PREFIX, "<img src=x onerror=window.pwned=1>ы")
    page.press(PREFIX, "Enter")
    settle(page)
    assert "ы" in page.inner_text('[role="alert"].hl-error')
    assert page.input_value(PREFIX) == "<img src=x onerror=window.pwned=1>ы"
    assert page.evaluate("window.pwned") is None
