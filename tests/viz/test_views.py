"""The table of views: every entry has its page, its text and what it needs of a model."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from model.errors import REASONS
from model.source import ABILITIES
from model.trace import KINDS
from tests.pages import SENTENCE, choose, components, prepared, shipped, words
from viz.app.pickers import PICKERS
from viz.core.models import entry_of
from viz.core.text import LANGUAGES, text
from viz.core.views import EVERY_FORM, SECTIONS, VIEWS

ROOT = Path(__file__).resolve().parents[2]
NEEDY = [name for name, spec in VIEWS.items() if spec.needs & set(ABILITIES)]


@pytest.mark.parametrize("spec", VIEWS.values(), ids=list(VIEWS))
def test_a_view_has_a_page_and_a_title_in_every_language(spec) -> None:
    assert callable(import_module(spec.module).view)
    assert all(text(language, f"page.{spec.name}") for language in LANGUAGES)
    assert set(spec.pickers) <= set(PICKERS)
    assert spec.needs <= {*ABILITIES, *KINDS}
    assert set(spec.reads) <= set(EVERY_FORM)
    assert spec.name in SECTIONS[spec.section]


def test_every_page_is_in_the_table() -> None:
    pages = {path.parent.name for path in (ROOT / "viz/views").glob("*/page.py")}
    assert pages == set(VIEWS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_ability_has_its_words(language: str) -> None:
    assert all(text(language, f"ability.{need}") for need in (*ABILITIES, *KINDS))
    assert all(text(language, f"why.{why}") for why in REASONS)
    assert all(text(language, f"reads.{form}") for form in EVERY_FORM)


def offering(monkeypatch, en_zh, abilities) -> None:
    """Let the shipped model offer these abilities only."""
    from dataclasses import replace

    entry = entry_of("en-zh")
    anatomy = replace(entry.opened.anatomy, abilities=frozenset(abilities))
    facts = replace(entry.facts, anatomy=anatomy)
    monkeypatch.setattr(entry.opened, "anatomy", anatomy)
    monkeypatch.setattr(type(entry), "facts", property(lambda each: facts))


@shipped
@pytest.mark.parametrize("name", NEEDY)
def test_a_view_says_in_one_sentence_what_the_model_lacks_for_it(monkeypatch, en_zh, name: str) -> None:
    missing = sorted(VIEWS[name].needs & set(ABILITIES))[0]
    offering(monkeypatch, en_zh, set(ABILITIES) - {missing})
    at = choose(prepared(name, text=SENTENCE))
    sentence = text("en", "view.lacks", checkpoint="en-zh", ability=text("en", f"ability.{missing}"))
    assert words(at).count(sentence) == 1
    assert components(at) == []
    assert at.get("plotly_chart") == []
    assert text("zh", f"ability.{missing}") in words(choose(at, lang="zh"))


@shipped
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_needs_no_more_than_it_says(monkeypatch, en_zh, name: str) -> None:
    offering(monkeypatch, en_zh, VIEWS[name].needs & set(ABILITIES))
    at = choose(prepared(name, text="A cat sleeps.", flow_by="weights"))
    assert "does not offer" not in words(at)


@shipped
def test_a_part_of_a_view_says_it_when_it_is_chosen(monkeypatch, en_zh) -> None:
    offering(monkeypatch, en_zh, ())
    sentence = text("en", "view.lacks", checkpoint="en-zh", ability=text("en", "ability.gradients"))
    at = choose(prepared("one_head", text="Two cats sleep.", method="gradient"))
    assert words(at).count(sentence) == 1
    assert sentence not in words(choose(at, method="weights"))
