"""Why a head looks there: one score as a table of what each earlier part of the stream put into query and key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from model.passage import Ask, HeldNorm, Pass
from model.source import Source, require
from model.trace import KINDS, TOLERANCE, HeadRef, Kind, Translation

Side = Literal["src", "tgt"]


class StreamPart(NamedTuple):
    """What put something into the residual stream: its sort, and its layer where it stands in one."""

    sort: Literal["token", "position", "encoder_self", "decoder_self", "cross", "feed_forward", "biases"]
    layer: int | None = None


@dataclass(frozen=True)
class Reasons:
    """What queries and keys of one head are made of, and the scores that they gave.

    A query is W_Q times a norm of the stream, and the stream is the sum of what was put into it. With the
    norm's statistics held at what they were (Kobayashi et al. 2021) the query is the sum of what became of
    each part; so is the key, and their product is a table over pairs of parts whose sum is the score: the
    head's QK circuit (Elhage et al. 2021) on the parts that were there; "QK attributions" (Anthropic 2025)
    are such a table over features.
    """

    # query_parts, key_parts: P of the side that asks and R of the side that is asked, in the order of the stream,
    # biases last: the norm's shift, the projection's bias and b_O of the attention before, which belong to no token; a
    # feed-forward network's own bias stays with it
    query_parts: tuple[StreamPart, ...]
    key_parts: tuple[StreamPart, ...]
    query: np.ndarray  # what each part became in the queries, float64 [P, Q, d_head]
    key: np.ndarray  # and in the keys, [R, K, d_head]
    scores: np.ndarray  # q · k / √d_head as the model computed them, before the mask, float32 [Q, K]
    weights: np.ndarray  # after softmax, [Q, K]

    def table(self, query: int, key: int) -> np.ndarray:
        """What each pair of parts adds to one score, float64 [P, R].

        Raises:
            IndexError: there is no such query or key.
        """
        queries, keys = self.scores.shape
        if not (0 <= query < queries and 0 <= key < keys):
            raise IndexError(f"there are {queries} queries and {keys} keys, got {query} and {key}")
        product: np.ndarray = self.query[:, query] @ self.key[:, key].T
        found: np.ndarray = product / np.sqrt(self.query.shape[-1])
        return found

    @property
    def error(self) -> float:
        """Largest difference between a table's sum and the model's own score."""
        sums = self.query.sum(0) @ self.key.sum(0).T / np.sqrt(self.query.shape[-1])
        return float(np.abs(sums - self.scores).max())

    @property
    def holds(self) -> bool:
        """True if every table sums to the model's own score, as exactly as its float32 says it."""
        return self.error <= TOLERANCE * max(1.0, float(np.abs(self.scores).max()))

    def strongest(self, query: int) -> int:
        """The key to which a query gives most weight."""
        return int(self.weights[query].argmax())


def largest(table: np.ndarray, k: int) -> list[tuple[int, int]]:
    """Row and column of the k entries of largest size, the largest first."""
    order = np.argsort(-np.abs(table), axis=None, kind="stable")[:k].tolist()
    return [divmod(place, table.shape[1]) for place in order]


def reasons(model: Source, translation: Translation, head: HeadRef) -> Reasons:
    """What made every score of one head while a translation is written, by one teacher-forced pass.

    Raises:
        EmptySentenceError, SentenceTooLongError, UnknownCharacterError: as ``Source.ids``.
        LacksAbilityError: the model's queries and keys do not split into parts.
        IndexError: there is no such layer or head.
    """
    require(model, "internals", "scores", "projections", "norms", "positions")
    kind, layer, number = head
    sizes = model.anatomy.kinds[kind]
    if not (0 <= layer < sizes.layers and 0 <= number < sizes.heads):
        raise IndexError(f"{kind} has {sizes.layers} layers and {sizes.heads} heads, got {head.title}")
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    kinds = tuple(each for each in KINDS if each in model.anatomy.kinds)
    sides = {sizes.rows, sizes.columns}
    ask = Ask(("output", "scores", "weights"), kinds, stream="tgt" in sides, source_stream="src" in sides)
    seen = model.forced(ids, ask)
    asking = _put_in(model, seen, sizes.rows, head)
    asked = _put_in(model, seen, sizes.columns, head)
    maps, norms = model.projections(kind, layer), model.norms(kind, layer)
    return Reasons(
        tuple(asking),
        tuple(asked),
        _became(torch.stack(list(asking.values())), norms[0], maps.query, sizes.heads)[number],
        _became(torch.stack(list(asked.values())), norms[1], maps.key, sizes.heads)[number],
        seen.step(kind, layer, "scores")[number].float().cpu().numpy(),
        seen.step(kind, layer, "weights")[number].float().cpu().numpy(),
    )


def _put_in(model: Source, seen: Pass, side: Side, until: HeadRef) -> dict[StreamPart, Tensor]:
    """What was put into one side's stream, float64 [T, D] each, up to a head's attention or to the end."""
    stream = seen.stream if side == "tgt" else seen.source_stream
    assert stream is not None
    read = stream.levels[0].double()
    position = torch.from_numpy(model.positions()[: len(read)]).to(read)
    found = {StreamPart("token"): read - position, StreamPart("position"): position}
    biases = torch.zeros_like(read)
    for kind, layer in _up(model, side, len(stream.feed_forward)):
        if (kind, layer) == until[:2]:
            break
        if kind is None:
            found[StreamPart("feed_forward", layer)] = stream.feed_forward[layer].double()
        else:
            bias = model.heads_out(kind, layer).bias.double()
            found[StreamPart(kind, layer)] = seen.step(kind, layer, "output").double() - bias
            biases = biases + bias
    return found | {StreamPart("biases"): biases}


def _up(model: Source, side: Side, layers: int) -> list[tuple[Kind | None, int]]:
    """What stands along one side's stream, from below: attention of a kind, or None, a feed-forward network."""
    kinds = [kind for kind in KINDS if kind in model.anatomy.kinds and model.anatomy.kinds[kind].rows == side]
    return [(each, layer) for layer in range(layers) for each in (*kinds, None)]


def _became(parts: Tensor, norm: HeldNorm, projection: tuple[Tensor, Tensor], heads: int) -> np.ndarray:
    """What parts [P, T, D] of the stream, biases last, become in every head's queries or keys: [H, P, T, d_head]."""
    weight, bias = (each.double() for each in projection)
    normed = norm.parts(parts.sum(0), parts)
    normed[-1] += norm.shift.double()
    projected = normed @ weight.T
    projected[-1] += bias
    split = projected.unflatten(-1, (heads, -1)).movedim(-2, 0)
    return np.ascontiguousarray(split.cpu().numpy())
