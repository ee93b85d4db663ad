"""What chooses among the weights of a run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from model.__main__ import main
from model.commands.release.average import keep_score
from model.errors import CorpusError
from model.evaluation.kept import must_score, read_must
from model.folders import resolve
from model.own.checkpoint import load, load_tokenizers
from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer
from model.own.text.tokenize import with_runs
from model.training.choice import DevFiles, chosen_by
from model.training.prepare import VocabularySettings, prepare
from tests.pages import reverse

pytestmark = reverse


MUST = "The red car is mine.\t红\t车|汽车\nWhere is the street?\t街|路\n"


@pytest.fixture
def prepared(tsv: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "choice"
    folder.mkdir()
    (folder / "short.tsv").write_text("I love you.\t我爱你。\n", encoding="utf-8")
    (folder / "long.tsv").write_text("You love me.\t你爱我。\tnews\nHe left.\t他走了。\tnews\n", encoding="utf-8")
    (folder / "words.tsv").write_text(MUST, encoding="utf-8")
    dev = [folder / "short.tsv", folder / "long.tsv"]
    prepare([tsv], folder / "data", dev, vocabulary=VocabularySettings(400, 10), must=folder / "words.tsv")
    return folder / "data"


def test_every_dev_file_is_scored_by_itself_and_so_are_the_words(prepared: Path) -> None:
    src, tgt = load_tokenizers(prepared, "english")
    choice = DevFiles(prepared, src, tgt)
    assert [(file.name, len(file.rows), file.references[0]) for file in choice.files] == [
        ("short", 1, "我爱你。"),
        ("long", 2, "你爱我。"),
    ]
    assert [token.id for token in src.encode("You love me.")] == choice.files[1].rows[0][:-1].tolist()
    config = TransformerConfig(src.vocab_size, tgt.vocab_size, 16, 32, 2, 1, 1, dropout=0.0)
    scores = choice.scores(Transformer(config))
    assert set(scores) == {"dev_bleu", "long_bleu", "must_percent"}


def test_the_best_are_chosen_by_all_files_and_the_words_together() -> None:
    assert chosen_by({"dev_bleu": 30.0}) == 30.0
    assert chosen_by({"dev_bleu": 30.0, "long_bleu": 10.0, "must_percent": 50.0}) == pytest.approx(50.0)
    better_words = {"dev_bleu": 30.0, "long_bleu": 10.0, "must_percent": 60.0}
    better_bleu = {"dev_bleu": 31.0, "long_bleu": 10.5, "must_percent": 50.0}
    assert chosen_by(better_words) > chosen_by(better_bleu)


def test_words_are_held_in_any_of_their_forms_and_failures_are_named(tmp_path: Path) -> None:
    path = tmp_path / "must.tsv"
    path.write_text(MUST, encoding="utf-8")
    result = must_score(read_must(path), ["红汽车是我的。", "它在哪里？"])
    assert (result.words, result.sentences) == ((2, 3), (1, 2))
    assert result.failures == (("Where is the street?", "它在哪里？", ("街",)),)
    assert result.percent == pytest.approx(200 / 3)


@pytest.mark.parametrize(("text", "complaint"), [("A car.\t \n", "line 1: expected English"), ("", "no sentence")])
def test_a_file_without_words_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "must.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=complaint):
        read_must(path)
    with pytest.raises(CorpusError, match="cannot read"):
        read_must(tmp_path / "none.tsv")


def test_sources_can_be_left_out_and_vocabularies_grow(tsv: Path, prepared: Path, tmp_path: Path) -> None:
    summary = prepare([tsv], tmp_path / "data", vocabulary=VocabularySettings(keep=prepared, more_src=50))
    assert summary["pairs_by_source"] == {"books": 11}
    before = json.loads((prepared / "prepared.json").read_text(encoding="utf-8"))
    assert np.all(summary["src_vocab_size"] >= before["src_vocab_size"])
    with pytest.raises(CorpusError, match="0 sentence pairs are too few"):
        prepare([tsv], tmp_path / "none", without=["books"])


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
