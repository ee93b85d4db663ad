"""Attention across layers as one graph: how what a step wrote goes back to source words and to what it had read.

The flow starts as 1 at the decoder's last state of the chosen step and runs down; at every sublayer it
is split over the states that went into the sum there, so it is conserved: attention rollout with the
residual connection (Abnar and Zuidema 2020, section 3) read from the top, drawn as the "information
flow routes" of Ferrando and Voita 2024. Feed-forward networks and norms mix no positions and split
nothing. Numpy only; ``model.attribution.shares`` measures the shares by norms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from model.attribution.state_shares import Shares
from model.trace import AttentionTrace, Kind

Measure = Literal["weights", "norms"]
MEASURES: tuple[Measure, ...] = ("norms", "weights")
NO_HEAD = -1


@dataclass(frozen=True)
class FlowEdge:
    """What passes from one state to another through one layer."""

    # "encoder_self" and "decoder_self" lead from level ``layer`` to ``layer + 1`` on their side, "cross" from the
    # encoder's last level to the decoder's level ``layer + 1``
    kind: Kind
    layer: int  # of the attention
    # start, end: positions, or words, of the two states
    start: int
    end: int
    flow: float  # part of the whole, 0 to 1
    head: int  # with the most of it; NO_HEAD where a state goes on to itself, mostly by the residual connection


@dataclass(frozen=True)
class FlowGraph:
    """The flow into one output token; every level's sum is 1."""

    encoder: np.ndarray  # flow through each encoder state, [L + 1, S]; level 0 is the source tokens themselves
    decoder: np.ndarray  # flow through each decoder state, [L + 1, t + 1]; level 0 is the tokens read so far
    edges: tuple[FlowEdge, ...]  # those that carry at least the threshold, most first
    n_edges: int  # number of edges with any flow at all

    @property
    def sources(self) -> np.ndarray:
        """What came from each source token, [S]; with ``inputs`` it sums to 1."""
        found: np.ndarray = self.encoder[0]
        return found

    @property
    def inputs(self) -> np.ndarray:
        """What came from each token of the translation so far, <bos> first, [t + 1]."""
        found: np.ndarray = self.decoder[0]
        return found


def weight_shares(trace: AttentionTrace) -> Shares:
    """Shares by attention weights: ½ the mean over the heads, ½ the residual connection, in every sublayer."""
    from model.attribution.state_shares import Shares

    own_half = {kind: 0.5 * trace.weights[kind].mean(1, dtype=np.float64) for kind in trace.weights}
    encoder, own = own_half["encoder_self"], own_half["decoder_self"]
    return Shares(
        encoder=encoder + 0.5 * np.eye(encoder.shape[-1]),
        own=own + 0.5 * np.eye(own.shape[-1]),
        cross=own_half["cross"],
        heads={kind: weights.argmax(1) for kind, weights in trace.weights.items()},
    )


def flow_graph(shares: Shares, step: int, threshold: float = 0.0, src_groups: Sequence[int] | None = None) -> FlowGraph:
    """The flow into what one step writes.

    Args:
        step: row of ``tgt_outputs``, from 0.
        threshold: least flow of an edge that is kept, as a part of the whole.
        src_groups: the first position of each source word, where pieces are to be merged; flows add up.

    Raises:
        IndexError: there is no such step.
    """
    if not 0 <= step < shares.own.shape[1]:
        raise IndexError(f"steps go from 0 to {shares.own.shape[1] - 1}, got {step}")
    src = np.arange(shares.encoder.shape[1]) if src_groups is None else np.asarray(src_groups)
    tgt = np.arange(step + 1)
    decoder, own, cross = _down_decoder(shares, step)
    encoder, inner = _down(shares.encoder, cross.sum((0, 1)))
    kinds: dict[Kind, tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]] = {
        "decoder_self": (own, (tgt, tgt)),
        "cross": (cross, (tgt, src)),
        "encoder_self": (inner, (src, src)),
    }
    edges: list[FlowEdge] = []
    number = 0
    for kind, (flow, groups) in kinds.items():
        merged = np.add.reduceat(np.add.reduceat(flow, groups[0], axis=1), groups[1], axis=2)
        number += int((merged > 0).sum())
        edges += _edges(kind, flow, merged, shares.heads[kind], groups, threshold)
    edges.sort(key=lambda edge: -edge.flow)
    return FlowGraph(np.add.reduceat(encoder, src, axis=1), decoder, tuple(edges), number)


def _down_decoder(shares: Shares, step: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Flow of the decoder's states [L + 1, t + 1] and of its edges, [L, t + 1, t + 1] and [L, t + 1, S]."""
    seen = step + 1
    flow = np.zeros(seen)
    flow[step] = 1.0
    levels, own, cross = [flow], [], []
    for own_share, cross_share in zip(shares.own[::-1, :seen, :seen], shares.cross[::-1, :seen], strict=True):
        cross.append(flow[:, None] * cross_share)
        own.append((flow * (1 - cross_share.sum(-1)))[:, None] * own_share)
        flow = own[-1].sum(0)
        levels.append(flow)
    return np.stack(levels[::-1]), np.stack(own[::-1]), np.stack(cross[::-1])


def _down(shares: np.ndarray, flow: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Flow of the encoder's states [L + 1, S] and of its edges [L, S, S], from that of its last states."""
    levels, edges = [flow], []
    for share in shares[::-1]:
        edges.append(flow[:, None] * share)
        flow = edges[-1].sum(0)
        levels.append(flow)
    return np.stack(levels[::-1]), np.stack(edges[::-1])


def _edges(
    kind: Kind,
    flow: np.ndarray,
    merged: np.ndarray,
    heads: np.ndarray,
    groups: tuple[np.ndarray, np.ndarray],
    threshold: float,
) -> list[FlowEdge]:
    """Edges of merged values [layer, query, key]; the strongest pair of a word's pieces names the head."""
    rows, columns = (np.append(starts, size) for starts, size in zip(groups, flow.shape[1:], strict=True))
    found = []
    for layer, end, start in np.argwhere((merged > 0) & (merged >= threshold)).tolist():
        head = NO_HEAD
        if kind == "cross" or start != end:
            pieces = layer, slice(*rows[end : end + 2]), slice(*columns[start : start + 2])
            head = int(heads[pieces].flat[flow[pieces].argmax()])
        found.append(FlowEdge(kind, layer, start, end, float(merged[layer, end, start]), head))
    return found
