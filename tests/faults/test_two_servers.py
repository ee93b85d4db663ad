"""Two processes write the same files at once, and a clock jumps: what is read is always one of the two, whole."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from model.analysis.atlas.book import read_atlas, write_book
from model.files import leftovers, write_json, write_text
from model.training.loop import TrainingSettings
from viz.core import changes
from viz.core.crowd import sharing

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
