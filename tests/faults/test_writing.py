"""A disk that is full, or a process that is killed, leaves the old file whole, and one sentence."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from model.__main__ import main
from model.analysis.atlas.book import write_book
from model.commands.convert import convert
from model.errors import NotWrittenError
from model.files import all_aside, aside, leftovers, write_arrays, write_json, write_text
from model.history import PAST, History, save_history
from model.own import checkpoint
from model.tables import save_table
from model.training.corpus import Corpus
from model.training.loop import MovingAverage, Progress, load_state, save_state
from model.training.prepare import prepare_reversal
from viz.export.pages import SavedPage


@contextmanager
def full_disk(room: int = 0) -> Iterator[None]:
    """No file of this process may become larger than so many bytes: the system refuses to write, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def history(folder: Path) -> None:
    none = np.zeros(1)
    save_history(folder, History({"examples": [], "translations": [[]]}, none, none, none, np.zeros((1, 2, 1, 1)), ()))


def checkpoint_again(folder: Path) -> None:
    loaded = checkpoint.load(folder)
    checkpoint.save(folder, loaded.model, (loaded.src_tokenizer, loaded.tgt_tokenizer), {"note": "again"})


WRITERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "table": ("table.json", lambda folder: save_table(f"{folder}/", "table.json", {"a": [1] * 99})),
    "history": (PAST, history),
    "atlas": ("atlas.zip", lambda folder: write_book(folder / "atlas.zip", {"facts": {}}, {})),
    "prepared data": ("train.npz", lambda folder: Corpus([[1, 2]], [[3]]).save(folder / "train.npz")),
    "export": ("page.html", lambda folder: SavedPage("<p>new</p>").save(folder / "page.html")),
    "checkpoint": (checkpoint.WEIGHTS, checkpoint_again),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_old_file_and_one_sentence(name: str, checkpoint_folder: Path, tmp_path: Path) -> None:
    file, write = WRITERS[name]
    for each in checkpoint_folder.iterdir():
        if each.is_file():
            (tmp_path / each.name).write_bytes(each.read_bytes())
    if name != "checkpoint":
        (tmp_path / file).write_bytes(b"old")
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    with full_disk(), pytest.raises(NotWrittenError, match=r"could not be written \(File too large\)"):
        write(tmp_path)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before
    write(tmp_path)
    assert (tmp_path / file).read_bytes() != b"old"
    assert not leftovers(tmp_path)


def test_a_pickle_is_not_half_converted_on_a_full_disk(tmp_path: Path) -> None:
    torch.save({"weight": torch.ones(64, 64)}, tmp_path / "pytorch_model.bin")
    with full_disk(100), pytest.raises(NotWrittenError, match=r"model\.safetensors could not be written"):
        convert(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["pytorch_model.bin"]
    assert load_file(convert(tmp_path))["weight"].sum() == 64 * 64


def test_a_command_on_a_full_disk_says_one_sentence(
    checkpoint_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "maps.npz"
    out.write_bytes(b"old")
    with full_disk():
        status = main(["trace", "I love you.", "--checkpoint", f"{checkpoint_folder}/", "--output", str(out)])
    said = capsys.readouterr().err.strip().splitlines()
    assert status == 2
    assert said == [
        "python -m model trace: maps.npz could not be written (File too large); what was there before is unchanged"
    ]
    assert out.read_bytes() == b"old"


def test_a_training_state_on_a_full_disk_leaves_the_one_before(tmp_path: Path) -> None:
    model = torch.nn.Linear(3, 3)
    optimizer, average = torch.optim.Adam(model.parameters()), MovingAverage(model, 0.9)
    save_state(tmp_path, model, optimizer, Progress(step=1), average)
    with full_disk(200), pytest.raises(NotWrittenError, match="state-2"):
        save_state(tmp_path, model, optimizer, Progress(step=2), average)
    assert load_state(tmp_path, model, optimizer, average).step == 1
    save_state(tmp_path, model, optimizer, Progress(step=3), average)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["progress.json", "state-3.safetensors"]


def test_who_is_killed_while_he_writes_leaves_the_old_file(tmp_path: Path) -> None:
    write_text(tmp_path / "a.json", "old")
    if not (child := os.fork()):
        with aside(tmp_path / "a.json") as part:
            part.write_text("half")
            os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert (tmp_path / "a.json").read_text() == "old"
    assert len(leftovers(tmp_path)) == 1


def both(*paths: Path) -> None:
    with all_aside(*paths) as parts:
        parts[0].write_bytes(b"n")
        parts[1].write_bytes(b"new")


def test_files_that_belong_together_are_renamed_together_or_not_at_all(tmp_path: Path) -> None:
    paths = (tmp_path / "weights", tmp_path / "meta")
    with all_aside(*paths) as parts:
        for part in parts:
            part.write_text(part.name.split(".")[1])
        assert not any(path.exists() for path in paths)
    assert [path.read_text() for path in paths] == ["weights", "meta"]
    with full_disk(2), pytest.raises(NotWrittenError):
        both(*paths)
    assert paths[0].read_text() == "weights"
    assert not leftovers(tmp_path)


def test_links_are_followed_and_devices_are_written_themselves(tmp_path: Path) -> None:
    write_json(tmp_path / "there", 1)
    (tmp_path / "link").symlink_to(tmp_path / "there")
    write_json(tmp_path / "link", 2)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there").read_text() == "2\n"
    write_text(Path("/dev/null"), "gone")
    assert not Path("/dev/null").is_file()


def test_what_is_wrong_with_the_content_is_not_laid_on_the_disk(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="invalid"), aside(tmp_path / "a") as part:
        save_file({"a": 1}, part)
    with pytest.raises(NotWrittenError, match="No such file"):
        write_arrays(tmp_path / "nowhere" / "a.npz", {"a": np.ones(1)})
    assert not list(tmp_path.iterdir())


STEPS = 12
# Trains, killing itself at the n-th call that would put a file on the disk: before it, or when half of it is there.
PROGRAM = """
import os, signal, sys
from pathlib import Path
import torch._dynamo  # which an optimizer imports: here once, and not in every child
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
