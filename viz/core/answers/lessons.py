"""Cached numbers of the lessons, and of how a checkpoint came to be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from model.errors import CheckpointError
from model.folders import resolve
from model.history import History, load_history, snapshots
from viz.core.answers.maps import head_steps
from viz.core.answers.translations import translation
from viz.core.kept import kept
from viz.core.models import entry_of, own_translator

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.heads.over_time import Jobs
    from model.analysis.lessons.exposure import Exposure, Feeds, Taught
    from model.analysis.lessons.families import Fused, Shapes
    from model.analysis.lessons.feed_forward import Firing
    from model.analysis.lessons.hooks import Caught
    from model.analysis.lessons.items import Item
    from model.analysis.lessons.masks import BatchMask
    from model.analysis.lessons.normalising import ByDepth, Normed
    from model.analysis.lessons.positions import TableFacts
    from model.analysis.lessons.recurrent import Race, Reader
    from model.analysis.lessons.scaling import Growth
    from model.analysis.lessons.several import Variants
    from model.analysis.lessons.vectors import Embedded, Written
    from model.trace import HeadRef, Kind
    from viz.core.session import Subject


@kept(1)
def growth() -> Growth:
    """Random dot products and what softmax makes of them, as d_k grows."""
    from model.analysis.lessons import scaling

    return scaling.growth()


def batch_of(subject: Subject, size: int = 3) -> tuple[str, ...]:
    """The visitor's sentence and the checkpoint's first others, as many as a lesson's batch has."""
    others = [each for each in subject.model.examples if each != subject.text]
    return (subject.text, *others[: size - 1])


@kept(64)
def lesson_items(subject: Subject, lesson: str, form: str, seed: str) -> list[Item]:
    """A lesson's questions in one of its forms, of the visitor's sentence and the checkpoint's examples.

    Raises:
        ItemError: no sentence has what a question needs.
    """
    from model.analysis.lessons import items
    from model.analysis.lessons.traced_sentence import TracedSentence

    def draw(text: str) -> TracedSentence:
        return TracedSentence(own_translator(subject.checkpoint), translation(replace(subject, text=text)))

    return items.form_items(lesson, form, seed, batch_of(subject, 99), draw)


@kept(32)
def masked_batch(subject: Subject, target: bool) -> BatchMask:
    """The masks of the sentence and two others in one batch: of the source, or of their translations."""
    from model.analysis.lessons import masks

    make = masks.target_batch if target else masks.source_batch
    return make(own_translator(subject.checkpoint), batch_of(subject))


@kept(64)
def variants(subject: Subject, head: HeadRef) -> Variants:
    """One head with its own queries, with its keys as queries, and without the division by √d."""
    import numpy as np

    from model.analysis.lessons import several

    steps = head_steps(subject, head).steps
    return several.variants(steps.query, steps.key, steps.inputs, np.isneginf(steps.masked_scores))


@kept(32)
def shapes(subject: Subject, layer: int) -> list[tuple[int, ...]]:
    """Shapes at every reshaping in an encoder layer that reads the sentence and two others."""
    from model.analysis.lessons import several

    return several.shapes(own_translator(subject.checkpoint), batch_of(subject), layer)


@kept(64)
def alone(subject: Subject, kind: Kind, layer: int) -> np.ndarray:
    """What the translation loses where one head of a layer works alone, or none."""
    from model.analysis.lessons import several

    return several.alone(subject.model.opened, translation(subject), kind, layer)


@kept(128)
def leak(subject: Subject, place: int) -> tuple[np.ndarray, np.ndarray]:
    """How far each step's prediction moves when one token that is read changes, with the causal mask and without."""
    from model.analysis.lessons import masks

    return masks.leak(own_translator(subject.checkpoint), translation(subject), place)


@kept(8)
def table_facts(checkpoint: str) -> TableFacts:
    """What makes the model's table of positions a good one."""
    from model.analysis.lessons import positions

    return positions.table_facts(entry_of(checkpoint).opened.positions())


@kept(64)
def moved_by_order(subject: Subject, order_number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """An order of the tokens, and how far each token's encoding moves in it, with positions and without."""
    from model.analysis.lessons import positions

    order_now = positions.shuffled(len(translation(subject).src), order_number)
    return order_now, *positions.moved_by_order(own_translator(subject.checkpoint), subject.text, order_now)


@kept(1)
def pictures_read() -> np.ndarray:
    """Sixteen scenes: uint8 [N, H, W, colours]."""
    import numpy as np

    from model.common.scenes import scene

    return np.stack([np.asarray(scene(which).image) for which in range(1, 17)])


@kept(32)
def normed(subject: Subject, layer: int, size: int) -> Normed:
    """Layer norm and batch norm of the sentence in a batch of so many."""
    from model.analysis.lessons import normalising

    return normalising.normed(own_translator(subject.checkpoint), batch_of(subject, size), layer)


@kept(1)
def by_depth() -> ByDepth:
    """Gradients and likeness of tokens in each layer of a fresh encoder, by how its layers are wired."""
    from model.analysis.lessons import normalising

    return normalising.by_depth()


@kept(8)
def teacher_forced(subject: Subject) -> tuple[Taught, Feeds]:
    """What teacher forcing gives the translation, and how the memory becomes the keys of every decoder layer."""
    from model.analysis.lessons import exposure

    return exposure.teacher_forced(subject.model.opened, translation(subject))


@kept(128)
def exposed(subject: Subject, step: int) -> Exposure:
    """What one wrong token costs those after it."""
    from model.analysis.lessons import exposure

    return exposure.exposed(subject.model.opened, translation(subject), step, teacher_forced(subject)[0])


@kept(128)
def gone_on(subject: Subject, step: int) -> str:
    """What the model writes on by itself after that wrong token."""
    from model.analysis.lessons import exposure

    other = exposed(subject, step).other
    return exposure.rewritten(subject.model.opened, translation(subject), step, other)


@kept(32)
def embedded(subject: Subject) -> Embedded:
    """The sentence's rows of the source table."""
    from model.analysis.lessons import vectors

    return vectors.embedded(own_translator(subject.checkpoint), subject.text)


@kept(64)
def written(subject: Subject, step: int) -> Written:
    """How one step's state becomes a word."""
    from model.analysis.lessons import vectors

    return vectors.written(own_translator(subject.checkpoint), translation(subject), step)


@kept(8)
def scripts_known(checkpoint: str) -> tuple[int, int]:
    """How many of ten characters the target vocabulary has in the traditional, and in the simplified form."""
    from model.analysis.lessons import vectors

    return vectors.scripts_known(own_translator(checkpoint))


@kept(64)
def firing(subject: Subject, layer: int) -> Firing:
    """Which units of an encoder layer's feed-forward network fire on the sentence."""
    from model.analysis.lessons import feed_forward

    return feed_forward.firing(own_translator(subject.checkpoint), subject.text, layer)


@kept(32)
def without_feed_forward(subject: Subject) -> tuple[np.ndarray, np.ndarray]:
    """What the translation loses without each layer's feed-forward network, encoder's and decoder's."""
    from model.analysis.lessons import feed_forward

    return feed_forward.without(own_translator(subject.checkpoint), translation(subject))


@kept(1)
def reaches() -> dict[Reader, np.ndarray]:
    """Gradient of an untrained reader's last output in each vector that it read, by reader."""
    from model.analysis.lessons import recurrent

    return {reader: recurrent.reach(reader) for reader in recurrent.READERS}


@kept(3)
def race(length: int) -> Race:
    """An RNN, an LSTM and a layer of attention trained at once on strings of so many letters."""
    from model.analysis.lessons import recurrent
    from model.passage import one_thread

    with one_thread():
        return recurrent.race(length)


@kept(32)
def fused(subject: Subject) -> Fused:
    """A layer's queries, keys and values from one matrix."""
    from model.analysis.lessons import families

    return families.fused(subject.model.opened, translation(subject))


@kept(32)
def shuffled_weights(subject: Subject) -> tuple[float, float]:
    """How far predictions move where the opening cross head's weights are shuffled, and where all cross heads' are."""
    from model.analysis.lessons import masks
    from model.trace import HeadRef

    heads = [each for each in subject.model.facts.anatomy.all_heads() if each.kind == "cross"]
    start = subject.model.opening
    one = HeadRef("cross", start["layer"], start["head"])
    ask = (own_translator(subject.checkpoint), translation(subject))
    return masks.shuffled_weights(*ask, [one]), masks.shuffled_weights(*ask, heads)


@kept(8)
def known_translations(checkpoint: str) -> list[tuple[str, str, str]]:
    """Three pairs that no training saw, each with what the model writes: source, reference, output."""
    from model.analysis.alignment.known_pairs import truth_pairs

    pairs = truth_pairs(str(entry_of(checkpoint).meta.get("src_tokenizer", "")))[4:7]
    model = own_translator(checkpoint)
    return [(pair.src_text, pair.tgt_text, model.translate(pair.src_text).text) for pair in pairs]


@kept(32)
def hooked(subject: Subject, kind: Kind, layer: int, step: int) -> Caught:
    """What a hook on one layer's weights is given while one token's log-probability is differentiated."""
    from model.analysis.lessons.hooks import caught

    return caught(subject.model.opened, translation(subject), kind, layer, step)


@kept(32)
def sizes(subject: Subject) -> Shapes:
    """Shapes of one layer's tensors while a model reads."""
    from model.analysis.lessons.families import sizes_of

    return sizes_of(subject.model.opened, translation(subject))


@kept(4)
def history(checkpoint: str, weights: str) -> tuple[History | None, str]:
    """What a checkpoint could do at some points of its training; or None and why: "missing", "damaged" or "stale"."""
    return load_history(checkpoint, weights) if entry_of(checkpoint).kind == "own" else (None, "missing")


@kept(12)
def jobs(checkpoint: str, weights: str, kind: Kind) -> Jobs:
    """What the heads of a kind do in the end, and how often they did it at each point."""
    from model.analysis.heads.over_time import jobs as found

    return found(_known(checkpoint, weights), kind)


@kept(12)
def importance(checkpoint: str, weights: str, kind: Kind) -> np.ndarray | None:
    """What muting each head of a kind costs at each point; None where the weights of those points are not kept."""
    from model.analysis.heads.over_time import importance_over_time

    past, model = _known(checkpoint, weights), own_translator(checkpoint)
    try:
        kept_weights = snapshots(resolve(checkpoint))
    except CheckpointError:
        return None
    if any(step not in kept_weights for step in past.step[:-1].tolist()):
        return None
    earlier = (model.at_snapshot(kept_weights[step]) for step in past.step[:-1].tolist())
    return importance_over_time((*earlier, model), past.examples, kind)


def past_of(checkpoint: str) -> tuple[History | None, str]:
    """The history of the weights that a checkpoint has now."""
    return history(checkpoint, entry_of(checkpoint).sha256)


def half_trained(checkpoint: str) -> int | None:
    """The last point of its training at which a checkpoint had less than half of its BLEU; None where nobody knows."""
    found, _ = past_of(checkpoint)
    if found is None or not (below := found.step[found.dev_bleu < found.dev_bleu[-1] / 2]).size:
        return None
    return int(below[-1])


def _known(checkpoint: str, weights: str) -> History:
    found, why = history(checkpoint, weights)
    if found is None:
        raise ValueError(f"{checkpoint} has no history: {why}")
    return found
