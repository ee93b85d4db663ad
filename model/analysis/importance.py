"""Importance of heads by ablation: what muting each of them costs a translation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from model.capture import hook_name
from model.interventions import HEADS_OUT
from model.layers import DecoderLayer, LayerCache
from model.masks import causal_mask
from model.trace import Kind, Translation
from model.transformer import Transformer
from model.translator import Translator
from model.vocab import BOS_ID, EOS_ID

LOGITS_AT_ONCE = 1024  # rows of the vocabulary-wide projection that are in memory together


@dataclass(frozen=True)
class Ablation:
    """One translation under a model that lacks one head, for every head.

    Attributes:
        before: natural log-probability of each written token under the whole model, [T].
        costs: by how much muting a head lowers each of them, in nats, by kind: float32 [L, H, T]; a
            negative number means that the token becomes more probable.
    """

    before: np.ndarray
    costs: dict[Kind, np.ndarray]

    @property
    def importance(self) -> dict[Kind, np.ndarray]:
        """Fall of the whole translation's log-probability, in nats, by kind: float32 [L, H]."""
        return {kind: costs.sum(-1) for kind, costs in self.costs.items()}


def ablate(translator: Translator, translation: Translation) -> Ablation:
    """What each head is worth to a translation: the model's own, or one that was forced.

    <eos> counts as written where the translation was finished.

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Translator.translate``.
    """
    return ablate_ids(translator, translation.source, translation.tgt_ids, translation.finished)


def ablate_ids(translator: Translator, text: str, ids: Sequence[int], finished: bool = True) -> Ablation:
    """As ``ablate``, for target ids.

    Importance is the change in log-probability when the head's output is multiplied by 0, teacher-forced
    and without training anew (Michel et al. 2019, with log-probability in place of BLEU).

    All heads are muted in one pass whose batch grows: every layer adds one row for each of its heads, so
    what lies below a muted head is computed once.

    Args:
        translator: whose model is asked.
        text: the source.
        ids: of the translation, without special tokens.
        finished: whether <eos> was written after them.

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Translator.translate``.
    """
    _, src_ids = translator.encode_source(text)
    written = [*ids, EOS_ID] if finished else list(ids)
    with translator.running() as model:
        found = _muted_log_probs(model, src_ids, written)
    config = model.config
    costs = (found[:1] - found[1:]).float().cpu().numpy()
    n_encoder = config.n_encoder_layers * config.n_heads
    encoder = costs[:n_encoder].reshape(config.n_encoder_layers, config.n_heads, -1)
    decoder = costs[n_encoder:].reshape(config.n_decoder_layers, 2, config.n_heads, -1)
    by_kind: dict[Kind, np.ndarray] = {"encoder_self": encoder, "decoder_self": decoder[:, 0], "cross": decoder[:, 1]}
    return Ablation(found[0].float().cpu().numpy(), by_kind)


def _muted_log_probs(model: Transformer, src_ids: Tensor, written: Sequence[int]) -> Tensor:
    """Log-probabilities of the written tokens, [1 + heads, T]: of the whole model, then with one head muted.

    Heads stand in the order of computing: the encoder's layer by layer, then each decoder layer's
    self-attention and its cross-attention.
    """
    device = src_ids.device
    if not written:
        layers = model.config.n_encoder_layers + 2 * model.config.n_decoder_layers
        return torch.zeros(1 + layers * model.config.n_heads, 0, device=device)
    inputs = torch.tensor([[BOS_ID, *written[:-1]]], device=device)
    memory = _grown_memory(model, src_ids)
    states = _grown_states(model, inputs, memory)
    return written_log_probs(model, states, torch.tensor(written, device=device))


def _grown_memory(model: Transformer, src_ids: Tensor) -> Tensor:
    """The memory [1, S, D], then with each encoder head muted: [1 + L·H, S, D]."""
    x = model.encoder.embedding(src_ids)
    for number, layer in enumerate(model.encoder.layers):
        x = _with_copies(x, model.config.n_heads)
        with _last_rows_muted(model, hook_name("encoder_self", number, HEADS_OUT), 0):
            x = layer(x, None)
    return model.encoder.norm(x)


def _grown_states(model: Transformer, inputs: Tensor, memory: Tensor) -> Tensor:
    """Decoder states over each memory, then with each decoder head muted over the first one: [R, T, D]."""
    n_heads, mask = model.config.n_heads, causal_mask(inputs.shape[1], inputs.device)
    x = model.decoder.embedding(inputs).expand(len(memory), -1, -1)
    for number, layer in enumerate(model.decoder.layers):
        assert isinstance(layer, DecoderLayer)
        x = _with_copies(x, 2 * n_heads)
        key, value = layer.cross_attn.project(memory)
        keys_values = _with_copies(key, len(x) - len(memory)), _with_copies(value, len(x) - len(memory))
        own, cross = hook_name("decoder_self", number, HEADS_OUT), hook_name("cross", number, HEADS_OUT)
        with _last_rows_muted(model, own, n_heads), _last_rows_muted(model, cross, 0):
            x = layer(x, memory, mask, None, LayerCache(cross_attn=keys_values))
    return model.decoder.norm(x)


def _with_copies(x: Tensor, n: int) -> Tensor:
    """x with ``n`` copies of its first row, the whole model's, at the end."""
    return torch.cat((x, x[:1].expand(n, *x.shape[1:])))


@contextmanager
def _last_rows_muted(model: Transformer, name: str, after: int) -> Iterator[None]:
    """Mute head h of one block in row h of the H rows at the batch's end, before ``after`` further ones."""
    handle = model.get_submodule(name).register_forward_hook(_muter(after))
    try:
        yield
    finally:
        handle.remove()


def _muter(after: int) -> Callable[..., Tensor]:
    def hook(_module: nn.Module, _inputs: tuple[Tensor, ...], output: Tensor) -> Tensor:
        heads = torch.arange(output.shape[1], device=output.device)  # output is [R, H, Q, d_head]
        output = output.clone()
        output[len(output) - after - len(heads) + heads, heads] = 0
        return output

    return hook


def written_log_probs(model: Transformer, states: Tensor, written: Tensor) -> Tensor:
    """Natural log-probability of each written token [T] in each row: states [R, T, D] → [R, T]."""
    rows = max(1, LOGITS_AT_ONCE // len(written))
    parts = []
    for chunk in states.split(rows):
        logits = model.project(chunk).float()
        chosen = logits.gather(2, written.expand(len(chunk), -1)[..., None])[..., 0]
        parts.append(chosen - logits.logsumexp(-1))
    return torch.cat(parts)
