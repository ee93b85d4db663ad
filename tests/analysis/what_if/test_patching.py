"""Carrying heads and states from one sentence into another, against passes that were changed by hand."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

import numpy as np
import pytest
import torch

from model.analysis.what_if.patching import (
    DONOR,
    LONGER,
    Carried,
    Contrast,
    OtherShapeError,
    check_one_shape,
    contrast,
    log_probs_at,
    patched_ids,
    sweep,
)
from model.folder.source import FolderSource
from model.own.checkpoint import Checkpoint
from model.own.network.transformer import Transformer
from model.passage import Ask, Patch
from model.source import LacksAbilityError
from model.trace import HeadRef
from model.training.corpus import learn_characters, learn_english
from model.translator import Translator
from tests.folder import tiny

ONE, OTHER, SHORTER = "Tom didn't see the car.", "Tom didn't see the street.", "The red street is mine."
WORD = 9  # place of the only token that differs
MOST = 2 + LONGER  # tokens after which writing stops, the longer draft having two
BEFORE = (5, 9, 7)


def ids_of(translator, text, before=BEFORE):
    return translator.ids(text, before)


def plain(translator, text):
    """Logits of the last step of an unchanged pass."""
    return translator.forced(ids_of(translator, text), Ask(kinds=(), logits=True)).logits[-1]


def patched(translator, *patches, other=OTHER):
    donor = translator.forced(ids_of(translator, other), DONOR)
    return translator.patched(ids_of(translator, ONE), donor, patches)[:, 0]


def everywhere(n):
    return tuple((place, place) for place in range(n))


@pytest.fixture
def about(translator):
    src = everywhere(ids_of(translator, ONE).src.shape[1])
    return Contrast(ONE, OTHER, BEFORE, 5, 6, src, (len(src), len(src)), ((41, 57), ()))


def by_hand(translator, module, input_of, change):
    """Logits of the last step of a pass in which what goes into a module was changed."""
    with torch.inference_mode(), ExitStack() as stack:
        target = translator.model.get_submodule(module)
        stack.callback(target.register_forward_pre_hook(lambda _m, args: (change(args[0].clone()), *args[1:])).remove)
        ids = ids_of(translator, input_of)
        return translator.model(ids.src, ids.inputs)[0, -1].float()


def seen(translator, module, text):
    """What goes into a module while a text is read, [T, D]."""
    kept = []
    by_hand(translator, module, text, lambda x: (kept.append(x[0]), x)[1])
    return kept[0]


def test_nothing_carried_changes_nothing(translator):
    torch.testing.assert_close(patched(translator, Patch())[0], plain(translator, ONE), atol=1e-5, rtol=0)


@pytest.mark.parametrize("other", [OTHER, SHORTER])
def test_all_of_the_decoders_heads_make_it_the_other_sentence_whatever_their_lengths(translator, other):
    heads = frozenset(head for head in translator.anatomy.all_heads() if head.kind != "encoder_self")
    found = patched(translator, Patch(heads, tgt=everywhere(len(BEFORE) + 1)), other=other)[0]
    torch.testing.assert_close(found, plain(translator, other), atol=1e-5, rtol=0)
    assert (found - plain(translator, ONE)).abs().max() > 1e-3
    cross = frozenset(head for head in heads if head.kind == "cross" and head.layer)
    found = patched(translator, Patch(cross, tgt=everywhere(len(BEFORE) + 1)), other=other)[0]
    assert (found - plain(translator, other)).abs().max() > 1e-4


def test_all_of_the_sources_states_on_any_level_make_it_the_other_sentence(translator, about):
    for level in range(translator.anatomy.layers("encoder_self") + 1):
        found = patched(translator, Patch(states=frozenset({("src", level)}), src=about.src))[0]
        torch.testing.assert_close(found, plain(translator, OTHER), atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    ("head", "module"),
    [
        (HeadRef("encoder_self", 1, 2), "encoder.layers.1.self_attn.out_proj"),
        (HeadRef("decoder_self", 1, 3), "decoder.layers.1.self_attn.out_proj"),
        (HeadRef("cross", 1, 0), "decoder.layers.1.cross_attn.out_proj"),
    ],
)
def test_one_head_is_its_columns_of_what_goes_into_the_output_projection(translator, about, head, module):
    width = translator.model.config.d_model // translator.model.config.n_heads
    columns = slice(head.head * width, (head.head + 1) * width)
    there = seen(translator, module, OTHER)

    def change(x):
        x[0, :, columns] = there[:, columns]
        return x

    expected = by_hand(translator, module, ONE, change)
    found = patched(translator, about.patch(Carried(head)))[0]
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
    assert (found - plain(translator, ONE)).abs().max() > 1e-5


@pytest.mark.parametrize(("side", "level", "place"), [("src", 1, 2), ("tgt", 1, 1), ("tgt", 0, 0)])
def test_one_state_is_one_row_of_what_goes_into_a_layer(translator, about, side, level, place):
    module = f"{'encoder' if side == 'src' else 'decoder'}.layers.{level}"
    there = seen(translator, module, OTHER)

    def change(x):
        x[0, place] = there[place]
        return x

    found = patched(translator, about.patch(Carried(None, side, level, place)))[0]
    torch.testing.assert_close(found, by_hand(translator, module, ONE, change), atol=1e-5, rtol=0)


def test_the_rows_of_a_batch_do_not_mix_and_keep_their_order(translator, about):
    sites = [Carried(None, "tgt", 2, 3), Carried(HeadRef("encoder_self", 0, 1)), Carried(HeadRef("cross", 1, 3))]
    patches = [Patch(), *map(about.patch, sites), Patch()]
    together = patched(translator, *patches)
    for row, patch in enumerate(patches):
        torch.testing.assert_close(together[row], patched(translator, patch)[0], atol=1e-5, rtol=0)
    assert (together[1] - together[2]).abs().max() > 1e-5


@pytest.mark.parametrize(
    "patch",
    [
        Patch(frozenset({HeadRef("cross", 2, 0)})),
        Patch(states=frozenset({("src", 3)})),
        Patch(src=((0, 99),)),
        Patch(tgt=((-1, 0),)),
    ],
)
def test_what_is_not_there_cannot_be_carried(translator, patch):
    with pytest.raises(ValueError, match="there is no"):
        patched(translator, patch)


def test_a_sweep_moves_all_the_way_with_the_only_word_that_differs(translator, about):
    found = sweep(translator, about)
    assert found.states["src"][0, WORD] == pytest.approx(1, abs=1e-3)
    np.testing.assert_allclose(np.delete(found.states["src"][0], WORD), 0, atol=1e-3)
    assert found.states["tgt"][-1, -1] == pytest.approx(1, abs=1e-3)
    np.testing.assert_allclose(found.states["tgt"][0], 0, atol=1e-3)
    gaps = [np.subtract(*plain(translator, text)[[5, 6]].tolist()) for text in (ONE, OTHER)]
    assert found.plain[0] - found.plain[1] == pytest.approx(gaps[0], abs=1e-4)
    head = HeadRef("cross", 1, 2)
    gap = np.subtract(*patched(translator, about.patch(Carried(head)))[0][[5, 6]].tolist())
    assert found.share(Carried(head)) == pytest.approx((gaps[0] - gap) / (gaps[0] - gaps[1]), abs=1e-2)
    shares = [found.share(site) for site in found.best()]
    assert shares == sorted(shares, reverse=True)


def test_a_place_without_a_partner_cannot_be_carried(translator, about):
    alone = replace(about, src=about.src[1:])
    found = sweep(translator, alone)
    assert about.src[0] == (0, 0)
    assert np.isnan(found.states["src"][:, 0]).all()
    assert not np.isnan(found.states["src"][:, 1:]).any()
    assert Carried(None, "src", 0, 0) not in found.best()


def greedy(translator, text, most):
    """The most probable token at each step, from passes of their own."""
    written = ()
    while len(written) < most:
        logits = translator.forced(translator.ids(text, written), Ask(kinds=(), logits=True)).logits[-1].clone()
        logits[list(translator.never_written)] = -np.inf
        if (token := int(logits.argmax())) == translator.end_id:
            break
        written += (token,)
    return written


def test_carrying_the_embedding_of_the_only_word_that_differs_writes_the_other_translation(translator, about):
    assert patched_ids(translator, about, Carried(None, "src", 0, WORD)) == greedy(translator, OTHER, MOST)
    assert patched_ids(translator, about, Carried(None, "src", 0, 3)) == greedy(translator, ONE, MOST)


@pytest.mark.parametrize("drafts", [((), ()), ((41, 41, 57, 3), (9,)), ((3,), (41, 41, 41, 41, 41))])
def test_what_is_guessed_changes_nothing(translator, about, drafts):
    for carried in (Carried(HeadRef("cross", 1, 2)), Carried(None, "tgt", 1, 2)):
        found = patched_ids(translator, replace(about, drafts=drafts), carried)
        step_by_step = patched_ids(translator, replace(about, drafts=((), (0,) * max(map(len, drafts)))), carried)
        assert found == step_by_step


def test_two_translations_part_at_their_first_difference_or_nowhere(translator):
    one, other = translator.trace("Tom sees it.", "我爱你。"), translator.trace("Tom sees red.", "我爱红车。")
    found = contrast(one, other)
    assert (found.before, found.written, found.rival) == (one.tgt_ids[:2], one.tgt_ids[2], other.tgt_ids[2])
    assert found.src[-1] == (len(one.src), len(other.src))
    assert contrast(one, one) is None


def test_sites_have_codes_and_nonsense_has_none():
    for site in (Carried(None, "src", 6, 12), Carried(None, "tgt", 0, 0), Carried(HeadRef("cross", 3, 1))):
        assert Carried.parse(site.code) == site
    assert [Carried.parse(code) for code in ("", "s1", "x1.2", "s1.2.3", "s-1.2", "s1.9999")] == [None] * 6


def test_a_folder_lacks_it(tmp_path, about):
    source = FolderSource.open(tiny.made("marian", tmp_path))
    with pytest.raises(LacksAbilityError, match="does not offer 'patches'"):
        sweep(source, about)


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
def about_models(ids):
    places = tuple((place, place) for place in range(ids.src.shape[1]))
    return Contrast(TEXT, TEXT, BEFORE, 5, 6, places, (len(places), len(places)), ((41, 57), (3,)))


def last_logits(translator, ids):
    return translator.forced(ids, Ask(kinds=(), logits=True)).logits[-1]


def patched_by(translator, donor, ids, patch):
    return translator.patched(ids, donor.forced(ids, DONOR), [patch])[0, 0]


def test_all_that_leaves_the_other_encoder_is_read_as_the_other_memory(translator, other, ids, about_models):
    """The last norm of both is as it was made, so that the memory is the other's own."""
    level = translator.anatomy.layers("encoder_self")
    found = patched_by(translator, other, ids, Patch(states=frozenset({("src", level)}), src=about_models.src))
    with torch.inference_mode():
        memory = other.model.encode(ids.src)
        expected = translator.model.project(translator.model.decode(ids.inputs, memory, ids.src))[0, -1]
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
    assert (found - last_logits(translator, ids)).abs().max() > 1e-2
    assert (found - last_logits(other, ids)).abs().max() > 1e-2


def test_one_head_is_its_columns_of_what_goes_into_the_others_output_projection(translator, other, ids, about_models):
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
    found = patched_by(translator, other, ids, about_models.patch(Carried(head)))
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
    assert (found - last_logits(translator, ids)).abs().max() > 1e-5


def test_a_sweep_goes_from_one_models_tokens_to_the_others(translator, other, ids, about_models):
    found = sweep(translator, about_models, other)
    for own, model in ((found.plain, translator), (found.other, other)):
        np.testing.assert_allclose(own, last_logits(model, ids).log_softmax(-1)[[5, 6]], atol=1e-5)
    top = other.forced(ids, DONOR).stream.levels[-1, -1]
    gaps = [float(logits[5] - logits[6]) for logits in (last_logits(translator, ids), last_logits(other, ids))]
    gap = float((logits := translator.finish(top))[5] - logits[6])
    share = (gaps[0] - gap) / (gaps[0] - gaps[1])
    assert found.states["tgt"][-1, -1] == pytest.approx(share, abs=1e-3)
    assert np.abs(found.states["src"][0]).max() > 1e-3, "the embeddings of the two differ too"


def test_a_model_carried_into_itself_changes_nothing(translator, other, ids, about_models):
    twin = Translator(Checkpoint(translator.model, translator.src_tokenizer, translator.tgt_tokenizer, {}), "twin")
    sites = [Carried(None, "src", 1, 3), Carried(None, "tgt", 1, 2), Carried(HeadRef("encoder_self", 1, 1))]
    patches = [Patch(), *map(about_models.patch, sites)]
    same, changed = (log_probs_at(translator, about_models, patches, donor) for donor in (twin, other))
    np.testing.assert_allclose(same, np.broadcast_to(same[0], same.shape), atol=1e-5)
    assert (np.abs(changed - same).max(1)[1:] > 1e-4).all()
    for site in sites:
        assert patched_ids(translator, about_models, site, twin) == patched_ids(translator, about_models, site)
    drafts = [replace(about_models, drafts=each) for each in (about_models.drafts, ((), (0, 0)))]
    one, step_by_step = (patched_ids(translator, each, sites[0], other) for each in drafts)
    assert one == step_by_step


def test_models_of_other_shapes_are_refused_in_a_sentence(translator, about_models, pairs):
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
            sweep(translator, about_models, other)
    assert learn_characters(tgt, 20, 1).vocab_size == translator.tgt_tokenizer.vocab_size
    check_one_shape(translator, made(translator), TEXT)


def test_a_pass_that_kept_too_little_or_is_of_other_sizes_is_refused(translator, ids, about_models):
    patch = about_models.patch(Carried(HeadRef("cross", 1, 0)))
    for donor, ask in (
        (translator, Ask(stream=True, source_stream=True)),
        (translator, Ask(("heads",), stream=True)),
        (made(translator, d_model=48), DONOR),
        (made(translator, n_heads=8), DONOR),
    ):
        with pytest.raises(ValueError, match="the other pass"):
            translator.patched(ids, donor.forced(ids, ask), [patch])
