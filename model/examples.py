"""Sentences that teach, with their finished translations and maps: shown before the model has loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from model.files import write_arrays
from model.trace import KINDS, AttentionTrace, Label, TracedTranslation

EXAMPLES: dict[str, tuple[str, ...]] = {
    "english": (
        "The animal didn't cross the street because it was too tired.",
        "I love you.",
        "You love me.",
        "Thinking machines",
        "My sister bought a red bicycle yesterday.",
        "Priya moved to Ljubljana.",
    ),
    "text": (
        "My sister bought a red bicycle yesterday.",
        "The animal didn't cross the street because it was too tired.",
        "I love you.",
    ),
    "sentence": (
        "The animal didn't cross the street because it was too [MASK].",
        "My sister [MASK] a red bicycle yesterday.",
        "Paris is the capital of [MASK].",
    ),
    "prompt": (
        "The animal didn't cross the street because",
        "My sister bought a red",
        "Once upon a time",
    ),
    "picture": ("house", "shapes", "ball"),
    "sound": ("tones", "glide"),
    "characters": ("headlight", "stressed", "abc123", "attention"),
}
FOLDER = "examples"


def sentences(src_tokenizer: str) -> tuple[str, ...]:
    """Examples for a checkpoint whose source tokenizer is of this kind, or for a model that reads this."""
    return EXAMPLES.get(src_tokenizer, ())


def save_example(
    folder: Path,
    number: int,
    translation: TracedTranslation,
    sha256: str,
    whole: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Write a finished translation as ``<folder>/examples/<number>.npz``: arrays and JSON text, no objects.

    ``whole`` are maps [T, S] of all cross heads together, by the sort of map.
    """
    facts = {
        "sha256": sha256,
        "source": translation.source,
        "text": translation.text,
        "src": [_plain(label) for label in translation.src],
        "tgt": [_plain(label) for label in translation.tgt],
        "tgt_ids": translation.tgt_ids,
        "log_probs": translation.log_probs,
        "finished": translation.finished,
        "end_id": translation.end_id,
    }
    arrays = {f"weights_{kind}": translation.trace.weights[kind] for kind in KINDS}
    arrays |= {f"scores_{kind}": translation.trace.scores[kind] for kind in KINDS}
    arrays |= {f"whole_{method}": values for method, values in (whole or {}).items()}
    (folder / FOLDER).mkdir(exist_ok=True)
    facts_text = np.array(json.dumps(facts, ensure_ascii=False))
    write_arrays(folder / FOLDER / f"{number}.npz", {"facts": facts_text, **arrays})


def load_example(folder: Path, text: str, sha256: str) -> TracedTranslation | None:
    """The finished greedy translation of an example; None if there is none, or other weights made it."""
    stored = _stored(folder, text, sha256)
    return None if stored is None else _translation(*stored)


def load_whole(folder: Path, text: str, sha256: str, method: str) -> np.ndarray | None:
    """A map of all cross heads of an example together, [T, S]; None as ``load_example``, or if it was not stored."""
    stored = _stored(folder, text, sha256)
    return None if stored is None else stored[1].get(f"whole_{method}")


def _stored(folder: Path, text: str, sha256: str) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    for path in sorted((folder / FOLDER).glob("*.npz")):
        if _made(path, path.stat().st_mtime_ns) == (text, sha256):
            with np.load(path, allow_pickle=False) as arrays:
                return json.loads(str(arrays["facts"])), {name: arrays[name] for name in arrays.files}
    return None


@lru_cache(maxsize=64)
def _made(path: Path, written: int) -> tuple[str, str]:
    """Of which sentence a stored example is, and which weights made it; to unpack that takes a millisecond a file."""
    with np.load(path, allow_pickle=False) as arrays:
        facts = json.loads(str(arrays["facts"]))
    return str(facts["source"]), str(facts["sha256"])


def _plain(label: Label) -> list[str | int]:
    return [label.text, label.word, label.start, label.end]


def _translation(facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> TracedTranslation:
    src, tgt = (tuple(Label(*label) for label in facts[side]) for side in ("src", "tgt"))
    weights = {kind: arrays[f"weights_{kind}"] for kind in KINDS}
    scores = {kind: arrays[f"scores_{kind}"] for kind in KINDS}
    trace = AttentionTrace((*src, Label("<eos>")), (Label("<bos>"), *tgt), (*tgt, Label("<eos>")), weights, scores)
    return TracedTranslation(
        source=str(facts["source"]),
        text=str(facts["text"]),
        src=src,
        tgt=tgt,
        tgt_ids=tuple(facts["tgt_ids"]),
        log_probs=tuple(facts["log_probs"]),
        finished=bool(facts["finished"]),
        end_id=int(facts["end_id"]),
        trace=trace,
    )
