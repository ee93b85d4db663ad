"""A run of live training of each task, recorded: python -m model.live.recorded makes them anew, in a minute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from model.files import write_text
from model.live.task import LiveTask
from model.live.training import Seen, Training

RECORDS = Path(__file__).with_name("recorded.json")
TASKS: tuple[LiveTask, ...] = ("copy", "reverse")
_PATIENCE = 1800.0  # seconds: it is over when it has learnt, on a busy machine too


def recorded(task: LiveTask) -> Training:
    """A training that is over, as its record says; its model was never trained here."""
    said: dict[str, Any] = json.loads(RECORDS.read_text(encoding="utf-8"))[task]
    losses = tuple((int(step), float(loss)) for step, loss in said.pop("losses"))
    own = Training(task)
    own.seen = Seen(**{**said, "losses": losses, "weights": np.array(said["weights"], dtype=np.float32)})
    return own


def record(task: LiveTask) -> dict[str, Any]:
    """What is known of a whole run, as JSON; numbers have three places."""
    own = Training(task)
    own.seconds = _PATIENCE
    own._looked = np.inf
    own._run()
    seen, weights = own.seen, own.seen.weights
    assert weights is not None  # whoever is over has looked
    losses = [[step, round(loss, 3)] for step, loss in seen.losses]
    said = {"step": seen.step, "right": seen.right, "written": seen.written, "end": seen.end}
    return {**said, "losses": losses, "weights": np.round(weights.astype(float), 3).tolist()}


if __name__ == "__main__":
    write_text(RECORDS, json.dumps({task: record(task) for task in TASKS}, separators=(",", ":")) + "\n")
