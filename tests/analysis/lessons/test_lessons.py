"""What the lessons compute, against hand-worked cases and against the model asked in another way."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from model.analysis.lessons import (
    exposure,
    learning,
    masks,
    normalising,
    positions,
    scaling,
    several,
)
from model.analysis.lessons.families import hide, seen_share, sizes_of
from model.common.scenes import scene_png
from model.folders import CHECKPOINTS
from model.own.capture import scaled_heads
from model.own.network.attention import MultiHeadAttention
from model.own.network.layers import sinusoidal_table
from model.own.passes import attention_block
from model.own.source import Twins
from model.trace import HeadRef
from model.translator import Translator, open_model
from tests.pages import SENTENCE, shipped

TABLE = sinusoidal_table(60, 32).numpy()


def test_the_table_is_the_models_own_and_a_copy(translator: Translator) -> None:
    table = positions.position_table(translator)
    np.testing.assert_array_equal(table, translator.model.encoder.embedding.positions.table.numpy())
    table[:] = 0
    assert np.abs(positions.position_table(translator)).max() == 1


@pytest.mark.parametrize("offset", [0, 1, 17, 59])
def test_one_matrix_shifts_every_position_of_the_table(offset: int) -> None:
    shift = positions.shift(TABLE, offset, 2)
    assert len(shift.before) == 60 - offset
    assert shift.max_error < 1e-6
    np.testing.assert_allclose(shift.before @ shift.block.T, shift.turned, atol=1e-9)
    np.testing.assert_array_equal(shift.after, TABLE[offset:, 4:6].astype(np.float64))
    np.testing.assert_allclose(np.linalg.det(shift.block), 1)


def test_the_error_shows_a_table_that_is_not_sinusoidal() -> None:
    spoilt = TABLE.copy()
    spoilt[40, 30] += 0.25
    assert positions.shift(spoilt, 3, 0).max_error == pytest.approx(0.25, rel=0.1)


def test_points_spread_over_the_circle_and_stay_in_the_table() -> None:
    fast, slow = positions.round_the_circle(TABLE, 5, 0), positions.round_the_circle(TABLE, 5, 15)
    assert fast == sorted(set(fast))
    assert max(fast) <= 0.75 * positions.wavelengths(32)[0] + 1
    assert max(slow) == 54


def test_similarity_depends_on_the_distance_alone() -> None:
    cosine = positions.similarity(TABLE)
    np.testing.assert_allclose(TABLE @ TABLE.T / 16, cosine, atol=1e-5)
    np.testing.assert_allclose(np.diag(cosine, 7), cosine[0, 7], rtol=1e-4)
    assert cosine[0, 1] > cosine[0, 9]


def test_the_block_is_written_with_its_numbers() -> None:
    formula = positions.block_formula(np.array([[0.5, 0.25], [-0.25, 0.5]]))
    assert "+0.5000 & +0.2500" in formula
    assert "-0.2500 & +0.5000" in formula


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="offset must be from 0 to 59, got 60"):
        positions.shift(TABLE, 60, 0)
    with pytest.raises(ValueError, match="pair must be from 0 to 15, got 16"):
        positions.shift(TABLE, 1, 16)


GIVEN = {"tiny-bert": "A cat [MASK].", "tiny-gpt": "A cat", "tiny-vit": "scene-5"}
NAMES = {"hidden_size": "n_embd", "num_attention_heads": "n_head"}


@pytest.mark.parametrize("name", GIVEN)
def test_shapes_are_those_of_the_config(name: str) -> None:
    config = json.loads((CHECKPOINTS / name / "config.json").read_text(encoding="utf-8"))
    width, heads = (config.get(key) or config[other] for key, other in NAMES.items())
    source = open_model(name, scene_png)
    found = source.translate(GIVEN[name], capture=True)
    sizes = sizes_of(source, found)
    tokens = 37 if name == "tiny-vit" else sizes.given[1]
    assert sizes.states == (tokens, width)
    assert sizes.query == (heads, tokens, width // heads)
    assert sizes.weights == (heads, tokens, tokens)
    if name == "tiny-vit":
        assert sizes.given == (1, 3, 48, 48)
        assert tokens == (48 // config["patch_size"]) ** 2 + 1


def test_a_causal_map_has_half_of_the_pairs_and_half_of_the_diagonal() -> None:
    for size in (1, 5, 12):
        causal = np.tril(np.ones((size, size)))
        assert seen_share(causal) == pytest.approx((size + 1) / (2 * size))
    assert seen_share(np.ones((3, 3))) == 1.0


def test_a_word_is_hidden_and_its_punctuation_stays() -> None:
    assert hide("Well, she left!", 2) == ("Well, she [MASK]!", "Well, she", "left")
    with pytest.raises(IndexError):
        hide("One word.", 5)


pytestmark = shipped


def test_a_query_of_nothing_gets_the_mean_and_a_far_one_gets_one_value() -> None:
    assert float(scaling.look_up(np.zeros(2)).result) == pytest.approx((10 + 5 + 2) / 3)
    assert float(scaling.look_up(np.array([0.0, 40.0])).result) == pytest.approx(2)
    two = scaling.look_up(np.array([np.log(3)]), np.array([[1.0], [0.0]]), np.array([[4.0, 0.0], [0.0, 8.0]]))
    np.testing.assert_allclose(two.weights, [0.75, 0.25])
    np.testing.assert_allclose(two.result, [3.0, 2.0])


def test_a_head_alone_is_what_is_left_when_the_others_are_muted(en_zh, translation) -> None:
    lost = several.alone(en_zh, translation, "cross", 5)
    ids = translation.tgt_ids
    muted = {HeadRef("cross", 5, head): 0.0 for head in range(8) if head != 3}
    with en_zh.running() as model, scaled_heads(model, muted):
        given = en_zh.ids(translation.source, ids)
        logits = model(given.src, given.inputs)[0].log_softmax(-1)
        total = float(logits.gather(1, given.written[:, None]).sum())
    assert lost[3] == pytest.approx(total - sum(translation.log_probs), abs=1e-3)
    assert len(lost) == 9
    assert lost.min() < -0.1


@pytest.mark.parametrize("heads", several.divisors(48))
def test_parameters_do_not_depend_on_the_number_of_heads(heads: int) -> None:
    assert 48 % heads == 0
    assert several.parameters(48, heads) == 4 * (48 * 48 + 48)
    assert MultiHeadAttention(48, heads).d_head == 48 // heads


def test_shapes_follow_from_the_longest_sentence(en_zh) -> None:
    long, short = SENTENCE, "Hello."
    n = len(en_zh.labels(long)) + 1
    x, scores, viewed, heads = (2, n, 256), (2, 8, n, n), (2, n, 8, 32), (2, 8, n, 32)
    assert several.shapes(en_zh, [long, short], 1) == [x, x, viewed, heads, scores, scores, heads, x, x]
    block = attention_block(en_zh.model, "encoder_self", 1)
    assert not block.is_watched  # nothing stays behind


def test_lessons_watch_the_model_that_they_run_while_another_visitor_has_the_first(
    en_zh, translation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked() -> list[np.ndarray]:
        shapes = [np.array(shape) for shape in several.shapes(en_zh, [SENTENCE, "Hello."], 1)]
        normed = normalising.normed(en_zh, [SENTENCE, "Hello."], 1)
        moved = positions.moved_by_order(en_zh, SENTENCE, positions.shuffled(len(translation.src), 1))
        return [*shapes, normed.raw, *moved, *masks.leak(en_zh, translation, 1)]

    alone = asked()
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(en_zh, "_twins", Twins(en_zh.model))
    with en_zh.running() as first:
        assert first is en_zh.model
        for mine, beside in zip(alone, asked(), strict=True):
            np.testing.assert_array_equal(mine, beside)


def test_with_one_matrix_for_both_scores_are_symmetric_and_undivided_ones_are_surer() -> None:
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(2, 6, 16))
    given = rng.normal(size=(6, 64))
    made = several.variants(query, key, given, np.triu(np.ones((6, 6), bool), 1))
    assert made.symmetry[0] > 0.1
    assert made.symmetry[1] < 1e-12
    assert (made.own[np.triu_indices(6, 1)] == 0).all()
    assert made.undivided.max(axis=1).mean() > made.own.max(axis=1).mean()
    bare = np.exp(given[2] @ given[:3].T / 8)
    np.testing.assert_allclose(made.bare[2, :3], bare / bare.sum())
    expected = np.exp(query[2] @ key[:3].T / 4)
    np.testing.assert_allclose(made.own[2, :3], expected / expected.sum())


def test_with_the_mask_nothing_before_a_token_moves_and_without_it_something_does(en_zh, translation) -> None:
    masked, open_ = masks.leak(en_zh, translation, 5)
    assert (masked[:5] == 0).all()
    assert masked[5:].max() > 0.01
    assert open_[:5].max() > 0.01
    again, _ = masks.leak(en_zh, translation, 5)
    np.testing.assert_array_equal(again, masked)  # the mask is back


def test_rows_without_a_key_are_not_numbers() -> None:
    scores = np.zeros((4, 4), np.float32)
    np.testing.assert_allclose(masks.under_triu(scores, 1)[2], [1 / 3, 1 / 3, 1 / 3, 0])
    assert [int(np.isnan(masks.under_triu(scores, k)).any(1).sum()) for k in (-1, 0, 1)] == [2, 1, 0]


def test_without_positions_order_means_nothing(en_zh) -> None:
    places = positions.shuffled(8, 3)
    assert sorted(places) == list(range(8))
    positioned, bare = positions.moved_by_order(en_zh, SENTENCE, places)
    assert bare.max() < 1e-5
    assert positioned.max() > 0.05
    still, _ = positions.moved_by_order(en_zh, SENTENCE, positions.shuffled(8, 0))
    assert still.max() == 0


def test_a_table_with_two_like_rows_is_seen() -> None:
    table = np.zeros((6, 4))
    assert positions.table_facts(table).nearest == 0
    numbers = [int("".join(map(str, row[::-1])), 2) for row in positions.binary(16, 4)]
    assert numbers == list(range(16))


def test_layer_norm_looks_at_one_token_and_batch_norm_at_all(en_zh) -> None:
    found = normalising.normed(en_zh, (SENTENCE, "I love you."), 3)
    np.testing.assert_allclose(found.layer.std(axis=1), 1, atol=1e-3)
    np.testing.assert_allclose(found.layer.mean(axis=1), 0, atol=1e-9)
    exact = (found.raw - found.raw.mean(1, keepdims=True)) / found.raw.std(1, keepdims=True)
    np.testing.assert_allclose(found.layer, exact, atol=1e-4)
    assert found.layer_moved.max() < 1e-5
    assert found.batch_moved.max() > 0.1


@pytest.mark.parametrize("seed", [0, 1])
def test_norms_after_the_sum_keep_gradients_large_at_the_top_and_no_sum_makes_tokens_alike(seed: int) -> None:
    found = normalising.by_depth(12, seed)
    before, after = found.gradient["pre"], found.gradient["post"]
    assert before.shape == after.shape == (12,)
    assert after[-1] > 3 * before[-1]
    assert before[-1] < before[0] / 2
    np.testing.assert_array_equal(normalising.by_depth(12, seed).gradient["post"], after)
    assert found.likeness["none"][2] > 0.99
    assert found.likeness["pre"][2] < 0.5


def test_smoothed_labels_sum_to_one_but_for_padding() -> None:
    table = learning.smoothed((2, 0, 4), 0.4)
    np.testing.assert_allclose(table.sum(axis=1), [1, 0, 1])
    np.testing.assert_allclose(table[0], [0, 0.4 / 3, 0.6, 0.4 / 3, 0.4 / 3])
    np.testing.assert_array_equal(learning.smoothed((3,), 0), [[0, 0, 0, 1, 0]])


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.4])
def test_the_loss_and_its_gradient_are_pytorchs(smoothing: float) -> None:
    confidence = np.array([0.3, 0.6, 0.95])
    loss, slope = learning.confidence_loss(confidence, smoothing)
    label = torch.tensor([1 - smoothing, *[smoothing / 3] * 3], dtype=torch.float64)
    for number, p in enumerate(confidence):
        logits = torch.log(torch.tensor([p, *[(1 - p) / 3] * 3], dtype=torch.float64)).requires_grad_()
        entropy = -(label[label > 0] * label[label > 0].log()).sum()
        value = torch.nn.functional.cross_entropy(logits, label) - entropy
        value.backward()
        assert loss[number] == pytest.approx(float(value.detach()), abs=1e-12)
        assert slope[number] == pytest.approx(float(logits.grad[0]), abs=1e-12)


def test_the_rate_peaks_at_the_end_of_the_warm_up() -> None:
    steps = np.arange(1, 9000)
    for width, warmup in learning.NOAM:
        made = learning.rates(steps, width, warmup)
        assert steps[made.argmax()] == warmup
        assert made.max() == pytest.approx((width * warmup) ** -0.5)
        assert made[99] == pytest.approx(width**-0.5 * 100 * warmup**-1.5)


def test_buckets_pad_no_more_than_lines_as_typed() -> None:
    ids = [[4] * length for length in (2, 9, 3, 8)]
    typed, made = learning.as_typed(ids, 2), learning.by_length(ids, 18)
    assert typed.rows == ((0, 1), (2, 3))
    assert typed.cells == 2 * 9 + 2 * 8
    assert typed.padding == pytest.approx(1 - 22 / 34)
    assert made.padding < typed.padding
    assert sorted(row for batch in made.rows for row in batch) == [0, 1, 2, 3]
    filled = learning.picture(typed)
    assert (filled == 1).sum() == 22
    assert (filled == 0).sum() == 12
    assert np.isnan(filled[2:, 8]).all()


def test_a_wrong_token_changes_only_what_comes_after_it(en_zh, translation) -> None:
    seen = exposure.exposed(en_zh, translation, 3, exposure.teacher_forced(en_zh, translation)[0])
    np.testing.assert_allclose(seen.right, np.exp(translation.log_probs), rtol=1e-4)
    np.testing.assert_allclose(seen.right[:4], seen.wrong[:4], rtol=1e-5)
    assert np.abs(seen.right[4:] - seen.wrong[4:]).max() > 0.005
    assert seen.other != translation.tgt_ids[3]
    own = exposure.rewritten(en_zh, translation, 3, seen.other)
    assert own.startswith(en_zh.decode_target([*translation.tgt_ids[:3], seen.other]))
    with pytest.raises(IndexError):
        exposure.exposed(en_zh, translation, len(translation.tgt_ids), exposure.teacher_forced(en_zh, translation)[0])


def test_the_memory_makes_every_layers_keys(en_zh, translation) -> None:
    _, fed = exposure.teacher_forced(en_zh, translation)
    assert fed.error < 1e-5
    assert fed.shape == (8, len(translation.src) + 1, 32)
