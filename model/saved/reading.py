"""An NPZ file of attention maps, checked before it is believed: no pickle, no more memory than allowed. Numpy only.

=====================================  =================================================================
array                                  what it holds
=====================================  =================================================================
``self`` and ``tokens``                maps of one kind, float [layer, head, query, key], and N texts
``encoder_self`` and ``src_tokens``    the encoder's own, and its S tokens
``decoder_self`` and ``tgt_tokens``    the decoder's own, and what it reads: T tokens, the start first
``cross`` and both                     from the decoder's T tokens to the encoder's S
``tgt_outputs``, ``source``,           may be there too: what each row writes, the texts, and natural
``translation``, ``log_probs``         log-probabilities; ``python -m model trace`` writes them all
``scores_<kind>``                      scores before the mask and softmax, of the shape of the maps
``tgt_together``                       which of the T see each other both ways: the first, one past the last
=====================================  =================================================================
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np

from model.errors import MapsError, Why
from model.source import ABILITIES, Anatomy, AttentionKind, Facts, LacksAbilityError, LanguageChoice, Need
from model.trace import KINDS, AttentionTrace, Kind, Label, TracedTranslation
from model.writing import Neighbour

MOST_FILE, MOST_UNPACKED = 50 * 2**20, 2**29  # bytes
MOST_TOKENS, MOST_TEXT = 2048, 20_000
_SIDES: Mapping[Kind, tuple[str, str]] = {
    "encoder_self": ("src_tokens", "src_tokens"),
    "decoder_self": ("tgt_tokens", "tgt_tokens"),
    "cross": ("tgt_tokens", "src_tokens"),
}
_SPECIAL = re.compile(r"<[^<>\s]{1,24}>|\[[A-Z]{1,12}\]")


def read_maps(data: bytes) -> TracedTranslation:
    """What a file of maps holds, as far as it goes: what it does not say is empty.

    Raises:
        MapsError: it is no such file, or unpacks to too much; the sentence says what is wrong.
    """
    arrays = _arrays(io.BytesIO(data))
    weights, sides = _weights(arrays)
    src, tgt = (labels_of(sides.get(f"{side}_tokens", ())) for side in ("src", "tgt"))
    outputs = labels_of(_texts(arrays, "tgt_outputs")) if "tgt_outputs" in arrays else ()
    if len(outputs) != len(tgt):
        outputs = (*tgt[1:], Label("")) if tgt else ()
    scores = {kind: arrays[f"scores_{kind}"] for kind in weights if f"scores_{kind}" in arrays}
    for kind, values in scores.items():
        if values.shape != weights[kind].shape or values.dtype.kind != "f":
            raise MapsError(f"scores_{kind} must be numbers of the shape of {kind}, {weights[kind].shape}.")
    found = {kind: values.astype(np.float32) for kind, values in scores.items()} if len(scores) == len(weights) else {}
    trace = AttentionTrace(src, tgt, outputs, weights, found, _together(arrays, len(tgt)))
    ended = bool(outputs) and outputs[-1].is_special
    written = outputs[:-1] if ended else outputs
    return TracedTranslation(
        source=_text(arrays, "source") or _joined(src or tgt),
        text=_text(arrays, "translation") or (_joined(written) if src else ""),
        src=src[:-1] if src and src[-1].is_special else src,
        tgt=written,
        tgt_ids=tuple(range(len(written))),
        log_probs=_log_probs(arrays, len(outputs)),
        finished=True,
        end_id=-1,
        trace=trace,
    )


def labels_of(texts: Sequence[str]) -> tuple[Label, ...]:
    """Tokens as labels: ``##`` goes on a word, and what stands in ``<…>`` or ``[…]`` is special.

    >>> [(each.text, each.word) for each in labels_of(["<s>", "un", "##do", "it"])]
    [('<s>', -1), ('un', 0), ('##do', 0), ('it', 1)]
    """
    labels: list[Label] = []
    word = at = 0
    for text in texts:
        if _SPECIAL.fullmatch(text):
            labels.append(Label(text))
            continue
        inside = text.startswith("##") and bool(labels) and not labels[-1].is_special
        word += not inside
        length = len(text.removeprefix("##"))
        labels.append(Label(text, word - 1, at, at + length))
        at += length
    return tuple(labels)


def _arrays(file: IO[bytes]) -> dict[str, np.ndarray]:
    """The arrays of a file whose names mean something here."""
    known = {*KINDS, "self", "tokens", "src_tokens", "tgt_tokens", "tgt_outputs", "log_probs", "source", "translation"}
    known |= {f"scores_{kind}" for kind in KINDS} | {"scores_self", "tgt_together"}
    try:
        with zipfile.ZipFile(file) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MOST_UNPACKED:
            raise MapsError(f"The file unpacks to {size / 2**20:,.0f} MB; the limit is {MOST_UNPACKED // 2**20} MB.")
        file.seek(0)
        with np.load(file, allow_pickle=False) as loaded:
            found = {name: loaded[name] for name in loaded.files if name in known}
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile, MemoryError, NotImplementedError) as error:
        said = " ".join(str(error).split())[:120]
        raise MapsError(f"This is no NPZ file of maps: {said or type(error).__name__}.") from None
    if "self" in found:  # one kind without a name: causal maps are a decoder's
        side = "tgt" if found["self"].ndim == 4 and not np.triu(found["self"], 1).any() else "src"
        kind = "decoder_self" if side == "tgt" else "encoder_self"
        renamed = {"self": kind, "scores_self": f"scores_{kind}", "tokens": f"{side}_tokens"}
        found = {renamed.get(name, name): values for name, values in found.items()}
    return found


def _together(arrays: Mapping[str, np.ndarray], tokens: int) -> tuple[int, int]:
    """See ``AttentionTrace.together``."""
    found = arrays.get("tgt_together", np.zeros(2, int))
    if found.shape != (2,) or found.dtype.kind not in "iu" or not 0 <= found[0] <= found[1] <= tokens:
        raise MapsError("tgt_together must be two places among tgt_tokens: the first and one past the last.")
    return int(found[0]), int(found[1])


def _weights(arrays: Mapping[str, np.ndarray]) -> tuple[dict[Kind, np.ndarray], dict[str, list[str]]]:
    """Maps by kind, and the texts of the sides that they need."""
    weights: dict[Kind, np.ndarray] = {}
    sides: dict[str, list[str]] = {}
    for kind in (kind for kind in KINDS if kind in arrays):
        maps = arrays[kind]
        if maps.ndim != 4 or maps.dtype.kind != "f" or 0 in maps.shape:
            raise MapsError(f"{kind} must be numbers [layer, head, query, key], but it is {maps.dtype} {maps.shape}.")
        if not np.isfinite(maps).all() or maps.min() < -1e-3 or maps.max() > 1 + 1e-3:
            raise MapsError(f"{kind} must hold attention weights, from 0 to 1.")
        for side, length in zip(_SIDES[kind], maps.shape[2:], strict=True):
            sides[side] = _texts(arrays, side)
            if len(sides[side]) != length:
                raise MapsError(f"{kind} has {length} rows or columns, but {side} holds {len(sides[side])} texts.")
        weights[kind] = maps.astype(np.float32)
    if not weights:
        raise MapsError(f"The file has none of self, {', '.join(KINDS)}: a map is an array [layer, head, query, key].")
    return weights, sides


def _texts(arrays: Mapping[str, np.ndarray], name: str) -> list[str]:
    values = arrays.get(name)
    if values is None or values.ndim != 1 or values.dtype.kind != "U" or len(values) > MOST_TOKENS:
        raise MapsError(f"The file needs {name}: an array of texts, one for each token.")
    return [str(value)[:200] for value in values]


def _text(arrays: Mapping[str, np.ndarray], name: str) -> str:
    values = arrays.get(name)
    return str(values)[:MOST_TEXT] if values is not None and values.ndim == 0 and values.dtype.kind == "U" else ""


def _joined(labels: Sequence[Label]) -> str:
    plain = [each.text for each in labels if not each.is_special]
    return "".join(text.removeprefix("##") if text.startswith("##") else f" {text}" for text in plain).strip()


def _log_probs(arrays: Mapping[str, np.ndarray], most: int) -> tuple[float, ...]:
    values = arrays.get("log_probs")
    if values is None or values.ndim != 1 or values.dtype.kind != "f" or len(values) > most:
        return ()
    return tuple(values.astype(float).tolist())


class SavedSource:
    """One file of maps, under its name."""

    end_id, never_written = -1, ()
    device_name = "NPZ"
    languages: LanguageChoice = ((), (), "", "")
    mask, shared_keys = "", 1

    def __init__(self, found: TracedTranslation, name: str) -> None:
        self.found, self.name = found, name
        trace = found.trace
        kinds = {kind: _kind(kind, trace.weights[kind]) for kind in trace.kinds}
        why: dict[Need, Why] = dict.fromkeys((*ABILITIES, *KINDS), "saved")
        self.anatomy = Anatomy(kinds, frozenset(("scores",) if trace.scores else ()), "maps", why)
        self.facts = Facts(self.anatomy, 0, 0, 0, 0, self.end_id, ())
        self.config: dict[str, Any] = {kind: " × ".join(map(str, trace.weights[kind].shape)) for kind in trace.kinds}

    @classmethod
    def open(cls, path: Path, name: str = "") -> SavedSource:
        """The maps of a file.

        Raises:
            MapsError: there is none, or something is wrong with it.
        """
        if not path.is_file() or path.stat().st_size > MOST_UNPACKED:
            raise MapsError(f"{path.name} is no file, or larger than {MOST_UNPACKED // 2**20} MB.")
        return cls(read_maps(path.read_bytes()), name or path.name)

    def translate(self, text: str = "", beam: int = 1, capture: bool = True, **_: Any) -> TracedTranslation:
        """What the file holds, whatever is asked."""
        return self.found

    def labels(self, text: str) -> tuple[Label, ...]:
        """The source tokens that the file holds."""
        return self.found.src

    def rarity(self, text: str) -> np.ndarray | None:
        """Nothing says how rare its tokens are."""
        return None

    def neighbours(self, word: str, n: int = 10) -> list[Neighbour]:
        """No words."""
        return []

    def piece(self, token_id: int) -> str:
        """The text of a target token, by its place."""
        tgt = self.found.tgt
        return tgt[token_id].text if 0 <= token_id < len(tgt) else ""

    def decode_target(self, ids: Sequence[int]) -> str:
        """The texts of target tokens, by their places."""
        return " ".join(map(self.piece, ids))

    def _lacks(self, *_: Any, **__: Any) -> NoReturn:
        raise LacksAbilityError("gains", self.name, "saved")

    ids = forced = slopes = tail = norms = log_probs = step_logits = heads_out = projections = finish = _lacks
    positions = trace = traces = search = encode_target = retranslate = patched = in_languages = seen = _lacks

    @property
    def unembedding(self) -> NoReturn:
        """Not there."""
        self._lacks()


def _kind(kind: str, maps: np.ndarray) -> AttentionKind:
    rows, columns = ("src" if kind == "encoder_self" else "tgt"), ("tgt" if kind == "decoder_self" else "src")
    return AttentionKind(maps.shape[0], maps.shape[1], rows, columns, kind == "decoder_self")  # type: ignore[arg-type]
