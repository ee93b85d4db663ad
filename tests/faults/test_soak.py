"""The bench of a day of visits: who comes, and what is made of the answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import soak
from tests.pages import shipped
from viz.core.views import VIEWS


def test_visits_go_to_every_view_and_no_sentence_comes_twice() -> None:
    found = soak.visits(300, ["en-zh", "mine"])
    assert {each.view for each in found} == set(VIEWS)
    assert {each.model for each in found} == {"en-zh", "mine"}
    texts = [text for each in found for text in each.texts]
    assert len(set(texts)) == len(texts) > 300
    assert any(each.brings for each in found)
    assert any(each.hurries for each in found)
    assert found == soak.visits(300, ["en-zh", "mine"])


@shipped
def test_another_s_answer_is_mixed_up_and_nobody_s_is_wrong() -> None:
    from model.translator import Translator

    right = Translator.from_checkpoint("en-zh", "cpu").translate("I love you.").text
    answers = [("en-zh", "I love you.", right), ("en-zh", "Thank you.", right), ("en-zh", "I love you.", "没有")]
    answers += [("mine", "I love you.", "没有"), ("en-zh", "Good night.", None)]
    found = soak._judged(soak.Day(answers=answers), "en-zh")
    assert found == {"compared": 3, "mixed_up": 1, "wrong": 1}


def test_what_a_process_holds_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    (tmp_path / "left").write_text("over")
    before = soak._held(os.getpid(), tmp_path)
    with (tmp_path / "left").open():
        after = soak._held(os.getpid(), tmp_path)
    assert (before["temporary"], after["files"]) == (1, before["files"] + 1)
