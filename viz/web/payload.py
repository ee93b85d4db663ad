"""A translation's maps packed for the viewer: a header in JSON, then one byte a weight."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from model.attribution.methods import METHODS, AttributionMethod, MethodName
from model.trace import KIND_LETTERS, AttentionTrace, Kind, Label, TracedTranslation
from viz.core.selection import DEFAULTS, Selection, method_of
from viz.core.text import text
from viz.core.theme import DARK, FONTS, LIGHT
from viz.web.message import VERSION, Axis, Header, KindPart, Look, MapsPart, MorePart, SortPart, Tokens, coded

WORDS = (
    *("heads", "all", "map", "lines", "method", "words", "special", "rows", "written", "read", "threshold", "log"),
    *("scale", "full", "own", "common", "together", "side", "difference", "mean", "max", "mean_of", "max_of"),
    *("writes", "has_read", "sum", "hint", "hint_heads", "strongest", "nothing", "theme", "help", "keys", "caption"),
    *("hidden", "renormalised", "merged", "coded", "zoom_in", "zoom_out", "fit", "display", "save", "close"),
    *("of", "whole", "making", "present", "whole_screen", "tools"),
)


MapsOf = Mapping[Any, Mapping[Kind, np.ndarray]]  # by method, or by name of one of one token: "gradient@3"


def pack(
    translation: TracedTranslation,
    maps: MapsOf,
    *,
    language: str,
    model: str,
    start: Selection = DEFAULTS,
    more: Iterable[MethodName] = (),
) -> bytes:
    """The message: length of the header (uint32, little-endian), header (JSON, UTF-8), bytes of the maps.

    Args:
        translation: with its trace.
        maps: values [L, H, Q, K] of every kind, by method; the first is the one shown first.
        language: of all words, "en" or "zh".
        model: name of the checkpoint, for titles.
        start: what is chosen at first; without heads, the first head of the last kind.
        more: methods that can be asked for, where somebody hears it.

    Raises:
        ValueError: a map has another shape than the trace, or holds what is no number; or a head does not exist.
    """
    for head in start.heads:
        translation.trace.map(*head)
    bytes_of = bytearray()
    header = _header(translation, maps, language, bytes_of)
    header |= {"model": model, "start": start.link}
    header["more"] = [MorePart(name=name, title=text(language, f"method.{name}")) for name in more]
    said = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return struct.pack("<I", len(said)) + said + bytes(bytes_of)


def _header(translation: TracedTranslation, maps: MapsOf, language: str, into: bytearray) -> Header:
    """The header, less what is known of the model and its heads; the bytes of the maps go ``into`` one row."""
    trace = translation.trace
    kinds: list[Kind] = [kind for kind in KIND_LETTERS if kind in trace.weights]
    return {
        "version": VERSION,
        "language": language,
        "source": translation.source,
        "translation": translation.text,
        "given": 0 if translation.src or not translation.given else translation.given + 1,
        "model": "",
        "tokens": {
            "src": _tokens(trace.src),
            "inputs": _tokens(trace.tgt_inputs),
            "outputs": _tokens(trace.tgt_outputs),
        },
        "kinds": [_kind(trace, kind, language) for kind in kinds],
        "sorts": [_method(name, by_kind, trace, language, into) for name, by_kind in maps.items()],
        "more": [],
        "looks": {theme.name: cast("Look", theme.colours()) for theme in (LIGHT, DARK)},
        "fonts": FONTS,
        "start": "",
        "words": {name: text(language, f"viewer.{name}") for name in WORDS},
    }


def _tokens(labels: Sequence[Label]) -> Tokens:
    return {
        "texts": [label.text for label in labels],
        "words": [label.word for label in labels],
        "starts": [label.start for label in labels],
        "ends": [label.end for label in labels],
    }


def _kind(trace: AttentionTrace, kind: Kind, language: str) -> KindPart:
    def axis(labels: tuple[Label, ...]) -> Axis:
        return "src" if labels is trace.src else "inputs"

    rows, columns = map(axis, trace.axis_labels(kind))
    layers, heads = trace.weights[kind].shape[:2]
    return {
        "kind": kind,
        "letter": KIND_LETTERS[kind],
        "title": text(language, f"kind.{kind}"),
        "layers": layers,
        "heads": heads,
        "rows": rows,
        "columns": columns,
        "writes": "outputs" if rows == "inputs" else None,
        "shifts": kind == "cross",
    }


def method_title(name: str, trace: AttentionTrace, language: str) -> str:
    """What a reader calls a method: "gradient of 3 动物"; raises as ``method_of``, and IndexError for no such token."""
    method, step = method_of(name)
    title = text(language, f"method.{method}")
    if step is None:
        return title
    return text(language, "method.of", method=title, token=f"{step + 1} {trace.tgt_outputs[step].text}")


def _method(
    name: str, by_kind: Mapping[Kind, np.ndarray], trace: AttentionTrace, language: str, into: bytearray
) -> SortPart:
    method, _ = method_of(name)
    spec = METHODS[method]
    return {
        "name": name,
        "title": method_title(name, trace, language),
        "whose": "" if spec.per == "head" else text(language, f"method.per.{spec.per}", layer="{layer}"),
        "meaning": text(language, f"method.meaning.{method}"),
        "signed": spec.signed,
        "averaged": spec.words == "mean",
        "shares": spec.shares,
        "written": spec.of_written,
        "token": spec.of_token,
        "maps": {str(kind): _maps(method, spec, values, trace.weights[kind], into) for kind, values in by_kind.items()},
    }


def _maps(
    method: MethodName, spec: AttributionMethod, values: np.ndarray, weights: np.ndarray, into: bytearray
) -> MapsPart:
    """Those that differ, as bytes."""
    if values.shape != weights.shape:
        raise ValueError(f"{method} has shape {values.shape}, the weights {weights.shape}")
    different = values if spec.per == "head" else values[:1, :1] if spec.per == "model" else values[:, :1]
    high = 1.0 if method == "weights" else float(np.abs(values).max(initial=0.0)) or 1.0
    layers, heads = different.shape[:2]
    offset = len(into)
    into += coded(different / high, spec.signed).tobytes()
    return MapsPart(offset=offset, layers=layers, heads=heads, high=high)
