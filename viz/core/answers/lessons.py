"""Cached numbers of the lessons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viz.core.answers.residual import head_steps
from viz.core.answers.translations import translation
from viz.core.kept import kept
from viz.core.models import entry_of, own_translator

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.lessons.exposure import Exposure, Feeds, Taught
    from model.analysis.lessons.masks import BatchMask
    from model.analysis.lessons.normalising import ByDepth, Normed
    from model.analysis.lessons.order import TableFacts
    from model.analysis.lessons.scaling import Growth
    from model.analysis.lessons.several import Variants
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
    return several.variants(steps.query, steps.key, np.isneginf(steps.masked_scores))


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
    from model.analysis.lessons import unmasked

    return unmasked.leak(own_translator(subject.checkpoint), translation(subject), place)


@kept(8)
def table_facts(checkpoint: str) -> TableFacts:
    """What makes the model's table of positions a good one."""
    from model.analysis.lessons import order

    return order.table_facts(entry_of(checkpoint).opened.positions())


@kept(64)
def moved_by_order(subject: Subject, order_number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """An order of the tokens, and how far each token's encoding moves in it, with positions and without."""
    from model.analysis.lessons import order

    order_now = order.shuffled(len(translation(subject).src), order_number)
    return order_now, *order.moved_by_order(own_translator(subject.checkpoint), subject.text, order_now)


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
def _taught(subject: Subject) -> Taught:
    from model.analysis.lessons import exposure

    return exposure.taught(subject.model.opened, translation(subject))


@kept(128)
def exposed(subject: Subject, step: int) -> Exposure:
    """What one wrong token costs those after it."""
    from model.analysis.lessons import exposure

    return exposure.exposed(subject.model.opened, translation(subject), step, _taught(subject))


@kept(128)
def gone_on(subject: Subject, step: int) -> str:
    """What the model writes on by itself after that wrong token."""
    from model.analysis.lessons import exposure

    other = exposed(subject, step).other
    return exposure.rewritten(subject.model.opened, translation(subject), step, other)


@kept(32)
def memory_feeds(subject: Subject) -> Feeds:
    """How the encoder's memory becomes the keys of every decoder layer."""
    from model.analysis.lessons import exposure

    return exposure.memory_feeds(subject.model.opened, translation(subject))
