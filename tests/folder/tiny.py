"""Tiny Hugging Face folders of every family, made on the spot: real formats and tokenizers, few weights."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers as T
from torch import nn

from tests.folder import spelling

SIDES = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 96,
}
ENCODER = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 98,
}
GROUPED = {**ENCODER, "num_key_value_heads": 2}
PICTURE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
PICTURE |= {"image_size": 48, "patch_size": 16}


def shaken(model: Any) -> Any:
    """The model with every weight moved, as biases are 0 and norms 1 at the start; positions that are sines stay."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.requires_grad and "embed_positions" not in name:
                parameter.add_(0.1 * torch.randn_like(parameter))
    model.tie_weights()
    return model.eval()


def marian(path: Path) -> None:
    tokenizer, pad = spelling.marian(path)
    config = T.MarianConfig(
        vocab_size=pad + 1, pad_token_id=pad, eos_token_id=0, decoder_start_token_id=pad, forced_eos_token_id=0, **SIDES
    )
    model = shaken(T.MarianMTModel(config))
    model.generation_config = T.GenerationConfig(
        bad_words_ids=[[pad]], decoder_start_token_id=pad, eos_token_id=0, forced_eos_token_id=0, pad_token_id=pad
    )
    _save(path, model, tokenizer)


def _t5(path: Path, model_class: Any, config_class: Any, **more: Any) -> None:
    tokenizer = spelling.t5(path)
    sizes = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_decoder_layers": 3, "num_heads": 4}
    ids = {"decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1}
    _save(path, shaken(model_class(config_class(vocab_size=len(tokenizer), **sizes, **ids, **more))), tokenizer)


def t5(path: Path) -> None:
    _t5(path, T.T5ForConditionalGeneration, T.T5Config)


def mt5(path: Path) -> None:
    more = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
    _t5(path, T.MT5ForConditionalGeneration, T.MT5Config, **more)


def bart(path: Path) -> None:
    tokenizer = spelling.byte_pairs(T.BartTokenizer)
    ids = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}
    config = T.BartConfig(vocab_size=len(tokenizer), forced_eos_token_id=2, **ids, **SIDES)
    _save(path, shaken(T.BartForConditionalGeneration(config)), tokenizer)


def mbart(path: Path) -> None:
    tokenizer = spelling.mbart()
    start = tokenizer.convert_tokens_to_ids("zh_CN")
    ids = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": start}
    _save(
        path,
        shaken(T.MBartForConditionalGeneration(T.MBartConfig(vocab_size=len(tokenizer), **ids, **SIDES))),
        tokenizer,
    )


def m2m100(path: Path) -> None:
    tokenizer, size = spelling.m2m100(path)
    ids = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}
    _save(path, shaken(T.M2M100ForConditionalGeneration(T.M2M100Config(vocab_size=size, **ids, **SIDES))), tokenizer)


def nllb(path: Path) -> None:
    tokenizer = spelling.nllb()
    ids = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}
    config = T.M2M100Config(vocab_size=len(tokenizer) + 4, **ids, **SIDES)
    _save(path, shaken(T.M2M100ForConditionalGeneration(config)), tokenizer)


def bert(path: Path) -> None:
    tokenizer = spelling.word_pieces(T.BertTokenizer)
    _save(path, shaken(T.BertForMaskedLM(T.BertConfig(vocab_size=len(tokenizer), **ENCODER))), tokenizer)


def distilbert(path: Path) -> None:
    tokenizer = spelling.word_pieces(T.BertTokenizer)
    sizes = {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48, "max_position_embeddings": 98}
    _save(path, shaken(T.DistilBertForMaskedLM(T.DistilBertConfig(vocab_size=len(tokenizer), **sizes))), tokenizer)


def roberta(path: Path) -> None:
    tokenizer = spelling.byte_pairs(T.RobertaTokenizer)
    ids = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
    _save(path, shaken(T.RobertaForMaskedLM(T.RobertaConfig(vocab_size=len(tokenizer), **ids, **ENCODER))), tokenizer)


def gpt2(path: Path) -> None:
    tokenizer = spelling.byte_pairs(T.GPT2Tokenizer, unk_token="</s>", bos_token="</s>", eos_token="</s>")
    sizes = {"n_positions": 96, "n_embd": 32, "n_layer": 2, "n_head": 4, "bos_token_id": 2, "eos_token_id": 2}
    _save(path, shaken(T.GPT2LMHeadModel(T.GPT2Config(vocab_size=len(tokenizer), **sizes))), tokenizer)


def llama(path: Path) -> None:
    tokenizer = spelling.llama()
    config = T.LlamaConfig(vocab_size=len(tokenizer), bos_token_id=1, eos_token_id=2, **GROUPED)
    _save(path, shaken(T.LlamaForCausalLM(config)), tokenizer)


def qwen2(path: Path) -> None:
    tokenizer = spelling.byte_pairs(T.Qwen2Tokenizer, unk_token="</s>", eos_token="</s>", pad_token="<pad>")
    config = T.Qwen2Config(vocab_size=len(tokenizer), eos_token_id=2, bos_token_id=None, pad_token_id=1, **GROUPED)
    _save(path, shaken(T.Qwen2ForCausalLM(config)), tokenizer)


def albert(path: Path) -> None:
    """All layers share one module."""
    tokenizer = spelling.word_pieces(T.BertTokenizer)
    config = T.AlbertConfig(vocab_size=len(tokenizer), embedding_size=16, **ENCODER)
    _save(path, shaken(T.AlbertForMaskedLM(config)), tokenizer)


def bloom(path: Path) -> None:
    """Not in transformers' registry: its maps can be had, and nothing else."""
    tokenizer = spelling.byte_pairs(T.GPT2Tokenizer, unk_token="</s>", bos_token="</s>", eos_token="</s>")
    config = T.BloomConfig(
        vocab_size=len(tokenizer), hidden_size=32, n_layer=2, n_head=4, bos_token_id=2, eos_token_id=2
    )
    _save(path, shaken(T.BloomForCausalLM(config)), tokenizer)


def longformer(path: Path) -> None:
    """Each token sees a window only: its maps have another shape."""
    tokenizer = spelling.byte_pairs(T.RobertaTokenizer)
    config = T.LongformerConfig(vocab_size=len(tokenizer), attention_window=8, **ENCODER)
    _save(path, shaken(T.LongformerForMaskedLM(config)), tokenizer)


def _picture(path: Path, model: nn.Module) -> None:
    processor = T.ViTImageProcessorPil(size={"height": 48, "width": 48})
    _save(path, shaken(model), processor)


def vit(path: Path) -> None:
    labels = {0: "cat", 1: "<dog>", 2: "bird"}
    _picture(
        path,
        T.ViTForImageClassification(
            T.ViTConfig(id2label=labels, label2id={v: k for k, v in labels.items()}, **PICTURE)
        ),
    )


def deit(path: Path) -> None:
    _picture(path, T.DeiTForImageClassificationWithTeacher(T.DeiTConfig(num_labels=3, **PICTURE)))


def dinov2(path: Path) -> None:
    _picture(path, T.Dinov2Model(T.Dinov2Config(**PICTURE)))


def _captioning(path: Path, decoder: Any, tokenizer: Any) -> None:
    config = T.VisionEncoderDecoderConfig.from_encoder_decoder_configs(T.ViTConfig(**PICTURE), decoder)
    config.decoder_start_token_id, config.eos_token_id, config.pad_token_id = 2, 2, 1
    _picture(path, T.VisionEncoderDecoderModel(config))
    tokenizer.save_pretrained(path)


def vit_gpt2(path: Path) -> None:
    """A picture in, a text out: ViT-GPT-2."""
    tokenizer = spelling.byte_pairs(T.GPT2Tokenizer, unk_token="</s>", bos_token="</s>", eos_token="</s>")
    sizes = {"n_positions": 96, "n_embd": 32, "n_layer": 2, "n_head": 4, "bos_token_id": 2, "eos_token_id": 2}
    _captioning(path, T.GPT2Config(vocab_size=len(tokenizer), **sizes), tokenizer)


def trocr(path: Path) -> None:
    """A line of handwriting in, its letters out; its decoder is not in transformers' registry."""
    tokenizer = spelling.byte_pairs(T.RobertaTokenizer)
    sizes = {"d_model": 32, "decoder_layers": 2, "decoder_attention_heads": 4, "decoder_ffn_dim": 48}
    _captioning(path, T.TrOCRConfig(vocab_size=len(tokenizer), max_position_embeddings=96, **sizes), tokenizer)


def donut(path: Path) -> None:
    """A page in, its fields out: Swin looks through windows and joins patches, mBART writes."""
    tokenizer = spelling.byte_pairs(T.RobertaTokenizer)
    seen = {"image_size": 64, "patch_size": 4, "embed_dim": 8, "depths": [1, 1, 1], "num_heads": [1, 2, 4]}
    eye = T.DonutSwinConfig(window_size=4, **seen)
    sides = {**SIDES, "is_decoder": True, "add_cross_attention": True, "is_encoder_decoder": False}
    config = T.VisionEncoderDecoderConfig.from_encoder_decoder_configs(
        eye, T.MBartConfig(vocab_size=len(tokenizer), **sides)
    )
    config.decoder_start_token_id, config.eos_token_id, config.pad_token_id = 2, 2, 1
    model = shaken(T.VisionEncoderDecoderModel(config))
    _save(path, model, T.DonutImageProcessorPil(size={"height": 64, "width": 64}))
    tokenizer.save_pretrained(path)


TEXT_PART = {**GROUPED, "max_position_embeddings": 256}


def _marked(tokenizer: Any, *names: str) -> list[int]:
    """Ids of tokens of its own that a tokenizer gets."""
    tokenizer.add_special_tokens({"additional_special_tokens": list(names)})
    return [int(each) for each in tokenizer.convert_tokens_to_ids(list(names))]


def llava(path: Path) -> None:
    """A picture's patches among the tokens of a text: CLIP looks, Llama reads them and writes."""
    tokenizer = spelling.llama()
    (image,) = _marked(tokenizer, "<image>")
    text = T.LlamaConfig(vocab_size=len(tokenizer), bos_token_id=1, eos_token_id=2, pad_token_id=0, **TEXT_PART)
    config = T.LlavaConfig(text_config=text, vision_config=T.CLIPVisionConfig(**PICTURE), image_token_id=image)
    size = {"height": 48, "width": 48}
    _save(path, shaken(T.LlavaForConditionalGeneration(config)), tokenizer)
    T.CLIPImageProcessorPil(size={"shortest_edge": 48}, crop_size=size).save_pretrained(path)


def qwen2_vl(path: Path) -> None:
    """Pictures of any size, four patches to a token, places in three axes, and a token before and after them."""
    tokenizer = spelling.byte_pairs(T.Qwen2Tokenizer)
    names = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
    start, end, image, video = _marked(tokenizer, *names)
    places = {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 10000.0}
    text = {"vocab_size": len(tokenizer), "bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1, **TEXT_PART}
    config = T.Qwen2VLConfig(
        text_config={**text, "rope_parameters": places},
        vision_config={"depth": 2, "embed_dim": 32, "hidden_size": 32, "num_heads": 4, "mlp_ratio": 2},
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
    )
    _save(path, shaken(T.Qwen2VLForConditionalGeneration(config)), tokenizer)
    T.Qwen2VLImageProcessorPil(min_pixels=56 * 56, max_pixels=20 * 28 * 28).save_pretrained(path)


def smolvlm(path: Path) -> None:
    """Patches joined two by two before they are read; its processor would cut a large picture into several."""
    tokenizer = spelling.llama()
    (image,) = _marked(tokenizer, "<image>")
    text = T.LlamaConfig(vocab_size=len(tokenizer), bos_token_id=1, eos_token_id=2, pad_token_id=0, **TEXT_PART)
    eye = {**PICTURE, "image_size": 64}
    config = T.SmolVLMConfig(text_config=text, vision_config=eye, image_token_id=image, scale_factor=2)
    _save(path, shaken(T.SmolVLMForConditionalGeneration(config)), tokenizer)
    T.SmolVLMImageProcessorPil(size={"longest_edge": 128}, max_image_size={"longest_edge": 64}).save_pretrained(path)


def gemma3(path: Path) -> None:
    """Four patches are averaged to a token; those of a picture see each other both ways."""
    tokenizer = spelling.llama()
    start, end, image = _marked(tokenizer, "<start_of_image>", "<end_of_image>", "<image_soft_token>")
    text = {"vocab_size": len(tokenizer), "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, **TEXT_PART}
    layers = {"head_dim": 8, "sliding_window": 128, "layer_types": ["sliding_attention", "full_attention"]}
    config = T.Gemma3Config(
        text_config={**text, **layers},
        vision_config={**PICTURE, "image_size": 64},
        mm_tokens_per_image=4,
        image_token_index=image,
        boi_token_index=start,
        eoi_token_index=end,
    )
    _save(path, shaken(T.Gemma3ForConditionalGeneration(config)), tokenizer)
    T.Gemma3ImageProcessorPil(size={"height": 64, "width": 64}).save_pretrained(path)


def paligemma(path: Path) -> None:
    """All that is given, picture and text, sees each other both ways; what is written does not."""
    tokenizer = spelling.llama()
    (image,) = _marked(tokenizer, "<image>")
    text = {"vocab_size": len(tokenizer), "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, **TEXT_PART}
    eye = {"model_type": "siglip_vision_model", "vision_use_head": False, **PICTURE}
    text |= {"model_type": "gemma", "head_dim": 8}
    config = T.PaliGemmaConfig(text_config=text, vision_config=eye, image_token_index=image, projection_dim=32)
    _save(path, shaken(T.PaliGemmaForConditionalGeneration(config)), tokenizer)
    T.SiglipImageProcessorPil(size={"height": 48, "width": 48}).save_pretrained(path)


TRANSLATORS: dict[str, Callable[[Path], None]] = {
    each.__name__: each for each in (marian, t5, mt5, bart, mbart, m2m100, nllb)
}
READERS: dict[str, Callable[[Path], None]] = {each.__name__: each for each in (bert, distilbert, roberta, albert)}
WRITERS: dict[str, Callable[[Path], None]] = {each.__name__: each for each in (gpt2, llama, qwen2)}
PICTURES: dict[str, Callable[[Path], None]] = {each.__name__: each for each in (vit, deit, dinov2, vit_gpt2)}


def whisper(path: Path) -> None:
    """A sound in, a text out: its window is two seconds, a hundred frames; it is told a language and a task."""
    tokenizer = spelling.byte_pairs(T.WhisperTokenizer, unk_token="</s>", bos_token="</s>", eos_token="</s>")
    names = ("<|startoftranscript|>", "<|en|>", "<|zh|>", "<|transcribe|>", "<|notimestamps|>")
    start, english, chinese, task, untimed = _marked(tokenizer, *names)
    ids = {"pad_token_id": 1, "bos_token_id": 2, "eos_token_id": 2, "decoder_start_token_id": start}
    sizes = {"num_mel_bins": 8, "max_source_positions": 100, "max_target_positions": 120, **SIDES}
    never = {"suppress_tokens": None, "begin_suppress_tokens": None}
    rows = len(tokenizer) + 5  # the last are times
    model = shaken(T.WhisperForConditionalGeneration(T.WhisperConfig(vocab_size=rows, **never, **ids, **sizes)))
    told = {"lang_to_id": {names[1]: english, names[2]: chinese}, "task_to_id": {"transcribe": task}}
    told |= {"no_timestamps_token_id": untimed, "suppress_tokens": [40, 41]}
    model.generation_config = T.GenerationConfig(**ids, **told)
    _save(path, model, tokenizer)
    T.WhisperFeatureExtractor(feature_size=8, chunk_length=2).save_pretrained(path)


_DESCRIBING = (llava, qwen2_vl, smolvlm, gemma3, paligemma)
DESCRIBERS: dict[str, Callable[[Path], None]] = {each.__name__: each for each in _DESCRIBING}
ODD: dict[str, Callable[[Path], None]] = {each.__name__: each for each in (bloom, longformer, trocr, donut, whisper)}
FAMILIES = TRANSLATORS | READERS | WRITERS | PICTURES | DESCRIBERS | ODD


def made(name: str, root: Path) -> Path:
    """The folder of a family under ``root``, made where it is not there yet."""
    path = root / name
    if not path.is_dir():
        path.mkdir(parents=True)
        torch.manual_seed(5)
        FAMILIES[name](path)
    return path


def _save(path: Path, model: Any, reads: Any) -> None:
    model.save_pretrained(path)
    reads.save_pretrained(path)


@cache
def eager(path: Path) -> Any:
    """The model of a folder as transformers itself loads it, with its own attention."""
    name = json.loads((path / "config.json").read_text())["architectures"][0]
    return getattr(T, name).from_pretrained(path, attn_implementation="eager", dtype=torch.float32).eval()
