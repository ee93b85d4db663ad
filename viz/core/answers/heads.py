"""Cached answers about heads: what muting them costs, their roles, their tables and atlas, and the stored examples
that patterns are compared with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from model.analysis.atlas.book import ATLAS, Atlas, read_atlas
from model.analysis.heads.patterns import stored_likeness, stored_matches
from model.analysis.heads.table import FILE, HeadTable, load_head_table
from model.errors import HeadlightError
from model.examples import load_example
from model.folders import resolve
from model.trace import AttentionTrace, HeadRef, Kind
from viz.core.answers.translations import trace, translation
from viz.core.codes.mix import parse_pattern
from viz.core.crowd.sharing import shared_out
from viz.core.kept import kept
from viz.core.models import entry_of

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.heads.ablation import Ablation
    from model.analysis.heads.roles import Profile
    from model.analysis.residual.composition import Composition
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


def atlas(checkpoint: str) -> tuple[Atlas | None, str]:
    """The atlas of a model's weights; else None, and "missing", "damaged" or "stale"."""
    try:
        path = resolve(entry_of(checkpoint).base) / ATLAS
    except HeadlightError:
        return None, "missing"
    if not path.is_file():
        return None, "missing"
    found = _atlas(str(path), path.stat().st_mtime_ns)
    if found is None:
        return None, "damaged"
    return (found, "") if found.facts.get("sha256") == entry_of(checkpoint).sha256 else (None, "stale")


@kept(8)
def _atlas(path: str, written: int) -> Atlas | None:
    return read_atlas(Path(path).parent)


def head_page(found: Atlas, head: HeadRef) -> dict[str, Any] | None:
    """The page of one head; None where there is none."""
    return _page(str(found.path), found.path.stat().st_mtime_ns, head)


@kept(64)
def _page(path: str, written: int, head: HeadRef) -> dict[str, Any] | None:
    found = _atlas(path, written)
    return found.page(head) if found else None


@kept(64)
def own_measures(subject: Subject, kind: Kind) -> dict[str, np.ndarray]:
    """What every head of a kind does in a sentence, [N] by measure."""
    from model.analysis.atlas.usual import sentence_measures

    return sentence_measures(trace(subject), kind, subject.model.opened.rarity(subject.text))


@kept(64)
def compositions(checkpoint: str, head: HeadRef) -> list[Composition]:
    """What a head reads of those before it, and those after it of what it writes; the highest score first."""
    from model.analysis.residual.composition import compositions as composed

    return composed(entry_of(checkpoint).opened, head)


@kept(64)
def written_words(checkpoint: str, head: HeadRef) -> list[tuple[float, list[str], list[str]]]:
    """What a head of the decoder writes in the vocabulary, by direction."""
    from model.analysis.residual.composition import written_words as words

    return words(entry_of(checkpoint).opened, head)
