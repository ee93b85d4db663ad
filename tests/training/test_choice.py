"""What chooses among the weights of a run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from model.errors import CorpusError
from model.evaluation.kept import must_score, read_must
from model.own.checkpoint import load_tokenizers
from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer
from model.training.choice import DevFiles, chosen_by
from model.training.prepare import VocabularySettings, prepare

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
