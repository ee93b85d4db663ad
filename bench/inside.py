"""How long a visitor waits while looking inside decoding: playback, mixing desk, fork, beam tree of width 5.

Each is measured twice on sentences of 20 words. model: what is computed, on one processor thread, with
nothing cached. page: in Chromium against the real app, from the action until its result has been
painted (the page says something else than before, and two more frames have been drawn), each time with
a choice that the app has not seen: an arrow key in playback, a head muted, a rejected candidate
clicked, the beam made five wide.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from playwright.sync_api import Locator, Page

from bench.app import BOX, seconds_until_painted, sentences
from bench.browser import address, app_page, chromium, wait_until_idle
from model.analysis.what_if.beam_tree import grown_tree
from model.analysis.what_if.fork import decoding_steps, fork_votes
from model.analysis.what_if.mixing import mix
from model.trace import Translation
from model.translator import Translator

WAITS = {
    "playback": ("a step of playback", 0.3),
    "mixing_desk": ("a change at the mixing desk", 0.6),
    "fork": ("a fork with its votes", 0.6),
    "beam_tree": ("a beam tree of width 5", 1.0),
}
WIDTH = 5
CANDIDATES = 8
# What a page shows, as a list of strings; null while it is still waiting for something.
SAYS = {
    "playback": "[deep('.playback')?.dataset.step]",
    "mixing_desk": "[deep('.desk:not(.waiting)')?.dataset.serial]",
    "fork": "[deep('#hl-votes')?.dataset.total, first(document.querySelector('.js-plotly-plot'))]",
    "beam_tree": "[deep('.canvas')?.innerHTML]",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--runs", type=int, default=7, metavar="N", help="runs of each wait (default 7)")


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Median seconds of each wait in the model and on the page, with every run's own."""
    waits = {"model": model_waits(args.checkpoint, args.runs), "page": page_waits(args.checkpoint, args.runs)}
    return {
        "bench": "inside",
        "checkpoint": args.checkpoint,
        "words": 20,
        "runs": args.runs,
        "load": os.getloadavg()[0],
        "seconds": {
            where: {name: round(statistics.median(runs), 3) for name, runs in found.items()}
            for where, found in waits.items()
        },
        "every_run": {
            where: {name: [round(seconds, 3) for seconds in runs] for name, runs in found.items()}
            for where, found in waits.items()
        },
        "bars": {name: bar for name, (_, bar) in WAITS.items()},
    }


def model_waits(checkpoint: str, runs: int) -> dict[str, list[float]]:
    """Seconds of computing in each wait, by run; the first run, which warms up, is left out."""
    translator = Translator.from_checkpoint(checkpoint, device="cpu")
    found: dict[str, list[float]] = {name: [] for name in WAITS}
    for sentence in sentences(runs + 1):
        for name, task in _tasks(translator, translator.translate(sentence)).items():
            started = time.perf_counter()
            task()
            found[name].append(time.perf_counter() - started)
    return {name: seconds[1:] for name, seconds in found.items()}


def _tasks(translator: Translator, original: Translation) -> dict[str, Callable[[], object]]:
    """What the model computes in each wait."""
    sentence, ids = original.source, original.tgt_ids
    rival = decoding_steps(translator, sentence, ids, CANDIDATES)[1].candidates[-1].id

    def fork() -> None:
        translator.translate(sentence, prefix=(*ids[:1], rival))
        fork_votes(translator, sentence, ids[:1], ids[1], rival)

    return {
        "playback": lambda: decoding_steps(translator, sentence, ids, CANDIDATES),
        "mixing_desk": lambda: mix(translator, original, {("cross", 0, 0): 0.0}),
        "fork": fork,
        "beam_tree": lambda: grown_tree(translator, sentence, WIDTH),
    }


def page_waits(checkpoint: str, runs: int) -> dict[str, list[float]]:
    """Seconds of each wait in Chromium, by run; the first run of each is left out."""
    with chromium() as browser, app_page(browser) as (page, url):
        return {
            name: list(actions(page, address(url, path, checkpoint=checkpoint, **query), runs + 1))[1:]
            for name, (actions, path, query) in ACTIONS.items()
        }


def _opened(page: Page, link: str, sentence: str) -> None:
    page.goto(link)
    wait_until_idle(page)
    _type(page, sentence)


def _type(page: Page, sentence: str) -> None:
    page.fill(BOX, sentence)
    page.press(BOX, "Enter")
    page.wait_for_timeout(500)
    wait_until_idle(page)


def _until_painted(page: Page, name: str, act: Callable[[], object]) -> float:
    return seconds_until_painted(page, SAYS[name], act)


def _playback(page: Page, link: str, runs: int) -> Iterator[float]:
    _opened(page, link, sentences(1)[0])
    page.mouse.click(5, 700)
    for _ in range(runs):
        yield _until_painted(page, "playback", lambda: page.keyboard.press("ArrowRight"))


def _mixing_desk(page: Page, link: str, runs: int) -> Iterator[float]:
    _opened(page, link, sentences(1)[0])
    heads = page.locator('.desk .cell[data-kind="cross"]')
    for run in range(runs):
        yield _until_painted(page, "mixing_desk", heads.nth(run).click)
        page.get_by_role("button", name="Reset all").click()
        page.wait_for_timeout(500)
        wait_until_idle(page)


def _fork(page: Page, link: str, runs: int) -> Iterator[float]:
    _opened(page, link, sentences(1)[0])
    for run in range(runs):
        page.locator(f'.fork .tokens button[data-place="{run + 1}"]').click()
        rival: Locator = page.locator(".fork .candidates button:not(:disabled)").nth(3)
        yield _until_painted(page, "fork", rival.click)


def _beam_tree(page: Page, link: str, runs: int) -> Iterator[float]:
    page.goto(link)
    wait_until_idle(page)
    for sentence in sentences(runs):
        _type(page, sentence)
        width = page.get_by_role("slider").first
        width.focus()
        yield _until_painted(page, "beam_tree", lambda: page.keyboard.press("ArrowRight"))
        page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(500)
        wait_until_idle(page)


ACTIONS: dict[str, tuple[Callable[[Page, str, int], Iterator[float]], str, dict[str, int]]] = {
    "playback": (_playback, "step_by_step", {}),
    "mixing_desk": (_mixing_desk, "mixing_desk", {}),
    "fork": (_fork, "fork", {}),
    "beam_tree": (_beam_tree, "beam", {"width": WIDTH - 1}),
}


def table(result: dict[str, Any]) -> str:
    """The result for a person."""
    lines = [f"{'20 source words, on CPU':<32}{'model':>9}{'page':>9}{'bar':>8}"]
    for name, (title, bar) in WAITS.items():
        model, page = (result["seconds"][where][name] for where in ("model", "page"))
        lines.append(f"{title:<32}{model:>7.3f} s{page:>7.3f} s{bar:>6.1f} s")
    return "\n".join([*lines, f"medians of {result['runs']} runs; load {result['load']:.1f}"])
