"""The numbers behind the pictures, as files: CSV and JSON of one map, NPZ of all."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np

from model.analysis.maps.reading import Reading
from model.trace import TracedTranslation


def map_csv(reading: Reading) -> str:
    """A map as CSV: the key tokens in the first row, then a row a query with its token first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
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
        translation; ``source`` and ``translation``: text.
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
    }


def trace_npz(translation: TracedTranslation) -> bytes:
    """``trace_arrays`` as the bytes of a compressed NPZ file."""
    out = io.BytesIO()
    np.savez_compressed(out, **trace_arrays(translation))
    return out.getvalue()


def map_json(reading: Reading) -> str:
    """A map as JSON: ``rows`` and ``columns``, the tokens; ``values``, a list a row."""
    labels = {"rows": [label.text for label in reading.rows], "columns": [label.text for label in reading.columns]}
    values = [[float(f"{value:.6g}") for value in row] for row in reading.weights]
    return json.dumps({**labels, "values": values}, ensure_ascii=False)
