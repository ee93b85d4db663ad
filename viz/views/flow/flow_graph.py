"""The flow into one output token as a picture: source words below, encoder, decoder, and the translation above."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from model.trace import HeadRef, Kind, Label
from viz.core.language import Labels
from viz.core.theme import HEAD_COLOURS, Theme
from viz.widgets.messages import message, reported_step
from viz.widgets.places import opened_place
from viz.widgets.registry import register

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


@dataclass(frozen=True)
class FlowTokens:
    """What the columns of a graph stand for.

    Attributes:
        src: source tokens, or words, as the graph has them.
        reads, writes: tokens that the decoder reads and writes, one a step; the graph may have fewer steps.
    """

    src: Sequence[Label]
    reads: Sequence[Label]
    writes: Sequence[Label]


def flow_graph_picture(
    graph: FlowGraph,
    tokens: FlowTokens,
    *,
    summary: str,
    theme: Theme,
    labels: Labels,
    key: str,
    on_step: Callable[[int], None],
    on_open: Callable[[HeadRef], None],
) -> bool:
    """The graph; a token above it chooses another step, a click on an edge opens its strongest head: True then.

    Args:
        graph: of one step.
        tokens: of its columns.
        summary: the graph in one sentence.
        theme: the look.
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        on_step: called with the step that was chosen, from 1, before the script runs again.
        on_open: called with the head, likewise.
    """

    def chosen() -> None:
        if step := reported_step(message(key, "step"), len(tokens.writes)):
            on_step(step)

    places = edge_heads(graph)

    def opened() -> None:
        if place := opened_place(message(key, "open"), places):
            on_open(place)

    colours = {kind: HEAD_COLOURS[places[theme.is_dark]] for kind, places in _COLOURS.items()}
    data = {**flow_payload(graph, tokens), "summary": summary, "colours": colours}
    result = _component.mount(data, theme=theme, labels=labels, key=key, on_step_change=chosen, on_open_change=opened)
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
