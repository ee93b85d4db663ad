"""``viz export --live`` says in a sentence what it cannot do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from model.onnx.export import GRAPHS
from viz.__main__ import main


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "needs --output FILE.html, or --folder DIR"),
        (["--output", "a.html", "--folder", "b"], "needs --output FILE.html, or --folder DIR"),
        (["--output", "a.pdf"], "must end in html"),
        (["--output", "a.html", "--checkpoint", "tiny-gpt"], "checkpoint of our own"),
        (["--output", "a.html", "--graphs", "nowhere"], "holds no encoder.onnx"),
    ],
)
def test_what_is_missing_is_said(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", "--live", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_graphs_of_other_weights_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in GRAPHS:
        (tmp_path / f"{name}.onnx").write_bytes(b"")
    for name in ("src", "casing", "tgt"):
        (tmp_path / f"{name}.json").write_text("{}")
    (tmp_path / "engine.json").write_text(json.dumps({"weights": "of another"}))
    arguments = ["--output", str(tmp_path / "a.html"), "--graphs", str(tmp_path)]
    assert main(["export", "--live", *arguments]) == 2
    assert "other weights" in capsys.readouterr().err
    assert not (tmp_path / "a.html").exists()


def test_without_live_a_sentence_and_a_file_are_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "I love you."]) == 2
    assert "--output" in capsys.readouterr().err
