"""Flow across layers, against rollout, matrix products, and every path counted one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from model.analysis.residual.flow import NO_HEAD, flow_graph, weight_shares
from model.attribution.methods import rollout_maps
from model.attribution.per_head import norm_maps
from model.attribution.shares import Shares, mixing_shares, norm_shares
from model.own.capture import capture_attention, hook_name
from model.own.passes import attention_block
from model.trace import KINDS

STEP = 3


@pytest.fixture(scope="module")
def made(translator):
    return translator.trace("Tom didn't see it.", "汤姆没看见它。")


@pytest.fixture(params=["weights", "norms"])
def shares(request, translator, made) -> Shares:
    return weight_shares(made.trace) if request.param == "weights" else norm_shares(translator, made)


def random_shares(seed: int, layers: int = 2, src: int = 3, tgt: int = 3) -> Shares:
    rng = np.random.default_rng(seed)
    encoder, own = rng.random((layers, src, src)), np.tril(rng.random((layers, tgt, tgt)))
    cross = rng.random((layers, tgt, src))
    cross *= rng.uniform(0.2, 0.8, (layers, tgt, 1)) / cross.sum(-1, keepdims=True)
    heads = {"encoder_self": encoder, "decoder_self": own, "cross": cross}
    numbered = {kind: (10 * values).astype(int) for kind, values in heads.items()}
    return Shares(encoder / encoder.sum(-1, keepdims=True), own / own.sum(-1, keepdims=True), cross, numbered)


def counted_paths(shares: Shares, step: int) -> tuple[np.ndarray, np.ndarray]:
    """What comes from each source and each input, every path walked on its own."""
    layers, tgt, src = shares.cross.shape
    sources, inputs = np.zeros(src), np.zeros(tgt)

    def climb_encoder(place: int, carried: float) -> None:
        for path in product(range(src), repeat=len(shares.encoder)):
            steps = zip(shares.encoder[::-1], (place, *path), path, strict=False)
            sources[path[-1]] += carried * np.prod([share[i, j] for share, i, j in steps])

    def climb_decoder(level: int, place: int, carried: float) -> None:
        if level == 0:
            inputs[place] += carried
            return
        for key in range(src):
            climb_encoder(key, carried * shares.cross[level - 1, place, key])
        left = carried * (1 - shares.cross[level - 1, place].sum())
        for key in range(place + 1):
            climb_decoder(level - 1, key, left * shares.own[level - 1, place, key])

    climb_decoder(layers, step, 1.0)
    return sources, inputs


def test_totals_are_the_sum_over_every_path():
    shares = random_shares(1)
    for step in range(3):
        graph, (sources, inputs) = flow_graph(shares, step), counted_paths(shares, step)
        np.testing.assert_allclose(graph.sources, sources, atol=1e-12)
        np.testing.assert_allclose(graph.inputs, inputs[: step + 1], atol=1e-12)


def test_flow_into_every_level_sums_to_one(shares):
    graph = flow_graph(shares, STEP)
    into_memory = np.zeros(len(graph.decoder))
    for edge in graph.edges:
        if edge.kind == "cross":
            into_memory[: edge.layer + 1] += edge.flow
    np.testing.assert_allclose(graph.decoder.sum(1) + into_memory, 1, atol=1e-6)
    np.testing.assert_allclose(graph.encoder.sum(1), into_memory[0], atol=1e-6)
    assert graph.sources.sum() + graph.inputs.sum() == pytest.approx(1, abs=1e-6)


def test_edges_into_and_out_of_a_state_are_its_flow(shares):
    graph = flow_graph(shares, STEP)
    for side, levels in (("encoder_self", graph.encoder), ("decoder_self", graph.decoder)):
        below, above = np.zeros_like(levels), np.zeros_like(levels)
        for edge in graph.edges:
            if edge.kind == side:
                below[edge.layer, edge.start] += edge.flow
            if edge.kind == side or (edge.kind, side) == ("cross", "decoder_self"):
                above[edge.layer + 1, edge.end] += edge.flow
        np.testing.assert_allclose(below[:-1], levels[:-1], atol=1e-6)
        np.testing.assert_allclose(above[1:], levels[1:], atol=1e-6)


def test_by_weights_it_is_rollout_from_source_to_output(made):
    rolled = rollout_maps(made.trace)["cross"][-1]
    for step in range(len(rolled)):
        np.testing.assert_allclose(flow_graph(weight_shares(made.trace), step).sources, rolled[step], atol=1e-6)


def test_by_norms_it_is_a_plain_matrix_product(translator, made):
    shares = norm_shares(translator, made)
    encoder = np.linalg.multi_dot([*shares.encoder[::-1], np.eye(len(made.trace.src))])
    state = np.eye(len(made.trace.tgt_inputs)), np.zeros_like(shares.cross[0])
    for own, cross in zip(shares.own, shares.cross, strict=True):
        keep = 1 - cross.sum(-1, keepdims=True)
        state = keep * (own @ state[0]), keep * (own @ state[1]) + cross @ encoder
    graph = flow_graph(shares, STEP)
    np.testing.assert_allclose(graph.sources, state[1][STEP], atol=1e-6)
    np.testing.assert_allclose(graph.inputs, state[0][STEP, : STEP + 1], atol=1e-6)
    assert np.abs(graph.sources - flow_graph(weight_shares(made.trace), STEP).sources).max() > 1e-3


def test_mixing_ratio_by_hand():
    vectors = torch.tensor([[[3.0, 0.0], [0.0, 4.0]], [[0.0, 0.0], [1.0, 0.0]]])
    residual = torch.tensor([[0.0, 4.0], [5.0, 0.0]])
    # state 0: stays ‖(3, 4)‖ = 5, mixes in ‖(0, 4)‖ = 4; state 1: stays 6, mixes in nothing
    np.testing.assert_allclose(mixing_shares(vectors, residual, own_key=True), [[5 / 9, 4 / 9], [0, 1]], atol=1e-6)
    # as cross-attention: ‖(3, 4)‖ = 5 against 4, of which 3 : 4; then 1 against 5
    np.testing.assert_allclose(
        mixing_shares(vectors, residual, own_key=False), [[5 / 9 * 3 / 7, 5 / 9 * 4 / 7], [0, 1 / 6]], atol=1e-6
    )


@pytest.mark.parametrize("kind", KINDS)
def test_norm_shares_are_those_of_the_vectors_that_the_layer_adds(translator, made, kind):
    src, inputs, *_ = translator.ids(made.source, made.tgt_ids)
    model, layer = translator.model, 1
    block, found = attention_block(model, kind, layer), norm_shares(translator, made)
    with torch.inference_mode(), capture_attention(model, ("weights_hook", "value_hook"), (kind,)) as seen:
        model(src, inputs)
    weights, values = (seen.values[hook_name(kind, layer, hook)][0] for hook in ("weights_hook", "value_hook"))
    columns = block.out_proj.weight.detach().split(block.d_head, dim=1)
    added = sum(weights[h][:, :, None] * (values[h] @ columns[h].T)[None] for h in range(block.n_heads))
    row = STEP
    others = [key for key in range(added.shape[1]) if kind == "cross" or key != row]
    lengths = added[row].norm(dim=-1)[others].numpy()
    share = {"encoder_self": found.encoder, "decoder_self": found.own, "cross": found.cross}[kind][layer, row]
    np.testing.assert_allclose(share[others] / share[others].sum(), lengths / lengths.sum(), atol=1e-5)
    strongest = norm_maps(translator, made)[kind][layer].argmax(0)
    np.testing.assert_array_equal(found.heads[kind][layer], strongest)


def test_threshold_keeps_the_strong_edges_only(shares):
    every, strong = flow_graph(shares, STEP), flow_graph(shares, STEP, 0.05)
    assert {edge for edge in every.edges if edge.flow >= 0.05} == set(strong.edges)
    assert 0 < len(strong.edges) < len(every.edges) == every.n_edges == strong.n_edges
    np.testing.assert_allclose(strong.sources, every.sources)


def test_an_edge_names_its_strongest_head_and_a_straight_one_none(made):
    for edge in flow_graph(weight_shares(made.trace), STEP).edges:
        if edge.kind != "cross" and edge.start == edge.end:
            assert edge.head == NO_HEAD
        else:
            weights = made.trace.weights[edge.kind][edge.layer, :, edge.end, edge.start]
            assert weights[edge.head] == weights.max()


def test_pieces_of_a_word_flow_together():
    shares, groups = random_shares(2, src=4), [0, 2, 3]
    whole, merged = flow_graph(shares, 2), flow_graph(shares, 2, src_groups=groups)
    assert merged.encoder.shape == (3, 3)
    np.testing.assert_allclose(merged.sources, [whole.sources[:2].sum(), *whole.sources[2:]])
    expected = {(e.kind, e.layer, e.end): 0.0 for e in whole.edges if e.kind == "cross" and e.start < 2}
    for edge in whole.edges:
        if edge.kind == "cross" and edge.start < 2:
            expected[edge.kind, edge.layer, edge.end] += edge.flow
    found = {(e.kind, e.layer, e.end): e.flow for e in merged.edges if e.kind == "cross" and e.start == 0}
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("step", [-1, 3])
def test_a_step_that_does_not_exist_is_refused(step):
    with pytest.raises(IndexError, match="steps go from 0 to 2"):
        flow_graph(random_shares(3), step)
