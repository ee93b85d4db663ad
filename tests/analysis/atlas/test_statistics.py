"""Every statistic of an atlas against loops over single rows of single sentences."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import numpy as np
import pytest

from model.analysis.alignment.gold import read_gold
from model.analysis.alignment.word_maps import membership
from model.analysis.atlas.lines import LineCorpus
from model.analysis.atlas.pages import index_of, line_shares, neighbours, profile_of, quantile
from model.analysis.atlas.run import count, facts_of
from model.analysis.atlas.tally import FINE, LINES, SCALE, SUMS
from model.analysis.atlas.usual import sentence_measures, usual
from model.analysis.heads.ablation import ablate
from model.analysis.heads.corpus import ratio
from model.analysis.heads.roles import profile
from model.attribution.per_head import vote_maps
from model.trace import KINDS
from tests.analysis.atlas.conftest import TRUTH

HEADS = 8  # two layers of four


def counted(model, path, linked=False, muted=0):
    corpus = LineCorpus.of(path, linked)
    return count(model, corpus, facts_of(model, corpus, "0", "a command", muted))


@pytest.fixture(scope="module")
def counts(translator, corpus_file):
    return counted(translator, corpus_file, muted=1000)


@pytest.fixture(scope="module")
def traced(translator, fifty):
    return [translator.trace(*pair) for pair in fifty]


def rows_by_hand(traced, rarity, kind):
    """Each row that counts, of each head: everything that is said of it, worked out alone."""
    found = defaultdict(list)
    for each, rare in zip(traced, rarity, strict=True):
        trace = each.trace
        rows = trace.tgt_outputs if kind == "cross" else trace.axis_labels(kind)[0]
        columns = trace.axis_labels(kind)[1]
        for number, head in enumerate(np.ndindex(*trace.weights[kind].shape[:2])):
            for row, label in enumerate(rows):
                if not label.is_special:
                    base = row * (len(columns) - 1) / max(1, len(rows) - 1) if kind == "cross" else row
                    sees = row + 1 if kind == "decoder_self" else len(columns)
                    weights = trace.weights[kind][head][row][:sees].astype(float)
                    found[number].append(
                        one_row(weights, label, columns, base, rare if kind != "decoder_self" else None)
                    )
    return found


def one_row(weights, label, columns, base, rare):
    plain = [weight for weight, key in zip(weights, columns, strict=False) if not key.is_special]
    at = int(weights.argmax())
    entropy = -sum(weight * math.log(weight) for weight in weights if weight > 0)
    return {
        "text": label.text.lower(),
        "at": columns[at].text if columns[at].is_special else columns[at].text.lower(),
        "entropy": entropy,
        "evenness": entropy / math.log(len(weights)) if len(weights) > 1 else None,
        "peak": weights.max(),
        "confidence": max(plain, default=0.0),
        "distance": sum(weight * abs(base - key) for key, weight in enumerate(weights)),
        "special": sum(weight for weight, key in zip(weights, columns, strict=False) if key.is_special),
        "punctuation": sum(
            weight
            for weight, key in zip(weights, columns, strict=False)
            if not key.is_special and not any(char.isalnum() for char in key.text)
        ),
        "offset": at - round(base),
        "mass": {key - round(base): float(weight) for key, weight in enumerate(weights)},
        "sink": columns[at].is_special,
        "rare": None if rare is None else bool(rare[at] == rare.max()),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_every_sum_is_that_of_single_rows(counts, traced, translator, fifty, kind):
    by_hand = rows_by_hand(traced, [translator.rarity(src) for src, _ in fifty], kind)
    tally = counts.kinds[kind].tally
    assert len(by_hand) == HEADS
    for n, rows in by_hand.items():
        assert tally["rows"] == len(rows)
        for place, name in enumerate(SUMS[:-1]):
            total = sum(row[name] for row in rows if row[name] is not None)
            assert tally["sums"][place, n] / SCALE == pytest.approx(total, abs=1e-3)
        offsets = Counter(max(-8, min(8, row["offset"])) for row in rows)
        assert {place - 8: number for place, number in enumerate(tally["peaks"][:, n]) if number} == offsets
        mass = Counter()
        for row in rows:
            for offset, weight in row["mass"].items():
                mass[max(-8, min(8, offset))] += weight
        for place in range(17):
            assert tally["mass"][place, n] / SCALE == pytest.approx(mass[place - 8], abs=1e-3)
        assert tally["lines"][LINES.index("special"), n] == sum(row["sink"] for row in rows)
        assert tally["lines"][LINES.index("rare"), n] == sum(row["rare"] or 0 for row in rows)
        bins = Counter(min(19, int(row["peak"] * 20)) for row in rows)
        assert dict(enumerate(tally["hist_peak"][:, n])) == {each: bins[each] for each in range(20)}


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_are_counted_where_the_largest_weight_is(counts, traced, translator, fifty, kind):
    by_hand = rows_by_hand(traced, [None] * len(fifty), kind)
    texts, arrays = counts.kinds[kind].texts.saved()
    assert texts == sorted(texts)
    for n, rows in by_hand.items():
        at, hard = Counter(row["at"] for row in rows), Counter(row["text"] for row in rows if row["peak"] >= 0.5)
        assert {text: number for text, number in zip(texts, arrays["at"][:, n], strict=True) if number} == at
        assert {text: number for text, number in zip(texts, arrays["hard"][:, n], strict=True) if number} == hard
    rows = Counter(row["text"] for row in by_hand[0])
    assert {text: number for text, number in zip(texts, arrays["own"], strict=True) if number} == rows
    assert arrays["even"].sum() / SCALE == pytest.approx(len(by_hand[0]), abs=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_measures_and_roles_are_those_of_the_table_of_heads(counts, traced, translator, fifty, kind):
    found = profile_of(counts.kinds[kind], kind, 2)
    each = [profile(one.trace, kind, translator.rarity(src)) for one, (src, _) in zip(traced, fifty, strict=True)]
    weights = np.array([one.rows for one in each])
    for name in ("entropy", "distance", "confidence", "sink"):
        mean = sum(one.measures[name] * one.rows for one in each) / weights.sum()
        np.testing.assert_allclose(found.measures[name], mean, atol=1e-5)


def test_a_share_of_rows_has_the_error_of_a_ratio_of_sums(counts, traced):
    kind, on, could = "encoder_self", [], []
    for each in traced:
        found = each.trace.encoder_self[:, :, :-1].argmax(-1).reshape(HEADS, -1)
        rows = np.arange(found.shape[1])
        on.append(((found == rows - 1) & (rows > 0)).sum(-1))
        could.append(len(rows) - 1)
    share, error = line_shares(counts.kinds[kind])
    expected = ratio(np.array(on, float), np.array(could, float))
    place = LINES.index("-1")
    np.testing.assert_allclose(share[place], expected[0])
    np.testing.assert_allclose(error[place], expected[1])


def test_coverage_counts_the_keys_that_are_some_rows_largest(counts, traced):
    hit = np.zeros(HEADS)
    keys = 0
    for each in traced:
        at = each.trace.cross[:, :, :-1].argmax(-1).reshape(HEADS, -1)
        last = len(each.trace.src) - 1
        hit += [len(set(row.tolist()) - {last}) for row in at]
        keys += last
    measured = index_of(counts)["kinds"]["cross"]["measures"]["coverage"]
    np.testing.assert_allclose(measured, hit / keys, atol=1e-4)


def test_votes_and_costs_are_those_of_the_analyses(counts, translator, fifty):
    index = index_of(counts)["kinds"]
    forced = [translator.trace(*pair) for pair in fifty]
    tokens = np.array([len(each.log_probs) for each in forced])
    votes = np.array([np.abs(vote_maps(translator, each)["cross"].sum(-1)).sum(-1).ravel() for each in forced])
    costs = np.array([ablate(translator, each).importance["encoder_self"].ravel() for each in forced])
    for kind, name, values in (("cross", "vote", votes), ("encoder_self", "cost", costs)):
        mean, error = ratio(values.astype(float), tokens)
        np.testing.assert_allclose(index[kind]["measures"][name], mean, atol=1e-4)
        np.testing.assert_allclose(index[kind]["errors"][name], error, atol=1e-4)
    assert "vote" not in index["encoder_self"]["measures"]


def test_weight_on_the_words_that_people_linked(translator):
    counts = counted(translator, TRUTH, linked=True)
    total, rows = np.zeros(HEADS), 0
    for pair in read_gold(TRUTH):
        trace = translator.trace(pair.src_text, pair.tgt_text).trace
        tokens = translator.encode_target(pair.tgt_text)
        in_word = membership(pair.tgt_spans, [(token.start, token.end) for token in tokens]) > 0
        of_word = membership(pair.src_spans, [(label.start, label.end) for label in trace.src[:-1]]) > 0
        for token in range(len(tokens)):
            words = {src for src, tgt in pair.possible if in_word[tgt, token]}
            keys = [key for key in range(len(trace.src) - 1) if any(of_word[word, key] for word in words)]
            total += trace.cross[:, :, token, keys].sum(-1).ravel()
            rows += bool(keys)
    index = index_of(counts)["kinds"]["cross"]
    assert index["linked"] == rows > 300
    np.testing.assert_allclose(index["measures"]["aligned"], total / rows, atol=1e-4)
    assert index_of(counted(translator, TRUTH, linked=True))["kinds"]["encoder_self"]["measures"]["aligned"][0] is None


def test_a_fifth_of_the_corpus_is_in_each_quantile(counts, traced, fifty):
    own = counts.kinds["cross"]
    strengths = np.array([each.trace.cross[:, :, :-1, :-1].max(-1).mean(-1).ravel() for each in traced])
    for n in range(HEADS):
        found = quantile(own, n, np.rint(strengths[:, n] * SCALE).astype(int))
        order = strengths[:, n].argsort().argsort()
        exact = order * 5 // len(fifty)
        binned = np.unique((strengths[:, n] * FINE).astype(int), return_counts=True)[1].max()
        assert np.abs(found - exact).max() <= 1
        assert (found != exact).sum() <= 8 + binned
        assert Counter(found.tolist()).keys() == {0, 1, 2, 3, 4}


def test_heads_are_alike_by_the_overlap_of_their_maps(counts, traced):
    own, kind = counts.kinds["encoder_self"], "encoder_self"
    found = neighbours(own, counts.sentences, kind)
    shared = np.zeros((HEADS, HEADS))
    rows = 0
    for each in traced:
        maps = each.trace.encoder_self.reshape(HEADS, *each.trace.encoder_self.shape[2:])
        shared += np.minimum(maps[:, None], maps[None]).sum((-1, -2))
        rows += maps.shape[1]
    for n, near in enumerate(found):
        assert n not in [other for other, _ in near]
        for other, share in near:
            assert share <= shared[n, other] / rows + 0.02
        assert [share for _, share in near] == sorted((share for _, share in near), reverse=True)


def test_a_sentence_of_the_corpus_is_as_usual_as_its_place_says(counts, traced, translator):
    by = counts.kinds["cross"].tally["by_distance"][:, 3]
    values = [sentence_measures(each.trace, "cross", translator.rarity(each.source)) for each in traced]
    distances = np.array([each["distance"][3] for each in values])
    assert np.bincount(np.minimum(63, (distances / 16 * 64).astype(int)), minlength=64).tolist() == by.tolist()
    shares = [usual({"distance": value}, {"distance": by.tolist()})[0].share for value in distances]
    assert min(shares) < 0.1 < max(shares)
    (least,) = usual({"distance": 15.9}, {"distance": [*by[:-1].tolist(), 0]})
    assert least.share == 0
    assert usual({"distance": 1.0}, {}) == []
