"""The mean of two checkpoints' weights."""

from __future__ import annotations

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from model.__main__ import main
from model.folders import resolve
from model.own.averaging import keep_score
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


def test_what_does_not_fit_together_is_one_sentence(pair, tmp_path, capsys) -> None:
    first, second = pair
    assert main(["average", str(first), str(second), "--share", "1.5", "--output", str(tmp_path / "new")]) == 2
    (second / "tgt.json").write_text((second / "tgt.json").read_text() + " ")
    assert main(["average", str(first), str(second), "--output", str(tmp_path / "new")]) == 2
    said = capsys.readouterr().err.splitlines()
    assert "from 0 to 1" in said[0]
    assert "different tgt.json" in said[1]
    assert not (tmp_path / "new").exists()
