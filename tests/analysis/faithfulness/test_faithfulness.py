from __future__ import annotations

import json
import shutil
import statistics

import numpy as np
import pytest

from model.__main__ import main
from model.analysis.faithfulness.corpus import (
    FaithfulnessTable,
    Scored,
    score_pair,
    score_translation,
    spearman,
    table_of,
    top_sets,
    word_maps,
)
from model.analysis.faithfulness.deletion import by_words, deletion_costs, leave_one_out
from model.analysis.faithfulness.table import MEASURES, ROWS, WAYS_SCORED, load_faithfulness, rows_of
from model.attribution.methods import METHODS, attribution_maps
from model.errors import CorpusError
from model.folders import available
from model.pairs import PairScores
from model.translator import Translator


def test_rank_correlation_of_worked_cases():
    # one swap among four: d = 0, 0, 1, 1 → 1 − 6·2 / (4·15) = 0.8
    assert spearman(np.array([1, 2, 3, 4.0]), np.array([10, 20, 40, 30.0])) == pytest.approx(0.8)
    assert spearman(np.array([1, 2, 3.0]), np.array([3, 2, 1.0])) == pytest.approx(-1)
    # ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / √(4.5 · 5)
    assert spearman(np.array([1, 5, 5, 9.0]), np.arange(4.0)) == pytest.approx(4.5 / np.sqrt(22.5))
    assert np.isnan(spearman(np.ones(3), np.arange(3.0)))


def test_rank_correlation_is_that_of_sorted_places():
    generator = np.random.default_rng(0)
    first, second = generator.normal(size=(2, 6, 9))
    for one, two, found in zip(first, second, spearman(first, second), strict=True):
        places = [sorted(each.tolist()).index for each in (one, two)]
        squares = sum((places[0](a) - places[1](b)) ** 2 for a, b in zip(one.tolist(), two.tolist(), strict=True))
        assert found == pytest.approx(1 - 6 * squares / (9 * 80))


def test_top_sets_hold_the_shares_and_never_all():
    importance = np.array([5, 1, 4, 0, 3, 2, 9, 8, 7, 6.0])
    assert [np.flatnonzero(each).tolist() for each in top_sets(importance)] == [[6], [6, 7], [6, 7, 8], [0, 6, 7, 8, 9]]
    assert top_sets(np.array([1, 1, 1.0])).sum(axis=1).tolist() == [1, 1, 1, 2]
    assert top_sets(np.array([1, 2.0])).sum(axis=1).tolist() == [1, 1, 1, 1]


@pytest.fixture
def forced(translator):
    return translator.trace("Tom didn't see the red car in Boston.", "汤姆在Boston没看见红车。")


def test_maps_are_means_of_all_heads_and_a_rollout_its_last_layer(translator, forced):
    found, seconds = word_maps(translator, forced)
    assert list(found) == list(seconds) == list(METHODS)
    assert "integrated" not in word_maps(translator, forced, slow=False)[0]
    for name in ("weights", "norms", "gradient_weight", "votes"):
        maps = attribution_maps(translator, forced, name)["cross"].astype(float)
        np.testing.assert_allclose(found[name], by_words(maps.mean((0, 1)), forced.trace.src), rtol=1e-3, atol=1e-6)
    rolled = attribution_maps(translator, forced, "rollout")["cross"][-1, 0]
    np.testing.assert_allclose(found["rollout"], by_words(rolled, forced.trace.src), atol=1e-6)
    gradient = attribution_maps(translator, forced, "gradient")["cross"]
    np.testing.assert_allclose(
        found["gradient"], by_words(np.abs(gradient).mean((0, 1)), forced.trace.src, "scores"), rtol=1e-4
    )


def by_hand(translator, forced, rows: np.ndarray, left, way: str) -> list[float]:
    """The five measures of one map, set by set and token by token."""
    importance = rows.sum(axis=0)
    order = sorted(range(len(importance)), key=lambda word: -importance[word])
    lost, kept = [], []
    for share in (0.1, 0.2, 0.3, 0.5):
        top = np.zeros((1, len(order)), dtype=bool)
        top[0, order[: max(1, round(share * len(order)))]] = True
        lost.append(deletion_costs(translator, forced, top, way).mean())
        kept.append(deletion_costs(translator, forced, ~top, way).mean())
    dear = [left.costs[rows[t].argmax(), t] for t in range(len(rows))]
    ranks = [spearman(rows[t], np.abs(left.costs[:, t])) for t in range(len(rows))]
    whole = spearman(importance, np.abs(left.costs.sum(axis=1)))
    return [statistics.fmean(each) for each in (lost, kept, [whole], dear, ranks)]


@pytest.mark.parametrize("way", WAYS_SCORED)
@pytest.mark.parametrize("name", ["weights", "norms", "gradient", "rollout", "alti"])
def test_measures_are_those_taken_one_by_one(translator, forced, name, way):
    left = leave_one_out(translator, forced, way)
    scores = score_translation(translator, forced, np.random.default_rng(0)).rows[way]
    rows = word_maps(translator, forced)[0][name][: left.costs.shape[1]]
    np.testing.assert_allclose(scores[ROWS.index(name)], by_hand(translator, forced, rows, left, way), atol=1e-5)
    yardstick = scores[ROWS.index("leave_one_out")]
    assert np.abs(scores[ROWS.index(name)] - yardstick).max() > 1e-3
    assert (np.abs(yardstick[[2, 4]] - 1) < 1e-6).all() == (way == "mask")  # its own order, under its own way


def test_a_signed_map_is_ranked_by_its_size(translator, forced):
    left = leave_one_out(translator, forced)
    scores = score_translation(translator, forced, np.random.default_rng(0)).rows["mask"][ROWS.index("votes")]
    rows = word_maps(translator, forced)[0]["votes"][: left.costs.shape[1]]
    assert (rows < 0).any()
    assert scores[2] == pytest.approx(spearman(np.abs(rows.sum(0)), np.abs(left.costs.sum(1))))
    expected = np.array(by_hand(translator, forced, rows, left, "mask"))[[0, 1, 3]]
    np.testing.assert_allclose(scores[[0, 1, 3]], expected, atol=1e-5)


def test_the_table_is_mean_error_and_lead_over_norms_pair_by_pair():
    generator = np.random.default_rng(2)
    scores = generator.normal(size=(6, len(ROWS), len(MEASURES)))
    place, base, measure = ROWS.index("votes"), ROWS.index("norms"), MEASURES.index("sufficiency")
    scores[:, place, measure] -= 30  # lower is better
    scores[:, ROWS.index("leave_one_out"), measure] -= 90  # but takes words away itself
    seconds = np.full(len(METHODS), 0.25)
    table = FaithfulnessTable([{"references": Scored({"mask": each}, seconds, 4)} for each in scores])
    facts = table.facts()
    assert (facts["sentences"], facts["tokens"], facts["best"]) == (6, 24, "votes")
    assert [(each["target"], each["way"]) for each in facts["settings"]] == [("references", "mask")]
    cell = rows_of(facts)["votes"]["sufficiency"]
    values, gaps = scores[:, place, measure], scores[:, base, measure] - scores[:, place, measure]
    expected = {
        "mean": statistics.fmean(values),
        "se": statistics.stdev(values) / 6**0.5,
        "gap": statistics.fmean(gaps),
        "gap_se": statistics.stdev(gaps) / 6**0.5,
    }
    assert cell == pytest.approx(expected, abs=1e-4)
    assert rows_of(facts)["norms"]["sufficiency"]["gap"] == 0
    assert rows_of(facts, "own") == {}
    assert facts["seconds"]["votes"] == 0.25


def table_over(translator, pairs):
    return table_of(PairScores.of(pairs, lambda number, pair: score_pair(translator, number, pair)))


def test_pairs_that_cannot_be_scored_are_named(translator):
    table = table_over(translator, [("Tom.", "汤姆。"), ("I love you.", "我爱你。"), ("red " * 300, "红")])
    assert list(table.refused) == [1, 3]
    assert "2 words" in table.refused[1]
    assert len(table.scored) == 1
    with pytest.raises(CorpusError, match="no sentence pair could be scored; the first: the English side has 2 words"):
        table_over(translator, [("Tom.", "汤姆。")])


@pytest.fixture
def folder(checkpoint_folder, tmp_path):
    return shutil.copytree(checkpoint_folder, tmp_path / "tiny")


def test_the_command_prints_one_object_and_saves_it(folder, tsv, capsys):
    command = ["faithfulness", "--tsv", str(tsv), "--checkpoint", str(folder), "--limit", "3", "--json", "--save"]
    assert main(command) == 0
    facts = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert list(rows_of(facts)) == list(ROWS)
    assert set(rows_of(facts, "own", "average")["norms"]) == set(MEASURES)
    assert facts["sentences"] == 3
    sha256 = json.loads((folder / "meta.json").read_text())["sha256"]
    table, why = load_faithfulness(str(folder), sha256)
    assert (why, {name: table[name] for name in facts}) == ("", facts)
    assert table["command"] == (
        "python -m model faithfulness --tsv pairs.tsv --checkpoint tiny --limit 3 --json --save"
    )
    assert load_faithfulness(str(folder), "other weights") == (None, "stale")


@pytest.mark.parametrize("broken", ["{", "[]", '{"sentences": 3}', '{"sentences": 3, "best": {}}', "null"])
def test_a_broken_table_is_not_taken(folder, broken):
    assert load_faithfulness(str(folder), "x") == (None, "missing")
    (folder / "faithfulness.json").write_text(broken)
    assert load_faithfulness(str(folder), "x") == (None, "damaged")


def test_the_command_prints_a_table_and_one_sentence_about_a_bad_line(folder, tsv, tmp_path, capsys):
    arguments = ["--checkpoint", str(folder)]
    assert main(["faithfulness", "--tsv", str(tsv), *arguments, "--limit", "2"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in (*ROWS, "most ahead, of those that take nothing away"))
    bad = tmp_path / "bad.tsv"
    for content, sentence in (("a b c\tx\nno tab\n", "line 2: expected English, a tab, and Chinese"), ("", "holds no")):
        bad.write_text(content)
        assert main(["faithfulness", "--tsv", str(bad), *arguments]) == 2
        complaint = capsys.readouterr().err.strip()
        assert sentence in complaint
        assert "\n" not in complaint


@pytest.mark.skipif("reverse" not in available(), reason="the toy checkpoint is not there")
def test_on_reverse_weights_point_at_the_letter_that_counts():
    translator = Translator.from_checkpoint("reverse", "cpu")
    table = table_over(translator, [(word, word[::-1]) for word in ("headlight", "sequence", "abc123")])
    rows = rows_of(table.facts())
    means = {name: rows[name]["token_cost"]["mean"] for name in ("weights", "random", "leave_one_out")}
    assert means["random"] + 1 < means["weights"] <= means["leave_one_out"]
