"""Every sentence with a number has its row in docs/claims.md, in both languages; what is measured is computed again."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path

import pytest

from model.analysis.faithfulness.corpus import KEPT_SHARES
from model.analysis.faithfulness.verdict import LEVEL
from model.analysis.heads.roles import POSITIONAL, RARE, SINK
from model.analysis.lessons import learning, scaling
from model.analysis.lessons.several import divisors
from model.live.task import LONGEST, SHORTEST
from viz.core.text import LANGUAGES

ROOT = Path(__file__).resolve().parents[2]
WRITTEN, FILLED = (
    [[cell.strip() for cell in line.strip("|").split(" | ")] for line in part.splitlines() if line.startswith("| `")]
    for part in (ROOT / "docs/claims.md").read_text(encoding="utf-8").split("## Numbers that are filled in")
)
PLACE = re.compile(r"\{[^}]*\}")
NO_CLAIM = re.compile(r"\b(19|20)\d\d\b|[A-Za-zα-ω]_\{?\d|\b[LH]\d+|\$[^$]*\$|[Ll]essons? \d+|第 ?\d+ ?课")
NUMBER = re.compile(r"(?<![\w.])[−+±]?\d+(?:,\d{3})*(?:\.\d+)?", re.ASCII)
APART = {
    "find.like.corpus.how": "“one minus”",
    "find.like.sentence.how": "“one minus”",
    "two.meaning": "“one minus”",
    "mix.less": "“times less” is 1/factor",
    "talk.keys": "“归零” is “from 0”",
    "error.UnknownCharacterError": "English shows the exception's own words",
}
"""Why Chinese writes a digit where English has a word, or none."""


def numbers(text: str) -> list[str]:
    """The numbers that a text itself says."""
    return NUMBER.findall(NO_CLAIM.sub(" ", PLACE.sub("", text)))


def keys_of(cell: str) -> list[str]:
    """The texts that the first cell of a row names."""
    named = re.findall(r"`([^`]+)`", cell)
    return [k for k in LANGUAGES["en"] for name in named if k == name or (name[-1] == "*" and k.startswith(name[:-1]))]


def said(language: str) -> dict[str, list[str]]:
    """The numbers of every text that has any."""
    return {key: found for key, text in LANGUAGES[language].items() if (found := numbers(text))}


def test_every_text_with_a_number_is_in_one_row_and_the_row_has_its_numbers() -> None:
    found, walked = said("en"), Counter[str]()
    for texts, stated, *_ in WRITTEN:
        keys = [key for key in keys_of(texts) if key in found]
        walked.update(keys)
        assert keys, texts
        assert set(stated.split()) == {number for key in keys for number in found[key]}, texts
    assert walked == Counter(dict.fromkeys(found, 1))


def test_both_languages_say_the_same_numbers() -> None:
    english, chinese = said("en"), said("zh")
    other = {key for key in english.keys() | chinese.keys() if set(english.get(key, ())) != set(chinese.get(key, ()))}
    assert other == set(APART)


def test_every_text_that_is_filled_in_is_in_one_row() -> None:
    filled = {key for key, text in LANGUAGES["en"].items() if "{" in PLACE.sub("{", text)}
    walked = Counter(key for texts, *_ in FILLED for key in keys_of(texts) if key in filled)
    assert walked == Counter(dict.fromkeys(filled, 1))


@pytest.mark.parametrize("row", WRITTEN + FILLED, ids=lambda row: row[0][:40])
def test_a_row_says_what_where_and_of_which_sample(row: list[str]) -> None:
    *_, claim, where, sample = row
    assert claim
    assert sample
    assert (ROOT / where.strip("`")).exists()


def test_a_text_fills_its_places_where_its_row_says() -> None:
    for texts, _, where, _ in FILLED:
        if where != "`viz/core/text/en.json`":
            first = texts.strip("`").split(".")[0]
            assert f"{first}." in (ROOT / where.strip("`")).read_text(encoding="utf-8"), texts


def test_a_number_more_or_another_is_seen() -> None:
    assert numbers("In 2017 W_2 of L3 H4 (lesson 5) had $2i$ and {n}") == []
    assert numbers("12,860 rows, −1 or 0.5 %, and 3.") == ["12,860", "−1", "0.5", "3"]
    assert numbers("第 5 课说 {n} 个中有 7 个") == ["7"]


PERCENT = {
    "heads.meaning.next": [POSITIONAL],
    "heads.meaning.previous": [POSITIONAL],
    "heads.meaning.rare": [RARE],
    "heads.meaning.sink": [SINK],
    "heads.no_role": [POSITIONAL, RARE],
    "trust.comprehensiveness.meaning": list(KEPT_SHARES),
    "honesty.deleted.rows": [LEVEL],
    "honesty.deleted.words": [LEVEL],
    "honesty.legend.random": [LEVEL, 1 - LEVEL],
}
COMPUTED = {
    **{f"heads.lead.{over}": [1, round(math.e, 1)] for over in ("corpus", "model", "sentence")},
    "lens.promotes.lead": [1, round(math.exp(1), 1)],
    "train.lead": [SHORTEST, LONGEST],
    "lesson.3.ask.1": [min(divisors(256)), max(divisors(256))],
    "lesson.1.answer.1": [0, *scaling.ENTRY_VALUES],
    "lesson.7.rates.lead": list(learning.NOAM[0]),
    "lesson.2.see": [14 * 8, 12 * 8, 8 * 8, 8],
    "lesson.15.gradient": [10],
    **{key: [100 * share for share in shares] for key, shares in PERCENT.items()},
}


@pytest.mark.parametrize("key", COMPUTED)
def test_a_number_is_the_one_that_the_program_uses(key: str) -> None:
    assert [float(each.replace(",", "").lstrip("+")) for each in numbers(LANGUAGES["en"][key])] == pytest.approx(
        COMPUTED[key]
    )
