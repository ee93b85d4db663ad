"""Cached answers about the atlas of a checkpoint's heads: the file beside its weights, and this sentence beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from model.analysis.atlas.book import ATLAS, Atlas, read_atlas
from model.errors import HeadlightError
from model.folders import resolve
from model.trace import HeadRef, Kind
from viz.core.answers.translations import trace
from viz.core.kept import kept
from viz.core.models import entry_of

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.residual.composition import Composition
    from viz.core.session import Subject


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
