"""A model that is replaced, removed or added under a running server: the next run of a page knows it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from model.folders import MODELS
from model.own import checkpoint
from model.translator import Translator
from tests.pages import APP
from viz.core import models
from viz.core.changes import follow_files
from viz.core.kept import forget_answers, kept

TEXT = "The cat drinks two cups of milk."


@pytest.fixture
def shelf(checkpoint_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of one's own models with one called "mine", as the server was started with it."""
    shutil.copytree(checkpoint_folder, tmp_path / "mine")
    monkeypatch.setenv(MODELS, str(tmp_path))
    models.forget()
    follow_files()
    yield tmp_path
    monkeypatch.undo()
    models.forget()
    forget_answers()
    follow_files()


def replaced(folder: Path) -> None:
    """Other weights in the same place, as a training would put them there."""
    loaded = checkpoint.load(folder)
    torch.manual_seed(11)
    for parameter in loaded.model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    checkpoint.save(folder, loaded.model, (loaded.src_tokenizer, loaded.tgt_tokenizer), {"note": "other"})


def visit() -> AppTest:
    at = AppTest.from_file(str(APP), default_timeout=120)
    at.query_params["checkpoint"], at.query_params["text"] = "mine", TEXT
    return at.run()


def page(at: AppTest) -> str:
    assert not at.exception
    found: list[Any] = [*at.get("html")]
    return " ".join(str(each.proto.body) for each in found)


def test_a_checkpoint_that_is_replaced_answers_with_its_new_weights(shelf: Path) -> None:
    at = visit()
    before = Translator.from_checkpoint(shelf / "mine").translate(TEXT).text
    assert before[:4] in page(at)
    replaced(shelf / "mine")
    after = Translator.from_checkpoint(shelf / "mine").translate(TEXT).text
    assert before[:4] != after[:4]
    assert models.entry_of("mine").opened.translate(TEXT).text == before, "what is not looked at is not changed"
    shown = page(at.run())
    assert after[:4] in shown
    assert before[:4] not in shown
    assert models.entry_of("mine").opened.translate(TEXT).text == after


@pytest.mark.parametrize("left", ["nothing", "a folder without weights"])
def test_a_folder_that_is_removed_while_it_is_shown_is_said_in_a_sentence(shelf: Path, left: str) -> None:
    at = visit()
    if left == "nothing":
        shutil.rmtree(shelf / "mine")
    else:
        (shelf / "mine" / checkpoint.META).unlink()
        (shelf / "mine" / checkpoint.WEIGHTS).unlink()
    for _ in range(2):
        at.run()
        assert not at.exception
    assert "mine" in page(visit())  # the sentence names it
    at.query_params.clear()
    assert not at.run().exception


def test_a_model_that_is_added_can_be_chosen_without_a_new_start(shelf: Path) -> None:
    assert "another" not in models.names()
    shutil.copytree(shelf / "mine", shelf / "another")
    assert follow_files()
    assert "another" in models.names()
    assert not follow_files()


def test_what_a_training_writes_beside_a_model_forgets_nothing(shelf: Path) -> None:
    asked: list[int] = []

    @kept(2)
    def answer(number: int) -> int:
        asked.append(number)
        return number

    answer(1)
    (shelf / "mine" / "training_log.jsonl").write_text("{}\n")
    assert not follow_files()
    assert answer(1) == 1
    assert asked == [1]
    replaced(shelf / "mine")
    assert follow_files()
    answer(1)
    assert asked == [1, 1]
