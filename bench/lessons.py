"""How long a lesson takes to be painted, and its picture to follow a slider, in Chromium against the real app.

lesson: from the click on its name in the list until its charts stand and the page's last buttons are its own, with a
sentence of 20 words of which nothing has been computed. slider: from the arrow key on one of its sliders until the
chart that hangs on it has other numbers or rows; lesson 12 has no slider. What a slider takes whose picture needs next
to nothing is the ``floor`` of all. The first round, which loads what is imported late, is left out.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
from typing import Any

from playwright.sync_api import Error, Page

from bench.app import BOX, seconds_until_painted, sentences
from bench.browser import address, app_page, chromium, wait_until_idle
from viz.core.views import LESSON_MODULES

BARS = {"lesson": 0.5, "slider": 0.1}
FLOOR = "2"
# Of each lesson a slider, and the chart that follows it; where none must, the sentences do.
SLIDERS = {
    "1": ("l1_fruit", "lesson_1_soft"),
    "2": ("l2_a", "lesson_2_steep"),
    "3": ("l3_heads", ""),
    "4": ("l4_place", "lesson_4_leak"),
    "5": ("l5_order", "lesson_5_shuffle"),
    "6": ("l6_layer", "lesson_6_spreads"),
    "7": ("l7_smoothing", "lesson_7_labels"),
    "8": ("l8_size", "lesson_8_typed"),
    "9": ("l9_wrong", "lesson_9_exposure"),
    "10": ("l10_token", "lesson_10_gradient"),
    "11": ("l11_word", "lesson_11_gpt"),
    "13": ("l13_step", "lesson_13_back"),
    "14": ("l14_layer", "lesson_14_firing"),
    "15": ("l15_length", "lesson_15_race"),
}
LESSONS = list(LESSON_MODULES)
_LESSON = """(() => {
  const title = document.querySelector("h3")?.innerText;
  const charts = [...document.querySelectorAll('[class*="st-key-lesson_"]')]
    .map((chart) => [chart, chart.className.match(/st-key-lesson_(\\d+)_/)?.[1]]).filter(([, number]) => number);
  const drawn = (chart) => chart.querySelector(".main-svg") ?? plain(chart)?.place;
  const stands = charts.length && charts.every(([chart, number]) => drawn(chart) && number === title?.split(" ")[0]);
  const last = [...document.querySelectorAll(".st-key-lesson_back, .st-key-lesson_next")];
  return [stands ? title : null, last.map((button) => button.innerText).join() || null];
})()"""
_CHART = """[((shown) => shown?.place && JSON.stringify([shown.chart.bars, shown.chart.cells, shown.chart.rows])
)(plain(document.querySelector(".st-key-{}")))]"""
_WORDS = "[[...document.querySelectorAll('.hl-lead')].map((line) => line.innerText).join()]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="rounds through the lessons (default 5)")


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Median seconds of each lesson and of each slider, with every run's own."""
    waits: dict[str, dict[str, list[float]]] = {wait: {number: [] for number in LESSONS} for wait in BARS}
    with chromium() as browser, app_page(browser) as (page, url):
        page.goto(address(url, "lessons", lesson=LESSONS[-1], checkpoint=args.checkpoint))
        wait_until_idle(page)
        for sentence in sentences(args.runs + 1):
            page.fill(BOX, sentence)
            page.press(BOX, "Enter")
            page.wait_for_timeout(500)
            wait_until_idle(page)
            for number in LESSONS:
                waits["lesson"][number].append(_opened(page, number))
                if number in SLIDERS:
                    waits["slider"][number].append(_slid(page, *SLIDERS[number]))
    found = {
        wait: {number: statistics.median(seen) for number, runs in by_lesson.items() if (seen := _seen(runs[1:]))}
        for wait, by_lesson in waits.items()
    }
    return {
        "bench": "lessons",
        "runs": args.runs,
        "load": os.getloadavg()[0],
        "seconds": {wait: {number: round(each, 3) for number, each in of.items()} for wait, of in found.items()},
        "every_run": {
            wait: {number: [round(each, 3) for each in _seen(runs[1:])] for number, runs in of.items() if runs}
            for wait, of in waits.items()
        },
        "floor": round(found["slider"][FLOOR], 3),
        "bars": BARS,
    }


def _seen(runs: list[float]) -> list[float]:
    return [each for each in runs if not math.isnan(each)]


def _opened(page: Page, number: str) -> float:
    name = page.locator(".st-key-lesson label, .st-key-pick_lesson label").filter(has_text=f"{number} · ")
    return seconds_until_painted(page, _LESSON, name.first.click)


def _slid(page: Page, slider: str, chart: str) -> float:
    range_ = page.locator(f".st-key-{slider} input[type=range]")
    range_.focus()
    says = _CHART.format(chart) if chart else _WORDS
    key = "ArrowLeft" if range_.evaluate("each => each.value === each.max") else "ArrowRight"
    try:
        return seconds_until_painted(page, says, lambda: page.keyboard.press(key))
    except Error:  # what the slider changes is not seen in these numbers
        return math.nan


def table(result: dict[str, Any]) -> str:
    """The result for a person."""
    lines = [f"{'lesson':<8}{'painted':>9}{'slider':>10}"]
    for number in LESSONS:
        slider = result["seconds"]["slider"].get(number)
        said = "–" if slider is None else f"{slider:.3f} s"
        lines.append(f"{number:<8}{result['seconds']['lesson'][number]:>7.3f} s{said:>10}")
    bars = f"bars {result['bars']['lesson']} s and {result['bars']['slider']} s; a slider’s floor {result['floor']} s"
    return "\n".join([*lines, f"{bars}; medians of {result['runs']} runs; load {result['load']:.1f}"])
