"""One teacher-forced pass that answers everything: what can be asked of it, what it gives, and on how many threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from model.trace import KINDS, HeadRef, Kind

Step = Literal[
    "inputs", "memory", "query", "key", "value", "scores", "masked_scores", "weights", "heads", "residual", "output"
]


class ForcedIds(NamedTuple):
    """What a model reads and writes while it goes through one finished translation again."""

    src: Tensor  # [1, S], with whatever ends a source; of a picture its pixels, [1, colours, height, width]
    inputs: Tensor  # what the decoder reads, [1, T], the start first; [1, 0] where there is none
    written: Tensor  # the token that each step writes, [T], the end last, also where decoding was cut before it
    finished: bool = True  # whether that end was really written

    @property
    def steps(self) -> int:
        """Number of steps that wrote something: T, or T − 1 where the end was not written."""
        return len(self.written) - (not self.finished)


@dataclass(frozen=True)
class Ask:
    """What a pass is to keep.

        ==================  =====================================================================
        inputs, memory      what queries, and keys and values, are made of, [Q, D] and [K, D]
        query, key, value   [H, Q, d_head], [H, K, d_head] twice
        scores              q · k / √d_head, [H, Q, K]
        masked_scores       the same with −∞ where the mask hides a key
        weights             after softmax, [H, Q, K]
        heads               each head's weighted sum of values, [H, Q, d_head]
        residual            the vectors that attention's output is added to, [Q, D]
        output              what the attention gives, heads joined, bias and all, [Q, D]; asked for
                            alone it comes from the kernel that the model uses when nobody looks
        ==================  =====================================================================
    kinds: of attention to watch.
    stream: keep the decoder's residual stream; ``source_stream``: keep the encoder's.
    logits: keep the logits.
    gradient: of which log-probability the gradient with respect to every weight is kept: "all" is the whole
        translation's as far as written, a number one step's, "each" every step's by itself, [T, H, Q, K].
    on_weights: called with kind, layer and weights [1, H, Q, K] as they stand in the graph, for hooks on them.
    """

    steps: tuple[Step, ...] = ()  # of attention, for every layer of ``kinds``:
    kinds: tuple[Kind, ...] = KINDS
    stream: bool = False
    source_stream: bool = False
    logits: bool = False
    gradient: int | Literal["all", "each"] | None = None
    on_weights: Callable[[Kind, int, Tensor], object] | None = None


TextSide = Literal["src", "tgt"]
Places = tuple[tuple[int, int], ...]  # pairs of positions (here, there)


class Patch(NamedTuple):
    """What a pass has in place of its own, taken from another: heads' values, and states by side and level.

    Level 0 is the embedding, n what leaves layer n − 1; the encoder's at ``src`` places, the decoder's at ``tgt``.
    """

    heads: frozenset[HeadRef] = frozenset()
    states: frozenset[tuple[TextSide, int]] = frozenset()
    src: Places = ()
    tgt: Places = ()


@dataclass(frozen=True)
class Slope:
    """Which gradients with respect to embeddings are asked for."""

    # each written token's "log_prob", or its "logit" above the mean of the vocabulary's
    of: Literal["log_prob", "logit"]
    # attention weights and the scales of norms are held at what they were, so that the model is linear in its
    # embeddings, piece by piece of its ReLUs
    frozen: bool = False
    # by which the tokens' embeddings are multiplied, positions staying; the gradients are means over these
    scales: tuple[float, ...] = (1.0,)


class Slopes(NamedTuple):
    """Gradients of what each of T steps writes, float [T, S, D] and [T, T, D], and what they belong to."""

    # source, read: with respect to the source's vectors as they enter, and to those that the decoder reads
    source: Tensor
    read: Tensor
    # source_parts, read_parts: these vectors as token and position, [2, S, D] and [2, T, D], which add up
    source_parts: Tensor
    read_parts: Tensor
    values: Tensor  # what was differentiated, as the model has it, [T]


@dataclass(frozen=True)
class Stream:
    """The residual stream of one side, float [.., T, D] each."""

    levels: Tensor  # after the embedding and after each layer, [L + 1, T, D]
    feed_forward: Tensor  # what each layer's feed-forward network added, [L, T, D]


@dataclass(frozen=True)
class Pass:
    """What a pass kept; see ``Ask``. Tensors are those that the model used, without the batch axis."""

    attention: Mapping[tuple[Kind, int], Mapping[Step, Tensor]] = field(default_factory=dict)
    stream: Stream | None = None
    logits: Tensor | None = None
    gradients: Mapping[tuple[Kind, int], Tensor] = field(default_factory=dict)
    source_stream: Stream | None = None

    def step(self, kind: Kind, layer: int, step: Step) -> Tensor:
        """One step of one layer."""
        return self.attention[kind, layer][step]

    def stacked(self, kind: Kind, step: Step) -> Tensor:
        """One step of every layer of a kind: [L, …]."""
        return torch.stack([seen[step] for (own, _), seen in sorted(self.attention.items()) if own == kind])


class HeadsOut(NamedTuple):
    """The output projection by head: ``weight`` [H, d_head, D] maps a head's values into the stream, ``bias`` [D]."""

    weight: Tensor
    bias: Tensor


class HeldNorm(NamedTuple):
    """A layer norm, linear once its statistics are held: scale ⊙ (x − mean) · rate + shift."""

    # scale, shift: [D]
    scale: Tensor
    shift: Tensor
    eps: float  # under the root of the rate

    def parts(self, whole: Tensor, parts: Tensor) -> Tensor:
        """What each part [P, T, D] of the vectors ``whole`` [T, D] becomes, float64; the shift belongs to none."""
        rate = torch.rsqrt(whole.double().var(-1, unbiased=False, keepdim=True) + self.eps)
        centred = parts.double() - parts.double().mean(-1, keepdim=True)
        return centred * rate * self.scale.double()


class Unembedding(NamedTuple):
    """The last norm and the projection to the vocabulary: logits = table · (scale ⊙ normalised x + shift)."""

    table: Tensor  # [V, D]
    # scale, shift: of the norm, [D]
    scale: Tensor
    shift: Tensor
    eps: float  # of the norm
    centred: bool = True  # the norm takes away the mean (layer norm), or it does not (root mean square)

    def parts(self, final: Tensor, part: Tensor) -> Tensor:
        """What a part [D] of the final residual vector ``final`` [D] adds to the logits, float64 [V].

        The norm's scale is held at what it was, so the logits are linear in the stream (direct logit
        attribution, Elhage et al. 2021; "freezing" the norm as in nostalgebraist 2020). The norm's shift
        belongs to no part.
        """
        rate = self._rate(final).to(part.device)
        return self.table.double() @ (self._around(part) * rate * self.scale.double())

    def logits(self, final: Tensor) -> Tensor:
        """All logits of a final residual vector [D], float64 [V]."""
        return self.parts(final, final.double()) + self.table.double() @ self.shift.double()

    def _rate(self, final: Tensor) -> Tensor:
        """What the norm multiplies a vector by."""
        return torch.rsqrt((self._around(final.double()) ** 2).mean(-1, keepdim=True) + self.eps)

    def _around(self, part: Tensor) -> Tensor:
        return part - part.mean(-1, keepdim=True) if self.centred else part

    def direction(self, final: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
        """Directions d and constants c with wanted · logits' difference = d · final + c, for each ``final`` [..., D].

        ``wanted`` [..., D] is a difference of the table's rows; float64 [..., D] and [...]. The norm is frozen as in
        ``parts``.
        """
        scaled = wanted.double() * self.scale.double()
        return self._around(scaled) * self._rate(final), wanted.double() @ self.shift.double()


class Projections(NamedTuple):
    """The linear maps of one attention layer, each (weight [D, D], bias [D]) as ``x · weightᵀ + bias``."""

    query: tuple[Tensor, Tensor]
    key: tuple[Tensor, Tensor]
    value: tuple[Tensor, Tensor]
    out: tuple[Tensor, Tensor]


@contextmanager
def one_thread() -> Iterator[None]:
    """PyTorch computes on one thread while the ``with`` lasts.

    Matrices of one sentence are too small to share: on a busy machine threads wait for each other (20 times slower).
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
