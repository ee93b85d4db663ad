"""What each decoder layer would have written, and what each head promotes: the logit lens (nostalgebraist 2020)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from model.passage import Ask
from model.source import Source, require
from model.trace import Kind, Translation

DECODER_KINDS: tuple[Kind, Kind] = ("decoder_self", "cross")


@dataclass(frozen=True)
class Lens:
    """The final norm and the output projection applied to the residual stream after every decoder layer.

    Level 0 is the embedding of the token just read, level l the state after layer l − 1; the last level
    is the model's own output.
    """

    tokens: np.ndarray  # ids of the k most probable tokens, best first, int [L + 1, T, k]
    probabilities: np.ndarray  # theirs, [L + 1, T, k]
    written: np.ndarray  # id of the token that each step wrote, [T]
    ranks: np.ndarray  # of that token, 1 is the most probable, int [L + 1, T]
    written_probabilities: np.ndarray  # of that token, [L + 1, T]
    vocabulary: int  # number of tokens that could be written
    states: np.ndarray  # the stream itself, float32 [L + 1, T, D]
    gathered: dict[Kind, np.ndarray]  # each head's weighted sum of values by kind, float32 [L, H, T, d_head]

    def settles(self, step: int) -> int | None:
        """The first level from which on the written token stays the most probable; None where it never is."""
        others = np.flatnonzero(self.ranks[:, step] != 1)
        first = int(others[-1]) + 1 if others.size else 0
        return first if first < len(self.ranks) else None


@dataclass(frozen=True)
class Promotion:
    """The tokens whose logits a head raises and lowers most at one step, the largest change first.

    ``raised`` and ``lowered`` hold pairs of a token's id and the head's part of its logit.
    """

    raised: tuple[tuple[int, float], ...]
    lowered: tuple[tuple[int, float], ...]


def lens(model: Source, translation: Translation, k: int = 5) -> Lens:
    """The lens over a translation, by one teacher-forced pass; probabilities over the whole vocabulary.

    Raises:
        EmptySentenceError, SentenceTooLongError, UnknownCharacterError: as ``Source.ids``.
    """
    require(model, "decoder_self", "internals", "finish")
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    kinds = tuple(kind for kind in DECODER_KINDS if kind in model.anatomy.kinds)
    seen = model.forced(ids, Ask(("heads",), kinds, stream=True))
    assert seen.stream is not None
    states, written = seen.stream.levels, ids.written
    log_probs = model.finish(states).float().log_softmax(-1)  # [L + 1, T, V]
    best = log_probs.topk(min(k, log_probs.shape[-1]), dim=-1)
    own = log_probs.gather(-1, written[None, :, None].expand(len(states), -1, 1))
    ranks = (log_probs > own).sum(-1) + 1
    return Lens(
        tokens=best.indices.cpu().numpy(),
        probabilities=best.values.exp().cpu().numpy(),
        written=written.cpu().numpy(),
        ranks=ranks.cpu().numpy(),
        written_probabilities=own[..., 0].exp().cpu().numpy(),
        vocabulary=log_probs.shape[-1],
        states=states.float().cpu().numpy(),
        gathered={kind: seen.stacked(kind, "heads").float().cpu().numpy() for kind in kinds},
    )


def head_logits(model: Source, found: Lens, kind: Kind, layer: int, head: int, step: int) -> np.ndarray:
    """A head's part of every logit at one step: float64 [V].

    The head's columns of W_O carry what it gathered into the residual stream, which the final norm, its
    scale held at what it was, maps linearly to the logits (direct logit attribution, Elhage et al. 2021).
    All heads' parts and that of the rest of the stream sum to the model's logits.

    Raises:
        ValueError: the kind is none of the decoder's.
        IndexError: there is no such layer, head or step.
    """
    if kind not in found.gathered:
        raise ValueError(f"only heads of the decoder write into its stream: {', '.join(found.gathered)}, not {kind}")
    layers, heads, steps = found.gathered[kind].shape[:3]
    if not (0 <= layer < layers and 0 <= head < heads and 0 <= step < steps):
        raise IndexError(f"there are {layers} layers, {heads} heads and {steps} steps, got {layer}, {head}, {step}")
    gathered = torch.from_numpy(found.gathered[kind][layer, head, step])
    weight = model.heads_out(kind, layer).weight[head].double()
    added = gathered.to(weight.device).double() @ weight
    return model.unembedding.parts(torch.from_numpy(found.states[-1, step]), added).cpu().numpy()


def promoted(model: Source, found: Lens, kind: Kind, layer: int, head: int, step: int, k: int = 8) -> Promotion:
    """The k tokens whose logits a decoder head raises, and lowers, most while a step is written.

    Logits are measured against their mean over the vocabulary: what is added to all of them alike
    changes no probability.

    Raises:
        ValueError, IndexError: as ``head_logits``.
    """
    logits = head_logits(model, found, kind, layer, head, step)
    order = np.argsort(logits - logits.mean(), kind="stable")
    pairs = [(int(token), float(logits[token] - logits.mean())) for token in (*order[::-1][:k], *order[:k])]
    return Promotion(tuple(pairs[:k]), tuple(pairs[k:]))
