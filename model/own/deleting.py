"""Our own Transformer without some source positions, many rows at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np
import torch
from torch import Tensor

from model.own.branches import written_log_probs
from model.own.capture import hook_name
from model.own.network.masks import causal_mask
from model.own.network.transformer import Transformer
from model.own.text.vocab import PAD_ID
from model.passage import ForcedIds
from model.source import Way

TOKENS_AT_ONCE = 1024  # of the source and the target together that are in memory at once


def log_probs_without(model: Transformer, ids: ForcedIds, deleted: np.ndarray, way: Way) -> Tensor:
    """Natural log-probability of each written token, [N, T], for each row of deleted source positions, bool [N, S].

    ==========  ===============================================================================
    mask        nothing attends to them; the others keep their positions
    remove      the source is read without them: those behind move up
    average     their embedding is the mean of the table's; positions and attention as ever
    silence     their values in every cross-attention layer are 0; the encoder reads them
    ==========  ===============================================================================
    """
    if not ids.steps:
        return torch.zeros(len(deleted), 0, device=ids.src.device)
    rows = max(1, TOKENS_AT_ONCE // (ids.src.shape[1] + ids.steps))
    every = torch.from_numpy(deleted).to(ids.src.device)
    return torch.cat([_of_rows(model, ids, part, way) for part in every.split(rows)])


def _of_rows(model: Transformer, ids: ForcedIds, deleted: Tensor, way: Way) -> Tensor:
    src, mask = ids.src.expand(len(deleted), -1), None
    if way == "mask":
        mask = ~deleted[:, None, None]
    elif way == "remove":
        src = src.gather(1, deleted.int().argsort(dim=1, stable=True))
        places = torch.arange(src.shape[1], device=src.device)
        mask = (places < (~deleted).sum(1, keepdim=True))[:, None, None]
    inputs = ids.inputs[:, : ids.steps].expand(len(deleted), -1)
    with _changed(model, deleted, way):
        memory = model.encoder(src, mask)
        states = model.decoder(inputs, memory, causal_mask(inputs.shape[1], inputs.device), mask)
    return written_log_probs(model, states, ids.written[: ids.steps])


@contextmanager
def _changed(model: Transformer, deleted: Tensor, way: Way) -> Iterator[None]:
    """Embeddings averaged, or values silenced, while the ``with`` lasts."""
    with ExitStack() as stack:
        if way == "average":
            tokens = model.encoder.embedding.tokens
            mean = tokens.weight[torch.arange(len(tokens.weight), device=tokens.weight.device) != PAD_ID].mean(0)

            def average(_module: object, _args: object, output: Tensor) -> Tensor:
                return torch.where(deleted[..., None], mean, output)

            stack.callback(tokens.register_forward_hook(average).remove)
        elif way == "silence":

            def silence(_module: object, _args: object, output: Tensor) -> Tensor:
                return output.masked_fill(deleted[:, None, :, None], 0.0)

            for layer in range(len(model.decoder.layers)):
                module = model.get_submodule(hook_name("cross", layer, "value_hook"))
                stack.callback(module.register_forward_hook(silence).remove)
        yield
