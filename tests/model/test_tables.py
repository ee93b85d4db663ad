from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from model.analysis.pairs import score_pairs
from model.commands.shared.table_options import made_by
from model.errors import CorpusError, EmptySentenceError
from model.tables import load_table, save_table


def test_a_table_is_only_for_the_weights_that_made_it(tmp_path: Path) -> None:
    folder = f"{tmp_path}/"
    assert load_table(folder, "t.json", "a", bool) == (None, "missing")
    table = {"sha256": "a", "x": 1}
    assert save_table(folder, "t.json", table) == tmp_path / "t.json"
    assert load_table(folder, "t.json", "a", lambda found: found["x"] == 1) == (table, "")
    assert load_table(folder, "t.json", "b", lambda found: found["x"] == 1) == (None, "stale")
    assert load_table(folder, "t.json", "a", lambda found: found["y"] == 1) == (None, "damaged")
    (tmp_path / "t.json").write_text("{", encoding="utf-8")
    assert load_table(folder, "t.json", "a", bool) == (None, "damaged")


def test_pairs_that_cannot_be_read_are_left_out_by_number() -> None:
    done, scored = [], []

    def score(pair: int) -> None:
        if pair < 0:
            raise EmptySentenceError("nothing there")
        scored.append(pair)

    assert score_pairs([5, -1, 7], score, done.append) == {2: "nothing there"}
    assert (scored, done) == ([5, 7], [1, 2, 3])
    with pytest.raises(CorpusError, match="the first: nothing there"):
        score_pairs([-1, -2], score)
    with pytest.raises(CorpusError, match="there is none"):
        score_pairs([], score)


def test_the_command_that_is_saved_holds_no_path(translator, tmp_path: Path) -> None:
    tsv, folder = tmp_path / "dev.tsv", tmp_path / "tiny"
    argv = ["heads", "--tsv", str(tsv), "--checkpoint", str(folder), "--save"]
    made = made_by(argparse.Namespace(tsv=tsv, checkpoint=str(folder), argv=argv), translator)
    assert made["command"] == f"python -m model heads --tsv dev.tsv --checkpoint {translator.name} --save"
    assert str(tmp_path) not in json.dumps(made)
