"""The flow picture in Chromium: lines, bars and words are the analysis; tokens and heads are chosen in it."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

from model.analysis.residual.flow import flow_graph, weight_shares
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
