"""An atlas as the files that HeadVis (Luger, Kamath et al. 2026) and Neuronpedia read: ``config.json``,
``scatter_data.json`` and a file a head, ``heads/L2H5.json``. Needs no PyTorch.

Their files know one list of tokens a sequence and no kind of attention. So each kind is a model of its own, and a
sequence of cross-attention is the source followed by what is written: its rows look back into the source, as those of
a decoder-only model look back into the text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from model.analysis.atlas.book import Atlas
from model.analysis.atlas.pages import KEPT_DECIMALS, QUANTILES
from model.analysis.atlas.tally import FAR
from model.errors import HeadlightError
from model.files import write_text
from model.trace import HeadRef, Kind

_LEVELS = 255  # of a stored weight
_SELF = {"itself": "self_attention_score", "previous": "prev_token_score", "distance": "qk_distance"}
# What they call what an atlas measures; all else keeps its name.
MEANINGS = {
    "pattern_entropy": "Mean Shannon entropy of a row, in nats.",
    "self_attention_score": "Mean weight of a row on its own token.",
    "prev_token_score": "Mean weight of a row on the token before, of rows that have one.",
    "qk_distance": "Mean |q - k| weighted by attention.",
    "distance": "Mean distance from the diagonal, weighted by attention.",
    "evenness": "Entropy as a part of the largest that the row could have.",
    "peak": "Mean largest weight of a row.",
    "confidence": "Mean largest weight of a row, special tokens left out (Voita et al. 2019).",
    "special": "Mean weight on special tokens.",
    "punctuation": "Mean weight on punctuation.",
    "aligned": "Mean weight on the words that people linked.",
    "itself": "Share of rows whose largest weight is on the diagonal.",
    "previous": "Share of rows whose largest weight is one before the diagonal.",
    "next": "Share of rows whose largest weight is one after their own place.",
    "sink": "Share of rows whose largest weight is on a special token.",
    "rare": "Share of rows whose largest weight is on the rarest word.",
    "coverage": "Share of tokens that are some row's largest.",
    "offset": "Share of rows whose largest weight is at the offset where it is most often.",
    "vote": "Mean |direct logit attribution| of the written token.",
    "cost": "Nats a token that muting the head costs.",
}


def write_headvis(atlas: Atlas, folder: Path) -> list[Path]:
    """Write each kind of an atlas as ``folder/MODEL-KIND/headvis/CORPUS/``; those folders.

    Raises:
        HeadlightError: a page of the atlas cannot be read.
        NotWrittenError: the system would not write a file.
    """
    made = []
    for kind in atlas.kinds:
        name = f"{atlas.facts['model']}-{kind.replace('_', '-')}"
        own = folder / name / "headvis" / Path(atlas.facts["file"]).stem
        (own / "heads").mkdir(parents=True, exist_ok=True)
        (own / "attributions").mkdir(exist_ok=True)
        heads = [head for head in atlas.heads if head.kind == kind]
        pages = {head: _page(atlas, head) for head in heads}
        files = {head: head_file(page, kind) for head, page in pages.items()}
        for head, data in files.items():
            data["statistics"]["mean_max_activation"] = _number(atlas, head, "confidence")
        rows = [_scatter_row(atlas, head, pages[head]) for head in heads]
        longest = max((each["seq_len"] for data in files.values() for each in data["sequences"]), default=0)
        members: dict[str, Any] = {
            **{f"heads/L{head.layer}H{head.head}.json": data for head, data in files.items()},
            "scatter_data.json": rows,
            "config.json": _config(atlas, kind, name, list(rows[0])[2:], longest),
            "server_config.json": {},  # there is no server behind the files,
            "attributions/manifest.json": {},  # and no attributions
        }
        for member, value in members.items():
            write_text(own / member, json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))
        made.append(own)
    return made


def head_file(page: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
    """A head's page as their file of a head.

    What they call a sequence's activation is its confidence: the mean largest weight of its rows, special tokens left
    out, by which an atlas draws its sample. ``interval`` counts the fifths of the corpus by it, 1 the weakest.
    """
    shown = [(each["fifth"] + 1, each) for each in page["sample"]] + [(QUANTILES, each) for each in page["strongest"]]
    numbers: dict[tuple[str, str], int] = {}
    sequences = {}
    for interval, each in shown:
        number = numbers.setdefault((each["src"], each["tgt"]), len(numbers))
        sequences[number] = {"sequence_id": number, "interval": interval, **sequence(each, kind)}
    mass, counts = page["mass"], page["by"]["confidence"]
    near = [(mass[FAR - away] or 0) + (away > 0) * (mass[FAR + away] or 0) for away in range(FAR + 1)]
    return {
        "sequences": sorted(sequences.values(), key=lambda each: -each["max_activation"]),
        "qk_distance_histogram": {
            "bin_edges": list(range(FAR + 2)),
            "bin_values": [round(each, KEPT_DECIMALS) for each in near],
        },
        "histogram": {
            "bin_edges": [round(place / len(counts), 6) for place in range(len(counts) + 1)],
            "bin_values": counts,
        },
        "top_query_tokens": _tokens(page["tokens"]["hard"]),
        "top_key_tokens": _tokens(page["tokens"]["at"]),
        "statistics": {"n_samples": len(sequences)},
    }


def sequence(each: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
    """A sentence with its map: tokens, and weights by query * seq_len + key."""
    tokens, first = list(each["columns"]), 0
    if kind == "cross":
        first = len(tokens)
        tokens += each["rows"]
    places, values = [], []
    for row, cells in enumerate(each["cells"]):
        for key, level in sorted(zip(cells[::2], cells[1::2], strict=True)):
            places.append((first + row) * len(tokens) + key)
            values.append(round(level / _LEVELS, KEPT_DECIMALS))
    return {
        "tokens": tokens,
        "seq_len": len(tokens),
        "attention_indices": places,
        "attention_values": values,
        "max_activation": each["strength"],
    }


def _page(atlas: Atlas, head: HeadRef) -> dict[str, Any]:
    page = atlas.page(head)
    if page is None:
        raise HeadlightError(f"{atlas.path.name} has no readable page of {head.title}")
    return page


def _number(atlas: Atlas, head: HeadRef, measure: str) -> float | None:
    found = atlas.value(head, measure)
    return None if math.isnan(found) else found


def _tokens(lists: Mapping[str, list[list[Any]]]) -> list[dict[str, Any]]:
    return [{"token": token, "weight": rows} for token, rows, _ in lists["most"]]


def _scatter_row(atlas: Atlas, head: HeadRef, page: Mapping[str, Any]) -> dict[str, Any]:
    """A head's measures by their names, or ours: of self-attention their scores are means of weight, as theirs are."""
    row: dict[str, Any] = {"layer": head.layer, "head": head.head}
    known = [name for name, values in atlas.kinds[head.kind]["measures"].items() if set(values) != {None}]
    measures = {name: _number(atlas, head, name) for name in known}
    row["pattern_entropy"] = measures.pop("entropy")
    if head.kind != "cross":
        rows = int(atlas.kinds[head.kind]["rows"])
        mass = {"itself": page["mass"][FAR], "previous": page["mass"][FAR - 1]}
        with_one = page["possible"][FAR - 1]
        measures |= {
            "itself": mass["itself"],
            "previous": round(mass["previous"] * rows / with_one, KEPT_DECIMALS) if with_one else None,
        }
        row |= {theirs: measures.pop(ours) for ours, theirs in _SELF.items()}
    return row | measures


def _config(atlas: Atlas, kind: Kind, name: str, metrics: list[str], longest: int) -> dict[str, Any]:
    own, facts = atlas.kinds[kind], atlas.facts
    return {
        "model_name": facts["model"],
        "np_model_id": name,
        "dataset_name": Path(facts["file"]).stem,
        "heads": [[head.layer, head.head] for head in atlas.heads if head.kind == kind],
        "n_layers": own["layers"],
        "n_heads": own["heads"],
        "n_intervals": QUANTILES,
        "metrics": metrics,
        "metric_descriptions": {metric: MEANINGS[metric] for metric in metrics},
        "head_data_pattern": "L{layer}H{head}.json",
        "has_umap": False,
        "umap_heads": [],
        "custom_plots": [
            {"key": "qk_distance_histogram", "label": f"Weight by distance ({FAR}: and beyond)"},
            {"key": "histogram", "label": "Sentences by confidence"},
        ],
        "custom_tables": [
            {"key": "top_query_tokens", "label": "Tokens that look hard (rows)"},
            {"key": "top_key_tokens", "label": "Tokens most looked at (rows)"},
        ],
        "statistics_display": {
            "n_samples": {"label": "Sentences kept", "format": "default"},
            "mean_max_activation": {"label": "Mean confidence", "format": "default"},
        },
        "pipeline_config": {
            "n_sequences": own["sentences"],
            "seq_len": longest,
            "dtype": "float32",
            "attn_implementation": "eager",
            "command": facts["command"],
            "sha256": facts.get("sha256"),
        },
    }
