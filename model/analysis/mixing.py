"""What changed heads do to a translation: the new one beside the old, and how probable the old one still is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import torch

from model.interventions import Head, scaled_heads
from model.trace import Translation
from model.translator import Translator
from model.vocab import BOS_ID, EOS_ID


@dataclass(frozen=True)
class Mix:
    """One sentence, translated by the model as it is and by the model with changed heads.

    Attributes:
        original: the model's own translation.
        mixed: the translation with changed heads.
        before, after: natural log-probability of each token of the original, and of <eos> where it
            was written, under the model as it is and with changed heads.
        lost: for each token of the original, whether the mixed translation lacks it.
        new: for each token of the mixed translation, whether the original lacks it.
    """

    original: Translation
    mixed: Translation
    before: tuple[float, ...]
    after: tuple[float, ...]
    lost: tuple[bool, ...]
    new: tuple[bool, ...]

    @property
    def change(self) -> float:
        """Change in the log-probability of the whole original translation, in nats."""
        return sum(self.after) - sum(self.before)


def mix(translator: Translator, original: Translation, gains: Mapping[Head, float], beam: int = 1) -> Mix:
    """Translate a sentence once more with changed heads.

    Args:
        translator: whose model wrote the original.
        original: the translation by the model as it is, made with the same beam.
        gains: factor for each head, see ``scaled_heads``; heads not named keep 1. Without a gain
            other than 1 nothing is translated again.
        beam: hypotheses kept.

    Raises:
        ValueError: a head does not exist.
    """
    changed = {head: gain for head, gain in gains.items() if gain != 1}
    before = log_probs(translator, original, {})
    if not changed:
        same = (False,) * len(original.tgt_ids)
        return Mix(original, original, before, before, same, same)
    mixed = translator.translate(original.source, beam, gains=changed)
    after = log_probs(translator, original, changed)
    return Mix(original, mixed, before, after, *changed_tokens(original.tgt_ids, mixed.tgt_ids))


def log_probs(translator: Translator, translation: Translation, gains: Mapping[Head, float]) -> tuple[float, ...]:
    """Log-probability of each token of a translation under changed heads, from one teacher-forced pass.

    The last entry is that of <eos>, where the translation was finished.

    Args:
        translator: whose model is asked.
        translation: source and target ids to score.
        gains: as for ``scaled_heads``; {} asks the model as it is.

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Translator.translate``.
        ValueError: a head does not exist.
    """
    _, src_ids = translator.encode_source(translation.source)
    ids = [*translation.tgt_ids, EOS_ID] if translation.finished else list(translation.tgt_ids)
    if not ids:
        return ()
    inputs = torch.tensor([[BOS_ID, *ids[:-1]]], device=src_ids.device)
    written = torch.tensor(ids, device=src_ids.device)
    with translator.running() as model, scaled_heads(model, gains):
        found = model(src_ids, inputs)[0].float().log_softmax(-1)
        return tuple(found.gather(1, written[:, None])[:, 0].tolist())


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
