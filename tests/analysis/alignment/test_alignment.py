"""Merging maps to words, links from them, and the error rates of every head."""

from __future__ import annotations

import json
import random
import unicodedata

import numpy as np
import pytest

from model.__main__ import main
from model.analysis.alignment.error_table import ErrorTable, score_links, table_of
from model.analysis.alignment.gold import (
    RULES,
    GoldPair,
    agreement,
    argmax_links,
    both_ways,
    detokenised,
    diagonal_links,
    error_rate,
    grown_links,
    joined,
    link_set,
    links_csv,
    pharaoh,
    read_gold,
)
from model.analysis.alignment.known_pairs import ALIGNMENT, LETTERS, load_alignment, reversed_pair, truth_pairs
from model.analysis.alignment.word_maps import (
    ALIGN_METHODS,
    ALL,
    alignment_maps,
    label_words,
    membership,
    pair_maps,
    places,
)
from model.analysis.residual.proof import head_steps
from model.attribution.methods import attribution_maps
from model.commands.align import held_out
from model.errors import CorpusError
from model.own.text.tokenize import word_spans
from model.pairs import PairScores
from model.translator import Translator

PAIR = GoldPair(("i", "love", "you"), ("我", "爱", "你"), frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}))


THREE = ("weights", "norms", "votes")


@pytest.fixture
def translation(translator):
    return translator.trace("I love you.", "我爱你。")


def test_tokens_join_the_word_they_overlap():
    np.testing.assert_allclose(membership([(0, 2), (2, 4)], [(0, 1), (1, 3), (3, 4)]), [[1, 0.5, 0], [0, 0.5, 1]])


def test_pieces_are_merged_into_the_words_of_their_labels(translator):
    translation = translator.translate("Ljubljana moved.", capture=True)
    words, shares = label_words(translation.src)
    assert words == ["Ljubljana", "moved", "."]
    assert shares.sum(0).tolist() == [1] * len(translation.src)
    assert shares.sum(1)[0] > 1


def test_norms_equal_an_explicit_sum_over_value_vectors(translator, translation):
    maps = alignment_maps(translator, translation)[ALIGN_METHODS.index("norms")]
    ids = translator.ids("I love you.", translation.tgt_ids)
    steps = [head_steps(translator, ids, "cross", 1, head) for head in range(4)]
    projection = translator.model.decoder.layers[1].cross_attn.out_proj.weight.detach().numpy()
    whole = 0
    for head, one in enumerate(steps):
        vectors = one.weights[:, :, None] * (one.value @ projection[:, head * 8 : head * 8 + 8].T)[None]
        np.testing.assert_allclose(maps[places(2, 4).index((1, head))], np.linalg.norm(vectors, axis=-1), atol=1e-5)
        whole = whole + vectors
    np.testing.assert_allclose(maps[places(2, 4).index((1, ALL))], np.linalg.norm(whole, axis=-1), atol=1e-5)
    assert np.abs(maps[0] - translation.trace.cross[0, 0]).max() > 1e-3


def test_every_place_holds_what_its_name_says(translator, translation):
    maps, names = alignment_maps(translator, translation), places(2, 4)
    weights, helped = translation.trace.cross, attribution_maps(translator, translation, "gradient_weight")["cross"]
    np.testing.assert_array_equal(maps[0, names.index((1, 2))], weights[1, 2])
    np.testing.assert_allclose(maps[0, names.index((1, ALL))], weights[1].mean(0), atol=1e-6)
    np.testing.assert_allclose(maps[0, -1], weights.reshape(8, *weights.shape[2:]).mean(0), atol=1e-6)
    by_name = dict(zip(ALIGN_METHODS, maps, strict=True))
    np.testing.assert_allclose(by_name["gradient_weight"][names.index((0, 3))], helped[0, 3].clip(0), atol=1e-6)
    np.testing.assert_allclose(by_name["gradient_weight"][-1], helped.sum((0, 1)).clip(0), atol=1e-5)
    assert (helped[0, 3] < 0).any()
    whole = attribution_maps(translator, translation, "chefer")["cross"][0, 0]
    np.testing.assert_allclose(by_name["chefer"][-1], whole, atol=1e-6)
    assert not by_name["chefer"][:-1].any(), "a map of the whole model is of no head and no layer"
    zeroing = attribution_maps(translator, translation, "value_zeroing")["cross"]
    np.testing.assert_allclose(by_name["value_zeroing"][names.index((1, ALL))], zeroing[1, 0], atol=1e-6)
    assert maps.shape[:2] == (len(ALIGN_METHODS), 11)
    assert {"gradient", "scores", "integrated"}.isdisjoint(ALIGN_METHODS)
    np.testing.assert_array_equal(alignment_maps(translator, translation, ("votes",))[0], by_name["votes"])


def test_written_and_read_rows_are_one_step_apart(translator):
    merged = pair_maps(translator, PAIR)
    trace = translator.trace("i love you", "我爱你").trace
    assert merged.shape == (2, len(ALIGN_METHODS), 11, 3, 3)
    np.testing.assert_allclose(merged[1, :, :, 0], merged[0, :, :, 1], atol=1e-6)
    last = [label.word for label in trace.src].index(2)
    of_you = trace.cross[0, 0, :, last:-1].sum(-1)
    assert merged[0, 0, 0, 2, 2] == pytest.approx(of_you[2], abs=1e-6)
    assert merged[1, 0, 0, 2, 2] == pytest.approx(of_you[3], abs=1e-6)


def test_a_row_without_weight_makes_no_link():
    assert link_set(argmax_links(np.array([[0.1, 0.9], [0.0, 0.0]]))) == {(1, 0)}


def test_links_grow_from_agreement_by_hand():
    # Both directions agree on (0, 0) and (1, 1). Row 2 has no link and touches one; row 4 touches none.
    maps = np.array([[0.9, 0.1], [0.2, 0.8], [0.3, 0.4], [0.0, 0.0], [0.5, 0.0]])
    assert link_set(grown_links(maps)) == {(0, 0), (1, 1), (1, 2)}
    assert link_set(argmax_links(maps)) == {(0, 0), (1, 1), (1, 2), (0, 4)}


def test_grown_links_agree_with_a_plain_search_on_random_maps():
    draw = np.random.default_rng(4)
    for _ in range(100):
        maps = draw.random((6, 5))
        rows = {(j, int(maps[j].argmax())) for j in range(6)}
        columns = {(int(maps[:, i].argmax()), i) for i in range(5)}
        links = rows & columns
        while True:
            new = {
                (j, i)
                for j, i in (rows | columns) - links
                if any(abs(j - b) <= 1 and abs(i - a) <= 1 for b, a in links)
                and (all(b != j for b, _ in links) or all(a != i for _, a in links))
            }
            if not new:
                break
            links |= new
        assert link_set(grown_links(maps)) == {(i, j) for j, i in links}


def test_agreement_is_the_product_of_both_shares_and_favours_no_busy_word():
    maps = np.array([[3.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(agreement(maps), [[0.75 * 0.75, 0.25 * 1.0], [1.0 * 0.25, 0.0], [0.0, 0.0]])
    busy = np.array([[5.0, 4.0], [6.0, 0.1]])
    assert link_set(argmax_links(busy)) == {(0, 0), (0, 1)}
    assert link_set(both_ways(busy)) == {(1, 0), (0, 1)}


def test_links_are_written_in_the_order_of_the_target():
    links = frozenset({(1, 2), (0, 0), (2, 1), (0, 1)})
    assert pharaoh(links) == "0-0 0-1 2-1 1-2"
    table = links_csv(frozenset({(1, 0)}), ("a", 'b,"'), ("甲",), np.array([[0.25, 0.75]]))
    assert table.splitlines()[1] == '1,"b,""",0,甲,0.75'


def test_the_tables_rates_agree_with_the_error_rate_of_link_sets():
    draw, rng = np.random.default_rng(6), random.Random(6)
    every = [(i, j) for i in range(4) for j in range(5)]
    table, found, sure = ErrorTable(2, 3, THREE), [], 0
    for _ in range(3):
        possible = frozenset(rng.sample(every, 8))
        pair = GoldPair(("w",) * 4, ("字",) * 5, frozenset(sorted(possible)[:4]), possible)
        maps = draw.random((2, 3, 9, 5, 4))
        table.add(maps, pair)
        links = link_set(RULES["grow"](maps[1, 2, 7]))
        found.append((len(links), len(links & pair.sure) + len(links & pair.possible)))
        sure += 4
        alone = ErrorTable(2, 3, THREE)
        alone.add(maps, pair)
        assert alone.rates[1, 1, 2, 7] == pytest.approx(error_rate(links, pair))
    total, hits = map(sum, zip(*found, strict=True))
    assert table.rates[1, 1, 2, 7] == pytest.approx(1 - hits / (total + sure))


def table_over(translator, gold):
    return table_of(translator, PairScores.of(gold, lambda _, pair: score_links(translator, pair)))


def test_the_best_setting_is_the_lowest_rate_and_the_best_head_is_one_head(translator):
    too_long = GoldPair(("word",) * 400, ("字",), frozenset({(0, 0)}), frozenset({(0, 0)}))
    table = table_over(translator, [PAIR, too_long])
    assert table.rates.shape == (2, 2, len(ALIGN_METHODS), 11)
    assert list(table.refused) == [2]
    assert table.best()["aer"] == round(100 * table.rates.min(), 2)
    alone = [place for place, (_, head) in enumerate(table.places) if head != ALL]
    assert table.best_of_one_head()["aer"] == round(100 * table.rates[..., alone].min(), 2)
    assert table.best_of_one_head()["head"] != ALL
    one = table.best(single=True)
    heads = [n for n, (_, head) in enumerate(places(2, 4)) if head != ALL]
    assert one["aer"] == round(100 * table.rates[0, :, 0, heads].min(), 2)
    assert (one["method"], one["links"]) == ("weights", "argmax")
    assert table.percents()["grow"]["norms"]["read"][ALL] == round(100 * table.rates[1, 1, 1, -1], 2)
    with pytest.raises(CorpusError, match="the first:"):
        table_over(translator, [too_long])


def test_held_out_rates_are_those_of_the_setting_that_the_other_half_chose():
    """Two settings, worked by hand: one is right on the even pairs, the other on the odd ones."""
    table = ErrorTable(1, 1, THREE)
    assert held_out(table) is None
    good, bad = GoldPair(("a", "b"), ("甲", "乙"), *[frozenset({(0, 0), (1, 1)})] * 2), ((0.1, 0.9), (0.9, 0.1))
    right = np.array(((0.9, 0.1), (0.1, 0.9)))
    for number in range(6):
        maps = np.tile(np.array(bad), (2, 3, 3, 1, 1))
        maps[0, number % 2] = right  # written: weights right on even pairs, norms on odd ones
        table.add(maps, good)
    assert table.best()["aer"] == 50
    fair = held_out(table)
    assert fair is not None
    assert [half["chose"]["method"] for half in fair["halves"]] == ["weights", "norms"]
    assert [(half["aer_there"], half["aer"]) for half in fair["halves"]] == [(0, 100), (0, 100)]
    assert (fair["aer"], fair["interval"]) == (100, [100, 100])
    single = held_out(table, single=True)
    assert [half["chose"]["method"] for half in single["halves"]] == ["weights", "weights"]


def test_the_interval_of_a_held_out_rate_is_about_two_standard_errors():
    draw = np.random.default_rng(4)
    table = ErrorTable(1, 1, THREE)
    for _ in range(200):
        wrong = draw.random() < 0.3
        maps = np.tile(np.eye(2)[::-1] if wrong else np.eye(2), (2, 3, 3, 1, 1))
        table.add(maps, GoldPair(("a", "b"), ("甲", "乙"), *[frozenset({(0, 0), (1, 1)})] * 2))
    fair = held_out(table)
    rate = fair["aer"] / 100
    error = 196 * (rate * (1 - rate) / 200) ** 0.5
    assert fair["aer"] == table.best()["aer"], "all settings are alike here"
    np.testing.assert_allclose(fair["interval"], [fair["aer"] - error, fair["aer"] + error], atol=1)


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
