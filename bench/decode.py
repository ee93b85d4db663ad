"""How long a translation takes, with every map and without, beside Hugging Face's Marian of the same sizes.

Ours is the whole way from text to a Translation, tokenizing included. Marian gets random ids and
random weights, and must write exactly as many tokens as ours wrote; attention maps can be had from its
eager attention only, so that is what it uses with maps, and its fused attention without. CTranslate2, where it is
installed, has our weights, in float32 and in int8, and is given our pieces; a map of every head it cannot give. All
take turns, on one processor thread; what is stated is the median of all turns.
"""

from __future__ import annotations

import argparse
import logging
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import MarianConfig, MarianMTModel

from model.own.network.attention import MultiHeadAttention
from model.own.network.config import TransformerConfig
from model.own.text.vocab import BOS_ID, EOS_ID, SPECIAL_TOKENS, UNK_ID
from model.translator import Translator

TEXT = (
    "My sister bought a red bicycle yesterday. She rode it to the market and came home with bread, milk and a "
    "bag of apples. In the evening we made a cake and asked our friends to eat it with us. They told us about "
    "their trip to the sea, and we talked until it was late and the children were tired."
)
SRC_TOKENS = (10, 20, 60)
OURS, OURS_MAPS, MARIAN, MARIAN_MAPS = "ours", "ours with maps", "Marian", "Marian with maps"
PRECISIONS = {"CTranslate2": "float32", "CTranslate2 int8": "int8"}
NO_CTRANSLATE2 = "CTranslate2 is not installed (pip install ctranslate2) and was left out."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--runs", type=int, default=11, metavar="N", help="turns of each (default 11)")


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds a sentence of all contestants, and ratios, by number of source tokens."""
    torch.set_num_threads(1)
    logging.getLogger("transformers").setLevel(logging.ERROR)
    translator = Translator.from_checkpoint(args.checkpoint, device="cpu")
    marians = {name: marian(translator.model.config, name) for name in (MARIAN, MARIAN_MAPS)}
    others = ctranslate2_engines(translator)
    rows = []
    for most in SRC_TOKENS:
        text = text_of(translator, most)
        n_src, made = translator.encode_source(text)[1].shape[1], translator.translate(text)
        n_tgt = len(made.log_probs)
        runs = {name: ctranslate2_run(engine, translator, text, n_tgt) for name, engine in others.items()}
        contestants: dict[str, Callable[[], object]] = {
            OURS: partial(translator.translate, text),
            OURS_MAPS: partial(translator.translate, text, capture=True),
            **{name: marian_run(model, n_src, n_tgt, name) for name, model in marians.items()},
            **runs,
        }
        same = [name for name, run in runs.items() if run() == [translator.piece(each) for each in made.tgt_ids]]
        medians = interleaved(contestants, args.runs)
        rows.append({"src_tokens": n_src, "tgt_tokens": n_tgt, "ms": medians, **ratios(medians), "same": same})
    sizes = translator.model.config.to_dict()
    return {
        "bench": "decode",
        "runs": args.runs,
        "threads": 1,
        "load": os.getloadavg()[0],
        "sizes": sizes,
        "rows": rows,
        "left_out": "" if others else NO_CTRANSLATE2,
    }


def ratios(medians: dict[str, float]) -> dict[str, float]:
    """How much faster ours is than Marian, each with maps; and what maps cost ours, in percent."""
    return {
        "times_faster": round(medians[MARIAN_MAPS] / medians[OURS_MAPS], 2),
        "maps_cost_percent": round(100 * (medians[OURS_MAPS] / medians[OURS] - 1), 1),
    }


def text_of(translator: Translator, n_src: int) -> str:
    """The first words of TEXT, as many as with <eos> make no more than ``n_src`` source tokens, or the first one."""
    words = TEXT.split(" ")
    found = words[0]
    for count in range(2, len(words) + 1):
        text = " ".join(words[:count])
        if translator.encode_source(text)[1].shape[1] <= n_src:
            found = text
    return found


def marian(config: TransformerConfig, name: str) -> MarianMTModel:
    """A Marian model with our sizes and random weights; with maps, its attention is the eager one."""
    torch.manual_seed(0)
    sizes = MarianConfig(
        vocab_size=config.src_vocab_size,
        d_model=config.d_model,
        encoder_layers=config.n_encoder_layers,
        decoder_layers=config.n_decoder_layers,
        encoder_ffn_dim=config.d_ff,
        decoder_ffn_dim=config.d_ff,
        encoder_attention_heads=config.n_heads,
        decoder_attention_heads=config.n_heads,
        max_position_embeddings=config.max_len,
        pad_token_id=0,
        eos_token_id=EOS_ID,
        decoder_start_token_id=0,
        forced_eos_token_id=None,
    )
    sizes._attn_implementation = "eager" if name == MARIAN_MAPS else "sdpa"
    return MarianMTModel(sizes).eval()


def marian_run(model: Any, n_src: int, n_tgt: int, name: str) -> Callable[[], object]:
    """A greedy ``generate`` of exactly ``n_tgt`` tokens from ``n_src`` random ones."""
    ids = torch.randint(4, model.config.vocab_size, (1, n_src), generator=torch.Generator().manual_seed(1))
    maps = name == MARIAN_MAPS

    def run() -> object:
        with torch.inference_mode():
            return model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                num_beams=1,
                do_sample=False,
                min_new_tokens=n_tgt,
                max_new_tokens=n_tgt,
                output_attentions=maps,
                return_dict_in_generate=maps,
            )

    written = run()
    sequences = written.sequences if maps else written
    if sequences.shape[1] != n_tgt + 1:
        raise RuntimeError(f"Marian wrote {sequences.shape[1] - 1} tokens, not {n_tgt}")
    return run


def ctranslate2_engines(translator: Translator) -> dict[str, Any]:
    """CTranslate2 with our weights by precision, on one thread each; none where it is not installed."""
    try:
        import ctranslate2
    except ImportError:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        write_for_ctranslate2(translator, folder)
        return {
            name: ctranslate2.Translator(folder, compute_type=sort, inter_threads=1, intra_threads=1)
            for name, sort in PRECISIONS.items()
        }


def write_for_ctranslate2(translator: Translator, folder: str) -> None:
    """Our Transformer as CTranslate2 describes one: pre-norm, ReLU, our own table of positions."""
    from ctranslate2.specs import TransformerSpec

    model, config = translator.model, translator.model.config
    spec = TransformerSpec.from_config((config.n_encoder_layers, config.n_decoder_layers), config.n_heads)
    for side, ours in ((spec.encoder, model.encoder), (spec.decoder, model.decoder)):
        tokens = side.embeddings[0] if side is spec.encoder else side.embeddings
        tokens.weight = _numbers(ours.embedding.tokens.weight)
        side.position_encodings.encodings = _numbers(ours.embedding.positions.table)
        _put_norm(side.layer_norm, ours.norm)
        for into, layer in zip(side.layer, ours.layers, strict=True):
            _put_attention(into.self_attention, layer.self_attn, layer.self_attn_norm)
            if side is spec.decoder:
                _put_attention(into.attention, layer.cross_attn, layer.cross_attn_norm)
            _put_norm(into.ffn.layer_norm, layer.feed_forward_norm)
            _put_linear(into.ffn.linear_0, layer.feed_forward.up_proj)
            _put_linear(into.ffn.linear_1, layer.feed_forward.down_proj)
    spec.decoder.projection.weight = spec.decoder.embeddings.weight
    source, target = translator.src_tokenizer.subwords, translator.tgt_tokenizer
    spec.register_source_vocabulary([str(source.id_to_token(each)) for each in range(config.src_vocab_size)])
    spec.register_target_vocabulary([target.piece(each) for each in range(config.tgt_vocab_size)])
    for role, place in (("unk_token", UNK_ID), ("bos_token", BOS_ID), ("eos_token", EOS_ID)):
        setattr(spec.config, role, SPECIAL_TOKENS[place])
    spec.config.decoder_start_token = SPECIAL_TOKENS[BOS_ID]
    spec.validate()
    spec.optimize()
    spec.save(folder)


def _numbers(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().float().numpy()


def _put_norm(into: Any, norm: nn.LayerNorm) -> None:
    into.gamma, into.beta = _numbers(norm.weight), _numbers(norm.bias)


def _put_linear(into: Any, *linears: nn.Linear) -> None:
    """Several maps of the same vectors as one."""
    into.weight = _numbers(torch.cat([each.weight for each in linears]))
    into.bias = _numbers(torch.cat([each.bias for each in linears]))


def _put_attention(into: Any, block: MultiHeadAttention, norm: nn.LayerNorm) -> None:
    joined = (block.q_proj, block.k_proj, block.v_proj)
    parts = [joined] if len(into.linear) == 2 else [joined[:1], joined[1:]]  # of its own vectors, or of the source's
    for place, linears in zip(into.linear, [*parts, (block.out_proj,)], strict=True):
        _put_linear(place, *linears)
    _put_norm(into.layer_norm, norm)


def ctranslate2_run(engine: Any, translator: Translator, text: str, n_tgt: int) -> Callable[[], list[str]]:
    """A greedy translation of so many steps, that of the end among them; gives the pieces."""
    pieces = [[*(token.text for token in translator.encode_source(text)[0]), SPECIAL_TOKENS[EOS_ID]]]
    how = {"beam_size": 1, "min_decoding_length": n_tgt - 1, "max_decoding_length": n_tgt}

    def run() -> list[str]:
        found: list[str] = engine.translate_batch(pieces, **how)[0].hypotheses[0]
        return found

    return run


def interleaved(contestants: dict[str, Callable[[], object]], runs: int) -> dict[str, float]:
    """Median milliseconds of each, all taking turns after one warm-up."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(runs + 1):
        for name, run in contestants.items():
            started = time.perf_counter()
            run()
            if turn:
                times[name].append(1000 * (time.perf_counter() - started))
    return {name: round(statistics.median(values), 1) for name, values in times.items()}


def table(result: dict[str, Any]) -> str:
    """The result for a person."""
    names = list(result["rows"][0]["ms"])
    header = ["src", "tgt", *(f"{name} (ms)" for name in names), "times faster, with maps", "cost of maps"]
    lines = [header]
    for row in result["rows"]:
        times = [f"{row['ms'][name]:.1f}" for name in names]
        cost = f"{row['maps_cost_percent']:+.0f} %"
        lines.append([str(row["src_tokens"]), str(row["tgt_tokens"]), *times, f"{row['times_faster']:.2f}", cost])
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    text = "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    end = f"medians of {result['runs']} interleaved runs on one thread; load {result['load']:.1f} before"
    same = [
        f"{name} wrote our tokens in {sum(name in row['same'] for row in result['rows'])} of {len(lines) - 1}"
        for name in names
        if name in PRECISIONS
    ]
    return "\n".join([text, end, *(same or [result["left_out"]])])
