"""What a stopped run needs to go on: weights, their average, Adam's moments, counters. No pickle."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from model.errors import CheckpointError

MOMENTS = ("exp_avg", "exp_avg_sq", "step")


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
    """Write the state; the counters last and at once, so that a half-written state is never taken up."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {f"model.{name}": value.contiguous() for name, value in model.state_dict().items()}
    tensors |= {f"average.{name}": value for name, value in average.weights.items()}
    for name, parameter in model.named_parameters():
        for moment in MOMENTS:
            if moment in optimizer.state[parameter]:
                tensors[f"{moment}.{name}"] = optimizer.state[parameter][moment]
    part = folder / "state.part"
    save_file(tensors, part)
    part.replace(folder / f"state-{progress.step}.safetensors")
    part.write_text(json.dumps(asdict(progress)), encoding="utf-8")
    part.replace(folder / "progress.json")
    for old in folder.glob("state-*.safetensors"):
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
