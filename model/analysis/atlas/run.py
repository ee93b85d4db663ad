"""Going through a part of a corpus and counting what every head does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from model.analysis.atlas.batch import Traced, batch_of
from model.analysis.atlas.counts import Counts
from model.analysis.atlas.kept import Sentence
from model.analysis.atlas.lines import Line, LineCorpus
from model.analysis.atlas.tally import SCALE, added, measure
from model.analysis.heads.ablation import ablate
from model.attribution.per_head import vote_maps
from model.errors import HeadlightError
from model.passage import one_thread
from model.source import ModelHandle

VOTED = 1000  # sentences, about, whose heads' votes are measured


def facts_of(model: ModelHandle, corpus: LineCorpus, sha256: str | None, command: str, muted: int) -> dict[str, Any]:
    """What parts of one run have in common.

    Args:
        model: whose heads they are.
        corpus: that is gone through.
        sha256: of the weights.
        command: that would make the whole at once.
        muted: about how many sentences are gone through with each head muted.
    """
    return {
        "model": model.name,
        "sha256": sha256,
        "command": command,
        "file": corpus.path.name,
        "lines": len(corpus.digests),
        "fingerprint": corpus.fingerprint,
        "linked": corpus.linked,
        "muted": muted,
        "kinds": {kind: [sizes.layers, sizes.heads] for kind, sizes in model.anatomy.kinds.items()},
    }


def count(
    model: ModelHandle,
    corpus: LineCorpus,
    facts: dict[str, Any],
    part: int = 0,
    parts: int = 1,
    progress: Callable[[int], object] = lambda _: None,
) -> Counts:
    """Count one part of a corpus, counted from 0, of so many.

    The same part gives the same bits on the same kind of processor: batches are made within a bucket, of which a part
    has all or nothing, and everything runs on one thread.

    Args:
        model: that writes the targets, or reads the sources.
        corpus: whose lines these are.
        facts: from ``facts_of``.
        part, parts: which part.
        progress: called with the number of lines done.
    """
    counts, done = Counts.empty(facts), 0
    refused: Counter[str] = Counter()
    with one_thread():
        for bucket in corpus.buckets(part, parts):
            for lines in corpus.batches(bucket):
                refused.update(_add(counts, model, corpus, lines))
                done += len(lines)
                progress(done)
            counts.buckets[bucket] = True
            counts.prune()
    counts.refused = dict(refused)
    return counts


def part_path(folder: Path, part: int, parts: int, of: str = "part") -> Path:
    """Where a part, counted from 0, of so many is kept; ``of`` a table, by its command's name."""
    return folder / f"{of}-{part + 1}-of-{parts}.npz"


def _add(counts: Counts, model: ModelHandle, corpus: LineCorpus, lines: Sequence[Line]) -> list[str]:
    """Count a batch; why lines were left out, by the name of the reason."""
    found = model.traces([(line.src, line.tgt) for line in lines])
    items = []
    for line, trace in zip(lines, found, strict=True):
        if isinstance(trace, HeadlightError):
            continue
        spans = [(token.start, token.end) for token in model.encode_target(line.tgt)] if line.gold else ()
        items.append(Traced(line, trace, model.rarity(line.src), spans))
    for kind, own in counts.kinds.items():
        if items:
            batch = batch_of(items, kind)
            measured = measure(batch)
            own.tally = added(own.tally, measured.tally)
            own.texts.add(batch)
            own.kept.add(kind, items, measured.strength)
    counts.sentences |= {each.line.digest: Sentence.of(each) for each in items}
    for each in items:
        _sample(counts, model, corpus, each.line)
    return [type(each).__name__ for each in found if isinstance(each, HeadlightError)]


def _sample(counts: Counts, model: ModelHandle, corpus: LineCorpus, line: Line) -> None:
    """What heads' votes are, and what muting them costs, of a sampled line."""
    offered = model.anatomy.abilities
    voted = {"votes", "internals"} <= offered and corpus.sampled(line.digest, VOTED)
    muted = "gains" in offered and corpus.sampled(line.digest, counts.facts["muted"])
    if model.anatomy.reads != "text" or not (voted or muted):
        return
    forced = model.trace(line.src, line.tgt)
    if voted:
        votes = np.concatenate([_flat(np.abs(each).sum(-1)) for each in _votes(model, forced)])
        counts.samples["votes"].add(line.digest, len(forced.log_probs), votes)
    if muted:
        costs = ablate(model, forced).importance
        together = np.concatenate([_flat(costs[kind]) for kind in counts.kinds])
        counts.samples["costs"].add(line.digest, len(forced.log_probs), together)


def _votes(model: ModelHandle, forced: Any) -> list[np.ndarray]:
    """Each head's vote for each written token, [L, H, T], of the decoder's kinds in the order of KINDS."""
    return [maps.sum(-1) for maps in vote_maps(model, forced).values()]


def _flat(values: np.ndarray) -> np.ndarray:
    """Numbers by head as whole ones, times SCALE, int64 [N]."""
    return np.rint(values.astype(np.float64) * SCALE).astype(np.int64).ravel()
