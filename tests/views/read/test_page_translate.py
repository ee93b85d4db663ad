"""Translate: the sentence can be saved as a page of its own."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from model.attribution.methods import attribution_maps
from model.trace import HeadRef
from model.translator import Translator
from tests.pages import SENTENCE, opened, shipped
from viz.core.answers.maps import whole_map
from viz.core.selection import Selection
from viz.core.session import Subject
from viz.export.shown import labelled_maps
from viz.views.translate.panel import trusted
from viz.widgets import take_away

pytestmark = shipped


def test_the_sentence_can_be_saved_as_a_page() -> None:
    at = opened("translate")
    assert not at.exception
    assert [each.proto.label for each in at.get("download_button")] == ["Save as page"]
    assert [each.proto.label for each in opened("translate", lang="zh").get("download_button")] == ["存为网页"]


def asked_of(monkeypatch: pytest.MonkeyPatch, **choices: object) -> Selection:
    """What the page that Translate saves opens on."""
    asked: list[Selection] = []
    monkeypatch.setattr(take_away, "page_button", lambda _now, selection, _key: asked.append(selection))
    assert not opened("translate", **choices).exception
    return asked[-1]


def test_the_saved_page_opens_on_the_picture_with_the_chosen_token(
    monkeypatch: pytest.MonkeyPatch, en_zh: Translator
) -> None:
    asked = asked_of(monkeypatch, step=3)
    assert (asked.method, asked.together, asked.rows, len(asked.heads)) == (trusted("en-zh"), "mean", ("t2",), 48)
    made = en_zh.translate(SENTENCE, capture=True)
    maps = attribution_maps(en_zh, made, asked.method)
    (shown,) = labelled_maps(asked, maps, made.trace)
    whole = whole_map(Subject(SENTENCE, "en-zh"), asked.method)
    np.testing.assert_allclose(shown.weights, whole, atol=1e-5)


def test_of_a_chosen_head_the_saved_page_shows_that_head(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asked_of(monkeypatch, step=4, layer=2, head=1)
    assert (asked.heads, asked.method, asked.together) == ((HeadRef("cross", 2, 1),), "weights", "side")
    assert asked.rows == ("t3",)
    several = asked_of(monkeypatch, combine="max", over=["L2", "L0 H1"])
    assert [head.code for head in several.heads] == ["c0.1", *(f"c2.{head}" for head in range(8))]
    assert several.together == "max"


def test_what_draws_the_first_picture_loads_no_pytorch() -> None:
    parts = ", ".join(f"viz.views.translate.{part}" for part in ("page", "panel", "token_links"))
    asked = f"import sys, {parts}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, check=False).returncode == 0
