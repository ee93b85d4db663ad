from __future__ import annotations

import itertools
import sys

import pytest
import torch
from torch import nn

from bench import decode
from model.attribution.methods import attribution_maps
from model.common.decoding import Sampler, filtered
from model.own import passes
from model.own.capture import capture_attention
from model.own.decoding.search import beam_search, greedy, length_cap
from model.own.decoding.stepping import NEVER_WRITTEN, Product, Stepper, StepPlan, looping
from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID
from model.passage import Ask
from model.trace import HeadRef
from model.translator import Translator
from model.writing import Hypothesis, Sampling, length_penalty

LOG_PROBS = torch.tensor([[0.5, 0.3, 0.15, 0.05]]).log()


def test_temperature_sharpens_and_flattens():
    assert (
        filtered(LOG_PROBS, Sampling(temperature=0.5))[0, 0] > 0.5 > filtered(LOG_PROBS, Sampling(temperature=2))[0, 0]
    )
    torch.testing.assert_close(filtered(LOG_PROBS, Sampling()), LOG_PROBS.exp())


def test_top_k_keeps_k_and_renormalises():
    torch.testing.assert_close(filtered(LOG_PROBS, Sampling(top_k=2)), torch.tensor([[0.625, 0.375, 0.0, 0.0]]))


@pytest.mark.parametrize(("top_p", "kept"), [(0.4, 1), (0.5, 1), (0.6, 2), (0.9, 3), (1.0, 4)])
def test_top_p_keeps_the_smallest_set_that_reaches_it(top_p, kept):
    assert int((filtered(LOG_PROBS, Sampling(top_p=top_p)) > 0).sum()) == kept


def test_the_same_seed_draws_the_same_tokens():
    wide = torch.zeros(50, 1000).log_softmax(-1)
    first, again, other = (Sampler(Sampling(seed=seed))(wide) for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_a_token_at_minus_infinity_is_never_drawn():
    log_probs = torch.tensor([[-torch.inf, 0.0, 0.0]]).log_softmax(-1).expand(500, -1)
    assert set(Sampler(Sampling(temperature=5))(log_probs).tolist()) == {1, 2}


@pytest.mark.parametrize("bad", [{"temperature": 0}, {"top_k": -1}, {"top_p": 0}, {"top_p": 1.5}])
def test_settings_out_of_range_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        Sampling(**bad)


SRC = torch.tensor([[11, 12, 13, 14, EOS_ID]])


@pytest.fixture
def small() -> Transformer:
    """A model with three words and at most three steps: every translation can be listed."""
    torch.manual_seed(5)
    config = TransformerConfig(40, 7, 16, 32, 4, 1, 1, dropout=0.0, max_len=4)
    return Transformer(config).eval()


def forced_log_probs(model: Transformer, src: torch.Tensor, ids: list[int]) -> torch.Tensor:
    """Log-probabilities by a whole forward pass, without any cache: [len(ids) + 1, V]."""
    with torch.inference_mode():
        return model(src, torch.tensor([[BOS_ID, *ids]]))[0].log_softmax(-1)


def test_cached_decoding_equals_decoding_without_a_cache(model: Transformer) -> None:
    found = greedy(model, SRC)[0]
    ids: list[int] = []
    while len(ids) < length_cap(5, 64):
        log_probs = forced_log_probs(model, SRC, ids)[-1].clone()
        log_probs[list(NEVER_WRITTEN)] = -torch.inf
        if (token := int(log_probs.argmax())) == EOS_ID:
            break
        ids.append(token)
    assert list(found.ids) == ids
    assert len(ids) > 3
    own = forced_log_probs(model, SRC, ids)
    expected = [own[place, token].item() for place, token in enumerate(found.ids)]
    assert found.log_probs[: len(ids)] == pytest.approx(expected, abs=1e-4)


def test_maps_of_the_single_steps_are_the_rows_of_the_forced_pass(model: Transformer) -> None:
    ids = greedy(model, SRC)[0].ids[:6]
    memory = model.encode(SRC)
    inputs = torch.tensor([[BOS_ID, *ids]])
    with torch.inference_mode(), capture_attention(model) as forced:
        model.decode(inputs, memory, SRC)
    cache = model.new_cache()
    for row in range(inputs.shape[1]):
        with torch.inference_mode(), capture_attention(model) as step:
            model.decoder(inputs[:, row : row + 1], memory, None, None, cache)
        for kind in ("decoder_self", "cross"):
            width = row + 1 if kind == "decoder_self" else SRC.shape[1]
            whole = forced.stack(model, kind)[:, :, row, :width]
            torch.testing.assert_close(torch.tensor(step.stack(model, kind)[:, :, 0]), torch.tensor(whole))


def test_a_beam_of_one_is_greedy(model: Transformer) -> None:
    found, best = greedy(model, SRC)[0], beam_search(model, SRC, 1)[0]
    assert best.ids == found.ids
    assert best.log_probs == pytest.approx(found.log_probs, abs=1e-4)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_beam_wider_than_the_search_space_finds_the_best_of_all(small: Transformer, alpha: float) -> None:
    src, scored = torch.tensor([[11, 12, EOS_ID]]), []
    for length in range(3):  # <eos> comes at the third step at the latest
        for ids in itertools.product(range(4, 7), repeat=length):
            log_probs = forced_log_probs(small, src, list(ids))
            total = sum(log_probs[place, token].item() for place, token in enumerate((*ids, EOS_ID)))
            scored.append((total / length_penalty(length + 1, alpha), ids))
    ranked = sorted(scored, reverse=True)
    found = beam_search(small, src, 100, alpha)
    assert [hypothesis.ids for hypothesis in found] == [ids for _, ids in ranked]
    assert found[0].score(alpha) == pytest.approx(ranked[0][0], abs=1e-4)
    narrow = greedy(small, src)[0]
    assert not narrow.finished or narrow.score(alpha) <= found[0].score(alpha) + 1e-6


def test_a_batch_decodes_as_its_sentences_alone(model: Transformer) -> None:
    short, long = [11, EOS_ID], [21, 22, 23, 24, 25, 26, EOS_ID]
    batch = torch.tensor([short + [PAD_ID] * 5, long])
    together = greedy(model, batch)
    for row, hypothesis in zip((short, long), together, strict=True):
        alone = greedy(model, torch.tensor([row]))[0]
        assert hypothesis.ids == alone.ids
        assert hypothesis.log_probs == pytest.approx(alone.log_probs, abs=1e-4)
    assert together[0].ids != together[1].ids


def planned(model: Transformer, src: torch.Tensor, remember: bool = False) -> Stepper:
    return Stepper(model, model.encode(src), src, StepPlan(model), remember)


def test_a_step_plan_decodes_as_the_modules_do(model: Transformer) -> None:
    batch = torch.tensor([[11, EOS_ID, PAD_ID, PAD_ID], [21, 22, 23, EOS_ID]])
    for quick, plain in zip(greedy(model, batch, step=planned(model, batch)), greedy(model, batch), strict=True):
        assert quick.ids == plain.ids
        assert quick.log_probs == pytest.approx(plain.log_probs, abs=1e-4)
    best, plain = (beam_search(model, SRC, 3, step=step)[0] for step in (planned(model, SRC), None))
    assert best.ids == plain.ids
    assert best.log_probs == pytest.approx(plain.log_probs, abs=1e-4)


def test_a_product_reads_halves_only_where_they_lose_nothing() -> None:
    torch.manual_seed(2)
    whole, other, x = nn.Linear(16, 24), nn.Linear(16, 24), torch.randn(3, 16)
    with torch.no_grad():
        whole.weight.copy_(whole.weight.half())
        halves, plain = Product.of(whole), Product.of(other)
        assert plain.halves is None
        torch.testing.assert_close(plain(x), other(x))
        assert (halves.halves is not None) == ("fbgemm" in torch.backends.quantized.supported_engines)
        torch.testing.assert_close(halves(x), whole(x), atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(halves(x), halves._replace(halves=None)(x), atol=1e-5, rtol=1e-5)
        both = Product.of(whole, whole)
        torch.testing.assert_close(both(x), torch.cat((whole(x), whole(x)), 1), atol=1e-5, rtol=1e-5)


def test_a_step_plan_is_left_aside_while_a_hook_changes_a_head(model: Transformer) -> None:
    free = greedy(model, SRC)[0]
    handles = [
        layer.cross_attn.weights_hook.register_forward_hook(lambda _module, _inputs, weights: weights * 0)
        for layer in model.decoder.layers
    ]
    step = planned(model, SRC, remember=True)
    assert step.plan is None
    muted, quick = greedy(model, SRC)[0], greedy(model, SRC, step=step)[0]
    for handle in handles:
        handle.remove()
    assert quick == muted
    assert step.remembers == 0
    assert muted.log_probs != pytest.approx(free.log_probs, abs=1e-4)


def test_replayed_attention_equals_a_forced_pass(model: Transformer) -> None:
    step = planned(model, SRC, remember=True)
    ids = greedy(model, SRC, prefix=(7, 9, 20, 11, EOS_ID), step=step)[0].ids
    assert ids == (7, 9, 20, 11)
    assert step.remembers == 5
    with torch.inference_mode():
        with capture_attention(model, kinds=("decoder_self", "cross")) as replayed:
            step.replay_attention()
        with capture_attention(model, kinds=("decoder_self", "cross")) as forced:
            model.decode(torch.tensor([[BOS_ID, *ids]]), model.encode(SRC), SRC)
    assert replayed.values.keys() == forced.values.keys()
    for name, values in forced.values.items():
        torch.testing.assert_close(replayed.values[name], values, atol=1e-5, rtol=1e-4)


TEXT, ASKED = "Tom didn't see it.", Ask(("weights", "value"), ("decoder_self", "cross"), stream=True)


@pytest.fixture
def passing(checkpoint_folder, monkeypatch):
    """A translator, and what it goes through beside its decoding."""
    found, gone = Translator.from_checkpoint(checkpoint_folder, "cpu"), []
    forced = passes.forced
    monkeypatch.setattr(passes, "forced", lambda model, ids, ask: gone.append(ask) or forced(model, ids, ask))
    return found, gone


def test_what_was_just_written_is_not_gone_through_again_for_its_weights_values_and_stream(passing, translator):
    source, gone = passing
    made = source.translate(TEXT, capture=True, prefix=(17, 23, EOS_ID))
    ids = source.ids(made.source, made.tgt_ids)
    seen, again = source.forced(ids, ASKED), translator.forced(ids, ASKED)
    assert len(gone) == 1, "the other translator has not written it"
    for site, steps in again.attention.items():
        for step, values in steps.items():
            torch.testing.assert_close(seen.attention[site][step], values, atol=1e-5, rtol=1e-4)
    for one, other in zip(vars(seen.stream).values(), vars(again.stream).values(), strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)
    votes, expected = (attribution_maps(each, made, "votes")["cross"] for each in (source, translator))
    assert votes == pytest.approx(expected, abs=1e-4)
    assert len(gone) == 2


@pytest.mark.parametrize(
    "ask", [Ask(("query",), stream=True), Ask(("weights",)), Ask((), logits=True), Ask((), source_stream=True)]
)
def test_whatever_decoding_did_not_keep_takes_a_pass(passing, ask):
    source, gone = passing
    made = source.translate(TEXT, capture=True, prefix=(17, EOS_ID))
    source.forced(source.ids(made.source, made.tgt_ids), ask)
    assert gone == [ask]


@pytest.mark.parametrize("how", [{"gains": {HeadRef("encoder_self", 0, 1): 0.0}}, {"capture": False}, {"beam": 2}])
def test_a_changed_model_leaves_no_pass_nor_does_one_that_nobody_watched_or_another_text(passing, how):
    source, gone = passing
    made = source.translate(TEXT, **{"capture": True, "prefix": (17, EOS_ID), **how})
    source.forced(source.ids(made.source, made.tgt_ids), ASKED)
    assert gone == [ASKED]
    source.translate(TEXT, capture=True, prefix=(17, EOS_ID))
    source.forced(source.ids(TEXT, (17, 23)), ASKED)
    source.forced(source.ids("Tom saw it.", (17,)), ASKED)
    assert len(gone) == 3


def test_decoding_stops_at_the_cap_and_says_so(model: Transformer) -> None:
    model.decoder.embedding.tokens.weight.data[EOS_ID] = 0  # <eos> never wins
    model.decoder.embedding.tokens.weight.data[9] = model.decoder.norm.bias.data = torch.ones(16)
    for hypothesis in (greedy(model, SRC)[0], beam_search(model, SRC, 1)[0]):
        assert len(hypothesis.ids) == length_cap(5, 64) == 20
        assert not hypothesis.finished
    assert length_cap(500, 64) == 63


def test_a_prefix_is_kept_and_continued(model: Transformer) -> None:
    free, forced = greedy(model, SRC)[0], greedy(model, SRC, prefix=(17, 23))[0]
    assert free.ids[:2] != (17, 23)
    assert forced.ids[:2] == (17, 23)
    own = forced_log_probs(model, SRC, [17, 23])
    assert forced.log_probs[:2] == pytest.approx([own[0, 17].item(), own[1, 23].item()], abs=1e-4)
    assert greedy(model, SRC, prefix=free.ids[:3])[0].ids == free.ids


def test_special_tokens_are_never_written(model: Transformer) -> None:
    model.decoder.norm.bias.data = 4 * model.decoder.embedding.tokens.weight.data[3].sign()  # <unk> would win
    assert forced_log_probs(model, SRC, [])[-1].argmax() == 3
    assert not set(greedy(model, SRC)[0].ids) & set(NEVER_WRITTEN)
    assert not set(beam_search(model, SRC, 3)[0].ids) & set(NEVER_WRITTEN)


def test_the_length_penalty_is_wus() -> None:
    assert length_penalty(1, 0.6) == 1
    assert length_penalty(13, 0.5) == pytest.approx(3**0.5)
    assert length_penalty(40, 0) == 1


@pytest.mark.parametrize("beam", [1, 3])
def test_a_loop_is_left_after_so_many_copies_and_what_was_written_before_stays(beam: int) -> None:
    torch.manual_seed(1)
    model = Transformer(TransformerConfig(40, 30, 16, 32, 4, 1, 1, dropout=0.0, max_len=64)).eval()
    src = torch.tensor([[11] * 20 + [EOS_ID]])

    def written(loops: bool) -> Hypothesis:
        step = Stepper(model, model.encode(src), src, loops=loops)
        return beam_search(model, src, beam, step=step)[0] if beam > 1 else greedy(model, src, step=step)[0]

    free, left = written(loops=True), written(loops=False)
    assert repeats(free.ids) > 8, "this untrained model writes one token for ever"
    assert repeats(left.ids) <= 8
    own = forced_log_probs(model, src, list(left.ids))
    expected = [own[place, token].item() for place, token in enumerate(left.ids)]
    assert left.log_probs[: len(left.ids)] == pytest.approx(expected, abs=1e-4), "the model's own, not renormalised"


def repeats(ids: tuple[int, ...]) -> int:
    """Length of the longest run of one token."""
    return max(len(list(run)) for _, run in itertools.groupby(ids))


def test_what_counts_as_a_loop() -> None:
    assert looping([4, *[9] * 8]) == {9}
    assert looping([9] * 7) == set(), "1,000,000 and 哈哈哈 may be written"
    assert looping([4, 5] * 4) == {4}
    assert looping([4, 5] * 3) == set()
    assert looping([1, *[4, 5, 6, 7] * 3]) == {4}
    assert looping([4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 8]) == set()
    assert looping([]) == set()
    changing = [each for number in range(6) for each in (20, 21, 22, 30 + number)]
    assert looping([*changing, 20, 21]) == {22}, "a loop with small changes"
    assert looping([*changing[4:], 20, 21]) == set()


ROW = {"src_tokens": 10, "tgt_tokens": 9, "ms": {decode.OURS: 20.0, decode.OURS_MAPS: 21.0, decode.MARIAN_MAPS: 42.0}}
RESULT = {"runs": 3, "load": 0.0, "left_out": decode.NO_CTRANSLATE2}


def test_the_bench_of_decoding_goes_on_without_ctranslate2_and_says_so(translator, monkeypatch):
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    assert decode.ctranslate2_engines(translator) == {}
    row = {**ROW, **decode.ratios(ROW["ms"]), "same": []}
    assert decode.table({**RESULT, "rows": [row]}).endswith(decode.NO_CTRANSLATE2)
    there = {**row, "ms": {**ROW["ms"], "CTranslate2": 10.0}}
    said = decode.table({**RESULT, "left_out": "", "rows": [{**there, "same": ["CTranslate2"]}, there]})
    assert said.endswith("CTranslate2 wrote our tokens in 1 of 2")
    assert decode.NO_CTRANSLATE2 not in said


def test_ctranslate2_with_our_weights_writes_our_tokens(translator):
    pytest.importorskip("ctranslate2")
    made = translator.translate(TEXT)
    steps, pieces = len(made.log_probs), [translator.piece(each) for each in made.tgt_ids]
    found = decode.ctranslate2_engines(translator)
    assert set(found) == set(decode.PRECISIONS)
    plain = decode.ctranslate2_run(found["CTranslate2"], translator, TEXT, steps)()
    assert pieces[:3] == plain[:3]  # until it repeats itself, which we do not let it
    assert decode.ctranslate2_run(found["CTranslate2"], translator, "Where is the street?", steps)() != plain
