"""BERT, GPT and ViT beside each other: the shapes of what one layer computes, and who sees whom. Needs no PyTorch until
it runs one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from model.source import Source
    from model.trace import Translation

MASK = "[MASK]"


class Shapes(NamedTuple):
    """Shapes of a first layer's tensors, as the model had them, less the batch axis."""

    given: tuple[int, ...]  # what is read: ids [1, T], or pixels [1, colours, height, width]
    states: tuple[int, ...]  # [T, D]
    # query, weights: [H, T, d_head], [H, T, T]
    query: tuple[int, ...]
    weights: tuple[int, ...]


def sizes_of(source: Source, translation: Translation) -> Shapes:
    """The shapes in a model with one kind of attention, found by running it."""
    from model.passage import Ask

    (kind,) = source.anatomy.kinds
    ids = source.ids(translation.source, translation.tgt_ids, translation.finished)
    found = source.forced(ids, Ask(("residual", "query", "weights"), (kind,)))
    read = ids.inputs if kind == "decoder_self" else ids.src
    steps = (found.step(kind, 0, step) for step in ("residual", "query", "weights"))
    return Shapes(tuple(read.shape), *(tuple(each.shape) for each in steps))


def seen_share(weights: np.ndarray) -> float:
    """Share of all pairs of a query and a key [.., Q, K] that have any weight.

    >>> seen_share(np.array([[1.0, 0.0], [0.5, 0.5]]))
    0.75
    """
    return float((weights > 0).mean())


def hide(text: str, place: int) -> tuple[str, str, str]:
    """A sentence with one word hidden, what stands before it, and the word; white space parts words.

    >>> hide("My sister bought it.", 2)
    ('My sister [MASK] it.', 'My sister', 'bought')
    >>> hide("She left.", 1)
    ('She [MASK].', 'She', 'left')
    """
    words = text.split()
    word = words[place].rstrip(".,!?;:")
    masked = [*words[:place], MASK + words[place][len(word) :], *words[place + 1 :]]
    return " ".join(masked), " ".join(words[:place]), word


class Fused(NamedTuple):
    """Queries, keys and values of a layer from one matrix."""

    # of what it is given, made, cut and turned: [1, N, C], [1, N, 3C], [1, N, 3, H, C'], [3, 1, H, N, C']
    shapes: tuple[tuple[int, ...], ...]
    error: float  # largest distance of its queries from those that the model computed with three matrices


def fused(source: Source, translation: Translation) -> Fused:
    """The first layer's three projections as one (Dosovitskiy et al. 2021, in the code of timm), on its own weights."""
    import torch

    from model.passage import Ask

    (kind,) = source.anatomy.kinds
    ids = source.ids(translation.source, translation.tgt_ids, translation.finished)
    found = source.forced(ids, Ask(("inputs", "query"), (kind,)))
    given, query = found.step(kind, 0, "inputs"), found.step(kind, 0, "query")
    three = source.projections(kind, 0)
    weight, bias = (torch.cat(parts) for parts in zip(three.query, three.key, three.value, strict=True))
    made = given[None] @ weight.T + bias
    cut = made.unflatten(-1, (3, query.shape[0], query.shape[2]))
    turned = cut.permute(2, 0, 3, 1, 4)
    shapes = tuple(tuple(each.shape) for each in (given[None], made, cut, turned))
    return Fused(shapes, float((turned[0, 0] - query).abs().max()))


def tasks(text: str, other: str) -> dict[str, list[str]]:
    """How GPT is asked for tasks with one text or two, by strings alone (Radford et al. 2018, figure 1).

    >>> tasks("A cat.", "A dog.")["similarity"]
    ['[Start] A cat. [Delim] A dog. [Extract]', '[Start] A dog. [Delim] A cat. [Extract]']
    """
    both, turned = (f"[Start] {one} [Delim] {two} [Extract]" for one, two in ((text, other), (other, text)))
    return {"classification": [f"[Start] {text} [Extract]"], "entailment": [both], "similarity": [both, turned]}
