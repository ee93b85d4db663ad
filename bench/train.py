"""How many target tokens a second a training step takes in, beside the step of another checkout, in turns.

The pairs are random ids with the lengths of everyday sentences, so that no data is needed. With ``--against DIR``, a
checkout of another commit, each takes its turns in a process of its own, and the ratio is that of the medians.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SIZES = (12_060, 5_804)  # English and Chinese tokens
LENGTHS = (14.0, 7.0)  # mean and spread of an English sentence, in tokens; a Chinese one has a quarter more
HERE = Path(__file__).resolve().parents[1]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--against", type=Path, metavar="DIR", help="a checkout of another commit, measured in turns")
    parser.add_argument("--turns", type=int, default=3, metavar="N", help="turns of each (default 3)")
    parser.add_argument("--steps", type=int, default=12, metavar="N", help="steps of a turn (default 12)")
    parser.add_argument("--batch-tokens", type=int, default=3_000, metavar="N")


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Target tokens a second: the median of all turns, here and in the other checkout."""
    trees = {"here": HERE} | ({"there": args.against.resolve()} if args.against else {})
    seen: dict[str, list[float]] = {name: [] for name in trees}
    for _ in range(args.turns):
        for name, tree in trees.items():
            seen[name].append(_turn(tree, args.steps, args.batch_tokens))
    medians = {name: round(statistics.median(speeds)) for name, speeds in seen.items()}
    ratio = {"ratio": round(medians["here"] / medians["there"], 2)} if args.against else {}
    turns = {name: [round(speed) for speed in speeds] for name, speeds in seen.items()}
    return {"bench": "train", "tokens_per_second": medians, **ratio, "turns": turns, "steps": args.steps}


def table(result: dict[str, Any]) -> str:
    """The result for a person."""
    lines = [f"{name:<8}{speed:>8,} target tokens/s" for name, speed in result["tokens_per_second"].items()]
    return "\n".join(lines + ([f"ratio {result['ratio']}"] if "ratio" in result else []))


def _turn(tree: Path, steps: int, batch_tokens: int) -> float:
    """Tokens a second of a fresh process that runs this file's ``_train`` with the code of ``tree``."""
    code = (
        f"import sys, importlib.util as u; sys.path.insert(0, {str(tree)!r});"
        f"spec = u.spec_from_file_location('bench_train', {str(Path(__file__).resolve())!r});"
        f"m = u.module_from_spec(spec); spec.loader.exec_module(m); print(m._train({steps}, {batch_tokens}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True, text=True, check=True)  # noqa: S603
    return float(json.loads(done.stdout.splitlines()[-1]))


def _train(steps: int, batch_tokens: int) -> float:
    """Tokens a second of a training run on random pairs, its first steps left out; runs in the other checkout too."""
    import tempfile

    import torch

    from model.own.network.config import TransformerConfig
    from model.training.loop import Trainer
    from model.training.settings import TrainingSettings

    with tempfile.TemporaryDirectory() as folder:
        data = _prepared(Path(folder))
        config = TransformerConfig(*SIZES, dropout=0.1)
        settings = TrainingSettings(steps=10**6, batch_tokens=batch_tokens, eval_every=10**6)
        trainer = Trainer(data, Path(folder) / "out", config, settings, torch.device("cpu"))
        _before_a_run()
        trainer.model.train()
        tokens, started = 0, 0.0
        for number, rows in enumerate(trainer._batches()):
            if number == 2:
                tokens, started = 0, time.perf_counter()
            if number == steps + 2:
                break
            tokens += trainer._step(rows, 0.0)[1]
        return tokens / (time.perf_counter() - started)


def _before_a_run() -> None:
    """What a run of this checkout does first; older ones did nothing."""
    import contextlib

    with contextlib.suppress(ImportError):
        from model.training.settings import keep_freed_memory

        keep_freed_memory()


def _prepared(folder: Path) -> Path:
    """A prepared folder of letters whose training pairs are random ids of everyday lengths."""
    from model.training.corpus import Corpus
    from model.training.prepare import prepare_reversal

    prepare_reversal(folder / "data", n_pairs=20)
    rng = np.random.default_rng(1)
    lengths = np.clip(rng.normal(*LENGTHS, 4_000), 4, 60).astype(int)
    pairs = [
        (rng.integers(300, SIZES[0], length).tolist(), rng.integers(300, SIZES[1], round(1.25 * length)).tolist())
        for length in lengths
    ]
    Corpus([src for src, _ in pairs], [tgt for _, tgt in pairs]).save(folder / "data" / "train.npz")
    return folder / "data"
