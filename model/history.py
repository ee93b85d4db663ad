"""How a checkpoint came to be: what it could do at some twenty points of its training. Needs no PyTorch.

``history.npz`` in a checkpoint's folder holds plain arrays and JSON text, no objects:

================  =====================  ===========================================================================
name              type, shape            what it is
================  =====================  ===========================================================================
facts             text                   JSON: ``sha256`` of the checkpoint's weights, ``command``, ``dev`` (name and
                                         number of pairs), ``examples`` (see below), ``translations`` ([N][E] texts)
step              int32 [N]              optimiser steps done; the last is the checkpoint itself
tokens            int64 [N]              target tokens seen by then
dev_bleu          float32 [N]            greedy BLEU on ``dev``
aer               float32 [N, 2, L, H]   alignment error rate in percent of every cross-attention head on the truth
                                         pairs, each target word linked to its strongest source word; by
                                         ``sorts.SHIFTS``
maps_<e>_<kind>   uint8 [N, L, H, Q, K]  weights α of example e, as round(√α · LEVELS)
================  =====================  ===========================================================================

An example is ``source`` and ``target``, which is forced at every point, so that its axes are the same in all;
``rows`` and ``columns`` by kind are the texts of these axes.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from model.errors import CheckpointError
from model.files import write_arrays
from model.folders import resolve
from model.trace import KINDS, AttentionTrace, Kind

PAST = "history.npz"
SNAPSHOTS = "history"  # folder of a run, or of a small checkpoint: <step>.safetensors
LEVELS = 31


@dataclass(frozen=True)
class History:
    """What ``history.npz`` holds; N points in the order of their steps."""

    facts: dict[str, Any]  # what stands in its JSON
    # step, tokens, dev_bleu: [N]
    step: np.ndarray
    tokens: np.ndarray
    dev_bleu: np.ndarray
    aer: np.ndarray  # percent, [N, 2, L, H]
    coded: tuple[dict[Kind, np.ndarray], ...]  # for each example, by kind, uint8 [N, L, H, Q, K]

    @property
    def examples(self) -> list[dict[str, Any]]:
        """Source, target and axes of each example."""
        return list(self.facts["examples"])

    def only(self, examples: Sequence[int]) -> History:
        """The same points with these examples alone, by their numbers."""
        translations = [[texts[number] for number in examples] for texts in self.facts["translations"]]
        facts = {**self.facts, "examples": [self.examples[number] for number in examples], "translations": translations}
        return replace(self, facts=facts, coded=tuple(self.coded[number] for number in examples))

    def maps(self, example: int, kind: Kind) -> np.ndarray:
        """Weights of an example at every point: float32 [N, L, H, Q, K], each within 0.033 of the true one."""
        return (self.coded[example][kind].astype(np.float32) / LEVELS) ** 2

    def maps_at(self, example: int, kind: Kind, point: int) -> np.ndarray:
        """The same at one point: float32 [L, H, Q, K]."""
        found: np.ndarray = (self.coded[example][kind][point].astype(np.float32) / LEVELS) ** 2
        return found

    def translation(self, point: int, example: int) -> str:
        """What the checkpoint wrote greedily for an example at a point."""
        return str(self.facts["translations"][point][example])


def coded(weights: np.ndarray) -> np.ndarray:
    """Weights in [0, 1] as bytes; the root keeps small ones apart."""
    found: np.ndarray = np.round(np.sqrt(weights) * LEVELS).astype(np.uint8)
    return found


def example_facts(source: str, target: str, trace: AttentionTrace) -> dict[str, Any]:
    """What is said of an example: its texts and the tokens of its axes."""
    axes = {kind: trace.axis_tokens(kind) for kind in KINDS}
    return {
        "source": source,
        "target": target,
        "rows": {kind: axes[kind][0] for kind in KINDS},
        "columns": {kind: axes[kind][1] for kind in KINDS},
    }


def save_history(folder: Path, history: History) -> Path:
    """Write ``history.npz`` into a checkpoint's folder; the file that was written."""
    arrays: dict[str, Any] = {
        "facts": np.array(json.dumps(history.facts, ensure_ascii=False)),
        "step": history.step.astype(np.int32),
        "tokens": history.tokens.astype(np.int64),
        "dev_bleu": history.dev_bleu.astype(np.float32),
        "aer": history.aer.astype(np.float32),
    }
    for number, by_kind in enumerate(history.coded):
        arrays |= {f"maps_{number}_{kind}": by_kind[kind] for kind in KINDS}
    return write_arrays(folder / PAST, arrays)


def load_history(checkpoint: str, sha256: str) -> tuple[History | None, str]:
    """The history of a checkpoint, where it ends with these weights; else None, and "missing", "damaged" or "stale"."""
    path = resolve(checkpoint) / PAST
    if not path.is_file():
        return None, "missing"
    history = read_history(path)
    if history is None:
        return None, "damaged"
    return (history, "") if history.facts.get("sha256") == sha256 else (None, "stale")


def read_history(path: Path) -> History | None:
    """What a history file holds, whichever weights it ends with; None where it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            facts = json.loads(str(arrays["facts"]))
            maps = _maps(arrays, len(facts["examples"]))
            history = History(facts, arrays["step"], arrays["tokens"], arrays["dev_bleu"], arrays["aer"], maps)
            points = {len(values) for values in (history.step, history.tokens, history.dev_bleu, history.aer)}
            points |= {len(values) for by_kind in maps for values in by_kind.values()}
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None
    return history if points == {len(facts.get("translations", ()))} else None


def _maps(arrays: Any, examples: int) -> tuple[dict[Kind, np.ndarray], ...]:
    return tuple({kind: arrays[f"maps_{number}_{kind}"] for kind in KINDS} for number in range(examples))


def spread(steps: Sequence[int], points: int) -> list[int]:
    """At most ``points`` of the steps, the first and the last among them, evenly by their order.

    >>> spread([0, 1, 2, 4, 8], 3)
    [0, 2, 8]
    """
    if len(steps) <= points:
        return list(steps)
    return [steps[round(index)] for index in np.linspace(0, len(steps) - 1, points)]


def snapshots(run: Path) -> dict[int, Path]:
    """The snapshots that a run left, or a checkpoint keeps, by step.

    Raises:
        CheckpointError: there is none.
    """
    found = {int(path.stem): path for path in sorted((run / SNAPSHOTS).glob("*.safetensors")) if path.stem.isdigit()}
    if not found:
        raise CheckpointError(f"there is no snapshot in {run / SNAPSHOTS}")
    return found


def snapshot(run: Path, step: int) -> Path:
    """The snapshot of a step.

    Raises:
        CheckpointError: there is none of this step; the message lists those that there are.
    """
    found = snapshots(run)
    if step not in found:
        raise CheckpointError(f"{run.name} keeps no snapshot of step {step}; it keeps: {', '.join(map(str, found))}")
    return found[step]
