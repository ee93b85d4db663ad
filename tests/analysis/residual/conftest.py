from __future__ import annotations

import pytest
import torch

from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer


@pytest.fixture
def small_model():
    torch.manual_seed(3)
    sizes = {"d_model": 16, "d_ff": 32, "n_heads": 4, "n_encoder_layers": 2, "n_decoder_layers": 3}
    model = Transformer(TransformerConfig(20, 23, **sizes)).eval()
    with torch.no_grad():  # norms and biases that are not their neutral selves
        for name, parameter in model.named_parameters():
            if "norm" in name or name.endswith("bias"):
                parameter.add_(0.3 * torch.randn_like(parameter))
    return model
