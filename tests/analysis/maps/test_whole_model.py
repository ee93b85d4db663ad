"""Each method against an independent computation: brute force, finite differences, or a second derivation."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.analysis.faithfulness.deletion import by_words, leave_one_out
from model.analysis.residual.flow import flow_graph
from model.analysis.residual.votes import votes
from model.attribution.methods import METHODS, attribution_maps
from model.attribution.per_head import vote_maps
from model.attribution.shares import alti_shares, norm_shares, rolled_shares
from model.own.capture import hook_name
from model.passage import Ask, Slope
from tests.pages import shipped

WHOLE = [name for name, sort in METHODS.items() if sort.per == "model"]


@pytest.fixture(scope="module")
def made(translator):
    return translator.trace("Tom didn't see it.", "汤姆没看见它。")


def test_votes_are_those_against_a_rival_at_every_step_and_sum_to_the_logits_with_the_rest(translator, made):
    ids = translator.ids(made.source, made.tgt_ids)
    rivals = torch.tensor([5 + step for step in range(len(ids.written))])
    found = vote_maps(translator, made, rivals)
    for step, (written, rival) in enumerate(zip(ids.written.tolist(), rivals.tolist(), strict=True)):
        prefix = translator.ids(made.source, made.tgt_ids[:step])
        alone = votes(translator, prefix, written, rival)
        np.testing.assert_allclose(found["cross"][:, :, step], alone.sources, atol=1e-4)
        own = found["decoder_self"][:, :, step].sum(-1)
        np.testing.assert_allclose(own, alone.heads["decoder_self"], atol=1e-4)
    assert np.abs(found["cross"] - vote_maps(translator, made)["cross"]).max() > 1e-3


def test_gradients_of_embeddings_agree_with_finite_differences(translator, made):
    ids = translator.ids(made.source, made.tgt_ids)
    found, size, (token, step) = translator.slopes(ids, Slope("log_prob")), 1e-3, (1, 2)
    parts = found.source_parts.sum(0)[token]

    def value(sign: float) -> float:
        def push(_module, _args, output):
            moved = output.clone()
            moved[0, token] += sign * size * parts
            return moved

        handle = translator.model.double().encoder.embedding.register_forward_hook(push)
        try:
            with torch.no_grad():
                return float(translator.model(ids.src, ids.inputs)[0].log_softmax(-1)[step, ids.written[step]])
        finally:
            handle.remove()
            translator.model.float()

    expected = (value(1) - value(-1)) / (2 * size)
    assert float((found.source[step, token] * parts).sum()) == pytest.approx(expected, abs=1e-3)
    with_steps = translator.slopes(ids, Slope("log_prob", scales=tuple((n + 0.5) / 200 for n in range(200))))
    gained = (with_steps.source * with_steps.source_parts[0]).sum((1, 2))
    gained += (with_steps.read * with_steps.read_parts[0]).sum((1, 2))
    with torch.no_grad():
        hooks = [
            side.embedding.tokens.register_forward_hook(lambda _m, _a, out: out * 0)
            for side in (translator.model.encoder, translator.model.decoder)
        ]
        nothing = translator.model(ids.src, ids.inputs)[0].log_softmax(-1).gather(1, ids.written[:, None])[:, 0]
        for hook in hooks:
            hook.remove()
    np.testing.assert_allclose(gained, with_steps.values - nothing, atol=0.05)  # completeness


@pytest.mark.parametrize(("method", "make"), [("alti", alti_shares), ("flow", norm_shares)])
def test_rolled_shares_are_the_flow_of_each_step_and_sum_to_1(translator, made, method, make):
    shares, found = make(translator, made), attribution_maps(translator, made, method)
    source, read = rolled_shares(shares)
    np.testing.assert_allclose(source.sum(1) + read.sum(1), 1, atol=1e-9)
    for step in range(len(source)):
        graph = flow_graph(shares, step)
        np.testing.assert_allclose(found["cross"][0, 0, step], graph.sources, atol=1e-6)
        np.testing.assert_allclose(found["decoder_self"][0, 0, step, : step + 1], graph.inputs, atol=1e-6)
    assert (source.sum(1) < 1).all()


def test_alti_shares_are_the_papers_sums_vector_by_vector(translator, made):
    ids = translator.ids(made.source, made.tgt_ids)
    seen = translator.forced(ids, Ask(("weights", "value", "residual", "output")))
    for kind, field in (("decoder_self", "own"), ("cross", "cross")):
        out = translator.heads_out(kind, 1).weight
        weights, value = seen.step(kind, 1, "weights"), seen.step(kind, 1, "value")
        residual, output = seen.step(kind, 1, "residual"), seen.step(kind, 1, "output")
        found = getattr(alti_shares(translator, made), field)[1]
        for query in (0, 3):
            parts = [
                sum(weights[h, query, key] * (value[h, key] @ out[h]) for h in range(len(weights)))
                for key in range(weights.shape[2])
            ]
            if kind == "cross":
                parts.append(residual[query])
            else:
                parts[query] = parts[query] + residual[query]
            state = residual[query] + output[query]
            near = [max(0.0, float(state.abs().sum() - (state - part).abs().sum())) for part in parts]
            expected = np.array(near) / sum(near)
            np.testing.assert_allclose(found[query], expected[: found.shape[1]], atol=1e-4)


def test_relevancy_of_one_step_by_the_papers_rules_one_after_the_other(translator, made):
    step = 3
    weights = made.trace.weights
    gradient = attribution_maps(translator, made, "gradient", step)
    helped = {kind: np.maximum(gradient[kind] * weights[kind], 0).mean(1) for kind in weights}

    def balanced(relevance):
        gathered = relevance - np.eye(len(relevance))
        total = gathered.sum(1, keepdims=True)
        return np.divide(gathered, total, out=np.zeros_like(gathered), where=total > 0) + np.eye(len(relevance))

    source = np.eye(weights["cross"].shape[3])
    for layer in helped["encoder_self"]:
        source = source + layer @ source
    own, both = np.eye(weights["cross"].shape[2]), np.zeros(weights["cross"].shape[2:])
    for looked, crossed in zip(helped["decoder_self"], helped["cross"], strict=True):
        own, both = own + looked @ own, both + looked @ both
        turned = balanced(own).T
        np.testing.assert_allclose((turned @ crossed)[step], turned[step, step] * crossed[step], atol=1e-9)
        both = both + turned @ crossed @ balanced(source)
    assert helped["cross"][:-1, :step].any(), "earlier rows have their own, which comes by way of self-attention"
    found = attribution_maps(translator, made, "chefer")
    np.testing.assert_allclose(found["cross"][0, 0, step], both[step], atol=1e-5)
    np.testing.assert_allclose(found["decoder_self"][0, 0, step], own[step], atol=1e-5)
    assert np.abs(both[step]).max() > 1e-4


def test_value_zeroing_is_the_layer_run_again_without_one_value(translator, made):
    found, ids = attribution_maps(translator, made, "value_zeroing"), translator.ids(made.source, made.tgt_ids)
    model, layer, key = translator.model, 1, 2

    def outputs(kind: str, silent: bool) -> torch.Tensor:
        kept: list[torch.Tensor] = []
        side = "encoder" if kind == "encoder_self" else "decoder"

        def silence(_module, _args, output):
            output = output.clone()
            output[:, :, key] = 0
            return output

        handles = [
            model.get_submodule(f"{side}.layers.{layer}").register_forward_hook(lambda _m, _a, o: kept.append(o))
        ]
        if silent:
            handles.append(model.get_submodule(hook_name(kind, layer, "value_hook")).register_forward_hook(silence))
        with torch.no_grad():
            model(ids.src, ids.inputs)
        for handle in handles:
            handle.remove()
        return kept[0][0].double()

    for kind in ("encoder_self", "decoder_self", "cross"):
        distance = 1 - torch.cosine_similarity(outputs(kind, False), outputs(kind, True), dim=-1)
        rows = found[kind][layer, 0]
        ratio = distance.numpy() / np.maximum(rows[:, key], 1e-12)  # rows are divided by their sums
        seen = rows[:, key] > 1e-6
        assert seen.any()
        np.testing.assert_allclose(rows.sum(1)[seen], 1, atol=1e-5)
        assert (ratio[seen] > 0).all()
    assert not np.triu(found["decoder_self"][0, 0], 1).any()


def test_leaving_words_out_is_what_the_yardstick_says(translator, made):
    left = leave_one_out(translator, made)
    maps = attribution_maps(translator, made, "leave_one_out")["cross"][0, 0]
    np.testing.assert_allclose(by_words(maps, (*made.src, made.trace.src[-1])).T, left.costs, atol=1e-5)
    other = attribution_maps(translator, made, "cross_zeroing")["cross"][0, 0]
    assert np.abs(other - maps).max() > 1e-3
    assert not maps[:, -1].any(), "<eos> is never deleted"


def test_silenced_words_are_values_set_to_0_by_hand(translator, made):
    ids = translator.ids(made.source, made.tgt_ids)
    hidden = np.zeros((1, ids.src.shape[1]), dtype=bool)
    hidden[0, 1] = True

    def silence(_module, _args, output):
        output = output.clone()
        output[:, :, 1] = 0
        return output

    blocks = [translator.model.get_submodule(hook_name("cross", n, "value_hook")) for n in range(2)]
    handles = [block.register_forward_hook(silence) for block in blocks]
    with torch.no_grad():
        expected = translator.model(ids.src, ids.inputs)[0].log_softmax(-1).gather(1, ids.written[:, None])[:, 0]
    for handle in handles:
        handle.remove()
    np.testing.assert_allclose(translator.log_probs(ids, hidden=hidden, way="silence")[0], expected, atol=1e-5)


def test_a_removed_word_is_a_source_without_it_and_an_averaged_one_keeps_its_place(translator, made):
    ids = translator.ids(made.source, made.tgt_ids)
    hidden = np.zeros((2, ids.src.shape[1]), dtype=bool)
    hidden[1, [2, 4]] = True
    assert all((ids.src == ids.src[0, place]).sum() == 1 for place in (2, 4))
    kept = ids.src[:, ~torch.from_numpy(hidden[1])]
    found = translator.log_probs(ids, hidden=hidden, way="remove")
    np.testing.assert_allclose(found[0], made.log_probs, atol=1e-5)
    np.testing.assert_allclose(found[1], translator.log_probs(ids._replace(src=kept))[0], atol=1e-5)
    averaged = translator.log_probs(ids, hidden=hidden, way="average")
    np.testing.assert_allclose(averaged[0], made.log_probs, atol=1e-5)
    table = translator.model.encoder.embedding.tokens.weight
    before = table.detach().clone()
    with torch.no_grad():
        table[ids.src[0, [2, 4]]] = before[1:].mean(0)
    try:
        expected = translator.log_probs(ids)[0]
    finally:
        with torch.no_grad():
            table.copy_(before)
    np.testing.assert_allclose(averaged[1], expected, atol=1e-5)
    assert (averaged[1] - found[1]).abs().max() > 1e-3


def test_a_translation_that_was_cut_has_no_gradient_of_an_end_that_was_not_written(translator, made):
    from dataclasses import replace

    cut = replace(made, finished=False, log_probs=made.log_probs[:-1])
    for method in ("gradient", "chefer", "frozen", "leave_one_out"):
        found = attribution_maps(translator, cut, method)["cross"]
        assert not found[:, :, -1].any()
        assert found[:, :, -2].any()
    whole = attribution_maps(translator, made, "gradient")["encoder_self"]
    assert np.abs(attribution_maps(translator, cut, "gradient")["encoder_self"] - whole).max() > 1e-5


@shipped
@pytest.mark.parametrize("method", ["votes", "frozen", "chefer", "leave_one_out"])
def test_the_pronoun_of_the_first_example_comes_from_it(en_zh, method):
    made = en_zh.translate("The animal didn't cross the street because it was too tired.", capture=True)
    row = [label.text for label in made.trace.tgt_outputs].index("它")
    marks = by_words(METHODS[method].whole(attribution_maps(en_zh, made, method)["cross"]), made.trace.src)[row]
    words = [label.text for label in made.src if not label.text.startswith("##")]
    assert words[int(marks.argmax())] == "it"
    assert "street" not in np.array(words)[np.argsort(-marks)[:2]]
