"""A command that goes through a corpus as a step of a datatrove pipeline: local, Slurm and Ray executors.

An optional extra: ``pip install -r requirements-cluster.txt``. See docs/scale.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from datatrove.pipeline.base import PipelineStep

if TYPE_CHECKING:
    from datatrove.data import DocumentsPipeline


class CorpusPart(PipelineStep):
    """One part of an atlas or a table a task: part ``rank`` of ``world_size``, as ``--part`` makes it.

    It reads the corpus itself, of which every machine must see the same file, and writes its part into a folder that
    all see; what documents come to it go through. The executor marks tasks that are done and does not repeat them; a
    task that was killed has left no part and is made again. When all are done, ``--merge`` puts the parts together.
    """

    name = "Part of a corpus"
    type = "COUNT"

    def __init__(self, command: str, options: Sequence[str], out: str | Path) -> None:
        """Say what a task makes.

        Args:
            command: of ``python -m model``: atlas, heads, faithfulness or align.
            options: those of its that say what is gone through, such as --tsv and a file.
            out: folder of the parts.
        """
        super().__init__()
        self.command, self.options, self.out = command, [str(option) for option in options], str(out)

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        """Make the part of this task.

        Raises:
            RuntimeError: it could not be made; the sentence on stderr says why.
        """
        from model.analysis.atlas.run import part_path

        yield from data or ()
        path = part_path(Path(self.out), rank, world_size, "part" if self.command == "atlas" else self.command)
        words = [self.command, *self.options, "--part", f"{rank + 1}/{world_size}", "--out", self.out]
        with self.track_time("part"):
            if not path.exists() and not _did(words):
                raise RuntimeError(f"part {rank + 1} of {world_size} was not made")
        self.stat_update("bytes", value=path.stat().st_size, unit="part")


def _did(words: list[str]) -> bool:
    """Whether a command did what it should; a pool would wait forever for a worker that leaves over its options."""
    from model.__main__ import main

    try:
        return main(words) == 0
    except SystemExit:
        return False


def run_locally(step: CorpusPart, tasks: int, workers: int, logs: str | Path) -> object:
    """Make every part on this machine, as many at once as there are workers; what was done before stays.

    Where one of several workers is killed, datatrove waits for it forever: stop this, and run it again.

    Args:
        step: what a task makes.
        tasks: how many parts.
        workers: processes.
        logs: folder of datatrove's logs, statistics and completion markers.
    """
    from datatrove.executor import LocalPipelineExecutor

    return LocalPipelineExecutor([step], tasks=tasks, workers=workers, logging_dir=str(logs)).run()
