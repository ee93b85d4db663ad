"""Each tiny model from its data to its folder."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from tqdm import tqdm

from model.files import aside, write_json, write_text
from model.folders import LOG, META, WEIGHTS
from model.passage import one_thread
from model.tiny import bert, corpus, gpt, vit

_LOG_EVERY = 50
SOURCES: dict[str, dict[str, str]] = {
    "tatoeba": {"licence": "CC BY 2.0 FR", "credit": "Tatoeba (tatoeba.org), through ManyThings.org"},
    "3am": {
        "licence": "MIT",
        "credit": "3AM: An Ambiguity-Aware Multi-Modal Machine Translation Dataset (Ma et al., LREC-COLING 2024)",
    },
}
TINY_EXAMPLES = {
    "bert": (
        "A man is riding a [MASK] down the street.",
        "My sister [MASK] a red bicycle yesterday.",
        "The animal didn't cross the street because it was too [MASK].",
    ),
    "gpt": ("A man in a", "My sister bought a red", "I don't know what"),
    "vit": ("scene-7", "scene-8", "scene-9", "scene-10", "scene-11"),
}


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
    with aside(out / WEIGHTS) as part:
        save_file(weights, part, {"format": "pt"})
    write_text(out / LOG, "".join(json.dumps(entry) + "\n" for entry in log))
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
    write_json(out / META, told)


FITS = {"bert": Fit(2_400, 2e-3, warmup=200), "gpt": Fit(2_200, 3e-3), "vit": Fit(1_500, 1e-3)}


def make(family: str, out: Path, tsv: Sequence[Path], command: str, steps: int | None = None) -> dict[str, Any]:
    """Train one family and write its folder; its scores.

    Args:
        family: "bert", "gpt" or "vit".
        out: folder to write.
        tsv: for the two that read text, files of English, tab, anything, tab, source; only SOURCES are taken.
        command: that was given, for meta.json.
        steps: other than those of FITS.

    Raises:
        CorpusError: a file cannot be read, or there are too few sentences.
    """
    how = replace(FITS[family], steps=steps or FITS[family].steps)
    out.mkdir(parents=True, exist_ok=True)
    with one_thread():
        if family == "vit":
            return _vit(out, how, command)
        return _of_text(family, out, how, command, corpus.english(tsv, list(SOURCES), how.seed))


def _vit(out: Path, how: Fit, command: str) -> dict[str, Any]:
    model = vit.untrained(how.seed)
    log = fit(model, vit.batches(how.seed), lambda batch: vit.loss(model, *batch), how)
    rounded(model)
    scores = vit.scores(model)
    data = {
        "scenes": "drawn by model/common/scenes.py",
        "held_out": [vit.HELD_OUT_SCENES.start, vit.HELD_OUT_SCENES.stop],
    }
    licence = {"weights_licence": "Apache-2.0", "sources": {}}
    save(out, model, vit.processor(), how, log, _meta("vit", command, {**data, "credits": licence}, scores))
    return scores


def _of_text(family: str, out: Path, how: Fit, command: str, texts: corpus.Sentences) -> dict[str, Any]:
    family_of: Any = {"bert": bert, "gpt": gpt}[family]
    words = family_of.tokenizer(texts.train)
    model = family_of.untrained(len(words), how.seed)
    ids = words(texts.train)["input_ids"]
    if family == "bert":
        masking, pad = bert.Masking(words, how.seed), words.pad_token_id
        masked = map(masking, corpus.batches(ids, bert.join, how.seed))
        log = fit(model, masked, lambda batch: bert.loss(model, batch[0], batch[1], pad), how)
    else:
        ended = [[*each, words.eos_token_id] for each in ids]
        batches = map(gpt.batch, corpus.batches(ended, gpt.join, how.seed))
        log = fit(model, batches, lambda batch: gpt.loss(model, *batch), how)
    rounded(model)
    with torch.inference_mode():
        scores: dict[str, Any] = family_of.scores(model, words, texts.held_out)
    data = {"sentences_by_source": texts.counts, "held_out": len(texts.held_out), "vocabulary": len(words)}
    licence = {
        "weights_licence": "CC BY 4.0",
        "weights_notice": "Use these weights with the credit of every source named here.",
        "sources": {name: SOURCES[name] for name in texts.counts},
    }
    save(out, model, words, how, log, _meta(family, command, {**data, "credits": licence}, scores))
    return scores


def _meta(family: str, command: str, data: dict[str, Any], scores: dict[str, Any]) -> dict[str, Any]:
    return {"command": command, "examples": TINY_EXAMPLES[family], "data": data, "scores": scores}
