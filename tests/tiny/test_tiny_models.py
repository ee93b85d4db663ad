"""The tiny BERT and GPT that ship, and the command that makes such models."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from PIL import Image
from safetensors import safe_open

from model.__main__ import main
from model.analysis.faithfulness.table import SCENE_MAPS, load_scenes, share_on
from model.common.scenes import COLOURS, PATCH, scene, scene_of, scene_png
from model.errors import CorpusError, PictureError
from model.folders import CHECKPOINTS, WEIGHTS, families
from model.tiny import bert, corpus, gpt, vit
from model.tiny.make import TINY_EXAMPLES
from model.translator import open_model
from tests.folder.spelling import lines

TEXT = "My sister [MASK] a red bicycle yesterday."


@pytest.fixture(scope="module")
def reader():
    return open_model("tiny-bert")


@pytest.fixture(scope="module")
def writer():
    return open_model("tiny-gpt")


def test_bert_fills_in_what_transformers_fills_in(reader) -> None:
    folder = CHECKPOINTS / "tiny-bert"
    words = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.BertForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
    ids = words(TEXT, return_tensors="pt")["input_ids"]
    place = int((ids[0] == words.mask_token_id).nonzero())
    with torch.inference_mode():
        log_p = model(input_ids=ids).logits[0, place].log_softmax(-1)
    found = reader.translate(TEXT, capture=True)
    assert found.tgt_ids == (int(log_p.argmax()),)
    assert found.log_probs[0] == pytest.approx(float(log_p.max()), abs=1e-4)
    other = reader.translate("The man is [MASK] a horse.").tgt_ids
    assert other != found.tgt_ids, "it reads what stands around"
    assert (found.trace.weights["encoder_self"] > 0).all()


def test_gpt_goes_on_and_sees_nothing_that_comes_later(writer) -> None:
    found = writer.translate("A man in a", capture=True)
    weights = found.trace.weights["decoder_self"]
    rows = weights.shape[-1]
    assert rows > found.given + 1
    above = torch.triu(torch.ones(rows, rows), 1).bool().numpy()
    assert (weights[..., above] == 0).all()
    assert (weights[..., ~above] > 0).all()
    assert found.text.startswith("A man in a")
    assert sum(found.log_probs[found.given :]) > math.log(1 / 2_000) * (len(found.log_probs) - found.given)


@pytest.mark.parametrize("name", families())
def test_weights_are_halves_and_examples_are_those_of_the_program(name: str) -> None:
    with safe_open(CHECKPOINTS / name / WEIGHTS, "pt") as tensors:
        assert {tensors.get_tensor(key).dtype for key in tensors.keys()} == {torch.float16}  # noqa: SIM118
    meta = json.loads((CHECKPOINTS / name / "meta.json").read_text(encoding="utf-8"))
    assert tuple(meta["examples"]) == TINY_EXAMPLES[name.removeprefix("tiny-")]


def test_masking_hides_a_quarter_and_asks_only_for_what_it_hid() -> None:
    words = bert.tokenizer(lines()[0], 300)
    rows = [words(text)["input_ids"] for text in lines()[0][:40]]
    read, asked = bert.Masking(words, 2)(rows)
    real = torch.tensor([[1 <= at < len(row) - 1 for at in range(read.shape[1])] for row in rows])
    whole = corpus.padded(rows, words.pad_token_id)
    wanted = asked != bert.NOT_ASKED
    assert (whole[wanted] == asked[wanted]).all()
    assert (read[~wanted] == whole[~wanted]).all()
    assert not (wanted & ~real).any()
    assert wanted.any(1).all()
    assert float(wanted.sum() / real.sum()) == pytest.approx(bert.MASKED, abs=0.06)
    assert float((read[wanted] == words.mask_token_id).float().mean()) == pytest.approx(0.8, abs=0.12)


def test_gpts_loss_leaves_padding_out() -> None:
    model = gpt.untrained(300, 1).eval()
    long, short = [5, 6, 7, 8, 0], [9, 10, 0]
    with torch.inference_mode():
        both = float(gpt.loss(model, *gpt.batch([long, short])))
        each = [float(gpt.loss(model, *gpt.batch([row]))) for row in (long, short)]
    assert both == pytest.approx((4 * each[0] + 2 * each[1]) / 6, abs=1e-5)


def test_only_sources_with_credits_are_taken_and_nothing_held_out_is_learnt(tmp_path: Path) -> None:
    rows = [f"Sentence {n}.\t句\t{'tatoeba' if n % 2 else 'secret'}" for n in range(4_400)]
    (tmp_path / "x.tsv").write_text("\n".join([*rows, rows[1]]), encoding="utf-8")
    found = corpus.english([tmp_path / "x.tsv"], ["tatoeba"], 1)
    assert (len(found.train), len(found.held_out), found.counts) == (1_200, 1_000, {"tatoeba": 1_200})
    assert not set(found.train) & set(found.held_out)
    assert all(int(text.split()[1].rstrip(".")) % 2 for text in found.train)
    with pytest.raises(CorpusError):
        corpus.english([tmp_path / "x.tsv"], ["nobody"], 1)


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tiny", "bert", "--tsv", str(tmp_path / "none.tsv"), "--out", str(tmp_path / "out")]) == 2
    assert "there is no file" in capsys.readouterr().err
    assert main(["tiny", "gpt", "--out", str(tmp_path / "out")]) == 2
    assert "too few" in capsys.readouterr().err


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
