"""What may be shown in a notebook, as maps with their tokens: a translation, or anybody's attentions."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from model.saved.reading import labels_of
from model.trace import KIND_LETTERS, AttentionTrace, HeadRef, Kind, TracedTranslation
from viz.web.message import MapsPart
from viz.web.payload import pack

PATTERN = "blocks.{layer}.attn.hook_pattern"  # of TransformerLens: weights after softmax
SIDES: Mapping[Kind, tuple[str, str]] = {
    "encoder_self": ("encoder_tokens", "encoder_tokens"),
    "decoder_self": ("decoder_tokens", "decoder_tokens"),
    "cross": ("decoder_tokens", "encoder_tokens"),
}
STARTS = ("Ġ", "▁", " ")  # what begins a word in byte-level BPE, in SentencePiece, and as TransformerLens spells it
ENDS = "</w>"
# Maps that are too many to be sent before somebody looks are sent small, and one head whole when it is asked for;
# viz/web/src/core/supply.js is the other end.
SIDE = 32  # most pixels of a small map each way
HALF_ROUNDING = 1e-3  # how far half precision may leave 0 to 1


@dataclass(frozen=True)
class Layers:
    """Maps of one kind, a layer each: [head, query, key] as they were given; nothing is copied before it is asked for.

    Raises:
        ValueError: a layer is missing, is no map, or has other sizes than the first.
    """

    kind: Kind
    layers: tuple[Any, ...]

    def __post_init__(self) -> None:
        for layer, values in enumerate(self.layers):
            if values is None:
                raise ValueError(f"layer {layer} gave no attention: load the model with attn_implementation='eager'")
        shapes = [_shape(values, self.kind) for values in self.layers]
        if not shapes or len(set(shapes)) > 1:
            raise ValueError(f"{self.kind}: every layer needs maps of the same sizes, got {sorted(set(shapes))}")

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Layers, heads, queries, keys."""
        return (len(self.layers), *_shape(self.layers[0], self.kind))

    @property
    def size(self) -> int:
        """Number of weights."""
        return int(np.prod(self.shape))

    def layer(self, number: int) -> np.ndarray:
        """One layer's maps, float32 [head, query, key], unchecked; in the given memory where that is already so."""
        values = _array(self.layers[number])
        return values.reshape(values.shape[-3:])

    def head(self, layer: int, head: int) -> np.ndarray:
        """One head's map, float32 [query, key].

        Raises:
            ValueError: a value is no attention weight.
        """
        return self.checked(layer, _array(self.layers[layer].reshape(self.shape[1:])[head]))

    def checked(self, layer: int, values: np.ndarray) -> np.ndarray:
        """Values of a layer; raises as ``head``."""
        if not (values.min() >= -HALF_ROUNDING and values.max() <= 1 + HALF_ROUNDING):
            raise ValueError(f"{self.kind}: layer {layer} must hold attention weights, from 0 to 1")
        return values

    def all(self) -> np.ndarray:
        """Every map, float32 [layer, head, query, key], a copy; raises as ``head``."""
        return np.stack([self.checked(n, self.layer(n)) for n in range(len(self.layers))]).clip(0.0, 1.0)


def attentions_of(given: Any) -> dict[str, Any]:
    """The attentions in what a model returned: ``outputs`` of transformers, a cache of TransformerLens.

    Raises:
        ValueError: there are none in it.
    """
    if isinstance(given, Mapping) or hasattr(given, "cache_dict"):
        found = _cached(given)
        if found:
            return {"attentions": found}
    names = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")
    there = {name: getattr(given, name, None) for name in names}
    if not any(there.values()):
        raise ValueError(
            f"no attention in a {type(given).__name__}: pass output_attentions=True, with attn_implementation='eager'"
        )
    return {name: value for name, value in there.items() if value}


def _cached(given: Any) -> list[Any]:
    layers: list[Any] = []
    while (name := PATTERN.format(layer=len(layers))) in given:
        layers.append(given[name])
    return layers


def layers_of(kind: Kind, given: Any, chosen: Sequence[int] | None = None) -> Layers:
    """A kind's layers of what was given for it; ``chosen`` are the numbers of those that are kept.

    Raises:
        ValueError: it is what ``generate`` returns, a list of steps; or as ``Layers``, or there is no such layer.
    """
    layers = list(given) if isinstance(given, Iterable) else [given]
    if layers and isinstance(layers[0], (tuple, list)) and hasattr(layers[0][0], "shape"):
        raise ValueError("these are generate's attentions, a tuple a step: call the model once with the whole target")
    if chosen is not None:
        if out := [number for number in chosen if not 0 <= number < len(layers)]:
            raise ValueError(f"there is no layer {out[0]}: there are {len(layers)}")
        layers = [layers[number] for number in chosen]
    return Layers(kind, tuple(layers))


def kind_of(given: Any) -> Kind:
    """Of one kind without a name: where no query ever sees a later key, it is a decoder's."""
    first = layers_of("encoder_self", given).layer(0)
    return "encoder_self" if np.triu(first, 1).any() else "decoder_self"


def spelt(tokens: Sequence[str]) -> list[str]:
    """Tokens as the house writes them: ``##`` before a piece that goes on a word, no other marks.

    >>> spelt(["Ġthe", "Ġanim", "al", "."]), spelt(["▁I", "▁love", "d", "</s>"]), spelt(["[CLS]", "un", "##do"])
    (['the', 'anim', '##al', '.'], ['I', 'love', '##d', '</s>'], ['[CLS]', 'un', '##do'])
    """
    tokens = [str(token) for token in tokens]
    mark = next((mark for mark in STARTS if any(token.startswith(mark) for token in tokens)), None)
    if mark is None and not any(token.endswith(ENDS) for token in tokens):
        return tokens
    found: list[str] = []
    open_word = False  # the token before can be gone on
    for token in tokens:
        plain = token.removesuffix(ENDS) if mark is None else token.removeprefix(mark)
        is_special = labels_of([plain])[0].is_special
        begins = not open_word if mark is None else plain != token
        goes_on = not begins and open_word and not is_special and plain[:1].isalnum()
        found.append(f"##{plain}" if goes_on else plain or token)
        open_word = not is_special and plain[-1:].isalnum() and not (mark is None and token.endswith(ENDS))
    return found


@dataclass(frozen=True)
class ShownMaps:
    """Maps to be shown."""

    translation: TracedTranslation  # tokens and texts; where the maps are too many to be copied, its own are all 0
    layers: Mapping[Kind, Layers]  # the maps, by kind, where they are not in the translation
    # what the first row of a decoder's map is called in a selection: -1 where it writes token 0, otherwise 0
    first: int

    @property
    def trace(self) -> AttentionTrace:
        """Its tokens and the sizes of its maps."""
        return self.translation.trace

    def head(self, head: HeadRef) -> np.ndarray:
        """One head's weights, float32 [query, key].

        Raises:
            ValueError: there is no such head.
        """
        self.trace.map(*head)
        if head.kind in self.layers:
            return self.layers[head.kind].head(head.layer, head.head)
        return self.trace.map(*head)


def attention_maps(layers: Sequence[Layers], tokens: Mapping[str, Sequence[str]], copies: bool) -> ShownMaps:
    """Attentions with their tokens.

    Args:
        layers: one for each kind.
        tokens: ``encoder_tokens`` and ``decoder_tokens``, those that the kinds need.
        copies: the maps go into the translation; otherwise they stay where they are.

    Raises:
        ValueError: tokens are missing, or are not as many as the maps have rows or columns.
    """
    for each in layers:
        for name, length in zip(SIDES[each.kind], each.shape[2:], strict=True):
            if name not in tokens:
                raise ValueError(f"{each.kind} needs {name}")
            if len(tokens[name]) != length:
                raise ValueError(f"{each.kind} has {length} rows or columns, but {len(tokens[name])} {name} were given")
    src, tgt = (labels_of(tokens.get(name, ())) for name in ("encoder_tokens", "decoder_tokens"))
    zero = np.float32(0)
    weights: dict[Kind, np.ndarray] = {
        each.kind: each.all() if copies else np.broadcast_to(zero, each.shape)
        for kind in KIND_LETTERS
        for each in layers
        if each.kind == kind
    }
    trace = AttentionTrace(src, tgt, (*tgt[1:], labels_of([""])[0]) if tgt else (), weights, {})
    texts = [" ".join(label.text for label in side).replace(" ##", "") for side in (src, tgt)]
    source, text = texts if src else (texts[1], "")
    translation = TracedTranslation(source, text, src, tgt, (), (), True, -1, trace)
    return ShownMaps(translation, {} if copies else {each.kind: each for each in layers}, first=0)


def _shape(values: Any, kind: Kind) -> tuple[int, int, int]:
    shape = tuple(int(size) for size in getattr(values, "shape", np.shape(values)))
    if len(shape) == 4 and shape[0] == 1:
        shape = shape[1:]
    if len(shape) != 3 or 0 in shape:
        raise ValueError(f"{kind}: a layer must be [1, head, query, key] or [head, query, key], got {shape}")
    return shape[0], shape[1], shape[2]


def _array(values: Any) -> np.ndarray:
    """A tensor of torch, an array of JAX or of NumPy as float32."""
    if hasattr(values, "detach"):
        values = values.detach().float().cpu().numpy()
    return np.asarray(values, dtype=np.float32)


def small_message(given: ShownMaps, *, language: str, model: str) -> bytes:
    """The message whose maps are small ones of at most SIDE × SIDE cells; otherwise as ``payload.pack`` makes it.

    Raises:
        ValueError: a value is larger than 1, or no number. One below 0 is found when its head is looked at.
    """
    packed = pack(given.translation, {"weights": {}}, language=language, model=model)
    length = struct.unpack_from("<I", packed)[0]
    header = json.loads(packed[4 : 4 + length])
    parts: dict[str, MapsPart] = {}
    sent = bytearray()
    for kind, layers in given.layers.items():
        n_layers, n_heads = layers.shape[:2]
        parts[kind] = MapsPart(offset=len(sent), layers=n_layers, heads=n_heads, high=1.0)
        for number in range(n_layers):
            sent += bytes_of(layers.checked(number, pooled(layers.layer(number))))
    header["sorts"][0]["maps"] = parts
    said = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return struct.pack("<I", len(said)) + said + bytes(sent)


def pooled(maps: np.ndarray) -> np.ndarray:
    """The largest weight of all cells that share a pixel: [head, query, key] in at most SIDE × SIDE."""
    for axis in (1, 2):
        length = maps.shape[axis]
        if length > SIDE:
            maps = np.maximum.reduceat(maps, [i * length // SIDE for i in range(SIDE)], axis=axis)
    return maps


def bytes_of(weights: np.ndarray) -> bytes:
    """A byte a weight, as ``codes.coded`` writes unsigned values, but in single precision, which is faster."""
    found = np.clip(weights, 0.0, 1.0, dtype=np.float32)
    np.sqrt(found, out=found)
    found *= 255
    found += 0.5
    return found.astype(np.uint8).tobytes()


def all_maps(given: ShownMaps) -> Mapping[Kind, np.ndarray]:
    """Every map of every kind, [layer, head, query, key]; copied where they were left where they are."""
    return {kind: layers.all() for kind, layers in given.layers.items()} or given.trace.weights
