"""No analysis mixes tensors of the model's device with others: what would fail on a GPU fails here without one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from model.analysis.alignment.gold import GoldPair
from model.analysis.alignment.word_maps import pair_maps
from model.analysis.faithfulness.deletion import leave_one_out
from model.analysis.faithfulness.once import Once
from model.analysis.faithfulness.verdict import honesty_of_words
from model.analysis.heads.ablation import ablate
from model.analysis.lessons import (
    exposure,
    families,
    feed_forward,
    masks,
    normalising,
    positions,
    several,
    vectors,
)
from model.analysis.lessons.hooks import caught
from model.analysis.residual.composition import compositions, written_words
from model.analysis.residual.lens import lens, promoted
from model.analysis.residual.proof import proven_steps
from model.analysis.residual.reasons import reasons
from model.analysis.what_if.beam_tree import grown_tree
from model.analysis.what_if.fork import decoding_steps, fork_votes
from model.analysis.what_if.mixing import mix
from model.analysis.what_if.patching import Carried, contrast, log_probs_at, patched_ids, sweep
from model.analysis.what_if.repair import repairs
from model.attribution.methods import METHODS, attribution_maps
from model.folder import core
from model.folder.source import FolderSource
from model.own import checkpoint
from model.own.translator import Translator
from model.source import LacksAbilityError, require
from model.trace import HeadRef, TracedTranslation
from tests.folder import tiny
from tests.two_devices import AWAY, MixedDevicesError, TwoDevices, is_away

TEXTS = {
    "own": "Tom didn't see it.",
    "marian": "The old baker.",
    "gpt2": "The old baker",
    "bert": "The old [MASK] sleeps.",
    "vit": "house",
}
MORE = {  # families whose attention or words are made otherwise: by these all sorts of map go, and what deletion costs
    **dict.fromkeys(("t5", "bart", "m2m100"), "The old baker."),
    **dict.fromkeys(("llama", "bloom"), "The old baker"),
    **dict.fromkeys(("albert", "roberta"), "The old [MASK] sleeps."),
    **dict.fromkeys(("deit", "dinov2"), "house"),
}
OTHER = "I love you."
GOLD = GoldPair(("Tom", "sees"), ("汤姆", "看见"), frozenset({(0, 0)}), frozenset({(0, 0)}))


def opened(name: str, folder: Path, patch: pytest.MonkeyPatch) -> Any:
    """A model all of whose tensors are away, before anything is made of them."""
    if name == "own":
        found = checkpoint.load(folder)
        with TwoDevices([*found.model.parameters(), *found.model.buffers()]):
            return Translator(found, "own")
    loaded = core.load(folder)
    loaded.model.to = lambda _device: loaded.model  # it is where it should be
    patch.setattr(core, "load", lambda _path: loaded)
    with TwoDevices([*loaded.model.parameters(), *loaded.model.buffers()]):
        return FolderSource.open(folder)


@pytest.fixture(scope="module", params=TEXTS)
def made(request, checkpoint_folder, tmp_path_factory) -> tuple[Any, TracedTranslation]:
    """A model that is away, and what it made of a text."""
    name = request.param
    folder = checkpoint_folder if name == "own" else tiny.made(name, tmp_path_factory.mktemp("folder"))
    with pytest.MonkeyPatch.context() as patch:
        source = opened(name, folder, patch)
    if name != "own":  # what it offers was proved by running it
        assert source.anatomy == FolderSource.open(folder).anatomy
    with TwoDevices(()):
        written = source.translate(TEXTS[name], capture=True)
        if name == "own":
            written = source.trace(TEXTS[name], "汤姆没看见它。")
    return source, written


def carry(source: Any, written: TracedTranslation) -> None:
    """A head, and states, carried from another sentence."""
    about = contrast(source.trace(OTHER, "我爱你。"), written)
    site = Carried(HeadRef("cross", 1, 1))
    sweep(source, about)
    log_probs_at(source, about, [about.patch(site)])
    patched_ids(source, about, site)


def lose(source: Any, written: TracedTranslation) -> None:
    """What deleting words costs, in every way."""
    require(source, "hide")
    for way in ("mask", "remove", "average", "silence"):
        leave_one_out(source, written, way)
    honesty_of_words(source, written, np.arange(4.0), token=1)


def six_steps(source: Any, written: TracedTranslation) -> None:
    for kind in source.anatomy.kinds:
        proven_steps(source, written.source, written.tgt_ids, kind, 1, 1)


def look_into(source: Any, written: TracedTranslation) -> None:
    found = lens(source, written)
    promoted(source, found, next(iter(set(source.anatomy.kinds) & {"cross", "decoder_self"})), 1, 1, 1)


def err(source: Any, written: TracedTranslation) -> None:
    right, _ = exposure.teacher_forced(source, written)
    other = exposure.exposed(source, written, 1, right).other
    exposure.rewritten(source, written, 1, other)


def compose(source: Any, written: TracedTranslation) -> None:
    head = HeadRef(list(source.anatomy.kinds)[-1], 1, 1)
    compositions(source, head)
    written_words(source, head)


ANALYSES: dict[str, Callable[[Any, TracedTranslation], object]] = {
    **{f"map: {name}": lambda source, written, name=name: attribution_maps(source, written, name) for name in METHODS},
    "gradient of one token": lambda source, written: attribution_maps(source, written, "gradient", 0),
    "kept passes": lambda source, written: attribution_maps(Once(source), written, "norms"),
    "word maps": lambda source, _: pair_maps(source, GOLD),
    "deletion": lose,
    "ablation": ablate,
    "six steps": six_steps,
    "lens": look_into,
    "fork": lambda source, written: fork_votes(source, written.source, written.tgt_ids[:1], 5, 6),
    "reasons": lambda source, written: reasons(source, written, HeadRef("cross", 1, 1)),
    "patching": carry,
    "mixing": lambda source, written: mix(source, written, {HeadRef(next(iter(source.anatomy.kinds)), 0, 0): 0.5}),
    "beam": lambda source, written: grown_tree(source, written.source, 3),
    "repair": lambda source, written: repairs(source, written.source, written.tgt_ids, 0),
    "steps": lambda source, written: decoding_steps(source, written.source, written.tgt_ids),
    "lesson: several": lambda source, written: several.alone(source, written, "cross", 1),
    "lesson: shapes": lambda source, written: several.shapes(source, [written.source, OTHER], 1),
    "lesson: order": lambda source, written: positions.moved_by_order(
        source, written.source, positions.shuffled(len(written.src), 1)
    ),
    "lesson: norms": lambda source, written: normalising.normed(source, [written.source, OTHER], 1),
    "lesson: unmasked": lambda source, written: masks.leak(source, written, 1),
    "lesson: exposure": err,
    "lesson: memory": exposure.teacher_forced,
    "lesson: firing": lambda source, written: feed_forward.firing(source, written.source, 1),
    "lesson: without": feed_forward.without,
    "lesson: embedded": lambda source, written: vectors.embedded(source, written.source),
    "lesson: written": lambda source, written: vectors.written(source, written, 1),
    "lesson: masks": lambda source, written: masks.source_batch(source, [written.source, OTHER]),
    "lesson: masks of targets": lambda source, written: masks.target_batch(source, [written.source, OTHER]),
    "lesson: shuffled": lambda source, written: masks.shuffled_weights(source, written, [HeadRef("cross", 1, 1)]),
    "one kind of head": lambda source, written: len(source.anatomy.kinds) > 1 or families.fused(source, written),
    "composition": compose,
    "lesson: hooks": lambda source, written: caught(source, written, next(iter(source.anatomy.kinds)), 1, 0),
}
WRITERS = ("beam", "repair", "steps")  # of those that write token by token
OWN = {"patching", "kept passes", *(name for name in ANALYSES if name.startswith("lesson: "))} - {"lesson: hooks"}


@pytest.mark.parametrize("analysis", ANALYSES)
def test_an_analysis_stays_on_the_device_of_the_model(made, analysis: str) -> None:
    source, written = made
    if analysis in OWN and not isinstance(source, Translator):
        pytest.skip("of our own model alone")
    if analysis in WRITERS and source.anatomy.reads not in ("text", "prompt"):
        pytest.skip("it writes no text")
    with TwoDevices(()):
        try:
            ANALYSES[analysis](source, written)
        except LacksAbilityError as error:
            pytest.skip(str(error))


@pytest.mark.parametrize("name", MORE)
def test_every_sort_of_map_of_other_families_stays_on_the_device_of_the_model(name: str, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        source = opened(name, tiny.made(name, tmp_path), patch)
    text, found = MORE[name].replace("[MASK]", source.mask or "[MASK]"), set()
    with TwoDevices(()):
        written = source.translate(text, capture=True)
        for analysis in (*(each for each in ANALYSES if each.startswith("map: ")), "deletion", "ablation"):
            with suppress(LacksAbilityError):
                ANALYSES[analysis](source, written)
                found.add(analysis)
    assert {"map: weights", "map: rollout"} <= found


def test_mixed_devices_are_found_and_what_a_gpu_allows_is_not() -> None:
    weight = torch.ones(2, 2)
    with TwoDevices([weight]):
        assert (weight.device, torch.ones(2).device) == (AWAY, torch.device("cpu"))
        made = torch.eye(2, device=weight.device)
        assert all(map(is_away, (weight @ made, weight * 2.0, weight * torch.tensor(2.0), weight[torch.tensor([0])])))
        assert is_away(torch.ones(2).to(weight))
        assert not is_away(weight.cpu())
        assert weight.cpu().numpy().sum() == 4
        for mixed in (
            lambda: weight @ torch.eye(2),
            lambda: torch.cat((weight, torch.ones(1, 2))),
            lambda: torch.ones(2, 2)[weight > 0],
            lambda: weight.masked_fill(torch.ones(2, 2) > 0, 0.0),
            weight.numpy,
            lambda: np.asarray(weight),
        ):
            with pytest.raises(MixedDevicesError):
                mixed()


needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no GPU")
THREE = (
    "The trophy doesn't fit in the suitcase because it is too big.",
    "On March 14, 2009 the nurse carried 12 blankets to the tent because it was cold.",
    "Time flies like an arrow.",
)


@pytest.fixture(scope="module")
def on_both() -> tuple[Translator, Translator]:
    """The shipped translator on the processor and on the GPU."""
    return Translator.from_checkpoint("en-zh", "cpu"), Translator.from_checkpoint("en-zh", "cuda")


@needs_gpu
@pytest.mark.parametrize("text", THREE)
def test_a_gpu_writes_and_weighs_what_the_processor_does(on_both, text: str) -> None:
    here, there = (each.translate(text, capture=True) for each in on_both)
    assert here.text == there.text
    assert on_both[0].translate(text, beam=4).text == on_both[1].translate(text, beam=4).text
    for kind in here.trace.weights:
        np.testing.assert_allclose(there.trace.weights[kind], here.trace.weights[kind], atol=1e-3)


@needs_gpu
@pytest.mark.parametrize("analysis", ANALYSES)
def test_every_analysis_runs_on_a_gpu_and_maps_equal_the_processors(on_both, analysis: str) -> None:
    made = [ANALYSES[analysis](source, source.trace(TEXTS["own"], "汤姆没看见它。")) for source in on_both]
    if analysis.startswith("map: "):
        here, there = made
        for kind, maps in here.items():
            scale = max(1.0, float(np.abs(maps).max()))
            np.testing.assert_allclose(there[kind] / scale, maps / scale, atol=5e-3)
