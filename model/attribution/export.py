"""The numbers behind the pictures, as files: CSV and JSON of the maps that are shown, NPZ of all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from model.attribution.labelled_map import LabelledMap
from model.trace import TracedTranslation


def maps_csv(maps: Sequence[tuple[str, LabelledMap]]) -> str:
    """Maps as CSV, each under its title, an empty line between two.

    A map's first row holds ``query \\ key`` and the key tokens; then follows a row a query, its token first.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for number, (title, reading) in enumerate(maps):
        writer.writerows([[]] * (number > 0))
        writer.writerow([title])
        writer.writerow(["query \\ key", *(label.text for label in reading.columns)])
        for label, row in zip(reading.rows, reading.weights, strict=True):
            writer.writerow([label.text, *(f"{weight:.6g}" for weight in row)])
    return out.getvalue()


def trace_arrays(translation: TracedTranslation) -> dict[str, Any]:
    """Every map of a translation, as ``np.savez`` takes it: no Python objects inside.

    Returns:
        ``encoder_self``, ``decoder_self``, ``cross``: weights, float32 [layer, head, query, key];
        ``src_tokens``: the English side with <eos>, [S]; ``tgt_tokens``: the decoder's inputs with
        <bos>, [T], which are the rows of its maps; ``tgt_outputs``: what each of these rows went on
        to write, [T]; ``log_probs``: of each output, without that of <eos> where the cap on length cut the
        translation; ``source`` and ``translation``: text; and ``tgt_together``, as ``AttentionTrace.together``,
        where there are such tokens.
    """
    trace = translation.trace
    return {
        **{kind: trace.weights[kind] for kind in trace.kinds},
        "src_tokens": np.array([label.text for label in trace.src]),
        "tgt_tokens": np.array([label.text for label in trace.tgt_inputs]),
        "tgt_outputs": np.array([label.text for label in trace.tgt_outputs]),
        "log_probs": np.array(translation.log_probs, dtype=np.float32),
        "source": np.array(translation.source),
        "translation": np.array(translation.text),
        **({"tgt_together": np.array(trace.together)} if any(trace.together) else {}),
    }


def trace_npz(translation: TracedTranslation) -> bytes:
    """``trace_arrays`` as the bytes of a compressed NPZ file."""
    out = io.BytesIO()
    np.savez_compressed(out, **trace_arrays(translation))
    return out.getvalue()


def maps_json(maps: Sequence[tuple[str, LabelledMap]]) -> str:
    """Maps as JSON: under ``maps`` each one's ``title``, tokens of its ``rows`` and ``columns``, and ``values``."""
    found = [
        {
            "title": title,
            "rows": [label.text for label in reading.rows],
            "columns": [label.text for label in reading.columns],
            "values": [[float(f"{value:.6g}") for value in row] for row in reading.weights],
        }
        for title, reading in maps
    ]
    return json.dumps({"maps": found}, ensure_ascii=False)
