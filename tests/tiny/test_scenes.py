"""Scenes whose answer is known to depend on certain patches: it does, and the shipped model of pictures finds it."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
import torch
import transformers
from PIL import Image

from model.analysis.faithfulness.table import SCENE_MAPS, load_scenes, share_on
from model.common.scenes import COLOURS, PATCH, scene, scene_of, scene_png
from model.errors import PictureError
from model.folders import CHECKPOINTS
from model.tiny import vit

NUMBERS = range(1_000, 1_040)
GROUND = np.array([0xF7, 0xF4, 0xEC], np.uint8)
FOLDER = CHECKPOINTS / "tiny-vit"


def pixels(number: int) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(scene_png(f"scene-{number}"))).convert("RGB")).copy()


def large(decides: np.ndarray) -> np.ndarray:
    return np.kron(decides, np.ones((PATCH, PATCH), bool)).astype(bool)


@pytest.fixture(scope="module")
def eager():
    return transformers.ViTForImageClassification.from_pretrained(
        FOLDER, attn_implementation="eager", dtype=torch.float32
    ).eval()


def answers(model, pictures: list[np.ndarray]) -> list[str]:
    given = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2) / 127.5 - 1
    with torch.inference_mode():
        return [vit.ANSWERS[each] for each in model(pixel_values=given).logits.argmax(-1).tolist()]


@pytest.mark.parametrize("number", NUMBERS[:10])
def test_the_ring_and_its_shape_lie_on_the_deciding_patches_and_on_each_of_them(number: int) -> None:
    made, image = scene(number), pixels(number)
    inside = large(made.decides)
    ring = (image == (0x1A, 0x1A, 0x1A)).all(-1)
    answer = (image == tuple(bytes.fromhex(COLOURS[made.answer][1:]))).all(-1)
    assert ring.any()
    assert answer.any()
    assert inside[ring].all()
    assert inside[answer].all(), "no other shape has the answer's colour"
    marked = (ring | answer).reshape(6, PATCH, 6, PATCH).any((1, 3))
    np.testing.assert_array_equal(marked, made.decides)
    assert (pixels(number) == image).all()
    assert (pixels(number + 1) != image).any()


@pytest.mark.parametrize("name", ["scene-", "scene-x", "scene-1234567", "house", "../scene-1", "scene-1\n"])
def test_other_names_are_no_scenes(name: str) -> None:
    assert scene_of(name) is None
    with pytest.raises(PictureError):
        scene_png(name)


def test_the_model_answers_from_the_deciding_patches_alone(eager) -> None:
    made = [scene(number) for number in NUMBERS]
    wanted = [each.answer for each in made]
    whole = [pixels(number) for number in NUMBERS]
    kept = [np.where(large(each.decides)[..., None], image, GROUND) for each, image in zip(made, whole, strict=True)]
    lost = [np.where(large(each.decides)[..., None], GROUND, image) for each, image in zip(made, whole, strict=True)]

    def right(pictures: list[np.ndarray]) -> float:
        return float(np.mean([a == b for a, b in zip(answers(eager, pictures), wanted, strict=True)]))

    assert right(whole) >= 0.95
    assert right(kept) >= 0.9
    assert right(lost) <= 0.4


def test_the_shares_that_ship_are_those_of_transformers_own_attention(eager) -> None:
    table = load_scenes("tiny-vit", _sha256())
    assert table is not None
    assert set(table["maps"]) == set(SCENE_MAPS)
    shares, chance = [], []
    for number in vit.HELD_OUT_SCENES[: table["scenes"]]:
        given = torch.from_numpy(pixels(number)).permute(2, 0, 1)[None] / 127.5 - 1
        with torch.inference_mode():
            maps = eager(pixel_values=given, output_attentions=True).attentions
        rows = torch.stack(maps)[:, 0, :, 0, 1:].double().numpy()
        decides = scene(number).decides.ravel()
        shares.append(rows[..., decides].sum(-1) / rows.sum(-1))
        chance.append(decides.mean())
    np.testing.assert_allclose(np.mean(shares, 0), table["maps"]["weights"]["heads"], atol=2e-4)
    assert table["chance"] == pytest.approx(np.mean(chance), abs=1e-4)
    assert table["maps"]["weights"]["mean"] > 2 * table["chance"]
    assert load_scenes("tiny-vit", "0" * 64) is None


def _sha256() -> str:
    return str(json.loads((FOLDER / "meta.json").read_text(encoding="utf-8"))["sha256"])


def test_what_falls_on_no_patch_has_no_share() -> None:
    decides = np.array([[True, False]])
    assert np.isnan(share_on(np.array([1.0, 0.0, 0.0]), decides))
    np.testing.assert_allclose(share_on(np.array([[9.0, 1.0, -3.0], [0.0, 2.0, 0.0]]), decides), [0.25, 1.0])
