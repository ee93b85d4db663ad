"""What the viewer's own tests read: a message, and how Python reads it (python -m tests.viewer.fixture)."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np

from model.attribution.labelled_map import LabelledMap, combine, read, shifted_rows
from model.attribution.methods import METHODS, Maps, MethodName
from model.trace import KINDS, AttentionTrace, HeadRef, Kind, Label, TracedTranslation
from viz.core.selection import Selection
from viz.web.payload import pack

PATH = Path(__file__).resolve().parent.parent.parent / "viz" / "web" / "tests" / "fixture.json"
HOSTILE = "</script><img src=x onerror=alert(1)>"
SIZES: dict[Kind, tuple[int, int]] = {"encoder_self": (2, 3), "decoder_self": (1, 2), "cross": (2, 2)}
SRC = (Label("un", 0, 0, 2), Label("##do", 0, 2, 4), Label(HOSTILE, 1, 5, 9), Label("it", 2, 10, 12), Label("<eos>"))
TGT = (Label("撤", 0, 0, 1), Label("销", 1, 1, 2), Label("##ab", 1, 2, 4), Label("##ab", 1, 2, 4))
METHOD_NAMES: tuple[MethodName, ...] = ("weights", "scores", "rollout", "frozen")
FIRST, SECOND = HeadRef("cross", 0, 1), HeadRef("cross", 1, 0)


def translation() -> TracedTranslation:
    """A made-up translation whose weights a byte can hold exactly."""
    trace = AttentionTrace(SRC, (Label("<bos>"), *TGT), (*TGT, Label("<eos>")), made("weights"), made("scores"))
    return TracedTranslation("undo it", "撤销ab", SRC[:-1], TGT, (5, 6, 7, 7), (-0.1,) * 5, True, 3, trace)


def made(method: MethodName) -> Maps:
    """Maps of every kind that the codes of the message hold exactly."""
    chance = np.random.default_rng(METHOD_NAMES.index(method))
    found: Maps = {}
    for kind in METHODS[method].kinds:
        bytes_of = chance.integers(1, 256, size=(*SIZES[kind], 5, 5)).astype(np.float64)
        bytes_of.flat[0] = 255
        values = 4 * (bytes_of - 128) / 127 if METHODS[method].signed else (bytes_of / 255) ** 2
        different = {"layers": values[:, :1], "model": values[:1, :1]}.get(METHODS[method].per, values)
        found[kind] = np.broadcast_to(different, values.shape).astype(np.float32)
    return found


def expected() -> list[dict[str, Any]]:
    """One head of each kind and sort, read in every way."""
    trace, cases = translation().trace, []
    ways = itertools.product(METHOD_NAMES, KINDS, (False, True), (False, True), ("written", "read"))
    for method, kind, words, special, shift in ways:
        if kind not in METHODS[method].kinds:
            continue
        rows, columns = trace.axis_labels(kind)
        rows = shifted_rows(trace, shift)[0] if kind == "cross" else rows  # type: ignore[arg-type]
        head = HeadRef(kind, 0, 1)
        reading = read(made(method)[kind][head[1:]], rows, columns, words, special, method)
        asked = {"method": method, "words": words, "hide_special": special, "shift": shift}
        cases.append({"head": head.code, **asked, **_plain(reading)})
    return cases


def together() -> dict[str, Any]:
    """Two heads as one, or one minus the other, without special tokens."""
    trace, found = translation().trace, {}
    maps = np.stack([trace.map(*FIRST), trace.map(*SECOND)])
    axes = (trace.tgt_outputs, trace.src)
    for how in ("mean", "max"):
        found[how] = _plain(read(combine(maps, how), *axes, hide_special=True))
    first, second = (read(each, *axes, hide_special=True).weights for each in maps)
    found["difference"] = {"values": _numbers(first - second)}
    return {"heads": [FIRST.code, SECOND.code], **found}


def _plain(reading: LabelledMap) -> dict[str, Any]:
    texts = {"rows": [label.text for label in reading.rows], "columns": [label.text for label in reading.columns]}
    return {**texts, "values": _numbers(reading.weights)}


def _numbers(values: np.ndarray) -> list[float]:
    return [round(float(value), 6) for value in values.ravel()]


LINKS = (
    Selection(),
    Selection((FIRST, HeadRef("encoder_self", 0, 1)), view="all", together="difference", present=True),
    Selection(words=True, hide_special=True, method="gradient", step=2, shift="read", threshold=0.05, log=True),
    Selection(scale="common", rows=("s0", "t-1"), columns=("t3",), theme="dark"),
)


def message(language: str = "en") -> bytes:
    """The message of it."""
    maps = {method: made(method) for method in METHOD_NAMES}
    return pack(translation(), maps, language=language, model="made up", start=Selection((FIRST,), threshold=0.05))


def text() -> str:
    """The file."""
    packed = base64.b64encode(gzip.compress(message(), 9, mtime=0)).decode("ascii")
    signed = [method for method in METHOD_NAMES if METHODS[method].signed]
    links = [chosen.link for chosen in LINKS]
    found = {"message": packed, "signed": signed, "links": links, "cases": expected(), "together": together()}
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
