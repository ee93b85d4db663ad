"""The atlas as a step of a datatrove pipeline, for a cluster: local, Slurm and Ray executors.

An optional extra: ``pip install -r requirements-cluster.txt``. See docs/scale.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from datatrove.pipeline.base import PipelineStep

if TYPE_CHECKING:
    from datatrove.data import DocumentsPipeline


class AtlasPart(PipelineStep):
    """One part of an atlas a task: part ``rank`` of ``world_size``, as ``--part`` makes it.

    It reads the corpus itself, of which every machine must see the same file, and writes its part into a folder that
    all see; what documents come to it go through. The executor marks tasks that are done and does not repeat them; a
    task that was killed has left nothing behind and is made again. When all are done, ``--merge`` adds the parts up.
    """

    name = "Atlas of heads"
    type = "COUNT"

    def __init__(self, options: Sequence[str], out: str | Path) -> None:
        """``options`` are those of ``python -m model atlas`` that say what is counted, such as --tsv and a file."""
        super().__init__()
        self.options, self.out = [str(option) for option in options], str(out)

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        """Count the part of this task.

        Raises:
            RuntimeError: it could not be made; the sentence on stderr says why.
        """
        from model.__main__ import main
        from model.analysis.atlas.run import part_path

        yield from data or ()
        path = part_path(Path(self.out), rank, world_size)
        with self.track_time("part"):
            if not path.exists() and main(
                ["atlas", *self.options, "--part", f"{rank + 1}/{world_size}", "--out", self.out]
            ):
                raise RuntimeError(f"part {rank + 1} of {world_size} was not made")
        self.stat_update("bytes", value=path.stat().st_size, unit="part")


def run_locally(options: Sequence[str], out: str | Path, tasks: int, workers: int, logs: str | Path) -> object:
    """Make every part on this machine, as many at once as there are workers; what was done before stays.

    Args:
        options: as for ``AtlasPart``.
        out: folder of the parts.
        tasks: how many parts.
        workers: processes.
        logs: folder of datatrove's logs, statistics and completion markers.
    """
    from datatrove.executor import LocalPipelineExecutor

    executor = LocalPipelineExecutor([AtlasPart(options, out)], tasks=tasks, workers=workers, logging_dir=str(logs))
    return executor.run()
