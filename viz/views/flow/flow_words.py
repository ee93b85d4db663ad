"""The flow into an output token in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from model.attribution.labelled_map import words_of
from model.trace import AttentionTrace, Label
from viz.core.language import Say

if TYPE_CHECKING:
    from model.analysis.residual.flow import FlowGraph

_NAMED = 4  # words that the sentence names
_SHOWN = 0.005  # smaller parts are not named


def source_words(trace: AttentionTrace, words: bool) -> tuple[tuple[Label, ...], list[int]]:
    """Labels of the source tokens, or words, and the first position of each."""
    if not words:
        return trace.src, list(range(len(trace.src)))
    merged, groups = words_of(trace.src)
    return merged, [group[0] for group in groups]


def summary(graph: FlowGraph, src: Sequence[Label], trace: AttentionTrace, say: Say) -> str:
    """Where what reached the output came from, in one sentence.

    Args:
        graph: of one step.
        src: source tokens, or words, as the graph has them.
        trace: of the translation.
        say: gives the interface strings called ``flow.…``.
    """
    between = say("flow.comma")
    return say(
        "flow.summary",
        token=trace.tgt_outputs[len(graph.inputs) - 1].text,
        from_source=f"{graph.sources.sum():.0%}",
        from_read=f"{graph.inputs.sum():.0%}",
        words=between.join(_largest(graph.sources, src)),
        read=between.join(_largest(graph.inputs, trace.tgt_inputs)) or say("flow.spread"),
    )


def _largest(totals: Iterable[float], labels: Sequence[Label]) -> list[str]:
    pairs = sorted(zip(map(float, totals), labels, strict=False), key=lambda pair: -pair[0])[:_NAMED]
    return [f"{label.text} {flow:.0%}" for flow, label in pairs if flow >= _SHOWN]
