"""Each tiny model from its data to its folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from model.passage import one_thread
from model.tiny import bert, corpus, gpt, vit
from model.tiny.fit import Fit, fit, rounded, save

SOURCES: dict[str, dict[str, str]] = {
    "tatoeba": {"licence": "CC BY 2.0 FR", "credit": "Tatoeba (tatoeba.org), through ManyThings.org"},
    "3am": {
        "licence": "MIT",
        "credit": "3AM: An Ambiguity-Aware Multi-Modal Machine Translation Dataset (Ma et al., LREC-COLING 2024)",
    },
}
TINY_EXAMPLES = {
    "bert": (
        "A man is riding a [MASK] down the street.",
        "My sister [MASK] a red bicycle yesterday.",
        "The animal didn't cross the street because it was too [MASK].",
    ),
    "gpt": ("A man in a", "My sister bought a red", "I don't know what"),
    "vit": ("scene-7", "scene-8", "scene-9", "scene-10", "scene-11"),
}
FITS = {"bert": Fit(2_400, 2e-3, warmup=200), "gpt": Fit(2_200, 3e-3), "vit": Fit(1_500, 1e-3)}


def make(family: str, out: Path, tsv: Sequence[Path], command: str, steps: int | None = None) -> dict[str, Any]:
    """Train one family and write its folder; its scores.

    Args:
        family: "bert", "gpt" or "vit".
        out: folder to write.
        tsv: for the two that read text, files of English, tab, anything, tab, source; only SOURCES are taken.
        command: that was given, for meta.json.
        steps: other than those of FITS.

    Raises:
        CorpusError: a file cannot be read, or there are too few sentences.
    """
    how = replace(FITS[family], steps=steps or FITS[family].steps)
    out.mkdir(parents=True, exist_ok=True)
    with one_thread():
        if family == "vit":
            return _vit(out, how, command)
        return _of_text(family, out, how, command, corpus.english(tsv, list(SOURCES), how.seed))


def _vit(out: Path, how: Fit, command: str) -> dict[str, Any]:
    model = vit.untrained(how.seed)
    log = fit(model, vit.batches(how.seed), lambda batch: vit.loss(model, *batch), how)
    rounded(model)
    scores = vit.scores(model)
    data = {
        "scenes": "drawn by model/common/scenes.py",
        "held_out": [vit.HELD_OUT_SCENES.start, vit.HELD_OUT_SCENES.stop],
    }
    licence = {"weights_licence": "Apache-2.0", "sources": {}}
    save(out, model, vit.processor(), how, log, _meta("vit", command, {**data, "credits": licence}, scores))
    return scores


def _of_text(family: str, out: Path, how: Fit, command: str, texts: corpus.Sentences) -> dict[str, Any]:
    family_of: Any = {"bert": bert, "gpt": gpt}[family]
    words = family_of.tokenizer(texts.train)
    model = family_of.untrained(len(words), how.seed)
    ids = words(texts.train)["input_ids"]
    if family == "bert":
        masking, pad = bert.Masking(words, how.seed), words.pad_token_id
        masked = map(masking, corpus.batches(ids, bert.join, how.seed))
        log = fit(model, masked, lambda batch: bert.loss(model, batch[0], batch[1], pad), how)
    else:
        ended = [[*each, words.eos_token_id] for each in ids]
        batches = map(gpt.batch, corpus.batches(ended, gpt.join, how.seed))
        log = fit(model, batches, lambda batch: gpt.loss(model, *batch), how)
    rounded(model)
    with torch.inference_mode():
        scores = family_of.scores(model, words, texts.held_out)
    data = {"sentences_by_source": texts.counts, "held_out": len(texts.held_out), "vocabulary": len(words)}
    licence = {
        "weights_licence": "CC BY 4.0",
        "weights_notice": "Use these weights with the credit of every source named here.",
        "sources": {name: SOURCES[name] for name in texts.counts},
    }
    save(out, model, words, how, log, _meta(family, command, {**data, "credits": licence}, scores))
    return scores


def _meta(family: str, command: str, data: dict[str, Any], scores: dict[str, Any]) -> dict[str, Any]:
    return {"command": command, "examples": TINY_EXAMPLES[family], "data": data, "scores": scores}
