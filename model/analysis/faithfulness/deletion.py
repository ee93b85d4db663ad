"""What deleting source words costs a finished translation: the yardstick for maps of what matters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from model.attribution.labelled_map import LabelledMap, merge_columns, words_of
from model.attribution.methods import METHODS, MethodName
from model.source import Source, Way
from model.trace import Label, TracedTranslation, Translation


@dataclass(frozen=True)
class LeftOut:
    """One translation read once more with each source word deleted in turn."""

    words: tuple[Label, ...]  # the W source words, punctuation included, special tokens not
    before: np.ndarray  # natural log-probability of each written token with the whole source, [T]
    # by how much deleting a word lowers each of them, in nats: float32 [W, T]; a negative number means that the token
    # becomes more probable
    costs: np.ndarray


def leave_one_out(model: Source, translation: Translation, way: Way = "mask") -> LeftOut:
    """What each source word is worth to each written token, by deleting it (see ``deletion_costs``).

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Source.ids``.
    """
    words = source_words(translation.src)
    found = written_without(model, translation, np.eye(len(words), dtype=bool), way)
    return LeftOut(words, found[0], found[0] - found[1:])


def leave_some_out(
    model: Source,
    translation: TracedTranslation,
    choose: Callable[[Sequence[Label], np.ndarray | None], list[int]],
    votes: np.ndarray | None = None,
    before: Sequence[float] = (),
) -> LeftOut:
    """What deleting the words that ``choose`` names costs; of the others the costs are infinite.

    Args:
        model, translation: as ``deletion_costs``, which says what is raised.
        choose: given the words, and the logits [T, W] that each brings each token, says the places of those to delete.
        votes: those logits by source token, [T, S]; None where they are not known.
        before: as ``costs_of_words``.
    """
    words = source_words(translation.src)
    brought = None if votes is None else by_words(votes, translation.trace.src, "votes")
    costs = costs_of_words(model, translation, choose(words, brought), before=before, others=np.inf)
    return LeftOut(words, np.array(translation.log_probs), costs)


def costs_of_words(
    model: Source,
    translation: Translation,
    words: Sequence[int],
    step: int | None = None,
    *,
    before: Sequence[float] = (),
    others: float = 0.0,
) -> np.ndarray:
    """Costs of deleting some words alone, as ``LeftOut`` has them: float32 [W, T], or [W, 1] of one step's token.

    Args:
        model, translation: as ``deletion_costs``, which says what is raised.
        words: places of those that are deleted.
        step: of the token; nothing behind it is read.
        before: what each token had with all words, where that is known; else it is computed, too.
        others: stands where nothing was deleted.
    """
    every, length = len(source_words(translation.src)), len(translation.log_probs)
    steps = slice(0, length) if step is None else slice(step, step + 1)
    found = np.full((every, len(range(length)[steps])), others, np.float32)
    if not words:
        return found
    if step is not None:
        is_end = step >= len(translation.tgt_ids)
        translation = replace(translation, tgt_ids=translation.tgt_ids[: step + 1], finished=is_end)
    deleted = np.eye(every, dtype=bool)[list(words)]
    rows = deleted if len(before) else _beside_whole(deleted)
    left = _without(model, translation, rows, last=step is not None)
    whole = np.asarray(before, np.float32)[steps] if len(before) else left[0]
    found[list(words)] = whole - left[-len(words) :]
    return found


def deletion_costs(model: Source, translation: Translation, deleted: np.ndarray, way: Way = "mask") -> np.ndarray:
    """Fall of each written token's log-probability, in nats, for each set of deleted words: float32 [N, T].

    By "mask" no encoder state and no decoder state can attend to a deleted word's tokens, and the other
    words keep their positions; by "remove" they move up; by "average" the word's embeddings become the mean
    of the vocabulary's. None of them is what the model has learnt to read, so what holds under one way
    only says something about the way (Hase et al. 2021). Putting ``<unk>`` in its place would be the other way, but
    neither the byte-pair encoding, which falls back to bytes, nor the letters of ``reverse`` ever
    make an ``<unk>``, so its embedding was never trained: it would put noise where nothing should be.
    <eos> is never deleted, so there is always something to attend to.

    Args:
        translation: the model's own, or one that was forced; its words stay what they are (teacher forcing).
        deleted: bool [N, W], True where a word is deleted; all sets go through the model as one batch.
        way: of deleting.

    Raises:
        ValueError: there are not W columns.
        EmptySentenceError, SentenceTooLongError: as ``Source.ids``.
    """
    found = written_without(model, translation, deleted, way)
    result: np.ndarray = found[0] - found[1:]
    return result


def written_without(model: Source, translation: Translation, deleted: np.ndarray, way: Way = "mask") -> np.ndarray:
    """Log-probability of each written token, float32 [1 + N, T]: of the whole source, then without each set of words.

    <eos> counts as written where the translation was finished. Raises as ``deletion_costs``.
    """
    return _without(model, translation, _beside_whole(deleted), way)


def _beside_whole(deleted: np.ndarray) -> np.ndarray:
    """The sets of deleted words, before them the one of none."""
    return np.concatenate((np.zeros((1, deleted.shape[-1]), bool), deleted))


def _without(
    model: Source, translation: Translation, deleted: np.ndarray, way: Way = "mask", last: bool = False
) -> np.ndarray:
    groups = _pieces(translation.src)
    if deleted.ndim != 2 or deleted.shape[1] != len(groups):
        raise ValueError(f"deleted has shape {deleted.shape}, but the source has {len(groups)} words")
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    hidden = np.zeros((len(deleted), ids.src.shape[1]), dtype=bool)
    for word, places in enumerate(groups):
        hidden[:, places] = deleted[:, word, None]
    return model.log_probs(ids, hidden=hidden, way=way, last=last).float().cpu().numpy()


def source_words(src: Sequence[Label]) -> tuple[Label, ...]:
    """The words of a source, in order; special tokens are left out. One whole word is one label."""
    return tuple(word for word in words_of(src)[0] if not word.is_special)


def by_words(maps: np.ndarray, src: Sequence[Label], method: MethodName = "weights") -> np.ndarray:
    """How much each row marks each source word: maps [..., Q, S] with source tokens as keys → [..., Q, W].

    Values on a word's pieces add up, or are averaged where ``method`` is no amount (scores, gradients);
    special tokens are left out. A gradient counts by its size: either sign says that the row reacts
    to the word.

    Raises:
        ValueError: the maps have not one column for each token.
    """
    if maps.shape[-1] != len(src):
        raise ValueError(f"maps have shape {maps.shape}, but the source has {len(src)} tokens")
    maps = np.abs(maps) if METHODS[method].by_size else maps
    rows = tuple(Label("row") for _ in range(maps.shape[-2]))
    merged = merge_columns(LabelledMap(maps, rows, tuple(src)), averaged=METHODS[method].words == "mean")
    kept = [place for place, label in enumerate(merged.columns) if not label.is_special]
    return merged.weights[..., kept]


def _pieces(src: Sequence[Label]) -> list[list[int]]:
    """Places of each word's tokens."""
    return [group for word, group in zip(*words_of(src), strict=True) if not word.is_special]
