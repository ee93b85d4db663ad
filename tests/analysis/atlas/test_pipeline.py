"""Parts made by datatrove's local executor are one run byte for byte, also where a task was killed."""

from __future__ import annotations

import pytest

from model.__main__ import main
from model.analysis.atlas.book import ATLAS

pytest.importorskip("datatrove", reason="an optional extra: requirements-cluster.txt")


def test_tasks_of_an_executor_make_the_same_also_after_one_was_killed(small_file, checkpoint_folder, tmp_path, capfd):
    from model.commands.shared.pipeline import AtlasPart, run_locally

    options = ["--tsv", str(small_file), "--checkpoint", str(checkpoint_folder)]
    assert main(["atlas", *options, "--out", str(tmp_path / "whole")]) == 0
    parts, logs = tmp_path / "parts", tmp_path / "logs"
    run_locally(options, parts, tasks=2, workers=1, logs=logs)
    assert sorted(path.name for path in parts.iterdir()) == ["part-1-of-2.npz", "part-2-of-2.npz"]
    made = {path.name: path.stat().st_mtime_ns for path in parts.iterdir()}
    (parts / "part-2-of-2.npz").unlink()
    (logs / "completions" / "00001").unlink()  # as a worker that was killed leaves it
    run_locally(options, parts, tasks=2, workers=1, logs=logs)
    again = {path.name: path.stat().st_mtime_ns for path in parts.iterdir()}
    assert made["part-1-of-2.npz"] == again["part-1-of-2.npz"]
    assert made["part-2-of-2.npz"] != again["part-2-of-2.npz"]
    merge = ["atlas", "--merge", str(parts), "--out", str(tmp_path / "merged"), *options[2:]]
    assert main(merge) == 0
    assert (tmp_path / "merged" / ATLAS).read_bytes() == (tmp_path / "whole" / ATLAS).read_bytes()
    with pytest.raises(RuntimeError, match="part 2 of 3 was not made"):
        list(AtlasPart(["--tsv", str(tmp_path / "none.tsv")], parts).run(None, 1, 3))
    assert "there is no file" in capfd.readouterr().err
