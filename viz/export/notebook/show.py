"""``headlight.show``: a sentence, a translation, or anybody's attentions as a widget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from model.attribution.methods import METHODS, MethodName, Shift, attribution_maps, traced_maps
from model.saved.reading import read_maps
from model.trace import AttentionTrace, HeadRef, Kind, TracedTranslation
from viz.core.selection import Selection
from viz.export.notebook.shown_maps import SIDES, ShownMaps, attention_maps, attentions_of, kind_of, layers_of, spelt

if TYPE_CHECKING:
    import numpy as np

    from model.source import ModelHandle
    from viz.export.notebook.widget import HeadlightWidget, MapsByMethod

SENT_METHODS: tuple[MethodName, ...] = ("weights", "rollout")
MOST_CELLS = 4_000_000  # weights that are sent before somebody looks; of more, each head when it is looked at
ATTENTIONS = {"attentions", "attention", "encoder_attention", "decoder_attention", "cross_attention"}
SIDE_TOKENS = ("encoder_tokens", "decoder_tokens")
KIND_OF: dict[str, Kind] = {
    "encoder_attention": "encoder_self",
    "encoder_attentions": "encoder_self",
    "decoder_attention": "decoder_self",
    "decoder_attentions": "decoder_self",
    "cross_attention": "cross",
    "cross_attentions": "cross",
}


class ShowOptions(TypedDict, total=False):
    """What ``show`` takes by name.

    Attributes:
        model: of a sentence: name of a checkpoint (default en-zh), path of a folder, or an opened model.
        beam: of a sentence: hypotheses kept, default 1.
        methods: of a sentence: which maps can be chosen in the viewer (docs/methods.md); default weights and rollout.
        head: shown first: "c2.5"; default the first of the last kind.
        language: of all words, "en" (default) or "zh".
        height: of the widget, pixels; default 720.
        title: what the model is called.
        attentions, attention: layers of one kind, whose tokens are ``tokens``. Layers are always a sequence of
            [1, head, query, key] or [head, query, key], tensors or arrays.
        encoder_attention, decoder_attention, cross_attention: layers of these kinds.
        encoder_tokens, decoder_tokens: what their rows and columns are.
        layer, heads: shown first, as BertViz names them: numbers within the last kind.
        include_layers: numbers of the layers that are kept; what is kept is counted from 0.
        prettify_tokens: marks of tokenizers (``Ġ``, ``▁``, ``</w>``) are read as what they say of words; default True.
        display_mode: "dark" or "light", whatever the notebook is.
    """

    model: str | ModelHandle
    beam: int
    methods: Sequence[MethodName]
    head: str | HeadRef
    language: str
    height: int
    title: str
    attentions: Any
    attention: Any
    encoder_attention: Any
    decoder_attention: Any
    cross_attention: Any
    encoder_tokens: Sequence[str]
    decoder_tokens: Sequence[str]
    layer: int
    heads: Sequence[int]
    include_layers: Sequence[int]
    prettify_tokens: bool
    display_mode: str


def show(what: Any = None, tokens: Sequence[str] | None = None, **options: Unpack[ShowOptions]) -> HeadlightWidget:
    """The viewer of every head, as the result of a notebook's cell.

    Args:
        what: a sentence, which a model translates or reads; a ``TracedTranslation``; the ``Path`` of an NPZ file of
            maps; what a model of transformers returned with ``output_attentions=True``; a cache of TransformerLens; or
            attentions, as ``attentions=``.
        tokens: of attentions of one kind, and of a cache.
        options: see ``ShowOptions``; BertViz's arguments are among them.

    Raises:
        HeadlightError: there is no such model, or it cannot read the sentence.
        ValueError: attentions and tokens do not fit each other, or there is no such head.
        TypeError: an argument is unknown, or there is nothing to be shown.
    """
    from viz.export.notebook.widget import HeadlightWidget

    check_names(what, options)
    maps: MapsByMethod | None
    if isinstance(what, (str, TracedTranslation)):
        shown, maps, name = translated(what, options)
        shift: Shift = "written"
    else:
        shown, name, shift = attended(what, tokens, options), "", "read"
        maps = None if shown.layers else {"weights": shown.trace.weights}
    theme = options.get("display_mode", "")
    chosen = Selection(opening(shown.trace, options), shift=shift, theme=theme if theme in ("dark", "light") else "")
    title, language, height = options.get("title", name), options.get("language", "en"), options.get("height", 720)
    return HeadlightWidget(shown, maps, model=title, language=language, selection=chosen, height=height)


def check_names(what: Any, options: Mapping[str, Any]) -> None:
    """Nothing where every option is known, and fits what is shown.

    Raises:
        TypeError: one does not.
    """
    if "sentence_b_start" in options:
        raise TypeError("sentence_b_start: both sentences stand in one map here; leave it out")
    if unknown := sorted(set(options) - set(ShowOptions.__annotations__)):
        raise TypeError(f"show() has no argument {unknown[0]!r}")
    if isinstance(what, (str, TracedTranslation)) and (twice := sorted(ATTENTIONS & set(options))):
        raise TypeError(f"{twice[0]} does not go with {what!r:.60}")


def translated(what: str | TracedTranslation, options: ShowOptions) -> tuple[ShownMaps, MapsByMethod, str]:
    """A sentence's maps by method, and the model's name; what takes a model is left out where there is none."""
    source: ModelHandle | None = None
    if isinstance(what, str):
        source = _opened(options.get("model", "en-zh"))
        translation: TracedTranslation = source.translate(what, options.get("beam", 1), capture=True)
    else:
        translation = what
    maps: dict[MethodName, Mapping[Kind, np.ndarray]] = {}
    for method in dict.fromkeys(("weights", *options.get("methods", SENT_METHODS))):
        if METHODS[method].from_trace is not None:
            maps[method] = traced_maps(translation.trace, method)
        elif source is not None:
            maps[method] = attribution_maps(source, translation, method)
    return ShownMaps(translation, {}, first=-1), maps, source.name if source else ""


def attended(what: Any, tokens: Sequence[str] | None, options: Mapping[str, Any]) -> ShownMaps:
    """Anybody's attentions with their tokens; arguments and errors as ``show``."""
    if isinstance(what, Path):
        return ShownMaps(read_maps(what.read_bytes()), {}, first=0)
    named = {name: options[name] for name in ATTENTIONS if options.get(name) is not None}
    if what is not None and not named:
        named = {"attentions": what} if _is_layers(what) else attentions_of(what)
    sides = {name: options[name] for name in SIDE_TOKENS if options.get(name) is not None}
    chosen = options.get("include_layers")
    found = []
    for name, each in named.items():
        kind = KIND_OF.get(name) or kind_of(each)
        found.append(layers_of(kind, each, chosen))
        if name not in KIND_OF:
            sides.setdefault(SIDES[kind][0], tokens if tokens is not None else ())
    if not found:
        raise TypeError("nothing to be shown: give a sentence, or attentions= with tokens=")
    pretty = options.get("prettify_tokens", True)
    read = {name: spelt(side) if pretty else list(map(str, side)) for name, side in sides.items()}
    return attention_maps(found, read, copies=sum(each.size for each in found) <= MOST_CELLS)


def opening(trace: AttentionTrace, options: Mapping[str, Any]) -> tuple[HeadRef, ...]:
    """The heads that are shown first.

    Raises:
        ValueError: one does not exist.
    """
    if (head := options.get("head")) is not None:
        found = [head if isinstance(head, HeadRef) else HeadRef.parse(head)]
    else:
        numbers, layer = options.get("heads") or (0,), options.get("layer") or 0
        found = [HeadRef(trace.kinds[-1], layer, number) for number in numbers]
    for each in found:
        if each is None:
            raise ValueError(f"{head!r} is no head; c2.5 is head 5 of layer 2 of cross-attention")
        trace.map(*each)
    return tuple(each for each in found if each)


def _opened(model: str | ModelHandle) -> ModelHandle:
    if not isinstance(model, str):
        return model
    from model.translator import open_model

    return open_model(model)


def _is_layers(what: Any) -> bool:
    """Whether it is an array, or a sequence of arrays, and not something that a model returned."""
    return hasattr(what, "shape") or (isinstance(what, (tuple, list)) and not hasattr(what, "_fields"))
