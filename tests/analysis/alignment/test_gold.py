"""Gold links: reading them, the error rate, and the pairs that come with the program."""

from __future__ import annotations

import json
import random
import unicodedata

import pytest

from model.__main__ import main
from model.analysis.alignment.gold import GoldPair, detokenised, diagonal_links, error_rate, joined, read_gold
from model.analysis.alignment.known_pairs import ALIGNMENT, LETTERS, load_alignment, reversed_pair, truth_pairs
from model.errors import CorpusError
from model.own.text.tokenize import word_spans
from model.translator import Translator


def test_perfect_alignment_has_no_error_and_possible_links_do_no_harm():
    gold = GoldPair(("a", "b"), ("甲", "乙"), frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}))
    assert error_rate({(0, 0)}, gold) == 0
    assert error_rate({(0, 0), (1, 1)}, gold) == 0
    assert error_rate({(1, 0)}, gold) == 1
    assert error_rate(set(), gold) == 1


def test_error_rate_agrees_with_precision_and_recall_on_random_links():
    rng = random.Random(5)
    every = [(i, j) for i in range(5) for j in range(4)]
    for _ in range(200):
        possible = set(rng.sample(every, rng.randint(1, 12)))
        sure = set(rng.sample(sorted(possible), rng.randint(1, len(possible))))
        found = set(rng.sample(every, rng.randint(1, 10)))
        precision = sum(link in possible for link in found) / len(found)
        recall = sum(link in found for link in sure) / len(sure)
        weighted = (len(found) * precision + len(sure) * recall) / (len(found) + len(sure))
        gold = GoldPair(("w",) * 5, ("字",) * 4, frozenset(sure), frozenset(possible))
        assert error_rate(found, gold) == pytest.approx(1 - weighted)


def test_the_diagonal_of_a_square_is_its_diagonal():
    assert diagonal_links(3, 3) == {(0, 0), (1, 1), (2, 2)}
    assert diagonal_links(6, 2) == {(1, 0), (4, 1)}


def test_chinese_words_are_joined_with_a_space_between_latin_ones_only():
    text, spans = joined(("在", "New", "York", "的", "15号"))
    assert text == "在New York的15号"
    assert [text[start:end] for start, end in spans] == ["在", "New", "York", "的", "15号"]


def test_spans_point_into_the_text_that_the_model_is_given():
    pair = GoldPair(("to", "be", "."), ("a", "b"), frozenset(), frozenset())
    assert [pair.src_text[start:end] for start, end in pair.src_spans] == ["to", "be", "."]
    letters = reversed_pair("ab1")
    assert (letters.src_text, letters.tgt_text) == ("ab1", "1ba")
    assert [letters.tgt_text[start:end] for start, end in letters.tgt_spans] == ["1", "b", "a"]


@pytest.mark.parametrize(
    "line",
    ["only english\t中文", "a b\t甲\t0-1", "a\t甲\tx", "a\t甲\t5-0", "\t甲\t0-0", "", "a\t甲\t-1-0", "a\t \t0-0"],
)
def test_a_bad_line_is_named_in_one_sentence(tmp_path, capsys, line):
    path = tmp_path / "gold.tsv"
    path.write_text(f"a b\t甲 乙\t0-0 1p1\n{line}\na\t甲\t0-0\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="line 2"):
        read_gold(path)
    assert main(["align", "--tsv", str(path)]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize("content", [b"", b"\n", b"a\t\xff\t0-0\n"])
def test_a_file_without_readable_pairs_is_refused(tmp_path, content):
    path = tmp_path / "gold.tsv"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match="gold"):
        read_gold(path)


def test_the_shipped_pairs_are_tokenised_as_the_model_tokenises_and_say_something():
    pairs = truth_pairs("english")
    assert len(pairs) >= 40
    assert len({pair.src_words for pair in pairs}) == len(pairs)
    for pair in pairs:
        running = detokenised(pair.src_words)
        assert [running[start:end] for start, end in word_spans(running)] == list(pair.src_words)
        assert 4 <= len(pair.src_words) <= 15
        assert pair.sure <= pair.possible
        assert all(any(src == n for src, _ in pair.sure) for n, word in enumerate(pair.src_words) if word in ".?")
        linked = {tgt for _, tgt in pair.possible}
        marks = {n for n, word in enumerate(pair.tgt_words) if unicodedata.category(word[0]).startswith("P")}
        assert set(range(len(pair.tgt_words))) - linked <= marks


def test_the_command_writes_a_table_that_only_its_own_weights_may_use(checkpoint_folder, tmp_path, capsys):
    path = tmp_path / "gold.tsv"
    path.write_text("I love you .\t我 爱 你 。\t0-0 1-1 2-2 3-3\n", encoding="utf-8")
    folder = str(checkpoint_folder)
    assert main(["align", "--tsv", str(path), "--checkpoint", folder, "--save", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {"kind", "layer", "head", "method", "shift", "aer"} <= set(facts["best"])
    sha256 = Translator.from_checkpoint(folder, "cpu").meta["sha256"]
    table, why = load_alignment(folder, sha256)
    assert (table["aer"], why) == (facts["aer"], "")
    assert load_alignment(folder, "0" * 64) == (None, "stale")
    (checkpoint_folder / ALIGNMENT).write_text('{"best_head": 3}', encoding="utf-8")
    assert load_alignment(folder, sha256) == (None, "damaged")
    (checkpoint_folder / ALIGNMENT).unlink()
    assert load_alignment(folder, sha256) == (None, "missing")


def test_the_reversing_checkpoints_best_head_is_the_anti_diagonal(capsys):
    assert main(["align", "--truth", "--checkpoint", "reverse", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out.splitlines()[-1])
    best = facts["best_head"]
    assert best["aer"] < 10
    assert best["shift"] == "written"
    assert facts["diagonal"] > 85
    translator = Translator.from_checkpoint("reverse", "cpu")
    for word in LETTERS:
        weights = translator.trace(word, word[::-1]).trace.map("cross", best["layer"], best["head"])
        found = weights[:-1, :-1].argmax(-1)
        assert sum(found[j] != len(word) - 1 - j for j in range(len(word))) <= 1 + len(word) // 8
