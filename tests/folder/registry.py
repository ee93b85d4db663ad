"""python -m tests.folder.registry: a tiny folder of every architecture of transformers; which open, which do not.

Every text, picture and speech-to-text architecture of the auto classes of the installed transformers is built from a
small config with random weights, saved, and opened as an own model would be. It is "open" where its maps equal those of
transformers' own eager attention, "refused" where one sentence says why not, and "FAULT" where anything else happens.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
import transformers as T
from transformers.models.auto import modeling_auto as auto

from model.errors import HeadlightError
from tests.folder import spelling

MAPPINGS = (
    "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES",
    "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
    "MODEL_FOR_MASKED_LM_MAPPING_NAMES",
    "MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES",
    "MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES",
    "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES",
    "MODEL_FOR_VISION_2_SEQ_MAPPING_NAMES",
    "MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES",
    "MODEL_MAPPING_NAMES",
)
# What a config may call its sizes, and how large they are here.
SMALL: dict[str, Any] = {
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "dim", "embed_dim", "emb_dim", "embedding_size"), 32),
    **dict.fromkeys(("num_hidden_layers", "encoder_layers", "n_layer", "n_layers", "num_layers"), 2),
    **dict.fromkeys(("decoder_layers", "num_decoder_layers"), 2),
    **dict.fromkeys(("num_attention_heads", "encoder_attention_heads", "decoder_attention_heads"), 4),
    **dict.fromkeys(("n_head", "n_heads", "num_heads"), 4),
    **dict.fromkeys(("num_key_value_heads", "num_kv_heads"), 2),
    **dict.fromkeys(("intermediate_size", "ffn_dim", "d_ff", "encoder_ffn_dim", "decoder_ffn_dim", "hidden_dim"), 48),
    **dict.fromkeys(("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len"), 98),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"), 4),
    **dict.fromkeys(("num_experts_per_tok", "moe_topk"), 2),
    **dict.fromkeys(("head_dim", "d_kv"), 8),
    "moe_intermediate_size": 16,
    "image_size": 48,
    "patch_size": 16,
    "vocab_size": 0,  # as many as the tokenizer has
}
MOST = 8_000_000  # weights of a tiny model; what has more has a size that no name above says
TEXT = "The old baker gives us bread."


def architectures() -> Iterator[tuple[str, str]]:
    """(model type, class) of every architecture of the mappings, each class once."""
    seen: set[str] = set()
    for mapping in MAPPINGS:
        for kind, names in getattr(auto, mapping, {}).items():
            for name in (names,) if isinstance(names, str) else names:
                if name not in seen and getattr(T, name, None) is not None:
                    seen.add(name)
                    yield kind, name


def sizes(config: Any, words: int) -> dict[str, int]:
    """The sizes that a config has, small: what it is to be made anew with, since some follow from others."""
    found = {}
    for name, value in SMALL.items():
        own = vars(config).get(name)
        if isinstance(own, int) and not isinstance(own, bool):
            found[name] = words if name == "vocab_size" else value
    return found


def parts(config: Any) -> list[Any]:
    """The configs within a config."""
    return [each for each in vars(config).values() if isinstance(each, T.PretrainedConfig)]


def small(config: Any, words: int) -> None:
    """Set every size that the config has, and those of the configs within it; and ids that the tokenizer has."""
    for name, value in SMALL.items():
        own = getattr(config, name, None)
        if isinstance(own, int) and not isinstance(own, bool):
            with contextlib.suppress(NotImplementedError, AttributeError):
                setattr(config, name, words if name == "vocab_size" else value)
    layers = getattr(config, "num_hidden_layers", None)
    if isinstance(getattr(config, "layer_types", None), list) and isinstance(layers, int):
        config.layer_types = config.layer_types[:layers]
    for each in parts(config):
        small(each, words)
    for name in ("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id"):
        if isinstance(getattr(config, name, None), int):
            setattr(config, name, {"pad_token_id": 1, "bos_token_id": 0}.get(name, 2))


def build(kind: str, name: str, path: Path) -> str:
    """A tiny folder of an architecture; or why it cannot be built, "" where it was."""
    tokenizer = spelling.byte_pairs(T.RobertaTokenizer)
    reads_pictures = name in auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES.values()
    if reads_pictures:
        tokenizer.add_special_tokens({"additional_special_tokens": ["<image>"]})
    try:
        plain = T.CONFIG_MAPPING[kind]()
        config = type(plain)(**sizes(plain, len(tokenizer))) if not parts(plain) else plain
        small(config, len(tokenizer))
        for each in ("image_token_id", "image_token_index"):
            if reads_pictures and isinstance(getattr(config, each, None), int):
                setattr(config, each, tokenizer.convert_tokens_to_ids("<image>"))
        torch.manual_seed(5)
        with torch.device("meta"):
            size = sum(each.numel() for each in getattr(T, name)(config).parameters())
        if size > MOST:
            return f"{size:,} weights even so"
        model = getattr(T, name)(config).eval()
        model.save_pretrained(path)
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"
    tokenizer.save_pretrained(path)
    if reads_pictures or getattr(model, "main_input_name", "") == "pixel_values":
        T.ViTImageProcessorPil(size={"height": 48, "width": 48}).save_pretrained(path)
    if getattr(model, "main_input_name", "") == "input_features":
        T.WhisperFeatureExtractor(feature_size=getattr(config, "num_mel_bins", 80)).save_pretrained(path)
    return ""


def opened(path: Path) -> tuple[str, str]:
    """What happens when a folder is opened and given something: open, refused or FAULT, and a word about it."""
    from model.common.scenes import shipped_picture
    from model.folder.source import FolderSource

    try:
        source = FolderSource.open(path, pictures=shipped_picture)
        reads = source.anatomy.reads
        text = {"picture": "house", "sound": "tones", "sentence": TEXT.replace("baker", source.mask or "baker")}.get(
            reads, TEXT
        )
        made = source.translate(text, capture=True)
        kinds = made.trace.weights
        unequal = differs(path, source, made)
    except HeadlightError as error:
        return "refused", str(error)
    except BaseException as error:  # a panic of a tokenizer is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return "FAULT", f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
    if unequal > 1e-5:
        return "FAULT", f"weights differ from eager attention by {unequal:.1e}"
    return "open", f"{reads}: " + ", ".join(f"{kind} {each.shape[0]} × {each.shape[1]}" for kind, each in kinds.items())


def differs(path: Path, source: Any, made: Any) -> float:
    """The largest difference of the maps to those of transformers' own eager attention; 0 where it gives none."""
    from model.folder.watch import grouped

    name = json.loads((path / "config.json").read_text())["architectures"][0]
    model = getattr(T, name).from_pretrained(path, attn_implementation="eager", dtype=torch.float32).eval()
    with torch.inference_mode():
        ids = source.ids(made.source, made.tgt_ids, made.finished)
        output = model(**source.core.form.arguments(ids), output_attentions=True)
    worst = 0.0
    for kind, weights in made.trace.weights.items():
        names = ("cross_attentions",) if kind == "cross" else (f"{kind[:7]}_attentions", "attentions")
        found = next((each for each in (getattr(output, name, None) for name in names) if each), ())
        if (gathered := source.core.form.gathered(ids)) is not None:
            found = tuple(grouped(kind, each, gathered) for each in found)
        alike = [each for each in found if each is not None and each.shape[1:] == weights.shape[1:]]
        if len(alike) == len(weights):
            worst = max(worst, float(np.abs(torch.cat(alike).float().numpy() - weights).max()))
    return worst


def tried(kind: str, name: str) -> tuple[str, str]:
    """Build one architecture and open it: not built, open, refused or FAULT, and a word about it."""
    root = Path(tempfile.mkdtemp())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            why = build(kind, name, root / name)
            return ("not built", why) if why else opened(root / name)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def main(argv: list[str]) -> int:
    """Print a line for each architecture whose class holds one of the names, or of all; and how many of each state."""
    counted: Counter[str] = Counter()
    for kind, name in architectures():
        if argv and not any(each in name for each in argv):
            continue
        state, said = tried(kind, name)
        counted[state] += 1
        print(f"{state:10} {name:44} {said}", flush=True)
    print(", ".join(f"{number} {state}" for state, number in sorted(counted.items())))
    return 1 if counted["FAULT"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
