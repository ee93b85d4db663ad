"""A model that is replaced, removed or added under a running server: the next run of a page knows it."""

from __future__ import annotations

import gc
import json
import os
import shutil
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from model.analysis.atlas.book import read_atlas, write_book
from model.files import leftovers, write_json, write_text
from model.folders import MODELS
from model.own import checkpoint
from model.training.settings import TrainingSettings
from model.translator import Translator
from tests.pages import APP
from viz.core import changes, models
from viz.core.changes import follow_files
from viz.core.crowd import sharing
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


def test_a_model_whose_answers_are_kept_is_there_once(shelf: Path) -> None:
    """Five models take turns in four places: the first, which an answer holds, comes back as it is, and not again."""
    held = models.entry_of("mine").opened
    others = [f"other-{number}" for number in range(5)]
    for name in others:
        shutil.copytree(shelf / "mine", shelf / name)
    models.forget()
    unheld = weakref.ref(models.entry_of(others[0]).opened)
    for name in others[1:]:
        assert models.entry_of(name).opened is not held
    assert models.entry_of("mine").opened is held
    gc.unfreeze()
    gc.collect()
    assert unheld() is None, "one that nobody holds has gone"
    forget_answers()
    assert models.entry_of("mine").opened is not held, "its files may be other ones now"


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


ROUNDS = 60


def test_two_servers_on_one_checkout_never_leave_a_file_of_both(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    write_json(path, ["0"] * 10)
    children = []
    for name in ("a", "b"):
        if not (child := os.fork()):
            for _ in range(ROUNDS):
                write_json(path, [name] * 20_000)
            os._exit(0)
        children.append(child)
    seen = set()
    while children:
        seen |= set(json.loads(path.read_text()))  # raises where a file is half there
        assert len(set(json.loads(path.read_text()))) == 1
        children = [child for child in children if os.waitpid(child, os.WNOHANG)[0] == 0]
    assert seen & {"a", "b"}
    assert not leftovers(tmp_path)


def test_an_atlas_can_be_read_while_another_is_written_in_its_place(tmp_path: Path) -> None:
    write_book(tmp_path / "atlas.zip", {"facts": {}}, {})
    with (tmp_path / "atlas.zip").open("rb") as reader:
        write_book(tmp_path / "atlas.zip", {"facts": {"more": "x" * 5000}}, {})
        assert reader.read(2) == b"PK"
    assert read_atlas(tmp_path) is None, "it has no kinds, and says so"


@pytest.mark.parametrize("jump", [-86_400.0, 86_400.0, 10 * 365 * 86_400.0])
def test_a_clock_that_jumps_ends_no_training_no_crowd_and_no_answer(
    jump: float, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    true = time.time
    monkeypatch.setattr(time, "time", lambda: true() + jump)
    crowd = sharing.Crowd(idle=60)
    assert crowd.compute(lambda subject: subject, "answer") == "answer"
    assert crowd.compute(lambda subject: subject * 2, "answer") == "answeranswer"
    assert TrainingSettings(minutes=1.0).progress(1, 30.0) == 0.5
    changes.follow_files()
    assert not changes.follow_files(), "files are told apart by their own times, which nobody compares with the clock"
    write_text(tmp_path / "new", "text")
    os.utime(tmp_path / "new", (true() + jump, true() + jump))
    assert changes._stamp(tmp_path / "new") != changes._stamp(tmp_path)


def test_nothing_of_the_product_measures_by_a_clock_that_can_jump() -> None:
    from tests.architecture.tree import sources

    product = {path: text for path, text in sources().items() if path.split("/")[0] in ("model", "viz", "headlight")}
    assert [path for path, text in product.items() if "time.time()" in text or "datetime.now(" in text] == []
