"""Each family of models: what is seen is what the model does, and what is offered holds."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from model.analysis.heads.roles import profile
from model.attribution.export import trace_npz
from model.common.scenes import drawing
from model.errors import FolderError, PictureError
from model.folder.core import Proofs
from model.folder.describing import Describing
from model.folder.sites import weight_and_bias
from model.folder.source import FolderSource
from model.passage import Ask
from model.saved.reading import read_maps
from model.source import LacksAbilityError
from model.trace import check_map
from tests.folder import tiny

PICTURE = "house"
TEXT = "The old baker gives us bread."
EVERY = sorted(set(tiny.FAMILIES) - set(tiny.ODD))
SPEAKING = [name for name in EVERY if name != "dinov2"]
EAGER = {"encoder_self": ("encoder_attentions", "attentions"), "decoder_self": ("decoder_attentions", "attentions")}


def given(source) -> str:
    """Something for a model to read."""
    if source.anatomy.reads == "picture":
        return PICTURE
    return TEXT.replace("baker", source.mask) if source.anatomy.reads == "sentence" else TEXT


@pytest.fixture(params=EVERY)
def source(request, opened):
    return opened(request.param)


@pytest.fixture
def made(source):
    return source.translate(given(source), capture=True)


def arguments(source, made) -> dict:
    return source.core.form.arguments(source.ids(made.source, made.tgt_ids, made.finished))


def test_captured_weights_and_logits_are_those_that_transformers_gives(source, made):
    with torch.inference_mode():
        output = tiny.eager(source.path)(**arguments(source, made), output_attentions=True)
    for kind, weights in made.trace.weights.items():
        names = (*EAGER.get(kind, ()), "cross_attentions")
        found = next(each for each in (getattr(output, name, None) for name in names) if each)
        assert len(found) == len(weights) == source.anatomy.kinds[kind].layers
        np.testing.assert_array_equal(weights, torch.cat(found).numpy())
    ours = source.forced(source.ids(made.source, made.tgt_ids), Ask(kinds=(), logits=True)).logits
    if source.name != "dinov2" and source.name not in ("m2m100", "nllb"):  # which force their first token
        shown = source.core.form.logits(output, source.ids(made.source, made.tgt_ids))[0]
        np.testing.assert_array_equal(ours, shown)


@pytest.mark.parametrize("name", SPEAKING)
def test_a_muted_head_is_one_whose_columns_of_w_o_are_zero(opened, name):
    source = opened(name)
    made = source.translate(given(source))
    ids = source.ids(made.source, made.tgt_ids, made.finished)
    for kind, sizes in source.anatomy.kinds.items():
        layer, head = sizes.layers - 1, sizes.heads - 1
        if name == "albert":  # its layers share one W_O: muting one layer's head is no change of weights
            continue
        plain, muted, same = source.log_probs(ids, [{}, {(kind, layer, head): 0.0}, {(kind, layer, head): 1.0}])
        module = source.core.sites.out[kind, layer]
        weight, _ = weight_and_bias(module)
        width = weight.shape[1] // sizes.heads
        kept = weight.clone()
        weight[:, head * width : (head + 1) * width] = 0
        zeroed = source.log_probs(ids)[0]
        weight.copy_(kept)
        np.testing.assert_allclose(muted, zeroed, atol=1e-5)
        np.testing.assert_allclose(plain, same, atol=1e-6)
        assert (plain - muted).abs().max() > 1e-5


def test_a_model_whose_gains_do_nothing_is_not_said_to_have_any(opened, monkeypatch):
    core = opened("marian").core
    assert "gains" in Proofs(core.form, core.sites, core.inner, core.passes).anatomy().abilities
    deaf = type("Deaf", (type(core.passes),), {})(core.form, core.sites)
    monkeypatch.setattr(
        type(deaf),
        "log_probs",
        lambda self, ids, gains=(), **rest: type(core.passes).log_probs(core.passes, ids, [{} for _ in gains], **rest),
    )
    assert "gains" not in Proofs(core.form, core.sites, core.inner, deaf).anatomy().abilities


@pytest.mark.parametrize("name", SPEAKING)
def test_gradients_are_those_of_a_small_change_of_a_gain(opened, name):
    source = opened(name)
    made = source.translate(given(source), capture=True)
    ids = source.ids(made.source, made.tgt_ids)
    gradients = source.forced(ids, Ask(kinds=tuple(source.anatomy.kinds), gradient="all")).gradients
    weights = made.trace.weights
    for kind in source.anatomy.kinds:
        up, down = (source.log_probs(ids, [{(kind, 0, 1): 1 + sign * 1e-2}]).double().sum() for sign in (1, -1))
        expected = float((gradients[kind, 0][1].numpy() * weights[kind][0, 1]).sum())
        assert expected == pytest.approx(float(up - down) / 2e-2, abs=2e-2, rel=1e-2)
        assert not (gradients[kind, 0].numpy() * ~made.trace.may_attend(kind)).any()


def test_what_is_said_to_be_offered_can_be_had_and_the_rest_is_refused_with_a_reason(source, made):
    ids = source.ids(made.source, made.tgt_ids, made.finished)
    kind = next(iter(source.anatomy.kinds))
    asked = {
        "scores": lambda: source.forced(ids, Ask(("scores",), (kind,))).stacked(kind, "scores"),
        "internals": lambda: source.heads_out(kind, 0).weight,
        "projections": lambda: source.projections(kind, 0).query[0],
        "votes": lambda: source.unembedding.table,
        "positions": lambda: torch.from_numpy(source.positions()),
    }
    for ability, ask in asked.items():
        if ability in source.anatomy.abilities:
            assert torch.isfinite(ask()).all()
        else:
            assert ability in source.anatomy.why
            with pytest.raises(LacksAbilityError, match=f"{source.name} does not offer '{ability}': "):
                ask()


def test_scores_with_the_mask_give_the_weights(source, made):
    for kind, scores in made.trace.scores.items():
        masked = np.where(made.trace.may_attend(kind), scores, -np.inf)
        powers = np.exp(masked - masked.max(-1, keepdims=True))
        np.testing.assert_allclose(powers / powers.sum(-1, keepdims=True), made.trace.weights[kind], atol=1e-5)


@pytest.mark.parametrize("name", [*tiny.TRANSLATORS, *tiny.WRITERS])
def test_the_last_level_of_the_lens_is_the_models_own_output(opened, name):
    from model.analysis.residual.lens import lens

    source = opened(name)
    made = source.translate(given(source), capture=True)
    found, first = lens(source, made), made.given if made.src else 0
    logits = source.forced(source.ids(made.source, made.tgt_ids), Ask(kinds=(), logits=True)).logits[first:]
    np.testing.assert_allclose(found.probabilities[-1][first:], logits.softmax(-1).topk(5).values, atol=1e-5)


@pytest.mark.parametrize("name", [*tiny.TRANSLATORS, *tiny.WRITERS])
def test_greedy_writing_agrees_with_one_forced_pass(opened, name):
    source = opened(name)
    made = source.translate(TEXT)
    logits = source.forced(source.ids(made.source, made.tgt_ids), Ask(kinds=(), logits=True)).logits.clone()
    logits[:, list(source.never_written)] = -torch.inf
    best = logits.argmax(-1).tolist()[made.given : len(made.tgt_ids)]
    assert best == list(made.tgt_ids[made.given :])
    np.testing.assert_allclose(
        source.log_probs(source.ids(TEXT, made.tgt_ids, made.finished))[0], made.log_probs, atol=1e-4
    )


@pytest.mark.parametrize("name", ["marian", "gpt2", "nllb", "t5"])
def test_writing_with_kept_keys_is_writing_without_where_a_model_can(opened, name):
    source = opened(name)
    assert source.core.keeps
    assert not opened("bert").core.keeps
    with source.core.running():
        writer = source._writer(TEXT, ())
        writer.keeps = False
        plain = writer.best()
    assert plain.ids == source.translate(TEXT).tgt_ids


@pytest.mark.parametrize("name", ["marian", "mbart", "m2m100", "nllb", "t5", "bert", "gpt2", "llama"])
def test_labels_are_the_words_as_they_were_typed(opened, name):
    source = opened(name)
    text = "Tom’s café isn't  20 km off。"
    made = source.translate(text)
    words: dict[int, list] = {}
    for label in made.src or made.tgt[: made.given]:
        if not label.is_special:
            words.setdefault(label.word, []).append(label)
    told = [(made.source if made.src else made.text)[each[0].start : each[-1].end] for each in words.values()]
    assert "café" in told
    assert all(" " not in word for word in told)


def test_languages_are_chosen_and_change_what_is_read_and_forced(opened):
    nllb = opened("nllb")
    assert nllb.languages[2:] == ("eng_Latn", "zho_Hans")
    other = nllb.in_languages("zho_Hans", "fra_Latn", "nllb@zho_Hans-fra_Latn")
    made = other.translate("早上好。")
    assert (made.src[0].text, made.tgt[0].text, made.given, made.log_probs[0]) == ("zho_Hans", "fra_Latn", 1, 0.0)
    assert nllb.translate("Good morning.").src[0].text == "eng_Latn"
    assert nllb.in_languages("xx", "yy", "n").languages[2:] == ("eng_Latn", "zho_Hans")
    assert opened("gpt2").languages == ((), (), "", "")


def test_a_hypothesis_with_its_language_can_be_forced_but_the_language_is_never_chosen(opened):
    nllb = opened("nllb")
    made = nllb.translate("Good morning.")
    assert made.tgt_ids[0] in nllb.never_written
    assert made.tgt_ids[0] not in nllb.facts.never_written
    forced = nllb.translate("Good morning.", prefix=(*made.tgt_ids[:3], 400))
    assert forced.tgt_ids[:4] == (*made.tgt_ids[:3], 400)


def test_ids_that_no_token_has_are_never_written_and_have_a_name(opened):
    nllb = opened("nllb")
    rows, known = nllb.core.loaded.model.get_input_embeddings().weight.shape[0], len(nllb.core.loaded.tokenizer)
    assert rows > known
    assert set(range(known, rows)) <= set(nllb.never_written)
    assert [nllb.piece(rows - 1), nllb.decode_target([rows - 1])] == [f"<{rows - 1}>", ""]


def test_heads_that_share_their_keys_are_said(opened):
    assert [opened(name).shared_keys for name in ("gpt2", "llama", "qwen2")] == [1, 2, 2]


def test_a_family_beyond_the_registry_has_its_maps_and_nothing_else(opened):
    bloom = opened("bloom")
    made = bloom.translate(TEXT, capture=True)
    np.testing.assert_allclose(made.trace.weights["decoder_self"].sum(-1), 1, atol=1e-5)
    assert (bloom.anatomy.abilities, made.trace.scores) == (frozenset(), {})
    with pytest.raises(LacksAbilityError, match="can only be watched"):
        bloom.log_probs(bloom.ids(TEXT, made.tgt_ids), [{("decoder_self", 0, 0): 0.0}])


@pytest.mark.parametrize("name", ["vit_gpt2", "trocr"])
def test_a_picture_in_and_a_text_out_have_all_three_kinds(opened, name):
    source = opened(name)
    assert (source.anatomy.reads, list(source.anatomy.kinds)) == ("picture", ["encoder_self", "decoder_self", "cross"])
    made = source.trace(PICTURE, "the cat")
    assert made.text == "the cat"
    rows, columns = source.seen(PICTURE)[1]
    with torch.inference_mode():
        maps = tiny.eager(source.path)(**arguments(source, made), output_attentions=True).cross_attentions
    np.testing.assert_array_equal(made.trace.weights["cross"], torch.cat(maps).numpy())
    assert made.trace.weights["cross"].shape[2:] == (len(made.trace.tgt_outputs), 1 + rows * columns)
    assert [label.text for label in made.src[:3]] == ["[CLS]", "r0 c0", "r0 c1"]


def test_donut_s_cross_weights_lie_over_its_joined_patches_and_its_windows_are_not_shown(opened):
    source = opened("donut")
    assert list(source.anatomy.kinds) == ["decoder_self", "cross"]
    assert source.anatomy.why["encoder_self"] == "windows"
    assert opened("gpt2").anatomy.why["encoder_self"] == "form"
    made = source.trace(PICTURE, "the cat")
    with torch.inference_mode():
        output = tiny.eager(source.path)(**arguments(source, made), output_attentions=True)
    for kind, maps in (("cross", output.cross_attentions), ("decoder_self", output.decoder_attentions)):
        np.testing.assert_array_equal(made.trace.weights[kind], torch.cat(maps).numpy())
    assert (source.seen(PICTURE)[1], made.trace.weights["cross"].shape[3]) == ((4, 4), 16)
    assert [label.text for label in made.src[:5]] == ["r0 c0", "r0 c1", "r0 c2", "r0 c3", "r1 c0"]


def test_a_donut_whose_pictures_its_joined_patches_do_not_fill_is_refused(folders, tmp_path):
    path = Path(shutil.copytree(folders("donut"), tmp_path / "donut"))
    (path / "preprocessor_config.json").write_text((path / "preprocessor_config.json").read_text().replace("64", "56"))
    with pytest.raises(FolderError, match="56 × 56 pixels, which its joined patches of 16 pixels do not fill"):
        FolderSource.open(path, pictures=drawing)


@pytest.mark.parametrize("name", tiny.DESCRIBERS)
def test_patches_stand_among_the_tokens_of_a_model_that_reads_a_picture_within_a_text(opened, name):
    source = opened(name)
    assert (source.anatomy.reads, list(source.anatomy.kinds)) == ("picture", ["decoder_self"])
    made = source.translate(PICTURE, capture=True)
    with torch.inference_mode():
        output = tiny.eager(source.path)(**arguments(source, made), output_attentions=True)
    np.testing.assert_array_equal(made.trace.weights["decoder_self"], torch.cat(output.attentions).numpy())
    rows, columns = source.seen(PICTURE)[1]
    patches = [label.text for label in made.trace.tgt_inputs if label.is_patch]
    assert patches == [f"r{row} c{column}" for row in range(rows) for column in range(columns)]
    assert made.text.startswith("Describe this picture.")
    assert made.given < len(made.tgt_ids)
    assert not any(label.is_patch for label in made.tgt[made.given :])
    steps = output.logits[0].log_softmax(-1).gather(1, source.ids(PICTURE, made.tgt_ids).written[:, None])[:, 0]
    np.testing.assert_allclose(made.log_probs, steps[: len(made.log_probs)].numpy(), atol=1e-4)
    muted = source.log_probs(source.ids(PICTURE, made.tgt_ids), [{}, {("decoder_self", 0, 0): 0.0}])
    assert not torch.allclose(muted[0], muted[1])


@pytest.mark.parametrize("name", tiny.DESCRIBERS)
def test_what_a_picture_is_described_with_goes_on_from_what_was_written_but_not_from_another_picture(opened, name):
    source = opened(name)
    greedy = source.translate(PICTURE)
    again = source.translate(PICTURE, prefix=greedy.tgt_ids[: greedy.given + 2])
    assert again.tgt_ids[: len(greedy.tgt_ids)] == greedy.tgt_ids
    with pytest.raises(PictureError, match="cannot be changed"):
        source.translate(PICTURE, prefix=greedy.tgt_ids[: greedy.given - 1])
    wide = source.translate(PICTURE, beam=2)
    np.testing.assert_allclose(wide.log_probs[: wide.given], greedy.log_probs[: greedy.given], atol=1e-4)


def test_a_model_whose_picture_tokens_cannot_be_placed_is_opened_as_one_of_text(folders, tmp_path, caplog):
    path = Path(shutil.copytree(folders("llava"), tmp_path / "llava"))
    settings = path / "preprocessor_config.json"
    settings.write_text(settings.read_text().replace("48", "40"))
    with caplog.at_level("INFO"):
        assert FolderSource.open(path, pictures=drawing).anatomy.reads == "prompt"
    assert "is opened as a model of text alone" in caplog.text


@pytest.mark.parametrize(("name", "given"), [("gemma3", False), ("paligemma", True), ("llava", None)])
def test_tokens_that_see_each_other_both_ways_are_said_and_no_other_sees_what_comes(opened, name, given):
    source = opened(name)
    made = source.translate(PICTURE, capture=True)
    trace = made.trace
    patches = [place for place, label in enumerate(trace.tgt_inputs) if label.is_patch]
    whole = (0, made.given + 1) if given else (patches[0], patches[-1] + 1)
    assert trace.together == ((0, 0) if given is None else whole)
    seen = trace.weights["decoder_self"].max((0, 1)) > 0
    assert not (seen & ~trace.may_attend("decoder_self")).any()
    first, end = trace.together
    assert seen[first:end, first:end].all()
    assert check_map(trace, "decoder_self", 0, 0).holds
    assert check_map(replace(trace, together=(0, 0)), "decoder_self", 0, 0).holds == (given is None)
    slopes = source.forced(source.ids(PICTURE, made.tgt_ids), Ask(gradient="all")).gradients["decoder_self", 0]
    assert bool((slopes[:, ~torch.from_numpy(trace.may_attend("decoder_self"))] == 0).all())
    assert given is None or bool(slopes[:, first, end - 1].any())
    back = read_maps(trace_npz(made)).trace
    assert back.together == trace.together
    assert profile(trace, "decoder_self").measures["evenness"].max() <= 1


def test_a_model_whose_words_see_those_that_are_still_to_be_written_is_opened_as_one_of_text(
    folders, monkeypatch, caplog
):
    monkeypatch.setattr(Describing, "_after", lambda self, ids: torch.zeros_like(ids.inputs))
    with caplog.at_level("INFO"):
        assert FolderSource.open(folders("paligemma"), pictures=drawing).anatomy.reads == "prompt"
    assert "Its tokens see those that are written after them" in caplog.text


def test_what_is_written_of_a_picture_goes_on_from_what_was_written(opened):
    source = opened("vit_gpt2")
    greedy = source.translate(PICTURE)
    assert len(greedy.tgt_ids) > 2
    again = source.translate(PICTURE, prefix=greedy.tgt_ids[:2])
    assert again.tgt_ids == greedy.tgt_ids
    other = (greedy.tgt_ids[0] + 1) % 600
    assert source.translate(PICTURE, prefix=(other,)).tgt_ids[0] == other
    wide = source.translate(PICTURE, beam=3)
    assert sum(wide.log_probs) / len(wide.log_probs) > sum(greedy.log_probs) / len(greedy.log_probs) - 0.1


def test_a_class_and_its_name_are_data(opened):
    made = opened("vit").translate(PICTURE, capture=True)
    assert made.text in {"cat", "<dog>", "bird"}
    assert [label.text for label in made.src[:3]] == ["[CLS]", "r0 c0", "r0 c1"]
    assert opened("deit").translate(PICTURE).src[1].text == "[DIST]"
    assert opened("dinov2").translate(PICTURE).tgt_ids == ()
