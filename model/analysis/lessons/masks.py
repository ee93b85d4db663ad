"""What may look at what: the model's own masks, of a batch and inside one head; and what happens without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from model.errors import EmptySentenceError, TooManySentencesError
from model.own.network.layers import causal_mask, decoder_mask, padding_mask
from model.own.network.transformer import Transformer
from model.own.passes import attention_block
from model.own.text.tokenize import pad
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID, SPECIAL_TOKENS, UNK_ID
from model.trace import AttentionTrace, HeadRef, Kind, Translation
from model.translator import Translator

PAD, START, END = (SPECIAL_TOKENS[special] for special in (PAD_ID, BOS_ID, EOS_ID))


def source_mask(rows: Sequence[np.ndarray]) -> np.ndarray:
    """The padding mask of source ids as the encoder gets it: bool [B, longest], True = may attend."""
    return padding_mask(pad(rows), PAD_ID)[:, 0, 0].numpy()


def target_masks(rows: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """The padding mask [B, T], and that and the causal mask together [B, T, T], of target ids after the start."""
    ids = pad([np.array([BOS_ID, *row]) for row in rows])
    return padding_mask(ids, PAD_ID)[:, 0, 0].numpy(), decoder_mask(ids, PAD_ID)[:, 0].numpy()


def causal(size: int) -> np.ndarray:
    """The model's causal mask: bool [size, size], True = may attend."""
    return causal_mask(size)[0, 0].numpy()


def sentence_mask(kind: Kind, n_keys: int) -> np.ndarray:
    """The mask that the model makes for one sentence without padding: bool [1 or n_keys, n_keys]."""
    ids = torch.full((1, n_keys), BOS_ID)  # any id but padding: the masks look at nothing else
    mask = decoder_mask(ids, PAD_ID) if kind == "decoder_self" else padding_mask(ids, PAD_ID)
    return mask[0, 0].numpy()


MAX_SENTENCES = 8


@dataclass(frozen=True)
class BatchMask:
    """Sentences of one batch, padded to the longest, and the masks that the model makes of them."""

    text: tuple[str, ...]  # what each row says: as typed, or the translation whose tokens the decoder reads
    tokens: tuple[tuple[str, ...], ...]  # one row a sentence; short rows end in ``<pad>``
    padding: np.ndarray  # bool [B, K], True = may attend
    combined: np.ndarray | None = None  # for the decoder, padding mask & causal mask: bool [B, T, T]


@dataclass(frozen=True)
class Triu:
    """``np.triu(ones, k)`` read as "hidden where it is 1"."""

    k: int  # the diagonal from which on the ones begin
    ones: np.ndarray  # uint8 [size, size]
    blind: tuple[int, ...]  # queries that would see no key at all
    is_causal: bool  # True if hiding the ones is exactly the model's causal mask


@dataclass(frozen=True)
class RowSteps:
    """One query's way through a head: [K] each; a key that the mask hides has masked score -inf."""

    scores: np.ndarray  # q·k / √d_head, as captured
    masked: np.ndarray  # the scores after the model's mask
    weights: np.ndarray  # after softmax, as captured
    error: float  # largest distance of the captured weights from the softmax of ``masked``


def sentences_of(text: str) -> list[str]:
    """The sentences of a batch, one a line; blank lines do not count.

    Raises:
        EmptySentenceError: there is none.
        TooManySentencesError: there are more than MAX_SENTENCES.
    """
    sentences = [line.strip() for line in text.splitlines() if line.strip()]
    if not sentences:
        raise EmptySentenceError("The batch is empty: type one English sentence a line.")
    if len(sentences) > MAX_SENTENCES:
        raise TooManySentencesError(f"The batch has {len(sentences)} sentences; the limit is {MAX_SENTENCES}.")
    return sentences


def opening_batch(examples: Sequence[str]) -> str:
    """Three examples of clearly different length, one a line: the longest, a middle one and the shortest."""
    by_length = sorted(examples, key=len, reverse=True)
    return "\n".join(dict.fromkeys(by_length[place] for place in (0, len(by_length) // 2, -1))) if by_length else ""


def source_batch(translator: Translator, sentences: Sequence[str]) -> BatchMask:
    """The padding mask of a real batch, as the encoder gets it.

    Raises:
        EmptySentenceError, SentenceTooLongError: a sentence cannot be encoded.
    """
    names = [[*(label.text for label in translator.labels(sentence)), END] for sentence in sentences]
    return BatchMask(tuple(sentences), _filled(names), source_mask([_some_ids(len(row)) for row in names]))


def target_batch(translator: Translator, sentences: Sequence[str]) -> BatchMask:
    """The masks of the batch's greedy translations, as the decoder's self-attention gets them.

    Raises:
        EmptySentenceError, SentenceTooLongError: a sentence cannot be encoded.
    """
    made = [translator.translate(sentence) for sentence in sentences]
    names = [[START, *(label.text for label in each.tgt)] for each in made]
    return BatchMask(
        tuple(each.text for each in made),
        _filled(names),
        *target_masks([_some_ids(len(each.tgt_ids)).tolist() for each in made]),
    )


def _some_ids(length: int) -> np.ndarray:
    """So many ids that are no padding: a mask goes by nothing else, and models differ in which id pads."""
    return np.full(length, EOS_ID)


def triu(size: int, k: int) -> Triu:
    """``np.triu(ones, k)`` as a mask that hides its ones, beside the model's own."""
    ones = np.triu(np.ones((size, size), dtype=np.uint8), k)
    blind = tuple(int(row) for row in np.flatnonzero(ones.all(axis=1)))
    return Triu(k, ones, blind, bool(((ones == 0) == causal(size)).all()))


def row_steps(trace: AttentionTrace, kind: Kind, layer: int, head: int, row: int) -> RowSteps:
    """Scores, masked scores and weights of one query of a head.

    Raises:
        ValueError: there is no such head or row.
    """
    weights = trace.map(kind, layer, head)
    if not 0 <= row < len(weights):
        raise ValueError(f"{kind} has rows 0–{len(weights) - 1}, got {row}")
    allowed = sentence_mask(kind, weights.shape[1])[row if kind == "decoder_self" else 0]
    scores = trace.scores[kind][layer, head, row]
    masked = np.where(allowed, scores, np.float32(-np.inf))
    exponent = np.exp(masked - masked.max())
    error = float(np.abs(exponent / exponent.sum() - weights[row]).max())
    return RowSteps(scores, masked, weights[row], error)


def _filled(names: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    length = max(len(row) for row in names)
    return tuple((*row, *[PAD] * (length - len(row))) for row in names)


@contextmanager
def without_causal_mask(model: Transformer) -> Iterator[None]:
    """The decoder's self-attention hides nothing while the ``with`` lasts; for one sentence without padding."""
    handles = []
    try:
        for layer in range(model.config.n_decoder_layers):
            block, kept = attention_block(model, "decoder_self", layer), list[Tensor]()

            def keep(_module: nn.Module, _given: object, scores: Tensor, kept: list[Tensor] = kept) -> None:
                kept[:] = [scores]

            def unmask(_module: nn.Module, _given: object, _masked: Tensor, kept: list[Tensor] = kept) -> Tensor:
                return kept[0]

            handles.append(block.scores_hook.register_forward_hook(keep))
            handles.append(block.masked_scores_hook.register_forward_hook(unmask))
        yield
    finally:
        for handle in handles:
            handle.remove()


def leak(model: Translator, translation: Translation, place: int) -> tuple[np.ndarray, np.ndarray]:
    """How far each step's prediction moves when the token read at ``place`` becomes <unk>: [T] each, 0 to 1.

    The distance is total variation, half the sum of |Δp| over the vocabulary; first with the causal
    mask, then without it. A step before ``place`` can only move if it sees the future.
    """
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    both = ids.inputs.repeat(2, 1)
    both[1, place] = UNK_ID
    moved = []
    with model.running() as network:
        for setting in (nullcontext(), without_causal_mask(network)):
            with setting:
                before, after = network(ids.src.repeat(2, 1), both).float().softmax(-1)
            moved.append(((after - before).abs().sum(-1) / 2).cpu().numpy())
    return moved[0], moved[1]


def under_triu(scores: np.ndarray, k: int, hide: float = -torch.inf) -> np.ndarray:
    """PyTorch's softmax of scores [T, T] where ``np.triu(ones, k)`` is replaced by ``hide``.

    A row that sees nothing is NaN with −∞, and even with the Annotated Transformer's −1e9.
    """
    hidden = torch.from_numpy(np.triu(np.ones(scores.shape), k) == 1)
    return torch.from_numpy(scores.copy()).masked_fill(hidden, hide).softmax(-1).numpy()


def shuffled_weights(model: Translator, translation: Translation, heads: Sequence[HeadRef], seed: int = 0) -> float:
    """How far the predictions move where heads' weights are shuffled among the keys, row by row: 0 to 1, mean of steps.

    Total variation; after Jain and Wallace 2019, section 4.2.
    """
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    generator = torch.Generator().manual_seed(seed)
    with model.running() as network, torch.inference_mode(), ExitStack() as stack:
        before = network(ids.src, ids.inputs)[0].float().softmax(-1)
        for each in heads:

            def shuffle(_module: nn.Module, _given: object, weights: Tensor, head: int = each.head) -> Tensor:
                order = torch.rand(weights.shape[2:], generator=generator).argsort(-1).to(weights.device)
                out = weights.clone()
                out[0, head] = weights[0, head].gather(-1, order)
                return out

            block = attention_block(network, each.kind, each.layer)
            stack.callback(block.weights_hook.register_forward_hook(shuffle).remove)
        after = network(ids.src, ids.inputs)[0].float().softmax(-1)
    return float((after - before).abs().sum(-1).mean() / 2)
