"""The loop that trains a tiny model, and the folder that it leaves."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from tqdm import tqdm

from model.folders import LOG, META, WEIGHTS

_LOG_EVERY = 50


@dataclass(frozen=True)
class Fit:
    """How a tiny model is trained: AdamW, the rate rising over ``warmup`` steps and then falling to 0."""

    steps: int
    peak: float
    warmup: int = 100
    weight_decay: float = 0.01
    clip_norm: float = 1.0
    seed: int = 1

    def rate(self, step: int) -> float:
        """Learning rate of step ``step`` ≥ 1."""
        return self.peak * min(step / self.warmup, (self.steps - step + 1) / max(1, self.steps - self.warmup))


def fit(model: nn.Module, batches: Iterator[Any], loss_of: Callable[[Any], Tensor], how: Fit) -> list[dict[str, Any]]:
    """Train the model in place; its log."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.0, weight_decay=how.weight_decay)
    model.train()
    log, window, began = [], [], time.monotonic()
    bar = tqdm(range(1, how.steps + 1), unit="step", mininterval=5)
    for step in bar:
        for group in optimizer.param_groups:
            group["lr"] = how.rate(step)
        loss = loss_of(next(batches))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), how.clip_norm)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        window.append(loss.item())
        if step % _LOG_EVERY == 0:
            seconds = round(time.monotonic() - began, 1)
            log.append({"step": step, "seconds": seconds, "loss": round(sum(window) / len(window), 4)})
            bar.set_postfix(loss=log[-1]["loss"])
            window = []
    model.eval()
    return log


def rounded(model: nn.Module) -> None:
    """Give every weight the value that half precision keeps of it: what is measured is then what is saved."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half().float())


def save(out: Path, model: Any, reads: Any, how: Fit, log: list[dict[str, Any]], meta: dict[str, Any]) -> None:
    """Write the folder: weights in half precision, what transformers needs beside them, the log, and meta.json."""
    model.save_pretrained(out)
    reads.save_pretrained(out)
    (out / "generation_config.json").unlink(missing_ok=True)
    weights = {name: tensor.half().contiguous() for name, tensor in load_file(out / WEIGHTS).items()}
    save_file(weights, out / WEIGHTS, {"format": "pt"})
    (out / LOG).write_text("".join(json.dumps(entry) + "\n" for entry in log), encoding="utf-8")
    training = {
        **asdict(how),
        "optimizer": "AdamW (0.9, 0.999)",
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "seconds": log[-1]["seconds"] if log else 0,
        "device": "cpu, 1 thread",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }
    told = {"format_version": 1, **meta, "training": training}
    told["sha256"] = hashlib.sha256((out / WEIGHTS).read_bytes()).hexdigest()
    (out / META).write_text(json.dumps(told, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
