"""Cached answers about heads: what muting them costs, their roles, their table, and the stored examples that
patterns are compared with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from model.analysis.heads.patterns import stored_likeness, stored_matches
from model.analysis.heads.table import FILE, HeadTable, load_head_table
from model.examples import load_example
from model.folders import resolve
from model.trace import AttentionTrace, HeadRef, Kind
from viz.core.answers.translations import trace, translation
from viz.core.codes.pattern import parse_pattern
from viz.core.crowd.sharing import shared_out
from viz.core.kept import kept
from viz.core.models import entry_of

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.heads.ablation import Ablation
    from model.analysis.heads.roles import Profile
    from viz.core.session import Subject


@kept(64)
@shared_out
def ablation(subject: Subject) -> Ablation:
    """What muting each head costs a translation."""
    from model.analysis.heads.ablation import ablate_ids

    found = translation(subject)
    return ablate_ids(subject.model.opened, subject.text, found.tgt_ids, found.finished)


@kept(64)
@shared_out
def profiles(subject: Subject) -> dict[Kind, Profile]:
    """What every head does in a sentence, by kind."""
    from model.analysis.heads.roles import profile

    rarity, found = subject.model.opened.rarity(subject.text), trace(subject)
    return {kind: profile(found, kind, rarity) for kind in found.kinds}


def head_table(checkpoint: str) -> HeadTable | None:
    """What every head does over a corpus, as it lies beside the weights; None where there is no such file."""
    path = resolve(checkpoint) / FILE
    return _head_table(str(path), path.stat().st_mtime_ns) if path.is_file() else None


@kept(8)
def _head_table(path: str, written: int) -> HeadTable | None:
    return load_head_table(Path(path).parent)


@kept(4)
def stored_traces(checkpoint: str) -> tuple[AttentionTrace, ...]:
    """Maps of the example sentences that are stored with a checkpoint's present weights."""
    path, weights = resolve(checkpoint), entry_of(checkpoint).sha256
    stored = [load_example(path, sentence, weights) for sentence in entry_of(checkpoint).examples]
    return tuple(each.trace for each in stored if each is not None)


@kept(64)
def example_matches(checkpoint: str, pattern: str, code: str) -> dict[Kind, np.ndarray]:
    """Mean match of every head with a named or painted pattern on the stored examples, [L, H] by kind."""
    return stored_matches(stored_traces(checkpoint), pattern, parse_pattern(code))


@kept(64)
def example_likeness(checkpoint: str, head: HeadRef) -> np.ndarray:
    """How alike the heads of a kind are to one of them on the stored examples, on the mean: [L, H]."""
    return stored_likeness(stored_traces(checkpoint), *head)
