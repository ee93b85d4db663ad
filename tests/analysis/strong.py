"""A small untrained model whose heads matter."""

from __future__ import annotations

import torch

from model.own.checkpoint import Checkpoint
from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer
from model.translator import Translator


def strong_heads(like: Translator, decoder_layers: int, times: float) -> Translator:
    """One encoder layer and so many decoder layers, with ``like``'s words; what heads write is ``times`` as large."""
    torch.manual_seed(5)
    src, tgt = like.src_tokenizer, like.tgt_tokenizer
    sizes = {"d_model": 32, "d_ff": 48, "n_heads": 4, "n_encoder_layers": 1, "n_decoder_layers": decoder_layers}
    model = Transformer(TransformerConfig(src.vocab_size, tgt.vocab_size, **sizes)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith(("v_proj.weight", "out_proj.weight", "q_proj.weight")):
                parameter.mul_(times)
    return Translator(Checkpoint(model, src, tgt, {}), "strong")
