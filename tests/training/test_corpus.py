from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from model.errors import CorpusError
from model.own.checkpoint import load_tokenizers
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID
from model.pairs import read_rows
from model.training.batching import bucketed, collate
from model.training.corpus import Corpus, split_dev
from model.training.prepare import REVERSAL_ALPHABET, VocabularySettings, prepare, prepare_reversal


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("I love you.\t我爱你。\nonly English\n", "line 2: expected English, a tab, and Chinese"),
        ("a\tb\n\nc\td\n", "line 2: expected"),
        ("a\t \n", "line 1: expected"),
        ("", "holds no sentence pair"),
    ],
)
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=complaint):
        read_rows(path)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"there is no file .*none\.tsv"):
        read_rows(tmp_path / "none.tsv")
    (tmp_path / "latin.tsv").write_bytes(b"caf\xe9\tx\n")
    with pytest.raises(CorpusError, match=r"cannot read .*latin\.tsv"):
        read_rows(tmp_path / "latin.tsv")


def test_line_separators_inside_a_sentence_do_not_split_it(tmp_path: Path) -> None:
    path = tmp_path / "odd.tsv"
    path.write_text("one\u2028two\x85three\t一二三\nfour\t四\n", encoding="utf-8")
    assert len(read_rows(path)) == 2


def test_a_third_column_names_the_source(tsv: Path) -> None:
    rows = read_rows(tsv)
    assert rows[0] == ("I love you.", "我爱你。", "books")
    assert len(rows) == 12


def test_prepare_writes_what_training_reads(tsv: Path, tmp_path: Path) -> None:
    summary = prepare([tsv], tmp_path / "data", vocabulary=VocabularySettings(400, 10))
    assert json.loads((tmp_path / "data/prepared.json").read_text(encoding="utf-8")) == summary
    assert summary["train_pairs"] == 11
    assert summary["dev_pairs"] == 1
    corpus = Corpus.load(tmp_path / "data/train.npz")
    src, tgt = load_tokenizers(tmp_path / "data", "english")
    src_ids, tgt_ids = corpus.pair(0)
    assert src_ids[-1] == EOS_ID
    english = {row[0]: row[1] for row in read_rows(tsv)}
    assert any([token.id for token in src.encode(text)] == src_ids[:-1].tolist() for text in english)
    assert tgt.decode(tgt_ids.tolist()).replace(" ", "") in {text.replace(" ", "") for text in english.values()}


def test_too_few_pairs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "few.tsv"
    path.write_text("a\tb\n" * 9, encoding="utf-8")
    with pytest.raises(CorpusError, match="9 sentence pairs are too few"):
        prepare([path], tmp_path / "data")


def test_reversal_pairs_are_reversed(tmp_path: Path) -> None:
    prepare_reversal(tmp_path, n_pairs=50)
    corpus = Corpus.load(tmp_path / "train.npz")
    src, tgt = load_tokenizers(tmp_path, "characters")
    assert len(corpus) == 50
    for number in range(50):
        src_ids, tgt_ids = corpus.pair(number)
        text = "".join(src.piece(int(token_id)) for token_id in src_ids[:-1])
        assert tgt.decode(tgt_ids.tolist()) == text[::-1]
        assert 1 <= len(text) <= 24
        assert set(text) <= set(REVERSAL_ALPHABET)


def test_dev_pairs_are_held_out_once() -> None:
    rows = [(str(number), str(number), "") for number in range(100)]
    train, dev = split_dev(rows, 1000, seed=1)
    assert (len(train), len(dev)) == (90, 10)
    assert sorted(train + dev, key=lambda row: int(row[0])) == rows


@pytest.fixture
def corpus() -> Corpus:
    rng = np.random.default_rng(0)
    rows = [rng.integers(4, 50, size=size).tolist() for size in rng.integers(1, 30, size=200)]
    return Corpus([[*row, EOS_ID] for row in rows], rows, ["a", "b"] * 100)


def test_every_pair_is_in_one_batch_and_no_batch_is_too_large(corpus: Corpus) -> None:
    batches = bucketed(corpus, 120, 64, seed=1)
    assert sorted(np.concatenate(batches).tolist()) == list(range(200))
    assert max(collate(corpus, rows)[1].numel() for rows in batches) <= 120
    again = bucketed(corpus, 120, 64, seed=1)
    assert all(np.array_equal(one, two) for one, two in zip(batches, again, strict=True))
    assert [len(rows) for rows in bucketed(corpus, 120, 64, seed=2)] != [len(rows) for rows in batches]


def test_weights_of_sources_and_the_longest_length_are_kept(corpus: Corpus) -> None:
    rows = np.concatenate(bucketed(corpus, 120, 20, seed=1, source_weights={"a": 0.0, "b": 2.0}))
    src_len, tgt_len = corpus.lengths()
    fitting = [row for row in range(1, 200, 2) if src_len[row] < 20 and tgt_len[row] + 1 < 20]
    assert sorted(rows.tolist()) == sorted(fitting * 2)


def test_collate_shifts_the_target_by_one(corpus: Corpus) -> None:
    src, tgt_in, tgt_out = collate(corpus, np.array([0, 1]))
    _, tgt = corpus.pair(0)
    assert tgt_in[0, : len(tgt) + 1].tolist() == [BOS_ID, *tgt.tolist()]
    assert tgt_out[0, : len(tgt) + 1].tolist() == [*tgt.tolist(), EOS_ID]
    assert (tgt_in[0, len(tgt) + 1 :] == PAD_ID).all()
    assert src.shape[0] == 2
