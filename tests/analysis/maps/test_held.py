"""Gradient × input with attention and norms held is the same decomposition pushed forwards, layer by layer."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.attribution.methods import attribution_maps
from model.attribution.through import frozen_shares
from model.passage import Ask


@pytest.fixture(scope="module")
def made(translator):
    return translator.trace("Tom didn't see it.", "汤姆没看见它。")


class Held:
    """Our model with attention's weights, norms' scales and ReLUs' gates held at what one translation made them."""

    def __init__(self, translator, made) -> None:
        self.model, self.ids = translator.model, translator.ids(made.source, made.tgt_ids)
        self.seen = translator.forced(self.ids, Ask(("weights",)))
        self.inputs: dict[str, torch.Tensor] = {}
        self.embedded: dict[str, torch.Tensor] = {}
        handles = []
        for name, module in self.model.named_modules():
            if isinstance(module, torch.nn.LayerNorm) or name.endswith("up_proj"):
                keep = lambda _m, args, _o, name=name: self.inputs.__setitem__(name, args[0][0])  # noqa: E731
                handles.append(module.register_forward_hook(keep))
            elif name.endswith("embedding"):
                keep = lambda _m, _a, out, name=name: self.embedded.__setitem__(name.split(".")[0], out[0])  # noqa: E731
                handles.append(module.register_forward_hook(keep))
        with torch.no_grad():
            self.model(self.ids.src, self.ids.inputs)
        for handle in handles:
            handle.remove()

    def norm(self, name: str, part: torch.Tensor) -> torch.Tensor:
        module = self.model.get_submodule(name)
        rate = (self.inputs[name].var(-1, unbiased=False, keepdim=True) + module.eps).rsqrt()
        return (part - part.mean(-1, keepdim=True)) * rate * module.weight

    def attend(self, name: str, kind: str, layer: int, part: torch.Tensor) -> torch.Tensor:
        block = self.model.get_submodule(name)
        values = (part @ block.v_proj.weight.T).unflatten(-1, (block.n_heads, block.d_head)).transpose(0, 1)
        return (self.seen.step(kind, layer, "weights") @ values).transpose(0, 1).flatten(1) @ block.out_proj.weight.T

    def feed(self, name: str, part: torch.Tensor) -> torch.Tensor:
        block = self.model.get_submodule(f"{name}.feed_forward")
        gates = block.up_proj(self.inputs[f"{name}.feed_forward.up_proj"]) > 0
        inner = self.norm(f"{name}.feed_forward_norm", part) @ block.up_proj.weight.T
        return (inner * gates) @ block.down_proj.weight.T

    @torch.no_grad()
    def parts(self, side: str, position: int) -> np.ndarray:
        """What one vector that is read brings to each step's logit above the mean: [T]."""
        source, read = (torch.zeros_like(self.embedded[name]) for name in ("encoder", "decoder"))
        (source if side == "encoder" else read)[position] = self.embedded[side][position]
        for layer in range(len(self.model.encoder.layers)):
            name = f"encoder.layers.{layer}"
            looked = self.attend(
                f"{name}.self_attn", "encoder_self", layer, self.norm(f"{name}.self_attn_norm", source)
            )
            source = source + looked
            source = source + self.feed(name, source)
        memory = self.norm("encoder.norm", source)
        for layer in range(len(self.model.decoder.layers)):
            name = f"decoder.layers.{layer}"
            read = read + self.attend(
                f"{name}.self_attn", "decoder_self", layer, self.norm(f"{name}.self_attn_norm", read)
            )
            read = read + self.attend(f"{name}.cross_attn", "cross", layer, memory)
            read = read + self.feed(name, read)
        logits = self.norm("decoder.norm", read) @ self.model.decoder.embedding.tokens.weight.T
        return (logits.gather(1, self.ids.written[:, None])[:, 0] - logits.mean(-1)).numpy()


def test_held_gradients_are_the_parts_pushed_forwards(translator, made):
    found, held = attribution_maps(translator, made, "frozen"), Held(translator, made)
    for position in (0, 3):
        np.testing.assert_allclose(found["cross"][0, 0, :, position], held.parts("encoder", position), atol=1e-3)
        expected = held.parts("decoder", position)
        np.testing.assert_allclose(found["decoder_self"][0, 0, :, position], expected, atol=1e-3)
    every = [held.parts(side, at) for side in ("encoder", "decoder") for at in range(len(held.embedded[side]))]
    logits = held.model(held.ids.src, held.ids.inputs)[0].detach()
    whole = (logits.gather(1, held.ids.written[:, None])[:, 0] - logits.mean(-1)).numpy()
    brought, biases = frozen_shares(translator, made)
    assert brought == pytest.approx(np.sort(sum(every) / whole)[(len(whole) - 1) // 2], rel=1e-3)  # as torch's median
    assert brought + biases == pytest.approx(1)
    assert np.abs(found["cross"] - attribution_maps(translator, made, "input_gradient")["cross"]).max() > 1e-2
