"""Tables of heads, faithfulness and alignment made in parts: what one run makes, byte for byte."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import model.files as writing
from model.__main__ import main
from model.analysis.alignment.known_pairs import ALIGNMENT
from model.analysis.faithfulness.table import FAITHFULNESS
from model.analysis.heads.table import FILE as HEADS
from model.commands.shared.parts import part_files, saved_part
from model.errors import CorpusError
from model.pairs import PairScores, merged, run_facts

TRUTH = Path(__file__).resolve().parents[2] / "model/truth/en-zh.tsv"
TABLES = {"heads": HEADS, "faithfulness": FAITHFULNESS, "align": ALIGNMENT}


@pytest.fixture
def folder(checkpoint_folder, tmp_path) -> Path:
    return shutil.copytree(checkpoint_folder, tmp_path / "tiny")


@pytest.fixture
def files(pairs, tmp_path) -> dict[str, Path]:
    """Pairs, one of which is too short for faithfulness; and pairs with links."""
    found = {name: tmp_path / f"{name}.tsv" for name in TABLES}
    lines = [f"{english}\t{chinese}\n" for english, chinese in [*pairs[:9], ("Tom.", "汤姆。")]]
    linked = TRUTH.read_text(encoding="utf-8").splitlines(keepends=True)[:8]
    for name, path in found.items():
        path.write_text("".join(linked if name == "align" else lines), encoding="utf-8")
    return found


def table(folder: Path, command: str) -> str:
    """What was saved, and is there no more; how long a map takes is never twice the same."""
    path = folder / TABLES[command]
    said = path.read_text(encoding="utf-8")
    path.unlink()
    return said if command != "faithfulness" else json.dumps(json.loads(said) | {"seconds": {}})


@pytest.mark.parametrize("command", TABLES)
def test_parts_in_any_order_make_what_one_run_makes(command, files, folder, tmp_path, capsys):
    what = [command, "--tsv", str(files[command]), "--checkpoint", str(folder)]
    assert main([*what, "--save"]) == 0
    whole = table(folder, command)
    for size in (1, 3, 7):
        parts = tmp_path / f"parts-{size}"
        for number in range(size, 0, -1):
            assert main([*what, "--part", f"{number}/{size}", "--out", str(parts)]) == 0
        assert not (folder / TABLES[command]).exists(), "a part makes no table"
        assert main([*what, "--save", "--merge", str(parts)]) == 0
        assert table(folder, command) == whole
    capsys.readouterr()
    max(parts.iterdir(), key=lambda part: part.stat().st_size).unlink()  # by chance a part has no pair at all
    assert main([*what, "--merge", str(parts)]) == 2
    assert "the parts lack" in capsys.readouterr().err


def test_a_part_that_was_killed_leaves_nothing_and_is_made_again(files, folder, tmp_path, monkeypatch, capsys):
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    what = ["heads", "--tsv", str(files["heads"]), "--checkpoint", str(folder)]
    assert main([*what, "--save"]) == 0
    whole = table(folder, "heads")
    assert main([*what, "--part", "1/2", "--out", str(tmp_path / "p")]) == 0
    with monkeypatch.context() as patch:
        patch.setattr(writing.np, "savez_compressed", killed)
        assert main([*what, "--part", "2/2", "--out", str(tmp_path / "p")]) == 130
    assert [path.name for path in (tmp_path / "p").iterdir()] == ["heads-1-of-2.npz"]
    assert main([*what, "--part", "2/2", "--out", str(tmp_path / "p")]) == 0
    assert main([*what, "--merge", str(tmp_path / "p"), "--save"]) == 0
    assert table(folder, "heads") == whole


@pytest.mark.parametrize("command", ["heads", "faithfulness"])
def test_two_processes_of_torchrun_make_it_too(command, files, folder, tmp_path):
    what = [command, "--tsv", str(files[command]), "--checkpoint", str(folder), "--save"]
    assert main(what) == 0
    whole = table(folder, command)
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone", "-m", "model"]
    done = subprocess.run(
        [*torchrun, *what, "--out", str(tmp_path / "p")], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert table(folder, command) == whole


@pytest.mark.parametrize("command", TABLES)
def test_tasks_of_datatrove_make_it_too_and_one_alone_makes_a_part(command, files, folder, tmp_path):
    pipeline = pytest.importorskip(
        "model.commands.shared.pipeline", reason="an optional extra: requirements-cluster.txt", exc_type=ImportError
    )
    options = ["--tsv", str(files[command]), "--checkpoint", str(folder)]
    assert main([command, *options, "--save"]) == 0
    whole = table(folder, command)
    for tasks in (1, 2):
        parts = tmp_path / f"parts-{tasks}"
        pipeline.run_locally(pipeline.CorpusPart(command, options, parts), tasks, 1, tmp_path / f"logs-{tasks}")
        made = [f"{command}-{number}-of-{tasks}.npz" for number in range(1, tasks + 1)]
        assert sorted(path.name for path in parts.iterdir()) == made
        assert not (folder / TABLES[command]).exists(), "a part makes no table"
        assert main([command, *options, "--save", "--merge", str(parts)]) == 0
        assert table(folder, command) == whole


def test_parts_of_other_runs_and_files_that_are_none_are_refused(files, folder, tmp_path, capsys):
    what = ["heads", "--tsv", str(files["heads"]), "--checkpoint", str(folder)]
    assert main([*what, "--part", "1/2"]) == 2
    assert "say with --out" in capsys.readouterr().err
    assert main([*what, "--part", "1/2", "--out", str(tmp_path / "a")]) == 0
    assert main([*what, "--part", "1/1", "--limit", "3", "--out", str(tmp_path / "b")]) == 0
    assert main([*what, "--limit", "3", "--merge", str(tmp_path / "a")]) == 2
    assert "of another run" in capsys.readouterr().err
    twice = [str(tmp_path / "a"), str(tmp_path / "a" / "heads-1-of-2.npz")]
    assert main([*what, "--merge", *twice]) == 2
    assert "that another part has" in capsys.readouterr().err
    np.savez(tmp_path / "evil.npz", json=np.array([{"facts": 1}], dtype=object))
    with pytest.raises(CorpusError, match="no part of a table"):
        merged({"pairs": 1}, [tmp_path / "evil.npz"])


def test_a_part_that_was_cut_off_or_is_of_other_weights_is_refused_and_commands_share_a_folder(tmp_path):
    def facts(sha256: str) -> dict[str, object]:
        return run_facts("heads", "tiny", sha256, [("a", "b")])

    made = PairScores.of(["a"], lambda number, _: {"a": np.arange(2000) * number}, facts=facts("one"))
    files = [saved_part(tmp_path, made, command, 0, 2)[0] for command in TABLES]
    assert [part_files([tmp_path], command) for command in TABLES] == [[file] for file in files]
    assert merged(facts("one"), files[:1]).scores.keys() == {1}
    with pytest.raises(CorpusError, match="of another run"):
        merged(facts("other"), files[:1])
    data = files[0].read_bytes()
    for size in (0, 30, len(data) // 2, len(data) - 1):
        files[0].write_bytes(data[:size])
        with pytest.raises(CorpusError, match="no part of a table"):
            merged(facts("one"), files[:1])
    files[0].write_bytes(data[:200] + bytes(200) + data[400:])
    with pytest.raises(CorpusError, match="no part of a table"):
        merged(facts("one"), files[:1])


def test_scores_of_parts_keep_their_shapes_types_and_gaps(tmp_path):
    def score(number: int, _: str) -> dict[str, np.ndarray]:
        if number == 2:
            raise CorpusError("not this one")
        return {"a": np.float32([[number]]), **({"b": np.array(number)} if number == 3 else {})}

    made = PairScores.of(["x", "y", "z"], score)
    read = merged({"pairs": 3}, [made.save(tmp_path / "part.npz")])
    assert read.refused == {2: "not this one"}
    assert read.scores.keys() == {1, 3}
    assert read.scores[1].keys() == {"a"}
    assert read.scores[3]["b"] == 3
    assert read.scores[3]["a"].dtype == np.float32
    with pytest.raises(CorpusError, match="could be scored; the first: not this one"):
        PairScores.of(["y"], lambda *_: score(2, "")).all()
