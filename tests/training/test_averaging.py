"""The mean of two checkpoints' weights."""

from __future__ import annotations

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from model.__main__ import main
from model.commands.release.average import keep_score
from model.folders import resolve
from model.own.checkpoint import load
from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer
from model.own.text.digits import with_runs
from tests.pages import reverse

pytestmark = reverse


@pytest.fixture
def pair(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        shutil.copytree(resolve("reverse"), folder, ignore=shutil.ignore_patterns("history", "*.npz"))
    weights = load_file(second / "model.safetensors")
    save_file({name: each + 1 for name, each in weights.items()}, second / "model.safetensors")
    return first, second


def test_the_mean_is_of_every_weight_and_says_what_it_is_made_of(pair, tmp_path, capsys) -> None:
    first, second = pair
    assert main(["average", str(first), str(second), "--share", "0.25", "--output", str(tmp_path / "new")]) == 0
    before, mean = (load_file(folder / "model.safetensors") for folder in (first, tmp_path / "new"))
    for name, each in before.items():
        torch.testing.assert_close(mean[name].float(), each.float() + 0.25, atol=5e-3, rtol=2e-3)
    meta = json.loads((tmp_path / "new" / "meta.json").read_text())
    assert meta["averaged"]["share"] == 0.25
    assert "--share 0.25" in meta["averaged"]["command"]
    assert meta["sha256"] != json.loads((first / "meta.json").read_text())["sha256"]
    assert "scores" not in meta
    dev = tmp_path / "dev.tsv"
    dev.write_text("abc\tcba\n")
    again = ["average", str(first), str(first), "--dev", str(dev), "--output", str(tmp_path / "same")]
    assert main(again) == 0
    assert "dev BLEU" in capsys.readouterr().out
    keep_score(tmp_path / "same", 12.5)
    assert json.loads((tmp_path / "same" / "meta.json").read_text())["scores"] == {"dev_bleu_greedy": 12.5}
    assert main(["translate", "--checkpoint", str(tmp_path / "new"), "abc"]) == 0


def test_tokens_that_only_the_second_knows_keep_its_weights(pair, tmp_path) -> None:
    first, second = pair
    with_runs(load(second).tgt_tokenizer.subwords).save(str(second / "tgt.json"))
    config = json.loads((second / "config.json").read_text())
    known = config["tgt_vocab_size"]
    grown = Transformer(TransformerConfig.from_dict(config | {"tgt_vocab_size": known + 30, "dropout": 0.3}))
    weights = {name: torch.full_like(each, 3.0, dtype=torch.float16) for name, each in grown.state_dict().items()}
    save_file(weights, second / "model.safetensors")
    (second / "config.json").write_text(json.dumps(grown.config.to_dict()))
    assert main(["average", str(first), str(second), "--share", "0.25", "--output", str(tmp_path / "new")]) == 0
    mean, name = load_file(tmp_path / "new" / "model.safetensors"), "decoder.embedding.tokens.weight"
    assert mean[name].shape[0] == known + 30
    assert (mean[name][known:] == 3).all()
    before = load_file(first / "model.safetensors")[name].float()
    torch.testing.assert_close(mean[name][:known].float(), 0.75 * before + 0.75, atol=5e-3, rtol=2e-3)
    assert main(["average", str(second), str(first), "--output", str(tmp_path / "other")]) == 2, "it knows fewer"


def test_what_does_not_fit_together_is_one_sentence(pair, tmp_path, capsys) -> None:
    first, second = pair
    assert main(["average", str(first), str(second), "--share", "1.5", "--output", str(tmp_path / "new")]) == 2
    config = json.loads((second / "config.json").read_text())
    (second / "config.json").write_text(json.dumps(config | {"n_heads": 2}))
    assert main(["average", str(first), str(second), "--output", str(tmp_path / "new")]) == 2
    (second / "config.json").write_text(json.dumps(config))
    vocabulary = (second / "tgt.json").read_text()
    (second / "tgt.json").write_text(
        vocabulary.replace('"a"', '"!"', 1).replace('"b"', '"a"', 1).replace('"!"', '"b"', 1)
    )
    assert main(["average", str(first), str(second), "--output", str(tmp_path / "new")]) == 2
    said = capsys.readouterr().err.splitlines()
    assert "from 0 to 1" in said[0]
    assert "different settings in config.json" in said[1]
    assert "number their tokens differently" in said[2]
    assert not (tmp_path / "new").exists()
