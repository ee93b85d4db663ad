"""Tokens beside tokens: partners, common columns, common stretches."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise, product

import numpy as np
import pytest
import torch

from model.attribution.aligned import (
    aligned_places,
    changed_places,
    common_groups,
    difference,
    divergence,
    grouped,
    on_common,
)
from model.attribution.labelled_map import (
    LabelledMap,
    combine,
    merge_words,
    read,
    shifted_rows,
    token_rows,
    without_special,
    written_probabilities,
)
from model.attribution.methods import attribution_maps
from model.attribution.through import frozen_shares
from model.passage import Ask
from model.trace import KINDS, AttentionTrace, Kind, Label, check_map

TOKENS = (Label("a", 0), Label("b", 1), Label("c", 2))


def trace_of(kind: Kind, weights: np.ndarray) -> AttentionTrace:
    good = np.tril(np.ones((1, 1, 3, 3), np.float32))
    good /= good.sum(-1, keepdims=True)
    maps = dict.fromkeys(KINDS, good)
    maps[kind] = weights[None, None].astype(np.float32)
    return AttentionTrace(TOKENS, TOKENS, TOKENS, maps, maps)


@pytest.mark.parametrize("kind", KINDS)
def test_a_real_map_is_sane(kind: Kind) -> None:
    sanity = check_map(trace_of(kind, np.array([[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]])), kind, 0, 0)
    assert sanity.holds
    assert sanity.masked_weight == 0


def test_rows_that_do_not_sum_to_one_are_seen() -> None:
    sanity = check_map(trace_of("cross", np.array([[1, 0, 0], [0.5, 0.4, 0], [0.2, 0.3, 0.5]])), "cross", 0, 0)
    assert not sanity.holds
    assert sanity.row_sum_error == pytest.approx(0.1)


def test_weight_on_the_future_is_seen_where_it_is_masked() -> None:
    leak = np.array([[0.75, 0.25, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]])
    assert check_map(trace_of("decoder_self", leak), "decoder_self", 0, 0).masked_weight == pytest.approx(0.25)
    assert not check_map(trace_of("decoder_self", leak), "decoder_self", 0, 0).holds
    assert check_map(trace_of("encoder_self", leak), "encoder_self", 0, 0).holds


ROWS = (Label("<bos>"), Label("他", 0, 0, 1), Label("New", 1, 1, 4), Label("##ton", 1, 4, 7))
COLUMNS = (Label("un", 0, 0, 2), Label("##seen", 0, 2, 6), Label("car", 1, 7, 10), Label("<eos>"))


@pytest.fixture
def weights() -> np.ndarray:
    return np.random.default_rng(0).dirichlet(np.ones(4), size=4).astype(np.float32)


def test_merging_adds_up_columns_and_averages_rows(weights: np.ndarray) -> None:
    merged = merge_words(LabelledMap(weights, ROWS, COLUMNS))
    assert [label.text for label in merged.rows] == ["<bos>", "他", "Newton"]
    assert [label.text for label in merged.columns] == ["unseen", "car", "<eos>"]
    assert (merged.columns[0].start, merged.columns[0].end) == (0, 6)
    np.testing.assert_allclose(merged.weights.sum(-1), 1, atol=1e-6)
    np.testing.assert_allclose(merged.weights[1, 0], weights[1, 0] + weights[1, 1])
    np.testing.assert_allclose(merged.weights[2, 1], (weights[2, 2] + weights[3, 2]) / 2, rtol=1e-6)


def test_words_of_the_same_spelling_stay_apart() -> None:
    labels = (Label("a", 0, 0, 1), Label("a", 1, 2, 3))
    assert merge_words(LabelledMap(np.eye(2, dtype=np.float32), labels, labels)).weights.shape == (2, 2)


def test_bytes_of_one_character_merge_into_it() -> None:
    labels = (Label("é", 0, 0, 1), Label("##▫", 0, 0, 1))
    merged = merge_words(LabelledMap(np.full((2, 2), 0.5, np.float32), labels, labels))
    assert [label.text for label in merged.rows] == ["é"]


def test_hiding_special_tokens_renormalises_each_row(weights: np.ndarray) -> None:
    hidden = without_special(LabelledMap(weights, ROWS, COLUMNS))
    assert [label.text for label in hidden.rows] == ["他", "New", "##ton"]
    assert [label.text for label in hidden.columns] == ["un", "##seen", "car"]
    np.testing.assert_allclose(hidden.weights.sum(-1), 1, atol=1e-6)
    np.testing.assert_allclose(hidden.weights[0], weights[1, :3] / weights[1, :3].sum(), rtol=1e-6)


def test_a_row_with_nothing_but_special_weight_stays_zero(weights: np.ndarray) -> None:
    weights[1] = (0, 0, 0, 1)
    hidden = without_special(LabelledMap(weights, ROWS, COLUMNS))
    assert (hidden.weights[0] == 0).all()
    np.testing.assert_allclose(hidden.weights[1].sum(), 1, atol=1e-6)


def test_both_work_on_many_maps_at_once(weights: np.ndarray) -> None:
    stack = np.stack((weights, weights[::-1]))
    both = read(stack, ROWS, COLUMNS, words=True, hide_special=True)
    assert both.weights.shape == (2, 2, 2)
    np.testing.assert_allclose(both.weights[1], read(stack[1], ROWS, COLUMNS, True, True).weights)


def test_combinations_are_named_and_others_refused() -> None:
    maps = np.array([[[0.2, 0.8]], [[0.6, 0.4]]])
    np.testing.assert_allclose(combine(maps, "mean"), [[0.4, 0.6]])
    np.testing.assert_allclose(combine(maps, "max"), [[0.6, 0.8]])
    np.testing.assert_allclose(combine(np.array([[[1.0, -3.0]], [[-2.0, 2.0]]]), "max"), [[-2.0, -3.0]])
    with pytest.raises(ValueError, match="mean, max, importance"):
        combine(maps, "product")
    with pytest.raises(ValueError, match="no map"):
        combine(maps[:0], "mean")


def test_heads_are_weighted_by_what_they_are_worth() -> None:
    maps = np.array([[[0.2, 0.8]], [[0.6, 0.4]], [[1.0, 0.0]]])
    np.testing.assert_allclose(combine(maps, "importance", np.array([3.0, 1.0, -5.0])), [[0.3, 0.7]])
    np.testing.assert_allclose(combine(maps, "importance", np.array([-1.0, 0.0, -5.0])), combine(maps, "mean"))
    for missing in (None, np.ones(2)):
        with pytest.raises(ValueError, match="3 maps need as many"):
            combine(maps, "importance", missing)


def test_scores_of_pieces_are_averaged_and_only_shares_are_divided() -> None:
    scores = np.arange(16, dtype=np.float32).reshape(4, 4) - 8
    merged = read(scores, ROWS, COLUMNS, words=True, hide_special=True, method="scores").weights
    np.testing.assert_allclose(merged[0], [(-4 - 3) / 2, -2])
    added = read(scores, ROWS, COLUMNS, words=True, hide_special=True, method="norms").weights
    np.testing.assert_allclose(added[0], [-4 - 3, -2])


def test_a_token_is_written_by_one_row_and_read_by_the_next(translator) -> None:
    made = translator.translate("I love you.", capture=True)
    trace, maps = made.trace, made.trace.cross
    written, read_ = (token_rows(maps, trace, shift) for shift in ("written", "read"))
    assert written[1] == (*made.tgt, Label("<eos>"))
    assert read_[1] == made.tgt
    np.testing.assert_array_equal(read_[0][..., 0, :], maps[..., 1, :])
    assert shifted_rows(trace, "read") == shifted_rows(trace, "written")[::-1]
    probabilities = [written_probabilities(made, False, False, shift) for shift in ("written", "read")]
    assert probabilities[1] == probabilities[0][:-1]


def distance(one: str, other: str) -> int:
    """Fewest insertions, deletions and exchanges, by trying all."""

    @lru_cache(None)
    def left(i: int, j: int) -> int:
        if i == len(one) or j == len(other):
            return len(one) - i + len(other) - j
        return min(left(i + 1, j) + 1, left(i, j + 1) + 1, left(i + 1, j + 1) + (one[i] != other[j]))

    return left(0, 0)


@pytest.mark.parametrize(("one", "other"), product(["", "a", "abcab", "bacca", "cabbage"], repeat=2))
def test_partners_take_the_fewest_edits_and_keep_their_order(one, other):
    pairs = aligned_places(one, other)
    exchanged = sum(one[here] != other[there] for here, there in pairs)
    assert exchanged + len(one) + len(other) - 2 * len(pairs) == distance(one, other)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))


def test_subject_and_object_are_partners_of_each_other():
    one, other = ["我", "爱", "你"], ["你", "爱", "我"]
    pairs = aligned_places(one, other)
    assert pairs == ((0, 0), (1, 1), (2, 2))
    assert changed_places(one, other, pairs) == ({0, 2}, {0, 2})
    inserted = ["I", "do", "not", "go"]
    assert changed_places(["I", "go"], inserted, aligned_places(["I", "go"], inserted)) == (set(), {1, 2})


def test_a_difference_is_of_partners_only_and_the_second_less_the_first():
    one, other = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(1, 3, 4) / 2
    found = difference(one, other[0], ((0, 1), (1, 2)), ((0, 0), (2, 3)))
    assert found.tolist() == [[2.0 - 0.0, 3.5 - 2.0], [4.0 - 3.0, 5.5 - 5.0]]
    assert difference(one[None], other, ((1, 0),), ((1, 1),)).tolist() == [[[0.5 - 4.0]]]
    assert difference(one, one, (), ((0, 0),)).shape == (0, 1)


def test_what_has_no_partner_is_one_more_column():
    weights = np.array([[0.1, 0.2, 0.3, 0.4]])
    np.testing.assert_allclose(on_common(weights, [3, 0]), [[0.4, 0.1, 0.5]])


def test_the_divergence_of_a_row_by_hand():
    one, other = np.array([[0.5, 0.5], [1, 0], [0.3, 0.7]]), np.array([[1, 0], [0, 1], [0.3, 0.7]])
    mixed = -(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25)) - 0.5
    np.testing.assert_allclose(divergence(one, other), [mixed, 1, 0], atol=1e-12)


def labels(*ends: int) -> list[Label]:
    starts = (0, *ends[:-1])
    return [*(Label("x", 0, start, end) for start, end in zip(starts, ends, strict=True)), Label("<eos>")]


def test_common_stretches_of_two_cuts_and_maps_over_them():
    one, other = labels(1, 2, 4, 6), labels(2, 3, 4, 6)
    groups = common_groups(one, other)
    assert groups == ([[0, 1], [2], [3]], [[0], [1, 2], [3]])
    weights = np.arange(1.0, 26).reshape(5, 5)
    weights /= weights.sum(-1, keepdims=True)
    found = grouped(weights, groups[0], groups[0])
    np.testing.assert_allclose(found.sum(-1), 1)
    first = weights[:2, :2].sum(-1).mean() / weights[:2, :4].sum(-1).mean()
    assert found[0, 0] == pytest.approx(first)


def test_a_row_that_looks_at_special_tokens_alone_is_even():
    weights = np.array([[0.0, 0.0, 1.0]])
    np.testing.assert_allclose(grouped(weights, [[0]], [[0], [1]]), [[0.5, 0.5]])


@pytest.fixture(scope="module")
def made(translator):
    return translator.trace("Tom didn't see it.", "汤姆没看见它。")


class Held:
    """Our model with attention's weights, norms' scales and ReLUs' gates held at what one translation made them."""

    def __init__(self, translator, made) -> None:
        self.model, self.ids = translator.model, translator.ids(made.source, made.tgt_ids)
        self.seen = translator.forced(self.ids, Ask(("weights",)))
        self.inputs: dict[str, torch.Tensor] = {}
        self.embedded: dict[str, torch.Tensor] = {}
        handles = []
        for name, module in self.model.named_modules():
            if isinstance(module, torch.nn.LayerNorm) or name.endswith("up_proj"):
                keep = lambda _m, args, _o, name=name: self.inputs.__setitem__(name, args[0][0])  # noqa: E731
                handles.append(module.register_forward_hook(keep))
            elif name.endswith("embedding"):
                keep = lambda _m, _a, out, name=name: self.embedded.__setitem__(name.split(".")[0], out[0])  # noqa: E731
                handles.append(module.register_forward_hook(keep))
        with torch.no_grad():
            self.model(self.ids.src, self.ids.inputs)
        for handle in handles:
            handle.remove()

    def norm(self, name: str, part: torch.Tensor) -> torch.Tensor:
        module = self.model.get_submodule(name)
        rate = (self.inputs[name].var(-1, unbiased=False, keepdim=True) + module.eps).rsqrt()
        return (part - part.mean(-1, keepdim=True)) * rate * module.weight

    def attend(self, name: str, kind: str, layer: int, part: torch.Tensor) -> torch.Tensor:
        block = self.model.get_submodule(name)
        values = (part @ block.v_proj.weight.T).unflatten(-1, (block.n_heads, block.d_head)).transpose(0, 1)
        return (self.seen.step(kind, layer, "weights") @ values).transpose(0, 1).flatten(1) @ block.out_proj.weight.T

    def feed(self, name: str, part: torch.Tensor) -> torch.Tensor:
        block = self.model.get_submodule(f"{name}.feed_forward")
        gates = block.up_proj(self.inputs[f"{name}.feed_forward.up_proj"]) > 0
        inner = self.norm(f"{name}.feed_forward_norm", part) @ block.up_proj.weight.T
        return (inner * gates) @ block.down_proj.weight.T

    @torch.no_grad()
    def parts(self, side: str, position: int) -> np.ndarray:
        """What one vector that is read brings to each step's logit above the mean: [T]."""
        source, read = (torch.zeros_like(self.embedded[name]) for name in ("encoder", "decoder"))
        (source if side == "encoder" else read)[position] = self.embedded[side][position]
        for layer in range(len(self.model.encoder.layers)):
            name = f"encoder.layers.{layer}"
            looked = self.attend(
                f"{name}.self_attn", "encoder_self", layer, self.norm(f"{name}.self_attn_norm", source)
            )
            source = source + looked
            source = source + self.feed(name, source)
        memory = self.norm("encoder.norm", source)
        for layer in range(len(self.model.decoder.layers)):
            name = f"decoder.layers.{layer}"
            read = read + self.attend(
                f"{name}.self_attn", "decoder_self", layer, self.norm(f"{name}.self_attn_norm", read)
            )
            read = read + self.attend(f"{name}.cross_attn", "cross", layer, memory)
            read = read + self.feed(name, read)
        logits = self.norm("decoder.norm", read) @ self.model.decoder.embedding.tokens.weight.T
        return (logits.gather(1, self.ids.written[:, None])[:, 0] - logits.mean(-1)).numpy()


def test_held_gradients_are_the_parts_pushed_forwards(translator, made):
    found, held = attribution_maps(translator, made, "frozen"), Held(translator, made)
    for position in (0, 3):
        np.testing.assert_allclose(found["cross"][0, 0, :, position], held.parts("encoder", position), atol=1e-3)
        expected = held.parts("decoder", position)
        np.testing.assert_allclose(found["decoder_self"][0, 0, :, position], expected, atol=1e-3)
    every = [held.parts(side, at) for side in ("encoder", "decoder") for at in range(len(held.embedded[side]))]
    logits = held.model(held.ids.src, held.ids.inputs)[0].detach()
    whole = (logits.gather(1, held.ids.written[:, None])[:, 0] - logits.mean(-1)).numpy()
    brought, biases = frozen_shares(translator, made)
    assert brought == pytest.approx(np.sort(sum(every) / whole)[(len(whole) - 1) // 2], rel=1e-3)  # as torch's median
    assert brought + biases == pytest.approx(1)
    assert np.abs(found["cross"] - attribution_maps(translator, made, "input_gradient")["cross"]).max() > 1e-2
