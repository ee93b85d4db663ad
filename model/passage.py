"""One teacher-forced pass that answers everything: what can be asked of it, and what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from model.trace import KINDS, Kind

Step = Literal[
    "inputs", "memory", "query", "key", "value", "scores", "masked_scores", "weights", "heads", "residual", "output"
]


class ForcedIds(NamedTuple):
    """What a model reads and writes while it goes through one finished translation again.

    Attributes:
        src: [1, S], with whatever ends a source; of a picture its pixels, [1, colours, height, width].
        inputs: what the decoder reads, [1, T], the start first; [1, 0] where there is none.
        written: the token that each step writes, [T], the end last, also where decoding was cut before it.
        finished: whether that end was really written.
    """

    src: Tensor
    inputs: Tensor
    written: Tensor
    finished: bool = True

    @property
    def steps(self) -> int:
        """Number of steps that wrote something: T, or T − 1 where the end was not written."""
        return len(self.written) - (not self.finished)


@dataclass(frozen=True)
class Ask:
    """What a pass is to keep.

    Attributes:
        steps: of attention, for every layer of ``kinds``:

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
        stream: keep the decoder's residual stream.
        logits: keep the logits.
        gradient: of which log-probability the gradient with respect to every weight is kept: "all" is
            the whole translation's, a number that of one step's token.
    """

    steps: tuple[Step, ...] = ()
    kinds: tuple[Kind, ...] = KINDS
    stream: bool = False
    logits: bool = False
    gradient: int | Literal["all"] | None = None


@dataclass(frozen=True)
class Stream:
    """The residual stream of the decoder, float [.., T, D] each.

    Attributes:
        levels: after the embedding and after each layer, [L + 1, T, D].
        feed_forward: what each layer's feed-forward network added, [L, T, D].
    """

    levels: Tensor
    feed_forward: Tensor


@dataclass(frozen=True)
class Pass:
    """What a pass kept; see ``Ask``. Tensors are those that the model used, without the batch axis."""

    attention: Mapping[tuple[Kind, int], Mapping[Step, Tensor]] = field(default_factory=dict)
    stream: Stream | None = None
    logits: Tensor | None = None
    gradients: Mapping[tuple[Kind, int], Tensor] = field(default_factory=dict)

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


class Unembedding(NamedTuple):
    """The last norm and the projection to the vocabulary: logits = table · (scale ⊙ normalised x + shift).

    Attributes:
        table: [V, D].
        scale, shift: of the norm, [D].
        eps: of the norm.
        centred: the norm takes away the mean (layer norm), or it does not (root mean square).
    """

    table: Tensor
    scale: Tensor
    shift: Tensor
    eps: float
    centred: bool = True

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
        return torch.rsqrt((self._around(final.double()) ** 2).mean() + self.eps)

    def _around(self, part: Tensor) -> Tensor:
        return part - part.mean() if self.centred else part

    def direction(self, final: Tensor, wanted: Tensor) -> tuple[Tensor, float]:
        """Direction d and constant c with wanted · logits' difference = d · final + c, for ``wanted`` [D] of the table.

        ``wanted`` is a difference of the table's rows; float64 [D]. The norm is frozen as in ``parts``.
        """
        scaled = wanted.double() * self.scale.double()
        return self._around(scaled) * self._rate(final), float(wanted.double() @ self.shift.double())


class Projections(NamedTuple):
    """The linear maps of one attention layer, each (weight [D, D], bias [D]) as ``x · weightᵀ + bias``."""

    query: tuple[Tensor, Tensor]
    key: tuple[Tensor, Tensor]
    value: tuple[Tensor, Tensor]
    out: tuple[Tensor, Tensor]
