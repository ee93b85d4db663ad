"""Shipped tables that lack a method which was added later, and tables that are broken in truth."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from model.analysis.alignment.known_pairs import ALIGNMENT, load_alignment, unaligned_methods
from model.analysis.faithfulness.table import FAITHFULNESS, MEASURES, load_faithfulness, rows_of, unscored_methods
from model.analysis.pairs import score_pairs
from model.commands.shared.options import made_by
from model.errors import CorpusError, EmptySentenceError
from model.folders import CHECKPOINTS
from model.release.parts import PARTS, Job
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


Table = dict[str, Any]
LATER = "alti"  # stands for a method that was added after the table was made


@pytest.fixture
def reverse(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    folder.mkdir()
    for name in (FAITHFULNESS, ALIGNMENT, "meta.json"):
        shutil.copy(CHECKPOINTS / "reverse" / name, folder)
    return folder


def changed(folder: Path, file: str, change: Callable[[Table], object]) -> tuple[Table | None, str]:
    """What is loaded once a table was changed."""
    path = folder / file
    table = json.loads(path.read_text(encoding="utf-8"))
    change(table)
    path.write_text(json.dumps(table), encoding="utf-8")
    load = load_faithfulness if file == FAITHFULNESS else load_alignment
    return load(f"{folder}/", table["sha256"])


def drop_scores(table: Table) -> None:
    for part in (table["pairs"], table["seconds"], *(each["rows"] for each in table["settings"])):
        del part[LATER]


def drop_rates(table: Table) -> None:
    for by_method in (*table["aer"].values(), table["named"]):
        del by_method[LATER]


def test_an_older_table_of_faithfulness_is_read_and_the_newer_method_is_not_measured(reverse: Path) -> None:
    whole, _ = load_faithfulness(f"{reverse}/", json.loads((reverse / "meta.json").read_text())["sha256"])
    assert unscored_methods(whole) == set()
    table, why = changed(reverse, FAITHFULNESS, drop_scores)
    assert why == ""
    assert unscored_methods(table) == {LATER}
    rows, before = rows_of(table), rows_of(whole)
    assert list(rows) == list(before)
    missing = rows.pop(LATER)
    assert {part for measure in MEASURES for part in missing[measure].values()} == {None}
    assert rows == {name: cells for name, cells in before.items() if name != LATER}
    assert rows_of(table, "nobody asked for") == {}


def test_an_older_alignment_table_is_read(reverse: Path) -> None:
    table, why = changed(reverse, ALIGNMENT, drop_rates)
    assert (unaligned_methods(table), why) == ({LATER}, "")


@pytest.mark.parametrize(("part", "drop"), [("faithfulness", drop_scores), ("alignment", drop_rates)])
def test_a_table_without_a_newer_method_is_made_anew_by_the_release(reverse: Path, part: str, drop) -> None:
    job = Job(f"{reverse}/", reverse, None)
    assert PARTS[part].is_fresh(job)
    changed(reverse, f"{part}.json", drop)
    assert not PARTS[part].is_fresh(job)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table["settings"][1]["rows"].pop(LATER),  # in the other settings it is there
        lambda table: table["settings"][0]["rows"].pop("random"),
        lambda table: table["settings"][0]["rows"]["norms"].pop("sufficiency"),
        lambda table: table["settings"][0]["rows"]["norms"]["sufficiency"].update(mean="0.5"),
        lambda table: table["pairs"].pop(LATER),
        lambda table: table.update(best="nonsense"),
        lambda table: table.update(settings=[]),
        lambda table: [part.pop("norms") for part in (table["pairs"], table["seconds"])],
    ],
)
def test_a_broken_table_of_faithfulness_is_damaged(reverse: Path, change) -> None:
    assert changed(reverse, FAITHFULNESS, change) == (None, "damaged")


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table["aer"]["grow"].pop(LATER),  # the other rule has it
        lambda table: table["aer"].pop("grow"),
        lambda table: [rates.pop("weights") for rates in table["aer"].values()],
        lambda table: table["aer"]["argmax"]["norms"]["read"].pop("layers"),
        lambda table: table["best"].update(method="nonsense"),
        lambda table: table["best_head"].update(layer="0"),
    ],
)
def test_a_broken_alignment_table_is_damaged(reverse: Path, change) -> None:
    assert changed(reverse, ALIGNMENT, change) == (None, "damaged")
