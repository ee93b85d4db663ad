"""python -m model tables, on a copy of the toy checkpoint."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from model.__main__ import main
from model.folders import CHECKPOINTS


@pytest.fixture
def reverse(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    shutil.copytree(CHECKPOINTS / "reverse", folder)
    return folder


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    path = tmp_path / "letters.tsv"
    path.write_text("".join(f"{text}\t{text[::-1]}\n" for text in ("abc", "q1", "zebra")), encoding="utf-8")
    return path


def said(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    lines = [line.split(": ", 2) for line in capsys.readouterr().err.splitlines() if "model tables: " in line]
    return {name: what for _, name, what in lines}


def test_what_other_weights_made_is_made_anew_and_nothing_else(reverse: Path, letters: Path, capsys) -> None:
    (reverse / "examples/0.npz").unlink()
    heads = json.loads((reverse / "heads.json").read_text(encoding="utf-8"))
    (reverse / "heads.json").write_text(json.dumps(heads | {"sha256": "0"}), encoding="utf-8")
    before = (reverse / "alignment.json").read_bytes()
    files = ["--dev", str(letters), "--test", str(letters)]
    assert main(["tables", "--checkpoint", f"{reverse}/", *files, "--again", "--only", "scores"]) == 0
    assert main(["tables", "--checkpoint", f"{reverse}/", *files]) == 0
    what = said(capsys)
    assert what["examples"].endswith(" s")
    assert what["heads"].endswith(" s")
    assert what["alignment"] == what["scores"] == what["faithfulness"] == "is there already"
    assert what["news"] == "left out: it needs --news"
    assert what["licence"].startswith("left out: ")
    assert what["readme"] == "left out: the READMEs are about en-zh"
    assert (reverse / "examples/0.npz").is_file()
    assert (reverse / "alignment.json").read_bytes() == before
    assert json.loads((reverse / "heads.json").read_text(encoding="utf-8"))["sentences"] == 3
    scores = json.loads((reverse / "meta.json").read_text(encoding="utf-8"))["scores"]
    assert (scores["test_exact_percent"], scores["test_pairs"], scores["test_unfinished"]) == (100.0, 3, 0)
    assert main(["tables", "--checkpoint", f"{reverse}/", *files]) == 0
    assert "is there already" in said(capsys)["heads"]


def test_a_part_that_fails_stops_the_command_with_its_reason(reverse: Path, tmp_path: Path, capsys) -> None:
    missing = str(tmp_path / "none.tsv")
    argv = ["tables", "--checkpoint", f"{reverse}/", "--again", "--test", missing, "--only", "scores"]
    assert main(argv) == 2
    assert "there is no file" in capsys.readouterr().err
