"""What a map can be made of, each against an independent computation."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.attribution.methods import (
    METHOD_NAMES,
    METHODS,
    attribution_maps,
    by_receptive_field,
    rolled,
    rollout_maps,
    traced_maps,
)
from model.folder.source import FolderSource
from model.own.capture import capture_attention, hook_name
from model.passage import Ask
from model.source import LacksAbilityError
from model.trace import KINDS, AttentionTrace, Label
from tests.folder import tiny


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    return FolderSource.open(tiny.made("gpt2", tmp_path_factory.mktemp("folder")))


def test_relevancy_of_a_decoder_is_worked_out_step_by_step_by_hand(gpt2):
    made = gpt2.translate("The old baker", capture=True)
    found = attribution_maps(gpt2, made, "chefer")
    assert set(found) == {"decoder_self"}
    ids = gpt2.ids(made.source, made.tgt_ids, made.finished)
    for step in (0, 3, ids.steps - 1):
        gradients = gpt2.forced(ids, Ask(kinds=("decoder_self",), gradient=step)).gradients
        relevance = np.eye(len(ids.written))
        for layer, weights in enumerate(made.trace.weights["decoder_self"]):
            helped = np.maximum(gradients["decoder_self", layer].numpy() * weights, 0).mean(0)
            relevance = relevance + helped @ relevance
        np.testing.assert_allclose(found["decoder_self"][0, 0, step], relevance[step], atol=1e-5)
    assert found["decoder_self"][0, 0, 3, :3].max() > 1e-3


@pytest.mark.parametrize("family", ["bert", "vit"])
def test_what_is_about_writing_is_refused_by_models_that_only_read(family, tmp_path_factory):
    from model.common.scenes import drawing

    source = FolderSource.open(tiny.made(family, tmp_path_factory.mktemp("folder")), pictures=drawing)
    made = source.translate("house" if family == "vit" else "The old [MASK] sleeps.", capture=True)
    refused = [name for name, sort in METHODS.items() if "encoder_self" not in sort.kinds]
    assert {"chefer", "leave_one_out"} <= set(refused)
    for name in refused:
        with pytest.raises(LacksAbilityError):
            attribution_maps(source, made, name)
    assert set(attribution_maps(source, made, "rollout")) == {"encoder_self"}


TEXT = "Tom didn't see it."


@pytest.fixture(scope="module")
def made(translator):
    return translator.trace(TEXT, "汤姆没看见它。")


def place_row(step, nudge) -> int | None:
    """Whose log-probability a cell's gradient is of: the step's, else the row's own; None: of all."""
    return nudge[1][1] if step is None and nudge[0][0] != "encoder_self" else step


def log_prob(translator, made, step, nudge=None) -> float:
    """Log-probability of a step's token (or of all), with one weight of one head moved by ``nudge``."""
    src, inputs, written, _ = translator.ids(made.source, made.tgt_ids)

    def push(_module, _inputs, output):
        moved = output.clone()
        moved[(0, *nudge[1])] += nudge[2]
        return moved

    model = translator.model.double()
    point = model.get_submodule(hook_name(*nudge[0], "weights_hook") if nudge else "encoder")
    handle = point.register_forward_hook(push) if nudge else None
    try:
        with torch.inference_mode():
            found = model(src, inputs)[0].log_softmax(-1).gather(1, written[:, None])[:, 0]
            row = place_row(step, nudge)
            return float(found.sum() if row is None else found[row])
    finally:
        model.float()
        if handle:
            handle.remove()


@pytest.mark.parametrize("step", [None, 2])
@pytest.mark.parametrize(
    ("place", "cell"),
    [
        (("encoder_self", 0), (1, 2, 3)),
        (("decoder_self", 1), (3, 2, 1)),
        (("cross", 1), (0, 1, 2)),
        (("cross", 0), (2, 2, 0)),
    ],
)
def test_gradients_agree_with_finite_differences(translator, made, step, place, cell):
    found = attribution_maps(translator, made, "gradient", step)[place[0]][place[1]][cell]
    size = 1e-5
    up, down = (log_prob(translator, made, step, (place, cell, sign * size)) for sign in (1, -1))
    assert found == pytest.approx((up - down) / (2 * size), abs=1e-4)


def test_a_step_reacts_to_no_weight_of_a_later_one(translator, made):
    found = attribution_maps(translator, made, "gradient", 1)
    assert not found["cross"][:, :, 2:].any()
    assert not found["decoder_self"][:, :, 2:].any()
    assert found["cross"][:, :, :2].any()
    assert not np.triu(attribution_maps(translator, made, "gradient")["decoder_self"], 1).any(), "a hidden key reacts"


def test_gradients_leave_nothing_on_the_model(translator, made):
    attribution_maps(translator, made, "gradient")
    assert all(parameter.grad is None for parameter in translator.model.parameters())
    assert not any(module._forward_hooks for module in translator.model.modules())
    with pytest.raises(IndexError):
        attribution_maps(translator, made, "gradient", 99)
    assert not any(module._forward_hooks for module in translator.model.modules()), "hooks stay after an error"


def test_gradient_times_weight_is_that_product(translator, made):
    gradient, product = (attribution_maps(translator, made, method, 3) for method in ("gradient", "gradient_weight"))
    for kind in KINDS:
        np.testing.assert_allclose(product[kind], gradient[kind] * made.trace.weights[kind])


@pytest.mark.parametrize(
    ("kind", "site"), [("encoder_self", ("encoder", "self_attn")), ("cross", ("decoder", "cross_attn"))]
)
def test_norms_are_an_explicit_sum_over_value_vectors(translator, made, kind, site):
    src, inputs, *_ = translator.ids(made.source, made.tgt_ids)
    with torch.inference_mode(), capture_attention(translator.model, ("weights_hook", "value_hook"), (kind,)) as seen:
        translator.model(src, inputs)
    found = attribution_maps(translator, made, "norms")[kind]
    layer, head, query, key = 1, 2, 3, 1
    block = getattr(getattr(translator.model, site[0]).layers[layer], site[1])
    value = seen.values[hook_name(kind, layer, "value_hook")][0, head, key].tolist()
    alpha = float(seen.values[hook_name(kind, layer, "weights_hook")][0, head, query, key])
    matrix, size = block.out_proj.weight.tolist(), block.d_head
    vector = [sum(alpha * value[i] * row[head * size + i] for i in range(size)) for row in matrix]
    assert found[layer, head, query, key] == pytest.approx(sum(x * x for x in vector) ** 0.5, rel=1e-4)


def test_rollout_of_two_tokens_by_hand():
    maps = np.array([[[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [1.0, 0.0]]])
    # ½W + ½I: [[1, 0], [¼, ¾]] and [[1, 0], [½, ½]]; the second times the first: [[1, 0], [⅝, ⅜]]
    np.testing.assert_allclose(rolled(maps), [[[1, 0], [0.25, 0.75]], [[1, 0], [0.625, 0.375]]])
    with pytest.raises(ValueError, match=r"maps \[layer, N, N\]"):
        rolled(np.ones((2, 2, 3)))


def test_receptive_fields_by_hand():
    # Token 0 is seen by two queries, token 1 by one: the second row (½, ½) becomes (¼, ½), and so (⅓, ⅔).
    np.testing.assert_allclose(by_receptive_field(np.array([[1.0, 0.0], [0.5, 0.5]])), [[1, 0], [1 / 3, 2 / 3]])


def test_uniform_attention_leans_less_to_early_tokens_once_normalised():
    uniform = np.tril(np.ones((8, 8))) / np.arange(1, 9)[:, None]
    plain, fair = (rolled(np.stack([maps] * 6))[-1][-1] for maps in (uniform, by_receptive_field(uniform)))
    assert fair[0] < plain[0] - 0.1
    assert fair[-1] > plain[-1]


def test_cross_rollout_is_a_plain_product_over_one_graph(translator, made):
    trace = made.trace
    sources, targets = len(trace.src), len(trace.tgt_inputs)
    mean = {kind: trace.weights[kind].astype(np.float64).mean(1) for kind in KINDS}
    state = np.eye(sources + targets)  # rows: source states, then decoder states; columns: tokens
    for layer in mean["encoder_self"]:
        step = np.eye(sources + targets)
        step[:sources, :sources] = 0.5 * layer + 0.5 * np.eye(sources)
        state = step @ state
    for own, cross in zip(mean["decoder_self"], mean["cross"], strict=True):
        step = np.eye(sources + targets)
        step[sources:, sources:] = 0.5 * own + 0.5 * np.eye(targets)
        state = step @ state
        step = np.eye(sources + targets)
        step[sources:, sources:] *= 0.5
        step[sources:, :sources] = 0.5 * cross
        state = step @ state
    found = rollout_maps(trace)
    np.testing.assert_allclose(found["cross"][-1], state[sources:, :sources], atol=1e-5)
    np.testing.assert_allclose(found["encoder_self"][-1], state[:sources, :sources], atol=1e-5)
    np.testing.assert_allclose(found["decoder_self"].sum(-1), 1, atol=1e-5)


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_every_kind_has_the_shape_of_the_weights(translator, made, method):
    found = attribution_maps(translator, made, method)
    for kind in METHODS[method].kinds:
        assert found[kind].shape == made.trace.weights[kind].shape
        assert found[kind].dtype == np.float32
        assert np.isfinite(found[kind]).all()


def test_a_source_word_that_nothing_looks_at_has_no_rollout():
    one = np.zeros((1, 1, 2, 2), dtype=np.float32)
    one[..., 0] = 1
    maps = {"encoder_self": np.eye(2, dtype=np.float32)[None, None], "decoder_self": one, "cross": one}
    labels = (Label("a", 0), Label("b", 1))
    found = rollout_maps(AttentionTrace(labels, labels, labels, maps, maps))["cross"][-1]
    np.testing.assert_allclose(found, [[0.5, 0.0], [0.5, 0.0]])


def test_an_unknown_name_is_refused(translator, made):
    with pytest.raises(ValueError, match="method must be one of weights"):
        attribution_maps(translator, made, "saliency")
    with pytest.raises(ValueError, match="norms needs a model"):
        traced_maps(made.trace, "norms")
