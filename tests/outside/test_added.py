"""What the house says takes one entry and its texts is added from outside, and everything still opens."""

from __future__ import annotations

import pytest

from tests.outside.added import pages_with
from tests.pages import shipped
from viz.core.views import LESSON_MODULES, VIEWS

pytestmark = shipped


@pytest.fixture(scope="module")
def with_method() -> dict[str, str]:
    """The pages with a method that the shipped tables have not measured."""
    return pages_with("method")


def test_a_new_method_leaves_every_view_and_every_shipped_table_whole(with_method: dict[str, str]) -> None:
    assert set(VIEWS) < set(with_method)
    for view, html in with_method.items():
        assert "cannot be read" not in html.replace("cannot be read back", ""), view
        assert "damaged" not in html, view


def test_a_new_method_changes_neither_the_first_picture_nor_the_answer(with_method: dict[str, str]) -> None:
    assert 'data-picture="votes"' in with_method["opening"]
    assert 'data-answer="votes"' in with_method["opening"]
    assert "Begin with votes here" in with_method["trust"]


def test_a_new_method_is_not_measured_where_a_table_is_older(with_method: dict[str, str]) -> None:
    name, *cells, pairs = with_method["trust row"].split(" | ")
    assert (name, set(cells), pairs) == ("the newest method", {"–"}, "0")
    for page in ("aligned", "truth"):
        assert 'data-alignment="unmeasured"' in with_method[page]
        assert "known pairs (diagonal" not in with_method[page]
    assert "data-alignment" not in with_method["alignment"]
    assert "known pairs (diagonal" in with_method["alignment"]


def test_a_new_lesson_opens_from_a_link_and_from_the_one_before_it() -> None:
    found = pages_with("lesson")
    assert found["linked"] == found["next"] == "99 · The newest lesson"
    assert found["link"] == "99"
    assert all(part in found["page"] for part in ("idea of 99", "method of 99", "It is 42."))
    assert found["before"].startswith(f"{list(LESSON_MODULES)[-1]} · ")
    assert found["unknown"].startswith("1 · ")
