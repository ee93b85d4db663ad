"""One table of what is chosen: the app's link, the viewer's link and what Python holds are read and written by it."""

from __future__ import annotations

from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path

import pytest

from model.attribution.methods import METHODS, SHIFTS
from model.errors import REASONS
from model.source import ABILITIES
from model.trace import KINDS, HeadRef
from tests.pages import SENTENCE, choose, components, prepared, shipped, words
from viz.app.pickers import PICKERS
from viz.core.choice import PICKED, UNSEEN
from viz.core.models import entry_of
from viz.core.selection import DEFAULTS, LINK_FIELDS, REST, Selection, read_link, write_link
from viz.core.text import LANGUAGES, text
from viz.core.views import EVERY_FORM, SECTIONS, VIEWS

HEADS = (HeadRef("cross", 2, 5), HeadRef("encoder_self", 0, 1))
FULL = Selection(
    HEADS,
    view="lines",
    words=True,
    hide_special=True,
    method="gradient",
    step=3,
    shift="read",
    threshold=0.05,
    log=True,
    scale="own",
    together="mean",
    rows=("s0", "t-1"),
    columns=("t3",),
    theme="dark",
    present=True,
)


def test_the_table_says_what_a_selection_holds() -> None:
    assert {field.name for field in fields(Selection)} == {*LINK_FIELDS, "step"}
    letters = [field.letter for field in LINK_FIELDS.values() if field.letter]
    assert len(set(letters)) == len(letters)
    for name, field in LINK_FIELDS.items():
        default = getattr(DEFAULTS, name)
        assert (list(default) if isinstance(default, tuple) else default) == field.default
    assert LINK_FIELDS["shift"].options == SHIFTS
    assert set(PICKED) <= {name for field in LINK_FIELDS.values() for name in field.app} <= {*PICKED, *UNSEEN}


def test_a_link_is_read_as_it_was_written_whatever_it_starts_from() -> None:
    for start in (DEFAULTS, Selection(words=True, rows=("s4",), threshold=0.1), FULL):
        for field in fields(Selection):
            if field.name not in ("combine", "over"):
                chosen = replace(start, **{"method": FULL.method, field.name: getattr(FULL, field.name)})
                assert read_link(write_link(chosen, start), start) == chosen, field.name
        assert read_link(write_link(DEFAULTS, start), start) == DEFAULTS
    assert DEFAULTS.link == ""


@pytest.mark.parametrize(
    "wrong",
    [
        *("h=<img>", "v=pie", "d=a%20b", "d=luck", "d=weights@2", "d=gradient@0", "w=yes", "s=2", "r=x", "t=7", "t=.5"),
        *("g=", "o=none", "x=sum", "p=s0,<b>", "c=pink", "z=1", "=", "h", "w=1\n", "w=１"),
    ],
)
def test_what_a_link_says_wrongly_is_as_it_was_and_an_error_in_a_storyboard(wrong: str) -> None:
    assert read_link(f"{wrong}&v=all", FULL) == replace(FULL, view="all")
    with pytest.raises(ValueError, match=r"is no (choice of the viewer's link|attribution method)"):
        read_link(wrong, strict=True)


def test_the_apps_choices_are_those_of_a_link() -> None:
    assert read_link("h=d1.5&w=1&r=read&p=t2").app == {
        **HeadRef("decoder_self", 1, 5)._asdict(),
        "method": "weights",
        "shift": "read",
        "words": True,
        "special": False,
        "step": "3",
        REST: "",
    }
    assert replace(FULL, rows=("t1", "t4")).app == {
        **HEADS[0]._asdict(),
        "method": "gradient",
        "of": "4",
        "shift": "read",
        "words": True,
        "special": True,
        "step": "2",
        REST: "h=c2.5,e0.1&v=lines&t=0.05&g=1&o=own&x=mean&p=t1,t4&q=t3",
    }
    assert not {"kind", "of"} & set(DEFAULTS.app)


def test_what_a_step_writes_names_its_rows_where_the_method_is_about_that() -> None:
    for name, method in METHODS.items():
        chosen = Selection(method=name, shift="read")
        assert chosen.row_shift == ("written" if method.of_written else "read")
        assert ("shift" in chosen.app) != method.of_written


def test_heads_go_together_where_they_are_of_one_kind() -> None:
    other = (HEADS[0], HeadRef("cross", 0, 0), HEADS[1])
    assert Selection(other, together="max").fitting.heads == other[:2]
    assert Selection(HEADS, together="difference").fitting == Selection(HEADS)
    assert Selection(HEADS).fitting == Selection(HEADS)


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
