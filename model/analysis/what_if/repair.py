"""Whether a translation looks reliable without a reference, and which single head's muting changes a token of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from model.attribution.labelled_map import merge_words, read, row_entropy
from model.source import Source, require
from model.tables import load_table
from model.trace import HeadRef, Kind, TracedTranslation

IGNORED = 0.2  # total attention that a source word gets
REPEATS = 3
WARNING = "warning.json"  # beside a checkpoint's weights: at which confidence to warn, and how often that is right
RATES = ("caught", "false_alarms", "right", "bad", "bad_right")
_SAID_AGAIN = re.compile(rf"\b(\w+)(?:\W+\1\b){{{REPEATS - 1},}}", re.IGNORECASE)


@dataclass(frozen=True)
class Quality:
    """Hints about one translation (after Rikters et al. 2017, SoftAlignments)."""

    confidence: float  # geometric mean of the token probabilities, in [0, 1]
    entropy: np.ndarray  # entropy of the mean cross-attention of each target token over the source, in nats, [T]
    coverage: np.ndarray  # attention that each source word gets from all target tokens together, [words]
    words: tuple[str, ...]  # the source words, in order
    ignored: tuple[str, ...]  # words that got less than IGNORED, punctuation left out


def load_warning(checkpoint: str, sha256: str) -> tuple[dict[str, Any] | None, str]:
    """At which confidence to warn of a translation (see ``model.commands.release.warning``); or None and why."""

    def is_complete(table: dict[str, Any]) -> bool:
        shares = [each[name] or 0 for each in (table, table["judged"], table["chosen_on"]) for name in RATES]
        return all(0 <= float(share) <= 1 for share in [table["threshold"], table["joint_threshold"], *shares])

    return load_table(checkpoint, WARNING, sha256, is_complete)


def quality(translation: TracedTranslation) -> Quality:
    """Hints from probabilities and from the mean of all cross-attention heads."""
    trace = translation.trace
    mean = trace.cross.mean(axis=(0, 1))
    merged = merge_words(read(mean, trace.tgt_outputs, trace.src))
    coverage, words = [], []
    share = mean.sum(axis=0)
    starts = [index for index, label in enumerate(trace.src) if _opens_word(trace.src, index)]
    for place, (start, end) in enumerate(zip(starts, [*starts[1:], len(trace.src)], strict=True)):
        if not merged.columns[place].is_special:
            coverage.append(float(share[start:end].sum()))
            words.append(merged.columns[place].text)
    ignored = tuple(
        word for word, value in zip(words, coverage, strict=True) if value < IGNORED and any(map(str.isalnum, word))
    )
    return Quality(
        confidence=translation.confidence,
        entropy=row_entropy(mean),
        coverage=np.array(coverage),
        words=tuple(words),
        ignored=ignored,
    )


def repeated_run(text: str, source: str = "", longest: int = 8) -> str:
    """The first run of up to ``longest`` characters that stands REPEATS times in a row; "" if none.

    Where the source itself says a word so often in a row ("Ha ha ha"), it is no loop; nor are digits: 555, 70,000.
    """
    if _SAID_AGAIN.search(source):
        return ""
    for found in re.finditer(rf"(.{{1,{longest}}}?)\1{{{REPEATS - 1},}}", text, re.DOTALL):
        if any(map(str.isalpha, found[1])) and found[0] not in source:
            return found[1]
    return ""


def _opens_word(labels: tuple[object, ...], index: int) -> bool:
    label, earlier = labels[index], labels[index - 1]
    return index == 0 or label.is_special or earlier.word != label.word  # type: ignore[attr-defined]


BEST = 8  # candidates of the model as it is


@dataclass(frozen=True)
class Repair:
    """One step of writing, with what was written before it, under a model that lacks one head, for every head."""

    step: int  # counted from 0
    # ids that are compared: what was written, the best candidates of the model as it is, and whatever becomes the most
    # probable token where a head is muted; [C]
    tokens: tuple[int, ...]
    plain: np.ndarray  # natural log-probability of each of them under the model as it is, float32 [C]
    muted: dict[Kind, np.ndarray]  # the same where a head is muted, by kind, float32 [L, H, C]
    then: dict[Kind, np.ndarray]  # id of the token that is then the most probable one, by kind, int [L, H]
    first: int  # id of the one that is so in the model as it is

    @property
    def written(self) -> int:
        """Id of the token that was written."""
        return self.tokens[0]

    def change(self, token: int) -> dict[Kind, np.ndarray]:
        """How muting each head changes the log-probability of one of ``tokens``, in nats: float32 [L, H] by kind."""
        place = self.tokens.index(token)
        return {kind: values[..., place] - self.plain[place] for kind, values in self.muted.items()}

    def changes(self, head: HeadRef) -> bool:
        """Whether muting a head makes another token the most probable one."""
        return int(self.then[head.kind][head[1:]]) != self.first

    def ranked(self, wanted: int | None = None) -> list[HeadRef]:
        """Every head: first those whose muting makes the wanted token, or any other, the most probable one.

        Among these, and among the others, the one that raises the wanted token's log-probability most stands first;
        where none is wanted, the one that lowers the written token's most.
        """
        values = self.change(self.written if wanted is None else wanted)
        sign = 1 if wanted is None else -1

        def rank(head: HeadRef) -> tuple[bool, float]:
            made = self.changes(head) if wanted is None else int(self.then[head.kind][head[1:]]) == wanted
            return not made, sign * float(values[head.kind][head[1:]])

        return sorted((HeadRef(kind, *at) for kind in values for at in np.ndindex(*values[kind].shape)), key=rank)


def repairs(model: Source, text: str, tgt_ids: Sequence[int], step: int, finished: bool = True) -> Repair:
    """What muting each head alone does to one token, all of them in one batch.

    Teacher-forced: what was written before the token stays as it was, also where the model without the head would
    have written something else there. A head is muted as in ``ablate_ids``; nothing is a cause by that alone, since
    other heads stand in for a muted one (McGrath et al. 2023, "The Hydra effect").

    Args:
        tgt_ids: of the translation, without special tokens.
        step: counted from 0; the last one writes the end.
        finished: whether that was written.

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Source.ids``.
        IndexError: nothing was written at such a step.
        LacksAbilityError: the model's heads cannot be changed.
    """
    require(model, "gains")
    ids = model.ids(text, tgt_ids, finished)
    found = model.step_logits(ids, step, [{}, *({head: 0.0} for head in model.anatomy.all_heads())]).log_softmax(-1)
    able = found.clone()
    able[:, [token for token in model.never_written if token < able.shape[-1]]] = -float("inf")
    then = able.argmax(-1)
    best = able[0].topk(min(BEST, able.shape[-1])).indices
    tokens = tuple(dict.fromkeys([int(ids.written[step]), *best.tolist(), *then.tolist()]))
    values, firsts = found[:, list(tokens)].cpu().numpy(), then.cpu().numpy()
    muted: dict[Kind, np.ndarray] = {}
    made: dict[Kind, np.ndarray] = {}
    start = 1
    for kind, sizes in model.anatomy.kinds.items():
        end = start + sizes.layers * sizes.heads
        muted[kind] = values[start:end].reshape(sizes.layers, sizes.heads, -1)
        made[kind] = firsts[start:end].reshape(sizes.layers, sizes.heads)
        start = end
    return Repair(step, tokens, values[0], muted, made, int(firsts[0]))


def turned(model: Source, source: str, target: str) -> list[tuple[bool, float]]:
    """Of each token of a reference: is it wrong, and the share of heads whose muting makes it the opposite.

    The reference is forced. A token is wrong where the model finds another one than the reference's most probable;
    many of those are right in another wording.

    Raises:
        EmptySentenceError, SentenceTooLongError, LacksAbilityError: as ``repairs``.
    """
    ids, found = [token.id for token in model.encode_target(target)], []
    for step, token in enumerate([*ids, model.end_id]):
        if token not in model.never_written:
            one = repairs(model, source, ids, step)
            made = np.concatenate([then.ravel() for then in one.then.values()])
            is_wrong = one.first != token
            found.append((is_wrong, float(((made == token) == is_wrong).mean())))
    return found


def repair_rates(tokens: Sequence[tuple[bool, float]]) -> dict[str, Any]:
    """How often muting one head repairs a wrong token, and how often it spoils a right one; of what ``turned`` found.

    Nobody knows beforehand which head repairs a token: one that was found by trying all of them must be set against
    how often a head does so by chance.

    Returns:
        JSON-ready: ``wrong`` and ``right`` tokens; how many of the wrong ones some head ``repaired`` and of the right
        ones some head ``spoiled``; ``repairing`` and ``spoiling``, the share of heads that do so on the mean.
    """
    facts: dict[str, Any] = {}
    for is_wrong, names in ((True, ("wrong", "repaired", "repairing")), (False, ("right", "spoiled", "spoiling"))):
        shares = np.array([share for wrong, share in tokens if wrong == is_wrong])
        mean = round(float(shares.mean()), 4) if len(shares) else None
        facts |= dict(zip(names, (len(shares), int((shares > 0).sum()), mean), strict=True))
    return facts
