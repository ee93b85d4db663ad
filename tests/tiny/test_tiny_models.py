"""The tiny BERT and GPT that ship, and the command that makes such models."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch
import transformers
from safetensors import safe_open

from model.__main__ import main
from model.errors import CorpusError
from model.folders import CHECKPOINTS, WEIGHTS, families
from model.tiny import bert, corpus, gpt
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
