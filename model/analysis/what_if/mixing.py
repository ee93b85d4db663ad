"""What changed heads do to a translation: the new one beside the old, and how probable the old one still is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from model.source import Gains, Source
from model.trace import Translation


@dataclass(frozen=True)
class Mix:
    """One sentence, translated by the model as it is and by the model with changed heads."""

    original: Translation  # the model's own translation
    mixed: Translation  # the translation with changed heads
    # before, after: natural log-probability of each token of the original, and of <eos> where it was written, under the
    # model as it is and with changed heads
    before: tuple[float, ...]
    after: tuple[float, ...]
    lost: tuple[bool, ...]  # for each token of the original, whether the mixed translation lacks it
    new: tuple[bool, ...]  # for each token of the mixed translation, whether the original lacks it

    @property
    def change(self) -> float:
        """Change in the log-probability of the whole original translation, in nats."""
        return sum(self.after) - sum(self.before)


def mix(model: Source, original: Translation, gains: Gains, beam: int = 1) -> Mix:
    """Translate a sentence once more with changed heads.

    Args:
        model: that wrote the original.
        original: the translation by the model as it is, made with the same beam.
        gains: factor for each head, see ``Source.log_probs``; heads not named keep 1. Without a gain
            other than 1 nothing is translated again.
        beam: hypotheses kept.

    Raises:
        ValueError: a head does not exist.
    """
    changed = {head: gain for head, gain in gains.items() if gain != 1}
    if not changed:
        before, same = log_probs(model, original, {}), (False,) * len(original.tgt_ids)
        return Mix(original, original, before, before, same, same)
    ids = model.ids(original.source, original.tgt_ids, original.finished)
    before, after = (tuple(row) for row in model.log_probs(ids, [{}, changed]).tolist())
    mixed = model.retranslate(original, beam, changed)
    return Mix(original, mixed, before, after, *changed_tokens(original.tgt_ids, mixed.tgt_ids))


def log_probs(model: Source, translation: Translation, gains: Gains) -> tuple[float, ...]:
    """Log-probability of each token of a translation under changed heads, from one teacher-forced pass.

    The last entry is that of <eos>, where the translation was finished.

    Args:
        translation: source and target ids to score.
        gains: as for ``Source.log_probs``; {} asks the model as it is.

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Source.ids``.
        ValueError: a head does not exist.
    """
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    return tuple(model.log_probs(ids, [gains])[0].tolist())


def changed_tokens(before: Sequence[int], after: Sequence[int]) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
    """Which tokens of one sequence the other lacks, each way, where the rest is matched in order.

    >>> changed_tokens([4, 5, 6], [4, 7, 6, 8])
    ((False, True, False), (False, True, False, True))
    """
    lost, new = [True] * len(before), [True] * len(after)
    for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        lost[block.a : block.a + block.size] = [False] * block.size
        new[block.b : block.b + block.size] = [False] * block.size
    return tuple(lost), tuple(new)
