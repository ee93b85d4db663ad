"""Carrying heads and states from one model into another of its shape, against passes that were changed by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from model.analysis.what_if.patching import (
    DONOR,
    Carried,
    Contrast,
    OtherShapeError,
    check_one_shape,
    log_probs_at,
    patched_ids,
    sweep,
)
from model.own.checkpoint import Checkpoint
from model.own.network.transformer import Transformer
from model.passage import Ask, Patch
from model.trace import HeadRef
from model.training.corpus import learn_characters, learn_english
from model.translator import Translator

TEXT, BEFORE = "Tom didn't see the car.", (5, 9, 7)


def made(translator, src=None, tgt=None, **sizes):
    """An untrained model with the tokenizers of another, or with these, and with other sizes where they are given."""
    torch.manual_seed(8)
    src, tgt = src or translator.src_tokenizer, tgt or translator.tgt_tokenizer
    config = replace(translator.model.config, src_vocab_size=src.vocab_size, tgt_vocab_size=tgt.vocab_size, **sizes)
    return Translator(Checkpoint(Transformer(config).eval(), src, tgt, {}), "other")


@pytest.fixture(scope="module")
def other(translator):
    return made(translator)


@pytest.fixture(scope="module")
def ids(translator):
    return translator.ids(TEXT, BEFORE)


@pytest.fixture(scope="module")
def about(ids):
    places = tuple((place, place) for place in range(ids.src.shape[1]))
    return Contrast(TEXT, TEXT, BEFORE, 5, 6, places, (len(places), len(places)), ((41, 57), (3,)))


def plain(translator, ids):
    return translator.forced(ids, Ask(kinds=(), logits=True)).logits[-1]


def patched(translator, donor, ids, patch):
    return translator.patched(ids, donor.forced(ids, DONOR), [patch])[0, 0]


def test_all_that_leaves_the_other_encoder_is_read_as_the_other_memory(translator, other, ids, about):
    """The last norm of both is as it was made, so that the memory is the other's own."""
    level = translator.anatomy.layers("encoder_self")
    found = patched(translator, other, ids, Patch(states=frozenset({("src", level)}), src=about.src))
    with torch.inference_mode():
        memory = other.model.encode(ids.src)
        expected = translator.model.project(translator.model.decode(ids.inputs, memory, ids.src))[0, -1]
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
    assert (found - plain(translator, ids)).abs().max() > 1e-2
    assert (found - plain(other, ids)).abs().max() > 1e-2


def test_one_head_is_its_columns_of_what_goes_into_the_others_output_projection(translator, other, ids, about):
    name, head, kept = "decoder.layers.1.cross_attn.out_proj", HeadRef("cross", 1, 2), []
    width = translator.model.config.d_model // translator.model.config.n_heads
    columns = slice(2 * width, 3 * width)

    def change(_module, args):
        changed = args[0].clone()
        changed[0, :, columns] = kept[0][0, :, columns]
        return (changed,)

    with torch.inference_mode():
        hooks = other.model.get_submodule(name).register_forward_pre_hook(lambda _m, args: kept.append(args[0]))
        other.model(ids.src, ids.inputs)
        hooks.remove()
        hooks = translator.model.get_submodule(name).register_forward_pre_hook(change)
        expected = translator.model(ids.src, ids.inputs)[0, -1]
        hooks.remove()
    found = patched(translator, other, ids, about.patch(Carried(head)))
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
    assert (found - plain(translator, ids)).abs().max() > 1e-5


def test_a_sweep_goes_from_one_models_tokens_to_the_others(translator, other, ids, about):
    found = sweep(translator, about, other)
    for own, model in ((found.plain, translator), (found.other, other)):
        np.testing.assert_allclose(own, plain(model, ids).log_softmax(-1)[[5, 6]], atol=1e-5)
    top = other.forced(ids, DONOR).stream.levels[-1, -1]
    gaps = [float(logits[5] - logits[6]) for logits in (plain(translator, ids), plain(other, ids))]
    gap = float((logits := translator.finish(top))[5] - logits[6])
    share = (gaps[0] - gap) / (gaps[0] - gaps[1])
    assert found.states["tgt"][-1, -1] == pytest.approx(share, abs=1e-3)
    assert np.abs(found.states["src"][0]).max() > 1e-3, "the embeddings of the two differ too"


def test_a_model_carried_into_itself_changes_nothing(translator, other, ids, about):
    twin = Translator(Checkpoint(translator.model, translator.src_tokenizer, translator.tgt_tokenizer, {}), "twin")
    sites = [Carried(None, "src", 1, 3), Carried(None, "tgt", 1, 2), Carried(HeadRef("encoder_self", 1, 1))]
    patches = [Patch(), *map(about.patch, sites)]
    same, changed = (log_probs_at(translator, about, patches, donor) for donor in (twin, other))
    np.testing.assert_allclose(same, np.broadcast_to(same[0], same.shape), atol=1e-5)
    assert (np.abs(changed - same).max(1)[1:] > 1e-4).all()
    for site in sites:
        assert patched_ids(translator, about, site, twin) == patched_ids(translator, about, site)
    drafts = [replace(about, drafts=each) for each in (about.drafts, ((), (0, 0)))]
    one, step_by_step = (patched_ids(translator, each, sites[0], other) for each in drafts)
    assert one == step_by_step


def test_models_of_other_shapes_are_refused_in_a_sentence(translator, about, pairs):
    english, chinese = ([pair[side] for pair in pairs] for side in (0, 1))
    src, tgt = learn_english(english[:6], 400), [text.replace("车", "船") for text in chinese]
    for other, what in (
        (made(translator, n_decoder_layers=3), "layers or heads"),
        (made(translator, n_heads=8), "layers or heads"),
        (made(translator, d_model=48), "d_model"),
        (made(translator, tgt=learn_characters(chinese[:6], 20, 1)), "target vocabularies"),
        (made(translator, tgt=learn_characters(tgt, 20, 1)), "target vocabularies"),
        (made(translator, src=src), "source vocabularies"),
    ):
        with pytest.raises(OtherShapeError, match=f"from other into .*{what}"):
            sweep(translator, about, other)
    assert learn_characters(tgt, 20, 1).vocab_size == translator.tgt_tokenizer.vocab_size
    check_one_shape(translator, made(translator), TEXT)


def test_a_pass_that_kept_too_little_or_is_of_other_sizes_is_refused(translator, ids, about):
    patch = about.patch(Carried(HeadRef("cross", 1, 0)))
    for donor, ask in (
        (translator, Ask(stream=True, source_stream=True)),
        (translator, Ask(("heads",), stream=True)),
        (made(translator, d_model=48), DONOR),
        (made(translator, n_heads=8), DONOR),
    ):
        with pytest.raises(ValueError, match="the other pass"):
            translator.patched(ids, donor.forced(ids, ask), [patch])
