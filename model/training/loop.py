"""The training loop: one process, or several under torchrun."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from tqdm import tqdm

from model.errors import CheckpointError
from model.files import aside, leftovers, write_json, write_text
from model.history import SNAPSHOTS
from model.own import checkpoint
from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer
from model.own.text.tokenize import written_before
from model.own.text.vocab import PAD_ID
from model.training.choice import DevFiles, DevLikelihood, chosen_by
from model.training.corpus import Corpus, bucketed, collate
from model.training.loss import TranslationLoss
from model.training.settings import TrainingSettings, keep_freed_memory

MOMENTS = ("exp_avg", "exp_avg_sq", "step")
LOG_EVERY = 50
BEGINNING = "began_with.json"  # in a run's folder: how the weights came to be that it began with
REMEMBERED = {0} | {25 * 2**power for power in range(16)} | {75 * 2**power for power in range(16)}  # steps to remember


@dataclass
class Progress:
    """Counters of a run: optimiser steps, epochs finished, place in the epoch, seconds, best on dev (``chosen_by``).

    ``earlier`` are those of the run whose weights it began with; they are counted in whatever a run says of itself.
    """

    step: int = 0
    epoch: int = 0
    batch: int = 0
    tokens: int = 0
    seconds: float = 0.0
    best_score: float = -1.0
    earlier: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("step", "epoch", "tokens", "seconds"), 0))

    def whole(self) -> dict[str, float]:
        """Steps, epochs, tokens and seconds with the earlier ones."""
        return {name: getattr(self, name) + count for name, count in self.earlier.items()}


def counted(done: Mapping[str, float], log: str) -> dict[str, int]:
    """What a run has counted, by meta.json's ``training`` and the lines of its log, for one that goes on from it."""
    return {
        "step": int(done["steps_done"]),
        "epoch": json.loads(log.splitlines()[-1])["epoch"] + 1 if log else 0,
        "tokens": int(done["tgt_tokens_seen"]),
        "seconds": int(done["seconds"]),
    }


class MovingAverage:
    """An exponential moving average of a model's weights: ready to be judged or shipped at any step."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.weights = {name: value.detach().clone() for name, value in model.state_dict().items()}

    def update(self, model: nn.Module, step: int) -> None:
        """Move towards the weights after ``step`` ≥ 1; the first steps count for more."""
        share = 1 - min(self.decay, (1 + step) / (10 + step))
        new = model.state_dict()
        torch._foreach_lerp_(list(self.weights.values()), [new[name] for name in self.weights], share)

    @contextmanager
    def inside(self, model: nn.Module) -> Iterator[None]:
        """The model with the average as its weights, its own put back at the end."""
        own = {name: value.detach().clone() for name, value in model.state_dict().items()}
        model.load_state_dict(self.weights)
        try:
            yield
        finally:
            model.load_state_dict(own)


def save_state(
    folder: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    progress: Progress,
    average: MovingAverage,
) -> None:
    """Write the state; the counters last, so that a half-written state is never taken up."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {f"model.{name}": value.contiguous() for name, value in model.state_dict().items()}
    tensors |= {f"average.{name}": value for name, value in average.weights.items()}
    for name, parameter in model.named_parameters():
        for moment in MOMENTS:
            if moment in optimizer.state[parameter]:
                tensors[f"{moment}.{name}"] = optimizer.state[parameter][moment]
    with aside(folder / f"state-{progress.step}.safetensors") as part:
        save_file(tensors, part)
    write_json(folder / "progress.json", asdict(progress))
    for old in (*folder.glob("state-*.safetensors"), *leftovers(folder)):
        if old.name != f"state-{progress.step}.safetensors":
            old.unlink()


def load_state(folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, average: MovingAverage) -> Progress:
    """Put a saved state back into model, optimiser and average.

    Raises:
        CheckpointError: there is no state, or it belongs to a model of other sizes.
    """
    try:
        progress = Progress(**json.loads((folder / "progress.json").read_text(encoding="utf-8")))
        tensors = load_file(folder / f"state-{progress.step}.safetensors")
        model.load_state_dict(_under("model.", tensors), strict=True)
    except FileNotFoundError:
        raise CheckpointError(f"there is no training state to resume in {folder}") from None
    except RuntimeError:
        raise CheckpointError(f"the training state in {folder} belongs to a model of other sizes") from None
    average.weights = {name: value.to(average.weights[name]) for name, value in _under("average.", tensors).items()}
    for name, parameter in model.named_parameters():
        for moment in MOMENTS:
            if (value := tensors.get(f"{moment}.{name}")) is not None:
                optimizer.state[parameter][moment] = value.to(parameter.device)
    return progress


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


def grow(shallow: dict[str, Tensor], deep: nn.Module, parts: dict[str, list[list[int]]] | None = None) -> None:
    """Fill a deeper model with a shallower one's weights, its layers repeated in order (0 1 2 0 1 2).

    After "Stacking your Transformers" (Du et al. 2024) and Gong et al. 2019, progressive stacking:
    most of the training then runs at the cost of the shallow model. A token that the shallow one does not know
    begins near the mean of those that it was written with there (after Koto et al. 2021, IndoBERTweet), moved at
    random by half the spread of all tokens: 5, 55 and 555 would have one mean, and be slow to part.

    Args:
        shallow: its weights by name.
        deep: is filled.
        parts: for each side, "encoder" or "decoder", the ids in the shallow model's vocabulary that write each further
            token of the deep model's, in the order of its ids.
    """
    depth = {
        side: 1 + max(int(name.split(".")[2]) for name in shallow if name.startswith(f"{side}.layers."))
        for side in ("encoder", "decoder")
    }
    grown = {}
    for name in deep.state_dict():
        place = name.split(".")
        if place[1] == "layers":
            place[2] = str(int(place[2]) % depth[place[0]])
        grown[name] = shallow[".".join(place)]
        if place[1] == "embedding" and (new := (parts or {}).get(place[0])):
            means = torch.stack([grown[name][ids].mean(0) for ids in new])
            grown[name] = torch.cat([grown[name], means + grown[name].std() / 2 * torch.randn_like(means)])
    deep.load_state_dict(grown, strict=True)


def seed_of(seed: int, process: int, step: int) -> int:
    """What a step's dropout is seeded by: nothing that a run would have to remember where it is broken off."""
    return int(np.random.SeedSequence((abs(seed), process, step)).generate_state(1, np.uint64)[0])


def has_fast_bf16(device: torch.device) -> bool:
    """True where matrix products in bfloat16 are about twice as fast as in float32, or faster."""
    if device.type == "cpu":
        able = torch.cpu.get_capabilities()
        return bool(able.get("amx_bf16") or able.get("avx512_bf16"))
    return device.type == "cuda" and torch.cuda.is_bf16_supported()


class Trainer:
    """Trains a Transformer on a prepared folder and leaves a checkpoint folder behind."""

    def __init__(
        self, data: Path, out: Path, config: TransformerConfig, settings: TrainingSettings, device: torch.device
    ) -> None:
        self.data, self.out, self.settings, self.device = data, out, settings, device
        self.rank, self.world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        torch.manual_seed(settings.seed + self.rank)
        self.prepared: dict[str, Any] = json.loads((data / "prepared.json").read_text(encoding="utf-8"))
        self.corpus = Corpus.load(data / "train.npz")
        self.tokenizers = checkpoint.load_tokenizers(data, self.prepared["src_tokenizer"])
        self.choice = DevLikelihood(data) if settings.backward else DevFiles(data, *self.tokenizers)
        if settings.backward:
            self.corpus = self.corpus.turned()
        self.model = Transformer(config).to(device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True)
        self.average = MovingAverage(self.model, settings.ema_decay)
        self.progress = Progress()
        self.saved_at = time.monotonic()
        self.command = ""  # that started this run; goes into meta.json
        self.loss_module: nn.Module = TranslationLoss(self.model, settings.label_smoothing, settings.r_drop)

    def resume(self) -> None:
        """Go on from the state that an earlier run left in the same folder."""
        self.progress = load_state(self.out / "state", self.model, self.optimizer, self.average)
        for left in (*leftovers(self.out), *leftovers(self.out / SNAPSHOTS)):
            left.unlink()
        log, done = self._logged(), self.progress.whole()["step"]  # what was done after the state is done again
        write_text(self.out / checkpoint.LOG, "".join(line for line in log if json.loads(line)["step"] <= done))

    def _logged(self) -> list[str]:
        """Lines of the log, none where there is no log."""
        path = self.out / checkpoint.LOG
        return path.read_text(encoding="utf-8").splitlines(keepends=True) if path.is_file() else []

    def start_from(self, folder: Path) -> None:
        """Begin with the weights of another checkpoint, grown if it has fewer layers or tokens; its log goes on."""
        weights = {name: tensor.float() for name, tensor in load_file(folder / checkpoint.WEIGHTS).items()}
        known = checkpoint.load_tokenizers(folder, self.prepared["src_tokenizer"])
        sides = zip(("encoder", "decoder"), self.tokenizers, known, strict=True)
        grow(weights, self.model, {side: written_before(new.subwords, old.subwords) for side, new, old in sides})
        self.average = MovingAverage(self.model, self.settings.ema_decay)
        meta = json.loads((folder / checkpoint.META).read_text(encoding="utf-8"))
        log = (folder / checkpoint.LOG).read_text(encoding="utf-8") if (folder / checkpoint.LOG).is_file() else ""
        self.progress.earlier = counted(meta["training"], log)
        self.out.mkdir(parents=True, exist_ok=True)
        write_text(self.out / checkpoint.LOG, log)
        began = {key: meta[key] for key in ("command", "averaged", "training", "began_with") if key in meta}
        began["pairs_by_source"] = meta.get("data", {}).get("pairs_by_source", {})
        write_json(self.out / BEGINNING, began)

    def run(self) -> float:
        """Train to the end of the settings; the figure of the checkpoint that was kept, as ``chosen_by`` gives it."""
        self._begin()
        started = time.monotonic() - self.progress.seconds
        bar = tqdm(
            total=100, unit="%", disable=self.rank > 0, bar_format="{percentage:3.0f}%|{bar}| {remaining} left{postfix}"
        )
        window: list[tuple[Tensor, int]] = []
        mark = time.monotonic()
        for rows in self._batches():
            self._remember()
            self.progress.seconds = time.monotonic() - started
            share = self.settings.progress(self.progress.step, self.progress.seconds)
            if self._everyone(share >= 1.0):
                break
            window.append(self._step(rows, share))
            if self.progress.step % LOG_EVERY == 0 and self.rank == 0:
                self._report(window, time.monotonic() - mark, bar, share)
                window, mark = [], time.monotonic()
            if self.progress.step % self.settings.eval_every == 0 and self.rank == 0:
                self._evaluate()
                mark = time.monotonic()
        bar.close()
        if self.rank == 0:
            self._evaluate()
        return self.progress.best_score

    def _begin(self) -> None:
        self.out.mkdir(parents=True, exist_ok=True)
        if self.world > 1:
            dist.init_process_group("nccl" if self.device.type == "cuda" else "gloo")
            self.loss_module = nn.parallel.DistributedDataParallel(self.loss_module)
        if self.device.type == "cpu":
            keep_freed_memory()
        else:  # cuDNN's attention plans anew for every shape, and nearly every batch has a new one (docs/training.md)
            torch.backends.cuda.enable_cudnn_sdp(False)
        if self.rank == 0 and self.progress.step == 0:
            self._save()  # a run that is killed before its first state is due goes on from here
        self.model.train()

    def _batches(self) -> Iterator[np.ndarray]:
        """This process' batches, epoch after epoch, from where the run stands."""
        while True:
            batches = bucketed(
                self.corpus,
                self.settings.batch_tokens,
                self.model.config.max_len,
                self.settings.seed + self.progress.epoch,
                self.settings.source_weights,
            )
            own = batches[self.rank :: self.world][: max(1, len(batches) // self.world)]
            while self.progress.batch < len(own):
                yield own[self.progress.batch]  # counted by _step, so that an unused batch comes again
            self.progress.epoch, self.progress.batch = self.progress.epoch + 1, 0

    def _step(self, rows: np.ndarray, share: float) -> tuple[Tensor, int]:
        """One optimiser step: its loss, left where it was computed, and the number of target tokens."""
        self.progress.step += 1
        self.progress.batch += 1
        rate = self.settings.learning_rate(self.progress.step, share, self.model.config.d_model)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        torch.manual_seed(seed_of(self.settings.seed, self.rank, self.progress.step))
        batch = collate(self.corpus, rows)
        tokens = int((batch[2] != PAD_ID).sum())
        with torch.autocast(self.device.type, torch.bfloat16, enabled=has_fast_bf16(self.device)):
            loss: Tensor = self.loss_module(*(tensor.to(self.device) for tensor in batch))
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip_norm)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        if self.rank == 0:
            self.average.update(self.model, self.progress.step)
        self.progress.tokens += tokens * self.world
        return loss.detach(), tokens

    def _report(self, window: list[tuple[Tensor, int]], seconds: float, bar: Any, share: float) -> None:
        tokens = sum(count for _, count in window)
        loss = sum(value.item() * count for value, count in window) / tokens
        speed = tokens * self.world / seconds
        bar.set_postfix_str(
            f" step {self.progress.step}, loss {loss:.3f}, {speed:,.0f} tokens/s,"
            f" best on dev {self.progress.best_score:.1f}"
        )
        bar.update(100 * share - bar.n)
        rate = self.optimizer.param_groups[0]["lr"]
        self._log(loss=round(loss, 4), lr=rate, tokens_per_second=round(speed))

    def _log(self, **values: float) -> None:
        whole = self.progress.whole()
        entry = {
            "step": whole["step"],
            "epoch": whole["epoch"],
            "tgt_tokens": whole["tokens"],
            "seconds": round(whole["seconds"], 1),
            **values,
        }
        write_text(self.out / checkpoint.LOG, "".join([*self._logged(), json.dumps(entry) + "\n"]))

    def _evaluate(self) -> None:
        """Score the averaged weights on dev, keep the best, and save the state."""
        with self.average.inside(self.model):
            scores = self.choice.scores(self.model)
            self._log(**{name: round(value, 2) for name, value in scores.items()})
            if chosen_by(scores) > self.progress.best_score:
                self.progress.best_score = chosen_by(scores)
                self._keep(scores)
        self._save()

    def _remember(self) -> None:
        """Keep the averaged weights of the steps in REMEMBERED, and save the state when it is due."""
        if self.rank == 0 and self.progress.step in REMEMBERED:
            folder = self.out / SNAPSHOTS
            folder.mkdir(exist_ok=True)
            weights = {name: tensor.half() for name, tensor in self.average.weights.items()}
            with aside(folder / f"{self.progress.whole()['step']:08d}.safetensors") as part:
                save_file(weights, part)
        if self.rank == 0 and time.monotonic() - self.saved_at > 60 * self.settings.save_minutes:
            self._save()

    def _save(self) -> None:
        save_state(self.out / "state", self.model, self.optimizer, self.progress, self.average)
        self.saved_at = time.monotonic()

    def _keep(self, scores: Mapping[str, float]) -> None:
        whole = self.progress.whole()
        beginning = self.out / BEGINNING
        meta = {
            "command": self.command,
            **({"began_with": json.loads(beginning.read_text(encoding="utf-8"))} if beginning.is_file() else {}),
            "training": {
                **asdict(self.settings),
                "optimizer": "Adam (0.9, 0.98), eps 1e-9",
                "weights_kept": "exponential moving average",
                "precision": "bfloat16 autocast" if has_fast_bf16(self.device) else "float32",
                "steps_done": whole["step"],
                "tgt_tokens_seen": whole["tokens"],
                "seconds": round(whole["seconds"]),
                "device": torch.cuda.get_device_name() if self.device.type == "cuda" else "cpu",
                "torch": torch.__version__,
            },
            "data": self.prepared,
            "scores": {name.replace("bleu", "bleu_greedy"): round(value, 2) for name, value in scores.items()},
        }
        checkpoint.save(self.out, self.model, self.tokenizers, meta)

    def _everyone(self, stop: bool) -> bool:
        """True on all processes once it is True on one."""
        if self.world == 1:
            return stop
        flag = torch.tensor([float(stop)], device=self.device)
        dist.all_reduce(flag)
        return bool(flag.item())
