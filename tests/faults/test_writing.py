"""A disk that is full, or a process that is killed, leaves the old file whole, and one sentence."""

from __future__ import annotations

import os
import resource
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
