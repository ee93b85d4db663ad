"""Architectures of transformers that no other test names, each built small: opened with true maps, or refused."""

from __future__ import annotations

import pytest

from tests.folder.registry import architectures, tried

OPEN = {
    "LlamaForSequenceClassification": "sentence",  # a decoder without a layer that writes
    "Qwen3Model": "sentence",
    "GPTNeoXForCausalLM": "prompt",
    "SwitchTransformersForConditionalGeneration": "text",
    "PegasusForConditionalGeneration": "text",
    "Dinov2WithRegistersForImageClassification": "picture",  # registers stand before the patches
    "CLIPForImageClassification": "picture",  # the size of patches stands in the part about the picture
    "XLNetModel": "sentence",  # its config says that it has no limit, by -1
    "MiniMaxForCausalLM": "prompt",
}
REFUSED = {
    "CLIPModel": "no one table of token embeddings",
    "T5Model": "has no layer that writes words",
    "MobileNetV2ForImageClassification": "names no square patches",
    "LongformerForMaskedLM": "does not let every token see every token",
    "ViTMAEModel": "leaves some out",
}
KINDS = {name: kind for kind, name in architectures()}


@pytest.mark.parametrize("name", OPEN)
def test_an_architecture_opens_and_its_maps_are_those_of_eager_attention(name: str) -> None:
    state, said = tried(KINDS[name], name)
    assert (state, said.split(":")[0]) == ("open", OPEN[name]), said


@pytest.mark.parametrize("name", REFUSED)
def test_an_architecture_is_refused_in_a_sentence_that_is_true_of_it(name: str) -> None:
    state, said = tried(KINDS[name], name)
    assert state == "refused", said
    assert REFUSED[name] in said
