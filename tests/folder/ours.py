"""Our own shipped translator as a folder of transformers' Pegasus, which is built alike: pre-norm, sines, ReLU.

Two things differ. Pegasus has all sines before all cosines, so the dimensions of the stream are reordered. And it has
one vocabulary for both sides: English ids come after the Chinese ones, and a bias keeps them from being written.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
import transformers as T
from tokenizers import Tokenizer, models

from model.folder.source import FolderSource
from model.folder.spell import Languages, Speller
from model.own.text.tokenize import source_labels, target_labels
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID, SPECIAL_TOKENS
from model.trace import Label
from model.translator import Translator
from model.writing import Token

NAMES = {
    "encoder.": "model.encoder.",
    "decoder.": "model.decoder.",
    ".self_attn_norm": ".self_attn_layer_norm",
    ".cross_attn_norm": ".encoder_attn_layer_norm",
    ".cross_attn.": ".encoder_attn.",
    ".feed_forward_norm": ".final_layer_norm",
    ".feed_forward.up_proj": ".fc1",
    ".feed_forward.down_proj": ".fc2",
    "coder.norm": "coder.layer_norm",
}


def as_pegasus(own: Translator, path: Path) -> None:
    """Write the folder."""
    config, tgt = own.model.config, own.model.config.tgt_vocab_size
    sizes = {
        "d_model": config.d_model,
        "max_position_embeddings": config.max_len,
        "vocab_size": tgt + config.src_vocab_size,
    }
    for side, layers in (("encoder", config.n_encoder_layers), ("decoder", config.n_decoder_layers)):
        sizes |= {f"{side}_layers": layers, f"{side}_attention_heads": config.n_heads, f"{side}_ffn_dim": config.d_ff}
    ids = {
        "pad_token_id": PAD_ID,
        "eos_token_id": EOS_ID,
        "decoder_start_token_id": BOS_ID,
        "forced_eos_token_id": None,
    }
    made = T.PegasusForConditionalGeneration(
        T.PegasusConfig(**sizes, **ids, activation_function="relu", scale_embedding=True)
    )
    order = torch.cat((torch.arange(0, config.d_model, 2), torch.arange(1, config.d_model, 2)))
    weights = {_named(name): _reordered(name, tensor, order) for name, tensor in own.model.state_dict().items()}
    both = torch.cat((weights.pop("decoder.embedding.tokens.weight"), weights.pop("encoder.embedding.tokens.weight")))
    weights["model.shared.weight"] = both
    weights["final_logits_bias"] = torch.cat((torch.zeros(1, tgt), torch.full((1, config.src_vocab_size), -1e9)), 1)
    lacking, unknown = made.load_state_dict(weights, strict=False)
    assert not unknown
    assert all("embed" in name or name == "lm_head.weight" for name in lacking)
    made.tie_weights()
    made.save_pretrained(path)
    names = (*SPECIAL_TOKENS, *(f"t{place}" for place in range(len(SPECIAL_TOKENS), sizes["vocab_size"])))
    vocab = {name: place for place, name in enumerate(names)}
    plain = Tokenizer(models.WordLevel(vocab, unk_token=SPECIAL_TOKENS[-1]))
    special = {
        "pad_token": SPECIAL_TOKENS[PAD_ID],
        "bos_token": SPECIAL_TOKENS[BOS_ID],
        "eos_token": SPECIAL_TOKENS[EOS_ID],
    }
    T.PreTrainedTokenizerFast(tokenizer_object=plain, unk_token=SPECIAL_TOKENS[-1], **special).save_pretrained(path)


def opened(own: Translator, path: Path) -> FolderSource:
    """The folder at work, spelt by our own tokenizers."""
    source = FolderSource.open(path, "ours")
    source.core.form.speller = OwnSpelling(own, source.core.form.speller.tokenizer)
    return source


class OwnSpelling(Speller):
    """Our own tokens, with English ids after the Chinese ones."""

    def __init__(self, own: Translator, tokenizer: object) -> None:
        super().__init__(tokenizer, Languages())
        self.own, self.shift = own, own.model.config.tgt_vocab_size

    def source(self, text: str) -> tuple[list[int], tuple[Label, ...]]:
        tokens, ids = self.own.encode_source(text)
        return [each + self.shift for each in ids[0].tolist()], (*source_labels(text, tokens), Label("<eos>"))

    def target(self, text: str) -> list[Token]:
        return self.own.encode_target(text)

    def written(self, ids: Sequence[int]) -> tuple[str, tuple[Label, ...]]:
        return self.text(ids), target_labels([self.own.piece(each) for each in ids])

    def text(self, ids: Sequence[int]) -> str:
        return self.own.decode_target(ids)

    def piece(self, token_id: int) -> str:
        return self.own.piece(token_id)


def _named(name: str) -> str:
    if "embedding" in name:
        return name
    for ours, theirs in NAMES.items():
        name = name.replace(ours, theirs)
    return name


def _reordered(name: str, tensor: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    """A weight whose sides that belong to the stream are reordered: what a layer reads, or what it gives."""
    gives = name.endswith(("out_proj.weight", "out_proj.bias", "down_proj.weight", "down_proj.bias"))
    if "norm." in name or gives:
        return tensor[order]
    return tensor[:, order] if tensor.dim() == 2 else tensor
