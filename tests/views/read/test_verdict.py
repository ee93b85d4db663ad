"""The verdict under the translation: the same in every view, with its reasons, and how often it is right."""

from __future__ import annotations

import re

import pytest

from model.analysis.what_if.verdict import Doubt, Verdict
from model.translator import Translator
from tests.pages import markup, opened, shipped, words
from viz.core import models
from viz.core.text import LANGUAGES, text
from viz.core.views import VIEWS
from viz.widgets import verdict as line

pytestmark = shipped
RATES = {
    "caught": 0.7,
    "false_alarms": 0.2,
    "right": 0.4,
    "bad": 0.1,
    "bad_right": 0.3,
    "sentences": 1000,
    "poor_below": 10.0,
}


@pytest.fixture
def warned(monkeypatch: pytest.MonkeyPatch):
    """The checkpoint's table of rates is this; None for none."""

    def say(threshold: float | None) -> None:
        found = None if threshold is None else {"threshold": threshold, **RATES}
        monkeypatch.setattr(models, "load_warning", lambda *_: (found, ""))
        models.forget()

    yield say
    monkeypatch.undo()
    models.forget()


def levels(at) -> list[str]:
    return re.findall(r'data-judged="(\w+)"', markup(at))


def test_a_sure_translation_is_good_and_below_the_threshold_it_is_doubted(en_zh: Translator, warned) -> None:
    warned(0.0)
    calm = opened("translate", text="I love you.", hl_how=True)
    assert levels(calm) == ["good"]
    assert "doubted 70% of the poor translations" in words(calm)
    assert "20% of the others" in words(calm)
    assert "40% were poor" in words(calm)
    warned(1.0)
    worried = opened("translate", text="I love you.", hl_how=True)
    assert levels(worried) == ["doubtful"]
    assert "sure on average" in words(worried)
    warned(None)
    assert text("en", "quality.no_rates") in words(opened("translate", text="I love you.", hl_how=True))


@pytest.mark.parametrize("view", [name for name, spec in VIEWS.items() if "text" in spec.reads and spec.sentence])
def test_every_view_of_a_translation_says_what_is_wrong_and_names_it(view: str, monkeypatch) -> None:
    doubts = (
        Doubt("number", "70,000", "<b>7</b>"),
        Doubt("word", "boat"),
        Doubt("word", "bank"),
        Doubt("rare", "bank"),
    )
    monkeypatch.setattr(line, "verdict", lambda *_: Verdict(0.9, doubts))
    at = opened(view, text="I love you.")
    assert levels(at) == ["bad"]
    assert "70,000 became &lt;b&gt;7&lt;/b&gt;; “boat”, “bank” are not translated." in markup(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_said_in_either_language(language: str, monkeypatch) -> None:
    monkeypatch.setattr(line, "verdict", lambda *_: Verdict(0.3, (Doubt("low", share=0.3),)))
    at = opened("translate", text="I love you.", lang=language)
    assert text(language, "verdict.bad") in markup(at)
    assert text(language, "verdict.low", share="30%") in markup(at)


def test_a_sentence_that_is_not_looked_at_is_doubted_too(monkeypatch) -> None:
    seen = []

    def judged(translation, *_) -> Verdict:
        seen.append(translation.source)
        return Verdict(0.9, (Doubt("number", "7", "8"),) if "seven" not in translation.source else ())

    monkeypatch.setattr(line, "verdict", judged)
    at = opened("translate", text="I have seven cats. I love you. We have seven dogs.")
    assert set(seen) == {"I have seven cats.", "I love you.", "We have seven dogs."}
    assert levels(at) == ["good", "bad"]
    assert f"{text('en', 'verdict.part', n=2)}</strong> 7 became 8" in markup(at)


def test_letters_have_no_verdict() -> None:
    assert levels(opened("translate", checkpoint="reverse", text="headlight")) == []
