"""The seam holds for two models: our own Transformer, and a folder: a post-norm Marian with other sizes and ids."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.analysis.faithfulness.corpus import score_translation
from model.analysis.faithfulness.deletion import leave_one_out
from model.analysis.faithfulness.table import ROWS, WAYS_SCORED
from model.analysis.heads.ablation import ablate
from model.analysis.lessons.positions import position_table
from model.analysis.residual.lens import lens
from model.analysis.residual.proof import proven_steps
from model.analysis.residual.reasons import reasons
from model.analysis.residual.votes import votes
from model.analysis.what_if.fork import decoding_steps
from model.analysis.what_if.mixing import log_probs
from model.attribution.methods import METHODS, attribution_maps
from model.attribution.shares import norm_shares
from model.errors import HeadlightError
from model.folder.source import FolderSource
from model.passage import Ask, Pass, Patch
from model.source import WAYS, LacksAbilityError
from model.trace import HeadRef, may_attend
from tests.folder import tiny


@pytest.fixture(scope="module", params=["own", "marian"])
def source(request, translator, tmp_path_factory):
    if request.param == "own":
        return translator
    return FolderSource.open(tiny.made("marian", tmp_path_factory.mktemp("folder")))


@pytest.fixture(scope="module")
def made(source):
    return source.trace("Tom didn't see it.", "汤姆没看见它。")


@pytest.fixture(scope="module")
def ids(source, made):
    return source.ids(made.source, made.tgt_ids)


def module_names(source):
    """The block of every head, by names that each library has, and its output projection."""
    own = {"encoder_self": "encoder.layers.{}.self_attn", "decoder_self": "decoder.layers.{}.self_attn"}
    if isinstance(source, FolderSource):
        return {kind: f"model.{name}" for kind, name in own.items()} | {"cross": "model.decoder.layers.{}.encoder_attn"}
    return own | {"cross": "decoder.layers.{}.cross_attn"}


def test_a_muted_head_is_one_whose_columns_of_the_output_projection_are_zero(source, made, ids):
    found = ablate(source, made)
    assert set(found.costs) == set(source.anatomy.kinds)
    for kind, sizes in source.anatomy.kinds.items():
        assert found.costs[kind].shape == (sizes.layers, sizes.heads, len(made.tgt_ids) + 1)
        layer, head = sizes.layers - 1, 1
        model = source.core.loaded.model if isinstance(source, FolderSource) else source.model
        weight = model.get_submodule(module_names(source)[kind].format(layer)).out_proj.weight
        width = weight.shape[1] // sizes.heads
        kept = weight.detach().clone()
        with torch.no_grad():
            weight[:, head * width : (head + 1) * width] = 0
        try:
            after = source.log_probs(ids)[0].numpy()
        finally:
            with torch.no_grad():
                weight.copy_(kept)
        np.testing.assert_allclose(found.before - after, found.costs[kind][layer, head], atol=1e-4)
        assert np.abs(found.costs[kind][layer, head]).max() > 1e-4


def test_logits_of_a_step_are_those_of_a_pass_that_ends_there(source, made, ids):
    head, step = source.anatomy.all_heads()[-1], 2
    found = source.step_logits(ids, step, [{}, {head: 0.0}]).log_softmax(-1)
    whole = source.forced(ids, Ask(kinds=(), logits=True)).logits[step].log_softmax(-1)
    np.testing.assert_allclose(found[0], whole, atol=1e-4)
    changed = source.log_probs(ids, [{head: 0.0}])[0, step]
    assert float(found[1, int(ids.written[step])]) == pytest.approx(float(changed), abs=1e-4)
    assert (found[0] - found[1]).abs().max() > 1e-4
    for none in (-1, ids.steps):
        with pytest.raises(IndexError, match="no step"):
            source.step_logits(ids, none, [{}])


def test_a_gain_of_one_changes_nothing_and_rows_do_not_mix(source, made, ids):
    heads = source.anatomy.all_heads()
    rows = [{}, {heads[0]: 1.0}, {heads[0]: 0.0, heads[-1]: 0.5}, {heads[-1]: 0.5}]
    together = source.log_probs(ids, rows)
    for row, gains in enumerate(rows):
        np.testing.assert_allclose(together[row], log_probs(source, made, gains), atol=1e-5)
    np.testing.assert_allclose(together[0], together[1], atol=1e-6)
    np.testing.assert_allclose(together[0], made.log_probs, atol=1e-5)
    assert (together[2] - together[3]).abs().max() > 1e-4


def test_a_hidden_word_gets_no_weight_and_all_hidden_words_one_by_one_are_a_batch(source, made):
    found = leave_one_out(source, made)
    assert found.costs.shape == (len(found.words), len(made.tgt_ids) + 1)
    assert np.abs(found.costs).max() > 1e-4
    ids = source.ids(made.source, made.tgt_ids)
    hidden = np.zeros((2, ids.src.shape[1]), dtype=bool)
    hidden[1, 0] = True
    np.testing.assert_allclose(source.log_probs(ids, hidden=hidden)[0], made.log_probs, atol=1e-5)


def test_of_the_last_step_alone_it_says_what_it_says_of_it_among_all(source, made, ids):
    hidden = np.eye(ids.src.shape[1], dtype=bool)[:-1]
    ways = [way for way, ability in WAYS.items() if ability in source.anatomy.abilities]
    asked = [{"gains": [{}, {source.anatomy.all_heads()[0]: 0.0}]}, *({"hidden": hidden, "way": way} for way in ways)]
    for end in (ids, source.ids(made.source, made.tgt_ids, finished=False), source.ids(made.source, ())):
        for how in asked:
            every, last = source.log_probs(end, **how), source.log_probs(end, last=True, **how)
            np.testing.assert_allclose(last, every[:, -1:], atol=1e-4)
            if end.steps > 1:
                assert (last - every[:, -2:-1]).abs().max() > 1e-3
    none = source.ids(made.source, (), finished=False)
    assert source.log_probs(none, hidden=hidden, last=True).shape == (len(hidden), 0)


@pytest.mark.parametrize("method", METHODS)
def test_every_sort_of_map_fits_the_trace_and_hides_the_future(source, made, method):
    if not source.anatomy.abilities.issuperset(METHODS[method].needs):
        with pytest.raises(LacksAbilityError, match=f"does not offer '({'|'.join(METHODS[method].needs)})'"):
            attribution_maps(source, made, method)
        return
    found = attribution_maps(source, made, method, step=1 if METHODS[method].of_token else None)
    assert set(found) == set(METHODS[method].kinds)
    for kind in METHODS[method].kinds:
        weights = made.trace.weights[kind]
        assert found[kind].shape == weights.shape
        hidden = ~may_attend(kind, weights.shape)
        assert method == "scores" or not found[kind][..., hidden].any()
        assert np.abs(found[kind]).max() > 0


def test_scores_with_the_mask_give_the_weights(source, made):
    for kind, scores in made.trace.scores.items():
        masked = np.where(may_attend(kind, scores.shape), scores, -np.inf)
        powers = np.exp(masked - masked.max(-1, keepdims=True))
        np.testing.assert_allclose(powers / powers.sum(-1, keepdims=True), made.trace.weights[kind], atol=1e-5)


def test_gradients_agree_with_finite_differences_of_a_gain(source, made, ids):
    """Turning a head up by ε is moving every weight of it by ε times itself."""
    size, step = 1e-3, 2
    gradient = attribution_maps(source, made, "gradient", step)
    for kind in source.anatomy.kinds:
        up, down = (source.log_probs(ids, [{(kind, 1, 1): 1 + sign * size}])[0, step].double() for sign in (1, -1))
        expected = float((gradient[kind][1, 1] * made.trace.weights[kind][1, 1]).sum())
        assert expected == pytest.approx(float(up - down) / (2 * size), abs=5e-3)


def test_without_a_step_each_row_has_its_own_tokens_gradient_and_the_encoder_that_of_all(source, made):
    every = attribution_maps(source, made, "gradient")
    steps = [attribution_maps(source, made, "gradient", step) for step in range(len(made.written_ids))]
    for kind in ("decoder_self", "cross"):
        for step, alone in enumerate(steps):
            np.testing.assert_allclose(every[kind][:, :, step], alone[kind][:, :, step], atol=1e-5)
    np.testing.assert_allclose(every["encoder_self"], sum(each["encoder_self"] for each in steps), atol=1e-4)
    assert np.abs(every["cross"] - sum(each["cross"] for each in steps)).max() > 1e-4


@pytest.mark.parametrize("kind", ["encoder_self", "decoder_self", "cross"])
def test_six_steps_worked_out_by_hand_are_the_models(source, made, kind):
    proof = proven_steps(source, made.source, made.tgt_ids, kind, 1, 1)
    assert proof.holds
    np.testing.assert_allclose(proof.steps.weights, made.trace.weights[kind][1, 1], atol=1e-5)


def test_the_last_level_of_the_lens_is_the_models_own_output(source, made, ids):
    found = lens(source, made)
    logits = source.forced(ids, Ask(kinds=(), logits=True)).logits
    np.testing.assert_allclose(found.probabilities[-1], logits.softmax(-1).topk(5).values, atol=1e-5)
    np.testing.assert_allclose(np.log(found.written_probabilities[-1]), made.log_probs, atol=1e-4)
    steps = decoding_steps(source, made.source, made.tgt_ids)
    assert [step.written.id for step in steps] == found.written.tolist() == [*made.tgt_ids, source.end_id]
    assert not {each.id for step in steps for each in step.candidates} & set(source.never_written)


def test_flow_by_norms_is_conserved(source, made):
    shares = norm_shares(source, made)
    np.testing.assert_allclose(shares.encoder.sum(-1), 1, atol=1e-6)
    np.testing.assert_allclose(shares.own.sum(-1), 1, atol=1e-6)
    assert (shares.cross.sum(-1) < 1).all()


def test_maps_are_scored_by_what_deleting_costs(source, made):
    found = score_translation(source, made, np.random.default_rng(0))
    offered = source.anatomy.abilities
    assert set(found.rows) == {way for way in WAYS_SCORED if WAYS[way] in offered}
    for name, sort in METHODS.items():
        assert np.isfinite(found.rows["mask"][ROWS.index(name)][:2]).all() == offered.issuperset(sort.needs)


def test_what_a_model_does_not_offer_is_said_in_a_sentence(source, made, ids):
    if isinstance(source, FolderSource):
        with pytest.raises(LacksAbilityError, match="marian does not offer 'votes'"):
            votes(source, ids, 3, 4)
        with pytest.raises(LacksAbilityError, match="marian does not offer 'positions'"):
            position_table(source)
        with pytest.raises(LacksAbilityError, match="marian does not offer 'norms'"):
            reasons(source, made, HeadRef("cross", 0, 0))
        with pytest.raises(LacksAbilityError, match="marian does not offer 'patches'"):
            source.patched(ids, Pass(), [Patch()])
    else:
        own = source.forced(ids, Ask(kinds=(), logits=True)).logits
        kept = source.forced(ids, Ask(("heads",), stream=True, source_stream=True))
        np.testing.assert_allclose(source.patched(ids, kept, [Patch()], len(own))[0], own, atol=1e-5)
        assert reasons(source, made, HeadRef("cross", 1, 0)).holds
        found = votes(source, ids, 7, 12)
        assert found.total == pytest.approx(found.difference, abs=1e-4)
        assert position_table(source).shape[1] == 32


def test_maps_that_visitors_share_cannot_be_written(made):
    with pytest.raises(ValueError, match="read-only"):
        made.trace.weights["cross"][0, 0, 0, 0] = 1


def test_traces_of_several_are_those_of_each_and_a_refusal_stands_in_its_place(source):
    pairs = [("Tom didn't see it.", "汤姆没看见它。"), ("   ", "空"), ("Where is the street?", "街在哪里？")]
    first, refused, last = source.traces(pairs)
    assert isinstance(refused, HeadlightError)
    for found, pair in ((first, pairs[0]), (last, pairs[2])):
        expected = source.trace(*pair).trace
        assert (found.src, found.tgt_inputs, found.tgt_outputs) == (
            expected.src,
            expected.tgt_inputs,
            expected.tgt_outputs,
        )
        for kind, weights in expected.weights.items():
            np.testing.assert_allclose(found.weights[kind], weights, atol=1e-5)
    assert [type(each) for each in source.traces([pairs[1]])] == [type(refused)]
    assert source.traces([]) == []
