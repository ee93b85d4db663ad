"""How far the graphs are from the model that they were made of, over sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from model.errors import HeadlightError
from model.onnx.engine import OnnxEngine
from model.own.translator import Translator
from model.trace import HeadRef


@dataclass
class Parity:
    """Counts over the sentences so far.

    Attributes:
        sentences: that were translated by both.
        same: of them, those whose tokens are all equal.
        map_gap: the largest difference of any weight, over sentences with equal tokens.
        vote_gap: of any vote, in logits; where votes were asked for.
        differ: the first sentences whose tokens differ.
    """

    sentences: int = 0
    same: int = 0
    map_gap: float = 0.0
    vote_gap: float = 0.0
    differ: list[str] = field(default_factory=list)


def compare(
    translator: Translator,
    engine: OnnxEngine,
    texts: Iterable[str],
    gains: Mapping[HeadRef, float] | None = None,
    votes: bool = False,
) -> Parity:
    """Both translate every text greedily; what a checkpoint does not read is left out."""
    from model.attribution.votes import vote_maps

    found = Parity()
    for text in texts:
        try:
            expected = translator.translate(text, capture=True, gains=gains)
        except HeadlightError:
            continue
        source = translator.encode_source(text)[1][0].tolist()
        written = engine.translate(source, gains)
        found.sentences += 1
        if written.ids != expected.tgt_ids or written.finished != expected.finished:
            found.differ.append(text)
            continue
        found.same += 1
        gaps = [np.abs(expected.trace.weights[kind] - written.maps[kind]).max() for kind in expected.trace.kinds]
        found.map_gap = max(found.map_gap, *map(float, gaps))
        if votes and not gains:
            ours, theirs = vote_maps(translator, expected), engine.votes(written)
            found.vote_gap = max(found.vote_gap, *(float(np.abs(ours[kind] - theirs[kind]).max()) for kind in ours))
    return found
