"""Attention across layers as one picture: from the source words to one output token."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from model.analysis.residual.flow import flow_graph
from model.attribution.labelled_map import words_of
from model.trace import AttentionTrace, HeadRef, Kind, Label
from viz.charts.markup import line
from viz.core.answers import translations
from viz.core.answers.maps import flow_shares
from viz.core.choice import Say, say, within
from viz.core.going import open_head
from viz.core.session import Session, choose_token, theme
from viz.core.theme import HEAD_COLOURS
from viz.widgets import chart
from viz.widgets.errors import message, reported_step
from viz.widgets.picker import bar, pick
from viz.widgets.places import looked_at, opened_place, register

if TYPE_CHECKING:
    from model.analysis.residual.flow import FlowGraph

LABELS = (
    "hint",
    "picture",
    "outputs",
    "encoder",
    "decoder",
    "encoder_self",
    "decoder_self",
    "cross",
    "straight",
    "strongest",
    "source",
    "read",
    "few",
    "legend_encoder_self",
    "legend_cross",
    "legend_decoder_self",
    "legend_width",
)
# Of HEAD_COLOURS, the ones that stand out on a light and on a dark page.
_COLOURS: dict[Kind, tuple[int, int]] = {"encoder_self": (0, 4), "cross": (5, 1), "decoder_self": (2, 2)}
_component = register("flow_graph", LABELS)
_NAMED = 4  # words that the sentence names
_SHOWN = 0.005  # smaller parts are not named
LEAST = (0.5, 10.0, 1.0, 0.5)  # percent: lowest, highest, where it starts, step


@dataclass(frozen=True)
class FlowTokens:
    """What the columns of a graph stand for."""

    src: Sequence[Label]  # source tokens, or words, as the graph has them
    # reads, writes: tokens that the decoder reads and writes, one a step; the graph may have fewer steps
    reads: Sequence[Label]
    writes: Sequence[Label]


def flow_graph_picture(
    graph: FlowGraph,
    tokens: FlowTokens,
    *,
    summary: str,
    on_step: Callable[[int], None],
    on_open: Callable[[HeadRef], None],
) -> bool:
    """The graph; a token above it chooses another step, a click on an edge opens its strongest head: True then.

    Args:
        summary: the graph in one sentence.
        on_step: called with the step that was chosen, from 1, before the script runs again.
        on_open: called with the head, likewise.
    """

    def chosen() -> None:
        if step := reported_step(message("flow_graph", "step"), len(tokens.writes)):
            on_step(step)

    places = edge_heads(graph)

    def opened() -> None:
        if place := opened_place(message("flow_graph", "open"), places):
            on_open(place)

    look = theme()
    colours = {kind: HEAD_COLOURS[pair[look.is_dark]] for kind, pair in _COLOURS.items()}
    data = {**flow_payload(graph, tokens), "summary": summary, "colours": colours}
    labels = within("flow")
    result = _component.mount(
        data, theme=look, labels=labels, key="flow_graph", on_step_change=chosen, on_open_change=opened
    )
    return opened_place(result.get("open"), places) is not None


def flow_payload(graph: FlowGraph, tokens: FlowTokens) -> dict[str, object]:
    """What ``flow_graph_picture`` sends to the browser, less look and words.

    Raises:
        ValueError: the tokens do not fit the graph.
    """
    src, reads, writes = tokens.src, tokens.reads, tokens.writes
    if len(src) != graph.encoder.shape[1] or not graph.decoder.shape[1] <= len(reads) == len(writes):
        raise ValueError(
            f"the graph has {graph.encoder.shape[1]} source words and {graph.decoder.shape[1]} steps, "
            f"but there are labels for {len(src)}, and for {len(reads)} and {len(writes)}"
        )
    return {
        "src": [label.text for label in src],
        "reads": [label.text for label in reads],
        "writes": [label.text for label in writes],
        "step": graph.decoder.shape[1],
        "encoder": [[round(float(flow), 5) for flow in level] for level in graph.encoder],
        "decoder": [[round(float(flow), 5) for flow in level] for level in graph.decoder],
        "edges": [
            {
                "kind": edge.kind,
                "layer": edge.layer,
                "start": edge.start,
                "end": edge.end,
                "flow": round(edge.flow, 5),
                "head": edge.head,
            }
            for edge in graph.edges
        ],
        "n_edges": graph.n_edges,
    }


def edge_heads(graph: FlowGraph) -> list[HeadRef]:
    """The strongest head of each edge; a straight edge, which the residual connection makes, has none."""
    return [HeadRef(edge.kind, edge.layer, edge.head) for edge in graph.edges if edge.head >= 0]


def source_words(trace: AttentionTrace, words: bool) -> tuple[tuple[Label, ...], list[int]]:
    """Labels of the source tokens, or words, and the first position of each."""
    if not words:
        return trace.src, list(range(len(trace.src)))
    merged, groups = words_of(trace.src)
    return merged, [group[0] for group in groups]


def summary(graph: FlowGraph, src: Sequence[Label], trace: AttentionTrace, say: Say) -> str:
    """Where what reached the output came from, in one sentence.

    Args:
        src: source tokens, or words, as the graph has them.
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


def controls() -> tuple[str, float]:
    """The measure, and the least share of an edge that is drawn."""
    with bar():
        measure = pick("flow_by", labelled=False)
        label = say("flow.least")
        st.html(line("alt", label), width="content")
        low, high, start, by = LEAST
        least = st.slider(
            label,
            low,
            high,
            start,
            by,
            "%.1f %%",
            key="least",
            label_visibility="collapsed",
            bind="query-params",
            width=260,
        )
    return measure, least / 100


def picture(now: Session, measure: str, least: float) -> None:
    """The graph of the chosen step."""
    translation = translations.translation(now.subject)
    trace = translation.trace
    rows = len(trace.tgt_outputs) if translation.finished else max(1, len(translation.tgt))
    step = min(looked_at(translation) + 1, rows)
    src, groups = source_words(trace, now.words)
    shares = flow_shares(now.subject, measure)
    graph = flow_graph(shares, step - 1, least, groups)
    flow_graph_picture(
        graph,
        FlowTokens(src, trace.tgt_inputs[:rows], trace.tgt_outputs[:rows]),
        summary=summary(graph, src, trace, say),
        on_step=lambda step: choose_token(step - 1),
        on_open=open_head,
    )


def view(session: Session) -> None:
    """The graph, with its measure and its least edge."""
    measure, least = controls()
    picture(session, measure, least)
    chart.lead(f"flow.lead.{measure}")
