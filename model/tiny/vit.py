"""A tiny ViT: a picture cut into patches, and a class token that reads them (Dosovitskiy et al. 2021)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
import transformers
from torch import Tensor

from model.common.scenes import COLOURS, PATCH, SIZE, RingedScene, scene

_SIZES: dict[str, Any] = {"hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 128}
_ROWS = 64  # scenes of a batch
HELD_OUT_SCENES = range(1_000, 2_000)  # numbers of the scenes that it is measured on
_FIRST = 10_000  # scenes from here on are those that it learns from
ANSWERS = sorted(COLOURS)


def untrained(seed: int) -> transformers.PreTrainedModel:
    """The model before its first step."""
    torch.manual_seed(seed)
    labels = dict(enumerate(ANSWERS))
    config = transformers.ViTConfig(
        image_size=SIZE, patch_size=PATCH, id2label=labels, label2id={name: at for at, name in labels.items()}, **_SIZES
    )
    return transformers.ViTForImageClassification(config)


def processor() -> transformers.ImageProcessingMixin:
    """What makes a picture ready for it: its size, and numbers from −1 to 1."""
    return transformers.ViTImageProcessorPil(size={"height": SIZE, "width": SIZE})


def ready(scenes: list[RingedScene]) -> tuple[Tensor, Tensor]:
    """Pixels [N, 3, 48, 48] from −1 to 1, as ``processor`` makes them, and numbers of the answers [N]."""
    pixels = torch.from_numpy(np.stack([np.asarray(each.image) for each in scenes])).permute(0, 3, 1, 2)
    return pixels / 127.5 - 1, torch.tensor([ANSWERS.index(each.answer) for each in scenes])


def batches(seed: int, count: int = 12_000) -> Iterator[tuple[Tensor, Tensor]]:
    """Batches of ``count`` scenes without end, in an order that the seed decides."""
    pixels, answers = ready([scene(_FIRST + number) for number in range(count)])
    rng = random.Random(seed)
    while True:
        order = torch.tensor(rng.sample(range(count), count))
        yield from ((pixels[places], answers[places]) for places in order.split(_ROWS))


def loss(model: Any, pixels: Tensor, answers: Tensor) -> Tensor:
    """Mean cross-entropy, in nats."""
    return F.cross_entropy(model(pixel_values=pixels).logits, answers)


def scores(model: Any) -> dict[str, float]:
    """Share of held-out scenes whose answer is right."""
    pixels, answers = ready([scene(number) for number in HELD_OUT_SCENES])
    with torch.inference_mode():
        right = (model(pixel_values=pixels).logits.argmax(-1) == answers).float().mean()
    return {"right_percent": round(100 * float(right), 1)}
