"""How long it takes until what a page says has changed, and has been painted."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

from bench.browser import wait_until_idle

_SAYS = """() => {{
  const hosts = () => [...document.querySelectorAll("*")].filter((element) => element.shadowRoot);
  const deep = (selector) => document.querySelector(selector)
    ?? hosts().map((host) => host.shadowRoot.querySelector(selector)).find(Boolean);
  const plain = (chart) => [...(chart?.querySelectorAll("*") ?? [])].find((each) => each.shadowRoot)?.shadowRoot
    .querySelector('[data-component="plain_chart"]')?.component;
  const first = (plot) => plot?.calcdata?.flat().find((trace) => trace.z)?.z.join();
  const says = {says};
  return says.every(Boolean) ? says : null;
}}"""
_UNTIL = """(before) => {{ window.waiting = new Promise((resolve, reject) => {{
  const says = {says}, started = performance.now();
  const look = () => {{
    const now = says();
    if (performance.now() - started > 15000) return reject(new Error("the page says the same after 15 seconds"));
    if (now === null || now.some((each, i) => each === before[i])) return requestAnimationFrame(look);
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - started)));
  }};
  look();
}}); }}"""


def seconds_until_painted(page: Page, says: str, act: Callable[[], object]) -> float:
    """Seconds from just before an action until the page says something else, and two more frames have been drawn.

    Args:
        page: idle.
        says: JavaScript for a list of strings that all change, each null while the page waits for it.
            ``deep(selector)`` looks inside components too; ``first(plot)`` is the first heatmap's
            values; ``plain(element)`` is the plain chart in it.
        act: what the visitor does.
    """
    script = _SAYS.format(says=says)
    page.wait_for_function(script)
    page.evaluate(_UNTIL.format(says=script), page.evaluate(script))
    act()
    seconds = float(page.evaluate("window.waiting")) / 1000
    wait_until_idle(page)
    return seconds
