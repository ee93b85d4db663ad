"""Vocabularies that are kept and grow with the words of new pairs."""

from __future__ import annotations

import json
import random
import re
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from model.errors import CheckpointError, CorpusError
from model.evaluation.kept import read_kept
from model.own.checkpoint import load_tokenizers
from model.own.text.tokenize import CharacterTokenizer, EnglishTokenizer, with_runs, written_before
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID
from model.pairs import Row, read_rows
from model.training.corpus import (
    RAREST_PAIR,
    Corpus,
    bucketed,
    collate,
    english_words,
    grown,
    joined,
    learn_characters,
    learn_english,
    linked,
    split_dev,
    with_merges,
)
from model.training.prepare import (
    LISTS,
    REVERSAL_ALPHABET,
    VocabularySettings,
    fill,
    filled_templates,
    known_names,
    prepare,
    prepare_reversal,
    varied,
    with_other_names,
    with_other_numbers,
)


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


LETTERS = "a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9"
OLD = 4 * ["Tom likes the red car.", "It was too big for the box.", LETTERS, LETTERS.replace(" ", "")]
TROPHY = "The trophy was too big for the suitcase in 2004."
NEW = [(TROPHY, "2004年奖杯太大了，箱子装不下。", "written")] * RAREST_PAIR


@pytest.fixture(scope="module")
def old() -> tuple[EnglishTokenizer, CharacterTokenizer]:
    src, tgt = learn_english(OLD, 420), learn_characters(["汤姆喜欢红车。太大了"], 0, 1)
    return EnglishTokenizer(with_runs(src.subwords), src.casing), tgt


def test_a_word_that_is_frequent_in_new_pairs_becomes_one_token_behind_those_that_were_there(old) -> None:
    src, tgt = old
    assert len(src.encode("trophy")) > 1
    wide_src, wide_tgt = grown(src, tgt, NEW, merges=200)
    assert [token.text for token in wide_src.encode("trophy")] == ["▁trophy"]
    assert [token.text for token in wide_tgt.encode("奖杯")] == ["奖", "杯"]
    for before, after in ((src, wide_src), (tgt, wide_tgt)):
        size = before.vocab_size
        known = [before.subwords.id_to_token(number) for number in range(size)]
        assert [after.subwords.id_to_token(number) for number in range(size)] == known
        assert after.vocab_size > size


def test_every_new_token_was_written_by_pieces_that_spell_it(old) -> None:
    src, tgt = old
    wide, _ = grown(src, tgt, NEW, merges=200)
    parts = written_before(wide.subwords, src.subwords)
    for number, ids in enumerate(parts, src.vocab_size):
        assert "".join(src.subwords.id_to_token(part) for part in ids) == wide.subwords.id_to_token(number)
        assert len(ids) > 1
    with pytest.raises(CheckpointError, match="number their tokens differently"):
        written_before(src.subwords, wide.subwords)


def test_what_is_rare_or_a_number_stays_in_pieces_and_old_sentences_are_cut_no_finer(old) -> None:
    src, tgt = old
    wide, narrow = grown(
        src, tgt, [*NEW[1:], ("A xylophone!", "木琴！", ""), *2 * [("Eh", "e\u0301\u05b7", "")]], merges=200
    )
    pieces = [token.text for token in wide.encode("xylophone trophy 2004")]
    assert pieces.count("▁xylophone") == pieces.count("▁trophy") == 0, "seen too seldom"
    assert narrow.subwords.token_to_id("琴") is None
    assert narrow.subwords.token_to_id("\u0301") is None, "a mark alone is no character"
    wide, _ = grown(src, tgt, NEW, merges=200)
    assert [token.text for token in wide.encode("2004")] == ["▁2", "00", "4"]
    for sentence in OLD:
        assert len(wide.encode(sentence)) <= len(src.encode(sentence))


def test_merges_are_those_of_byte_pair_encoding_worked_by_hand(old) -> None:
    src, _ = old
    words = {"▁zq": 3 * RAREST_PAIR, "▁zqx": 2 * RAREST_PAIR}
    pieces = src.subwords.encode(["▁zqx"], is_pretokenized=True).tokens
    assert pieces == ["▁z", "q", "x"]
    wide = with_merges(src.subwords, words, merges=9)
    assert [wide.id_to_token(number) for number in range(src.vocab_size, wide.get_vocab_size())] == ["▁zq", "▁zqx"]
    assert with_merges(src.subwords, words, merges=0).get_vocab_size() == src.vocab_size


def test_words_are_counted_in_their_usual_casing(old) -> None:
    src, _ = old
    counts = english_words(src, ["The red car.", "the Red car", "Tom, 20 cars"])
    assert counts["▁the"] == 2
    assert counts["▁car"] == 2
    assert not any(character.isdigit() for word in counts for character in word)


def rng() -> random.Random:
    return random.Random(3)


def test_numbers_change_alike_on_both_sides() -> None:
    row: Row = ("I was born in 1988 in room 12.", "我1988年出生在１２号房间。", "tatoeba")
    new = with_other_numbers(row, rng())
    assert new is not None
    year, room = new[0].removeprefix("I was born in ").removesuffix(".").split(" in room ")
    assert new[1] == f"我{year}年出生在{room}号房间。"
    assert (year, room) != ("1988", "12")
    assert 1800 <= int(year) < 2050


@pytest.mark.parametrize(
    ("number", "shape"),
    [("9:48", r"(?:1[0-2]|[1-9]):[0-5]\d"), ("39.4", r"\d\d\.\d"), ("1,280", r"\d{1,3}(?:,\d{3}){1,2}")],
)
def test_times_decimals_and_thousands_keep_their_shape_on_both_sides(number: str, shape: str) -> None:
    draws = rng()
    for _ in range(50):
        new = with_other_numbers((f"It was {number}, he said.", f"他说是{number}。", "tatoeba"), draws)
        assert new is not None
        value = new[0].removeprefix("It was ").removesuffix(", he said.")
        assert re.fullmatch(shape, value)
        assert new[1] == f"他说是{value}。"
    assert with_other_numbers((f"It was v{number}b.", f"是v{number}b。", "tatoeba"), draws) is None


def test_pairs_whose_numbers_differ_or_belong_to_words_are_left_alone() -> None:
    for english, chinese in (
        ("The train left at 7.", "火车七点出发。"),
        ("He came 3rd of 5.", "他5人中得了3名。"),
        ("It costs 2,500 yen.", "要2500日元。"),
        ("Good morning.", "早上好。"),
    ):
        assert with_other_numbers((english, chinese, "tatoeba"), rng()) is None


def test_names_change_to_others_of_their_class_on_both_sides() -> None:
    names = known_names()
    new = with_other_names(("Tom met Mary in Paris.", "汤姆在巴黎遇见了玛丽。", "tatoeba"), rng())
    assert new is not None
    he, she, place = (dict((a, b) for a, b in names[kind]) for kind in ("male", "female", "place"))
    words = new[0].removesuffix(".").split()
    assert new[1] == f"{he[words[0]]}在{place[words[4]]}遇见了{she[words[2]]}。"
    assert with_other_names(("Tom is here.", "他在这里。", "tatoeba"), rng()) is None


def test_a_name_of_a_kind_stands_once_and_written_pairs_are_pairs_that_measure_nothing() -> None:
    for names in known_names().values():
        assert len({english for english, _ in names}) == len(names)
    rows = read_rows(LISTS / "written.tsv")
    assert {row[2] for row in rows} == {"written_words", "written_further", "written_pronouns", "written_later"}
    assert len({row[0] for row in rows}) == len(rows) > 1000
    assert all(re.search(r"[\u4e00-\u9fff]", chinese) for _, chinese, _ in rows)

    def runs(english: str) -> set[tuple[str, ...]]:
        words = re.findall(r"[a-z0-9']+", english.lower())
        return {tuple(words[at : at + 6]) for at in range(len(words) - 5)}

    measured = set().union(*(runs(each.english) for each in read_kept()))
    assert not [row[0] for row in rows if runs(row[0]) & measured]


def test_templates_are_filled_on_both_sides() -> None:
    pairs = list(filled_templates(rng(), 2))
    assert len(pairs) > 100
    assert not any("{" in english + chinese or "}" in english + chinese for english, chinese in pairs)


def test_everyday_sentences_are_joined_in_order() -> None:
    rows: list[Row] = [("A cat.", "一只猫。", "tatoeba"), ("A dog!", "一只狗！", "jec"), ("No end", "没有", "tatoeba")]
    texts = joined(rows, 20, rng())
    assert len(texts) == 20
    meaning = {"A cat.": "一只猫。", "A dog!": "一只狗！"}
    for english, chinese, source in texts:
        parts = english.replace(". ", ".|").replace("! ", "!|").split("|")
        assert len(parts) in (2, 3)
        assert chinese == "".join(meaning[part] for part in parts)
        assert source == "joined"
    assert joined([("No end", "没有", "tatoeba")], 5, rng()) == []


def test_everyday_sentences_become_clauses_of_one() -> None:
    rows: list[Row] = [
        ("The cat sleeps.", "猫在睡觉。", "tatoeba"),
        ("I have 2.5 litres.", "我有2.5升。", "tatoeba"),
        ("I see Anna.", "我看见安娜。", "jec"),
        ("Anna runs.", "安娜跑步。", "tatoeba"),
        ("The dog barks!", "狗叫！", "tatoeba"),
        ("The file opens.", "文件打开。", "python_docs"),
    ]
    texts = linked(rows, 200, rng())
    assert len(texts) == 200
    for english, chinese, source in texts:
        assert source == "linked"
        assert english.endswith(".")
        assert chinese.endswith("。")
        assert english[:-1].count(".") == chinese[:-1].count("。") == 0, "one sentence"
        assert english.count("cat") == chinese.count("猫")
        assert english.count("Anna") == chinese.count("安娜")
        assert english.count("but") + english.count("Although") == chinese.count("但")
        assert not {"file", "dog", "runs"} & set(english[:-1].replace(",", "").split()), "no clause that can be lowered"
        assert " i " not in english
        assert "The cat" not in english[1:]
    assert {english.count("cat") + english.count("Anna") for english, *_ in texts} == {2, 3, 4}
    assert linked(rows[3:], 5, rng()) == []


def test_what_is_added_says_where_it_comes_from() -> None:
    rows: list[Row] = [
        ("Tom is 30 years old.", "汤姆30岁了。", "tatoeba"),
        ("Tom has 30 files.", "汤姆30", "python_docs"),
    ]
    sources = [row[2] for row in varied(rows, 1, copies=1, n_joined=2, n_linked=3)]
    assert sources.count("numbers") == 2
    assert sources.count("names") == 1, "only everyday pairs"
    assert sources.count("joined") == 2
    assert sources.count("linked") == 0, "a name begins every clause"
    assert varied(rows, 1) == varied(rows, 1)
    assert varied(rows, 1) != varied(rows, 2)


def test_numbers_keep_their_length_and_often_repeat_a_digit() -> None:
    row: Row = ("We sold 48213 books.", "我们卖了48213本书。", "tatoeba")
    draws = rng()
    found = [with_other_numbers(row, draws) for _ in range(400)]
    numbers = [new[0].split()[2] for new in found if new]
    assert {len(number) for number in numbers} == {5}
    assert not any(number.startswith("0") for number in numbers)
    repeating = sum(any(a == b for a, b in pairwise(number)) for number in numbers)
    assert repeating / len(numbers) > 0.5  # digits drawn evenly repeat in 34 % of such numbers
    assert {len(set(number)) for number in numbers} >= {2, 5}


UNITS = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "万": 10**4, "亿": 10**8}


@pytest.mark.parametrize("kind", ["thousand", "million", "billion"])
def test_a_number_with_a_word_is_the_same_number_in_chinese(kind: str) -> None:
    rng = random.Random(4)
    for english, chinese in (fill(kind, rng) for _ in range(300)):
        value, unit = english.split()
        assert Decimal(value) * UNITS[unit] == Decimal(chinese[:-1]) * UNITS[chinese[-1]] > UNITS[kind]
        assert Decimal(chinese[:-1]) >= 1


def test_a_fraction_is_read_from_below_in_chinese() -> None:
    filled = {fill("fraction", random.Random(seed)) for seed in range(400)}
    assert {("two thirds", "三分之二"), ("three quarters", "四分之三"), ("a fifth", "五分之一")} <= filled
    assert not {chinese for english, chinese in filled if english == "two thirds"} - {"三分之二"}
