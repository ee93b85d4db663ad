"""Parts made by datatrove's executors are one run byte for byte, also where a worker was killed: here, Ray, Slurm."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import model.files as writing
from model.__main__ import main
from model.analysis.atlas.book import ATLAS

pipeline = pytest.importorskip(
    "model.commands.shared.pipeline", reason="an optional extra: requirements-cluster.txt", exc_type=ImportError
)
ROOT = Path(__file__).resolve().parents[3]
TASKS = 3


def killed_while_writing(said: Path, file: Any, **_: object) -> None:
    """Write the beginning of a file, then end as whoever runs out of memory does; on Ray with the worker above."""
    file.write(b"PK\x03\x04")
    file.flush()
    said.touch()
    if os.environ["DATATROVE_EXECUTOR"] == "RAY":
        os.kill(os.getppid(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


class KilledOnce(pipeline.CorpusPart):
    """Whoever makes the first part first is killed in the middle of writing it."""

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Any:
        said = Path(self.out).with_name("killed")
        if rank == 0 and not said.exists():
            writing.np.savez_compressed = partial(killed_while_writing, said)
        yield from super().run(data, rank, world_size)


def drive() -> None:
    """What a process of its own does: run all tasks, two at once."""
    executor, parts, logs, *options = sys.argv[1:]
    step = KilledOnce("atlas", options, parts)
    {"local": drive_here, "slurm": drive_slurm, "ray": drive_ray}[executor](step, logs)


def drive_here(step: pipeline.CorpusPart, logs: str) -> None:
    pipeline.run_locally(step, TASKS, 2, logs)


def drive_slurm(step: pipeline.CorpusPart, logs: str) -> None:
    """In the cluster's default partition, until all jobs have ended; a task that failed raises an error."""
    from datatrove.executor import SlurmPipelineExecutor

    job = f"atlas-{os.getpid()}"
    here = f"export PYTHONPATH={ROOT} PATH={Path(sys.executable).parent}:$PATH"
    SlurmPipelineExecutor(
        [step],
        tasks=TASKS,
        time="00:10:00",
        partition=default_partition(),
        job_name=job,
        env_command=here,
        sbatch_args={"wait": ""},
        logging_dir=logs,
    ).run()


def drive_ray(step: pipeline.CorpusPart, logs: str) -> None:
    import ray
    from datatrove.executor import RayPipelineExecutor

    with tempfile.TemporaryDirectory(prefix="ray") as short:  # in it lie sockets, whose paths must be short
        os.environ["TMPDIR"] = short  # where datatrove's workers write their logs first
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            object_store_memory=100_000_000,
            _node_ip_address="127.0.0.1",
            _temp_dir=short,
        )
        try:
            RayPipelineExecutor([step], tasks=TASKS, workers=2, mem_per_cpu_gb=1, logging_dir=logs).run()
        finally:
            ray.shutdown()


def default_partition() -> str:
    """The partition of Slurm that jobs go to which name none; sinfo marks it with a star."""
    told = subprocess.run(["sinfo", "--noheader", "--format=%P"], capture_output=True, text=True, check=True)
    return next(name.rstrip("*") for name in told.stdout.split() if name.endswith("*"))


def why_no_slurm(folder: Path) -> str | None:
    """Why no task of Slurm can be run that sees a folder; None where one can."""
    if not shutil.which("sbatch"):
        return "Slurm is not installed: there is no sbatch"
    try:
        if subprocess.run(["scontrol", "ping"], timeout=30, check=False).returncode:
            return "Slurm's controller does not answer"
        seen = subprocess.run(["srun", "--immediate=20", "--ntasks=1", "test", "-d", folder], timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "Slurm starts no task within a minute"
    return None if seen.returncode == 0 else f"Slurm runs no task here that sees {folder}"


def started(executor: str, options: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """A process of its own, and all that it starts, in a group of their own."""
    code = "from tests.analysis.atlas.test_pipeline import drive; drive()"
    places = [str(folder / "parts"), str(folder / "logs")]
    home = {"HOME": str(folder), "RAY_USAGE_STATS_ENABLED": "0"}  # Ray writes a token into the home folder
    return subprocess.Popen(
        [sys.executable, "-c", code, executor, *places, *options],
        cwd=ROOT,
        env=os.environ | home,
        start_new_session=True,
        stdout=(folder / "said").open("wb"),
        stderr=subprocess.STDOUT,
    )


def wait_until(true: Callable[[], bool], process: subprocess.Popen[bytes], said: Path) -> None:
    """Until something is so, while the process runs."""
    end = time.monotonic() + 300
    while not true():
        assert process.poll() is None, said.read_text(errors="replace")[-4000:]
        assert time.monotonic() < end, said.read_text(errors="replace")[-4000:]
        time.sleep(0.05)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*")) if folder.is_dir() else []


@pytest.fixture
def options(small_file, checkpoint_folder) -> list[str]:
    return ["--tsv", str(small_file), "--checkpoint", str(checkpoint_folder)]


@pytest.fixture
def whole(options, tmp_path) -> bytes:
    """The atlas of one run."""
    assert main(["atlas", *options, "--out", str(tmp_path / "whole")]) == 0
    return (tmp_path / "whole" / ATLAS).read_bytes()


def merged(options: list[str], folder: Path) -> bytes | None:
    """The atlas that the parts in a folder make; None where they make none yet."""
    assert main(["atlas", "--merge", str(folder / "parts"), "--out", str(folder / "merged"), *options[2:]]) == 0
    path = folder / "merged" / ATLAS
    return path.read_bytes() if path.exists() else None


def test_a_worker_here_is_killed_and_only_its_part_is_made_again(options, whole, tmp_path):
    parts, said, done = tmp_path / "parts", tmp_path / "said", tmp_path / "logs" / "completions"
    process = started("local", options, tmp_path)
    try:
        wait_until(lambda: names(done) == ["00001", "00002"], process, said)
        wait_until((tmp_path / "killed").exists, process, said)
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # the executor would wait for its worker forever
        process.wait()
    made = {path.name: path.stat().st_mtime_ns for path in parts.glob("part-*")}
    assert sorted(made) == ["part-2-of-3.npz", "part-3-of-3.npz"]
    assert [path.stat().st_size for path in writing.leftovers(parts)] == [4]
    assert merged(options, tmp_path) is None, "a part is not there yet"
    pipeline.run_locally(pipeline.CorpusPart("atlas", options, parts), TASKS, 1, tmp_path / "logs")
    again = {path.name: path.stat().st_mtime_ns for path in parts.glob("part-*")}
    assert again == made | {"part-1-of-3.npz": again["part-1-of-3.npz"]}
    assert merged(options, tmp_path) == whole


@pytest.mark.skipif(find_spec("ray") is None, reason="pip install ray")
def test_a_worker_of_ray_is_killed_and_ray_makes_its_part_again(options, whole, tmp_path):
    parts, said = tmp_path / "parts", tmp_path / "said"
    process = started("ray", options, tmp_path)
    try:
        assert process.wait(timeout=500) == 0, said.read_text(errors="replace")[-4000:]
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert [path.stat().st_size for path in writing.leftovers(parts)] == [4], "no worker was killed while it wrote"
    assert names(tmp_path / "logs" / "completions") == ["00000", "00001", "00002"]
    assert sorted(path.name for path in parts.glob("part-*")) == [f"part-{each}-of-3.npz" for each in (1, 2, 3)]
    assert merged(options, tmp_path) == whole


def test_a_task_of_slurm_is_killed_and_the_next_run_makes_only_its_part(options, whole, tmp_path):
    if why := why_no_slurm(tmp_path):
        pytest.skip(why)
    parts, said, done = tmp_path / "parts", tmp_path / "said", tmp_path / "logs" / "completions"
    assert ran_on_slurm(options, tmp_path) != 0, "no task was killed"
    assert names(done) == ["00001", "00002"], said.read_text(errors="replace")[-4000:]
    made = {path.name: path.stat().st_mtime_ns for path in parts.glob("part-*")}
    assert sorted(made) == ["part-2-of-3.npz", "part-3-of-3.npz"]
    assert [path.stat().st_size for path in writing.leftovers(parts)] == [4], "no task was killed while it wrote"
    assert merged(options, tmp_path) is None, "a part is not there yet"
    assert ran_on_slurm(options, tmp_path) == 0, said.read_text(errors="replace")[-4000:]
    again = {path.name: path.stat().st_mtime_ns for path in parts.glob("part-*")}
    assert again == made | {"part-1-of-3.npz": again["part-1-of-3.npz"]}
    assert merged(options, tmp_path) == whole


def ran_on_slurm(options: list[str], folder: Path) -> int:
    """How a process ended that waits for the jobs it has started; where it does not end, its jobs are cancelled."""
    process = started("slurm", options, folder)
    try:
        return process.wait(timeout=500)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            subprocess.run(["scancel", f"--name=atlas-{process.pid}"], check=False)


def test_a_single_task_makes_a_part_too_and_one_that_makes_none_says_why(options, whole, tmp_path, capfd):
    pipeline.run_locally(pipeline.CorpusPart("atlas", options, tmp_path / "parts"), 1, 1, tmp_path / "logs")
    assert names(tmp_path / "parts") == ["part-1-of-1.npz"]
    assert merged(options, tmp_path) == whole
    for wrong, why in ((["--tsv", str(tmp_path / "none.tsv")], "there is no file"), (["--none"], "unrecognized")):
        step = pipeline.CorpusPart("atlas", wrong, tmp_path / "parts")
        with pytest.raises(RuntimeError, match="part 2 of 3 was not made"):
            list(step.run(None, 1, 3))
        assert why in capfd.readouterr().err
