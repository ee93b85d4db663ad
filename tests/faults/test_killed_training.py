"""A training that is killed at any write, again and again, ends with the weights of one that never was, bit for bit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from model.training.prepare import prepare_reversal

STEPS = 12
# Trains, killing itself at the n-th call that would put a file on the disk: before it, or when half of it is there.
PROGRAM = """
import os, signal, sys
from pathlib import Path
import torch
from model import files
from model.__main__ import main

data, whole, broken = sys.argv[1:4]
OPTIONS = ["--steps", "12", "--batch-tokens", "300", "--d-model", "16", "--d-ff", "32", "--heads", "2", "--layers", "1",
    "--dropout", "0.3", "--attention-dropout", "0.1", "--eval-every", "4", "--warmup", "2", "--device", "cpu"]

def train(out, *more):
    return main(["train", "--data", data, "--out", out, *OPTIONS, *more])

def child(out, *more, kill_at=None):
    number = os.fork()
    if number:
        return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    if kill_at is not None:
        calls, renamed, flushed = [0], Path.replace, os.fsync
        def counted(then):
            def call(*args):
                calls[0] += 1
                if calls[0] == kill_at:
                    if then is flushed:
                        os.ftruncate(args[0], os.fstat(args[0]).st_size // 2)
                    os.kill(os.getpid(), signal.SIGKILL)
                return then(*args)
            return call
        Path.replace, os.fsync = counted(renamed), counted(flushed)
    os._exit(train(out, *more))

assert child(whole) == 0
kills, more = 0, ()
for kill_at in (1, 2, 3, 5, 7, 9, 12, 15, 18, 22, 30, 40, 60):
    status = child(broken, *more, kill_at=kill_at)
    if Path(broken, "state", "progress.json").is_file():
        more = ("--resume",)
    if status == 0:
        break
    assert status == -signal.SIGKILL, status
    kills += 1
print(kills)
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, int]:
    folder = tmp_path_factory.mktemp("killed")
    prepare_reversal(folder / "data", n_pairs=200)
    dev = (folder / "data" / "dev.tsv").read_text().splitlines(keepends=True)
    (folder / "data" / "dev.tsv").write_text("".join(sorted(dev, key=len)[:3]))
    whole, broken = folder / "whole", folder / "broken"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder / "data"), str(whole), str(broken)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return whole, broken, int(done.stdout.split()[-1])


def test_it_was_killed_often(runs: tuple[Path, Path, int]) -> None:
    assert runs[2] >= 8
    assert signal.SIGKILL == 9


def test_weights_state_and_snapshots_are_the_same_bytes(runs: tuple[Path, Path, int]) -> None:
    whole, broken, _ = runs
    files = sorted(path.relative_to(whole) for path in whole.rglob("*.safetensors"))
    assert len(files) == 3, files  # the kept weights, the state, the snapshot of step 0
    assert sorted(path.relative_to(broken) for path in broken.rglob("*.safetensors")) == files
    for file in files:
        assert (broken / file).read_bytes() == (whole / file).read_bytes(), file


def test_the_log_tells_every_step_once_and_nothing_half_written_is_left(runs: tuple[Path, Path, int]) -> None:
    logs = [[json.loads(line) for line in (out / "training_log.jsonl").read_text().splitlines()] for out in runs[:2]]
    for log in logs:
        for entry in log:
            entry.pop("seconds")
    assert logs[0] == logs[1]
    assert not list(runs[1].rglob(".*"))
