"""The flow picture in Chromium: lines, bars and words are the analysis; tokens and heads are chosen in it."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

from model.analysis.residual.flow import flow_graph, weight_shares
from model.analysis.residual.lens import lens, promoted
from model.attribution.shares import norm_shares
from tests.browser.reading import PATIENCE, head_title, settle
from tests.pages import SENTENCE

HOSTILE = "<b>bold</b> </script><script>window.pwned=1</script> {token} $x$"
LINES = """all => all.map(({ dataset: d }) =>
  [d.kind, Number(d.layer), Number(d.start), Number(d.end), Number(d.head), Number(d.flow)])"""
WIDTHS = "all => all.map(line => [Number(line.dataset.flow), Number(line.getAttribute('stroke-width'))])"
BARS = "all => all.map(bar => [Number(bar.dataset.flow), Number(bar.getAttribute('height'))])"


def wait_for_step(page, step: int) -> None:
    expect(page.locator(f'.outputs button[data-index="{step - 1}"]')).to_have_attribute(
        "aria-checked", "true", timeout=PATIENCE
    )


def assert_drawn(page, graph) -> None:
    method = {tuple(line[:5]): line[5] for line in page.eval_on_selector_all(".flow .edge", LINES)}
    assert method == pytest.approx({(e.kind, e.layer, e.start, e.end, e.head): e.flow for e in graph.edges}, abs=1e-4)
    totals, heights = np.array(page.eval_on_selector_all(".flow rect.bar", BARS)).T
    np.testing.assert_allclose(totals, graph.sources, atol=1e-4)
    np.testing.assert_allclose(heights / heights.max(), graph.sources / graph.sources.max(), atol=0.01)


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_lines_and_bars_are_the_graph_of_the_chosen_token(visit, wait_idle, translation):
    page = visit("flow", text=SENTENCE, flow_by="weights", step=2)
    wait_for_step(page, 2)
    shares = weight_shares(translation.trace)
    assert_drawn(page, flow_graph(shares, 1, 0.01))
    page.locator('.outputs button[data-index="3"]').click()
    wait_for_step(page, 4)
    wait_idle(page)
    assert_drawn(page, flow_graph(shares, 3, 0.01))
    assert "step=4" in page.url
    flows, widths = np.array(page.eval_on_selector_all(".flow .edge", WIDTHS)).T
    assert (np.diff(widths[np.argsort(flows)]) >= 0).all()


def test_norms_and_weights_and_the_threshold_draw_other_lines(visit, en_zh, translation):
    page = visit("flow", text=SENTENCE, step=3, least="5.0")
    wait_for_step(page, 3)
    assert_drawn(page, flow_graph(norm_shares(en_zh, translation), 2, 0.05))
    page.get_by_role("radio", name="By weights").click()
    settle(page)
    graph = flow_graph(weight_shares(translation.trace), 2, 0.05)
    assert_drawn(page, graph)
    assert f"{graph.sources.sum():.0%} came from the source sentence" in page.inner_text(".flow .readout")
    assert "flow_by=" in page.url


def test_tokens_and_lines_by_keyboard_and_a_head_opens(visit, wait_idle, translation):
    page = visit("flow", text=SENTENCE, flow_by="weights", step=3)
    wait_for_step(page, 3)
    page.locator('.outputs button[data-index="2"]').focus()
    page.keyboard.press("ArrowRight")
    wait_for_step(page, 4)
    wait_idle(page)
    edges = flow_graph(weight_shares(translation.trace), 3, 0.01).edges
    place = next(place for place, edge in enumerate(edges) if edge.head >= 0)
    page.locator(".flow .picture").focus()
    for _ in range(place + 1):
        page.keyboard.press("ArrowDown")
    head = f"L{edges[place].layer} H{edges[place].head}"
    assert head in page.inner_text(".flow .readout")
    page.keyboard.press("Enter")
    page.wait_for_url("**/one_head?**", timeout=PATIENCE)
    wait_idle(page)
    query = parse_qs(urlsplit(page.url).query)
    assert query["layer"] == [str(edges[place].layer)]
    assert query["text"] == [SENTENCE]
    assert head in head_title(page)


def test_hostile_text_is_text(visit):
    page = visit("flow", text=HOSTILE)
    page.wait_for_selector(".flow .outputs button")
    assert page.evaluate("window.pwned") is None
    assert page.locator(".flow b").count() == 0
    words = page.eval_on_selector_all(".flow text[data-source]", "all => all.map(t => t.textContent).join(' ')")
    assert "script" in words


CELLS = """all => all.map(({ dataset: d, textContent }) =>
  [Number(d.level), Number(d.step), textContent, Number(d.probability), Number(d.rank)])"""
NUMBERS = "all => all.map(({ dataset: d }) => [Number(d.level), Number(d.rank ?? d.place), Number(d.probability)])"
LENS_BARS = (
    """() => JSON.stringify([...(document.querySelector('.js-plotly-plot')?.calcdata ?? [[]])[0]].map(bar => bar.s))"""
)


@pytest.fixture(scope="module")
def found(en_zh, translation):
    return lens(en_zh, translation)


def shown(translator, token: int) -> str:
    return translator.tgt_tokenizer.piece(int(token)).replace("▁", " ").strip() or "␣"


def wait_for_lens_step(page, step: int) -> None:
    expect(page.locator(".lens")).to_have_attribute("data-step", str(step), timeout=PATIENCE)


def assert_step(page, found, step: int) -> None:
    """Ranks and candidates under the grid are those of a step, from 0."""
    dots = page.eval_on_selector_all(".lens .curve circle", NUMBERS)
    assert [rank for _, rank, _ in dots] == found.ranks[:, step].tolist()
    assert [p for _, _, p in dots] == pytest.approx(found.written_probabilities[:, step], abs=1e-4)
    method = np.zeros(found.probabilities.shape[::2])
    for level, place, probability in page.eval_on_selector_all(".lens .levels td[data-level]", NUMBERS):
        method[level, place] = probability
    np.testing.assert_allclose(method, found.probabilities[:, step], atol=2e-4)


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_every_cell_is_the_lens(visit, en_zh, found):
    page = visit("lens", text=SENTENCE, step=2)
    wait_for_lens_step(page, 2)
    cells = page.eval_on_selector_all(".lens .grid td", CELLS)
    assert len(cells) == found.ranks.size
    for level, step, token, probability, rank in cells:
        assert token == shown(en_zh, found.tokens[level, step, 0])
        assert probability == pytest.approx(found.probabilities[level, step, 0], abs=1e-4)
        assert rank == found.ranks[level, step]
    assert page.locator(".lens .grid td.same").count() == (found.ranks == 1).sum()
    assert_step(page, found, 1)


def test_a_column_or_an_arrow_key_chooses_the_step_and_its_promoted_tokens(visit, en_zh, found):
    page = visit("lens", text=SENTENCE, step=1, kind="cross", layer=1, head=2)
    wait_for_lens_step(page, 1)
    page.locator('.lens .grid td[data-step="3"]').first.click()
    wait_for_lens_step(page, 4)
    assert_step(page, found, 3)
    page.keyboard.press("ArrowRight")
    wait_for_lens_step(page, 5)
    assert_step(page, found, 4)
    page.wait_for_function("() => location.search.includes('step=5')")
    settle(page)
    moved = promoted(en_zh, found, "cross", 1, 2, 4)
    expected = [change for _, change in (*moved.raised, *moved.lowered[::-1])]
    np.testing.assert_allclose(json.loads(page.evaluate(LENS_BARS)), expected, atol=1e-5)


def test_a_link_opens_its_step_for_another_visitor(visit, reopen, found):
    page = visit("lens", text=SENTENCE, step=3)
    wait_for_lens_step(page, 3)
    page.keyboard.press("ArrowLeft")
    wait_for_lens_step(page, 2)
    page.wait_for_function("() => location.search.includes('step=2')")
    other = reopen(page)
    wait_for_lens_step(other, 2)
    assert_step(other, found, 1)


def test_hostile_text_is_text_and_an_encoder_head_has_no_bars(visit):
    page = visit("lens", text=HOSTILE, kind="encoder_self")
    page.wait_for_selector(".lens .grid td")
    assert page.evaluate("window.pwned") is None
    assert page.locator(".lens b, .lens img").count() == 0
    assert page.locator(".js-plotly-plot").count() == 0
