from __future__ import annotations

import math

import numpy as np
import pytest

from model.analysis.heads.patterns import (
    GRID,
    PATTERNS,
    alike,
    match,
    match_named,
    match_painted,
    pattern_scores,
    resampled,
    stored_matches,
    template,
    visible,
)
from model.analysis.what_if.mixing import mix
from model.folders import available
from model.trace import KINDS, Label
from model.translator import Translator

WORDS = [Label(f"w{n}", n) for n in range(6)]
EOS, BOS = Label("<eos>"), Label("<bos>")
SQUARE = [False] * 6
reverse = pytest.mark.skipif("reverse" not in available(), reason="the toy checkpoint is not there")


def perfect(pattern: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """All weight on the best cell of each row; rows without one are even."""
    masked = np.where(seen, pattern, -1.0)
    even = seen / seen.sum(-1, keepdims=True)
    return np.where((masked.max(-1) > 0)[:, None], np.eye(pattern.shape[1])[masked.argmax(-1)], even)


def test_templates_of_a_square_map():
    expected = {
        "diagonal": np.eye(6),
        "anti_diagonal": np.eye(6)[::-1],
        "previous": np.eye(6, k=-1),
        "next": np.eye(6, k=1),
        "first": np.eye(6)[[0] * 6],
        "last": np.eye(6)[[5] * 6],
    }
    for name, method in expected.items():
        np.testing.assert_allclose(template(name, SQUARE, SQUARE), method, err_msg=name)


def test_lines_run_through_words_and_columns_count_special_tokens():
    method = template("anti_diagonal", [*SQUARE, True], [*SQUARE, True])
    np.testing.assert_array_equal(method[:6, :6], np.eye(6)[::-1])
    assert not method[6].any()
    assert not method[:, 6].any()
    assert template("last", [*SQUARE, True], [*SQUARE, True])[:6, 6].all()
    assert template("next", [*SQUARE, True], [*SQUARE, True])[5, 6] == 1  # after the last word comes <eos>
    assert template("previous", [True, *SQUARE], [True, *SQUARE])[1, 0] == 1


def test_a_diagonal_between_two_columns_is_shared():
    method = template("diagonal", [False] * 3, [False] * 4)
    np.testing.assert_allclose(method, [[1, 0, 0, 0], [0, 0.5, 0.5, 0], [0, 0, 0, 1]])


def test_an_unknown_pattern_is_refused():
    with pytest.raises(ValueError, match="spiral"):
        template("spiral", SQUARE, SQUARE)


@pytest.mark.parametrize("kind", ["encoder_self", "decoder_self", "cross"])
@pytest.mark.parametrize("name", [name for name in PATTERNS if name != "uniform"])
def test_a_perfect_head_scores_one_and_an_even_one_nothing(kind, name):
    rows = [BOS, *WORDS] if kind == "decoder_self" else [*WORDS, EOS]
    columns = rows if kind != "cross" else [*WORDS[:4], EOS]
    seen = visible(kind, np.zeros((1, len(rows), len(columns))))
    method = template(name, [row.is_special for row in rows], [column.is_special for column in columns])
    even = seen / seen.sum(-1, keepdims=True)
    scores = match_named(np.array([perfect(method, seen), even]), name, kind, rows, columns)
    possible = not (kind == "decoder_self" and name in ("next", "last", "anti_diagonal"))
    if possible:
        assert scores == pytest.approx([1, 0], abs=1e-9)
    elif name != "anti_diagonal":
        assert scores.tolist() == [0, 0]


def test_what_a_decoders_map_attends_to_is_visible_though_it_comes_later():
    maps = np.tril(np.ones((2, 3, 3)))
    assert not visible("decoder_self", maps)[0, 1:].any()
    maps[1, 0, 1] = 0.5  # as the parts of a picture do
    assert visible("decoder_self", maps).tolist() == [[True, True, False], [True, True, False], [True, True, True]]


def test_even_attention_is_what_uniform_looks_for():
    maps = np.array([np.full((7, 7), 1 / 7), np.eye(7)])
    scores = match_named(maps, "uniform", "encoder_self", [*WORDS, EOS], [*WORDS, EOS])
    assert scores == pytest.approx([1, 0], abs=1e-9)


def test_match_agrees_with_plain_loops():
    rng = np.random.default_rng(3)
    weights, paint = rng.dirichlet(np.ones(7), 5), rng.random((5, 7)) * (rng.random((5, 7)) > 0.5)
    got = best = 0.0
    for row, line in zip(weights.tolist(), paint.tolist(), strict=True):
        chance = sum(line) / 7
        got += sum(weight * cell for weight, cell in zip(row, line, strict=True)) - chance
        best += max(line) - chance
    assert match(weights, paint, np.ones((5, 7), bool)) == pytest.approx(got / best)
    assert match(weights, np.ones((5, 7)), np.ones((5, 7), bool)) == 0  # paint everywhere says nothing


@pytest.mark.parametrize("shape", [(8, 8), (5, 13), (24, 3), (1, 1), (60, 70)])
def test_paint_is_stretched_by_area(shape):
    painted = np.random.default_rng(4).random((GRID, GRID))
    fine = np.kron(painted, np.ones(shape))  # GRID·Q rows, GRID·K columns
    means = fine.reshape(shape[0], GRID, shape[1], GRID).mean((1, 3))
    np.testing.assert_allclose(resampled(painted, *shape), means, atol=1e-12)


def test_a_painted_pattern_finds_the_head_that_does_it():
    painted = np.eye(GRID)[::-1]
    maps = np.array([np.eye(20)[::-1], np.eye(20), np.full((20, 20), 0.05)])
    labels = [Label(f"w{n}", n) for n in range(20)]
    scores = match_painted(maps, painted, "encoder_self", labels, labels)
    assert scores[0] > 0.7
    assert scores[1] < 0.1
    assert scores[2] == pytest.approx(0)
    assert match_painted(maps, np.zeros((GRID, GRID)), "encoder_self", labels, labels).tolist() == [0, 0, 0]


def test_paint_lies_over_the_whole_map_or_over_its_words():
    labels = [*(Label(f"w{n}", n) for n in range(GRID)), EOS]
    inside, whole = np.zeros((GRID + 1, GRID + 1)), np.zeros((GRID + 1, GRID + 1))
    inside[:GRID, :GRID] = np.eye(GRID)[::-1]
    whole[:, -1] = 1
    line, column = np.eye(GRID)[::-1], np.eye(GRID)[[-1] * GRID]
    assert match_painted(inside, line, "encoder_self", labels, labels) == pytest.approx(1)
    assert match_painted(whole, column, "encoder_self", labels, labels) > 0.8


def test_likeness_is_one_minus_jensen_shannon():
    rng = np.random.default_rng(5)
    maps = rng.dirichlet(np.ones(6), (4, 5))

    def divergence(p: list[float], q: list[float]) -> float:
        half = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
        return sum(a / 2 * math.log2(a / m) + b / 2 * math.log2(b / m) for a, b, m in zip(p, q, half, strict=True))

    for other in range(4):
        rows = [divergence(p, q) for p, q in zip(maps[0].tolist(), maps[other].tolist(), strict=True)]
        assert alike(maps, maps[0])[other] == pytest.approx(1 - sum(rows) / 5)
    assert alike(np.array([np.eye(6), np.eye(6)[::-1]]), np.eye(6)) == pytest.approx([1, 0])


@reverse
@pytest.mark.parametrize("word", ["headlight", "stressed", "attention"])
def test_on_reverse_the_anti_diagonal_finds_the_heads_that_reverse(word):
    """All cross heads mirror there and make up for each other: it takes the best five to break the reversal."""
    translator = Translator.from_checkpoint("reverse", "cpu")
    translation = translator.translate(word, capture=True)
    scores = {kind: pattern_scores(translation.trace, kind, "anti_diagonal") for kind in KINDS}
    places = [(kind, *place) for kind in KINDS for place in np.ndindex(*scores[kind].shape)]
    places.sort(key=lambda place: -scores[place[0]][place[1:]])
    assert {place[0] for place in places[: scores["cross"].size]} == {"cross"}
    assert scores["cross"].max() > 0.6
    broken = mix(translator, translation, dict.fromkeys(places[:5], 0.0))
    assert broken.mixed.text != word[::-1]
    assert broken.change < -4


@reverse
def test_on_reverse_a_painted_anti_diagonal_finds_them_too():
    translator = Translator.from_checkpoint("reverse", "cpu")
    trace = translator.translate("headlight", capture=True).trace
    found = stored_matches([trace], "painted", np.eye(GRID)[::-1])
    assert found["cross"].min() > max(found["encoder_self"].max(), found["decoder_self"].max())
    assert found["cross"].max() > 0.4
