"""``headlight.show``: a sentence, a translation, or anybody's attentions as a widget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from model.attribution.methods import METHODS, MethodName, attribution_maps, traced_maps
from model.saved.reading import read_maps
from model.trace import AttentionTrace, HeadRef, Kind, TracedTranslation
from viz.export.notebook.given import SIDES, Given, attentions_of, given_attentions, kind_of, layers_of, spelt

if TYPE_CHECKING:
    import numpy as np

    from model.source import ModelHandle
    from viz.export.notebook.widget import HeadlightWidget, Maps

TRACED: tuple[MethodName, ...] = ("weights", "rollout")
MOST_SENT = 4_000_000  # weights that are sent before somebody looks; of more, each head when it is looked at
ATTENTIONS = {"attentions", "attention", "encoder_attention", "decoder_attention", "cross_attention"}
TOKENS = ("encoder_tokens", "decoder_tokens")
NAMED: dict[str, Kind] = {
    "encoder_attention": "encoder_self",
    "encoder_attentions": "encoder_self",
    "decoder_attention": "decoder_self",
    "decoder_attentions": "decoder_self",
    "cross_attention": "cross",
    "cross_attentions": "cross",
}


def show(
    what: Any = None,
    tokens: Sequence[str] | None = None,
    *,
    model: str | ModelHandle = "en-zh",
    beam: int = 1,
    methods: Sequence[MethodName] = TRACED,
    head: str | HeadRef | None = None,
    language: str = "en",
    height: int = 720,
    title: str = "",
    prettify_tokens: bool = True,
    layer: int | None = None,
    heads: Sequence[int] | None = None,
    include_layers: Sequence[int] | None = None,
    display_mode: str = "",
    **attentions: Any,
) -> HeadlightWidget:
    """The viewer of every head, as the result of a notebook's cell.

    Args:
        what: a sentence, which ``model`` translates or reads; a ``TracedTranslation``; the ``Path`` of an NPZ file of
            maps; what a model of transformers returned with ``output_attentions=True``; a cache of TransformerLens; or
            attentions, as ``attentions=``.
        tokens: of attentions of one kind, and of a cache.
        model: of a sentence: name of a checkpoint, path of a folder, or an opened model.
        beam: of a sentence: hypotheses kept.
        methods: of a sentence: which maps can be chosen in the viewer; see docs/methods.md.
        head: shown first: "c2.5"; default the first of the last kind.
        language: of all words, "en" or "zh".
        height: of the widget, pixels.
        title: what the model is called.
        prettify_tokens: marks of tokenizers (``Ġ``, ``▁``, ``</w>``) are read as what they say of words.
        layer, heads: shown first, as BertViz names them: numbers within the last kind.
        include_layers: numbers of the layers that are kept; what is kept is counted from 0.
        display_mode: "dark" or "light", whatever the notebook is.
        attentions: under BertViz's names: ``attentions`` (or ``attention``) with ``tokens``; ``encoder_attention``,
            ``decoder_attention``, ``cross_attention`` with ``encoder_tokens`` and ``decoder_tokens``. Each is a tuple
            of layers [1, head, query, key] or [head, query, key], tensors or arrays.

    Raises:
        HeadlightError: there is no such model, or it cannot read the sentence.
        ValueError: attentions and tokens do not fit each other, or there is no such head.
        TypeError: an argument is unknown, or there is nothing to be shown.
    """
    from viz.export.notebook.widget import HeadlightWidget

    maps: Maps | None
    if isinstance(what, (str, TracedTranslation)):
        if attentions:
            raise TypeError(f"{next(iter(attentions))} does not go with {what!r:.60}")
        given, maps, name = translated(what, model, beam, methods)
        link = ""
    else:
        how = (tokens, include_layers, prettify_tokens)
        given, name, link = attended(what, attentions, *how), "", "r=read"
        maps = None if given.layers else {"weights": given.trace.weights}
    chosen = opening(given.trace, head, layer, heads)
    theme = f"c={display_mode}" if display_mode in ("dark", "light") else ""
    link = "&".join(filter(None, [f"h={','.join(chosen)}", link, theme]))
    return HeadlightWidget(given, maps, model=title or name, language=language, link=link, height=height)


def translated(
    what: str | TracedTranslation, model: str | ModelHandle, beam: int, methods: Sequence[MethodName]
) -> tuple[Given, Maps, str]:
    """A sentence's maps by method, and the model's name; what takes a model is left out where there is none."""
    source: ModelHandle | None = None
    if isinstance(what, str):
        source = _opened(model)
        translation: TracedTranslation = source.translate(what, beam, capture=True)
    else:
        translation = what
    maps: dict[MethodName, Mapping[Kind, np.ndarray]] = {}
    for method in dict.fromkeys(("weights", *methods)):
        if METHODS[method].from_trace is not None:
            maps[method] = traced_maps(translation.trace, method)
        elif source is not None:
            maps[method] = attribution_maps(source, translation, method)
    return Given(translation, {}, first=-1), maps, source.name if source else ""


def attended(
    what: Any,
    attentions: Mapping[str, Any],
    tokens: Sequence[str] | None,
    include_layers: Sequence[int] | None,
    prettify_tokens: bool,
) -> Given:
    """Anybody's attentions with their tokens; arguments and errors as ``show``."""
    if isinstance(what, Path):
        return Given(read_maps(what.read_bytes()), {}, first=0)
    named = dict(attentions)
    if what is not None and not named.keys() & ATTENTIONS:
        named |= {"attentions": what} if _is_layers(what) else attentions_of(what)
    sides = {name: named.pop(name) for name in TOKENS if named.get(name) is not None}
    one = named.pop("attentions", named.pop("attention", None))
    if "sentence_b_start" in named:
        raise TypeError("sentence_b_start: both sentences stand in one map here; leave it out")
    if unknown := set(named) - set(NAMED) - set(TOKENS):
        raise TypeError(f"show() has no argument {sorted(unknown)[0]!r}")
    found = [layers_of(NAMED[name], each, include_layers) for name, each in named.items() if each is not None]
    if one is not None:
        kind = kind_of(one)
        found.append(layers_of(kind, one, include_layers))
        sides.setdefault(SIDES[kind][0], tokens if tokens is not None else ())
    if not found:
        raise TypeError("nothing to be shown: give a sentence, or attentions= with tokens=")
    read = {name: spelt(side) if prettify_tokens else list(map(str, side)) for name, side in sides.items()}
    return given_attentions(found, read, copies=sum(each.size for each in found) <= MOST_SENT)


def opening(
    trace: AttentionTrace, head: str | HeadRef | None, layer: int | None, heads: Sequence[int] | None
) -> list[str]:
    """Codes of the heads that are shown first.

    Raises:
        ValueError: one does not exist.
    """
    kind = trace.kinds[-1]
    if head is not None:
        found = [head if isinstance(head, HeadRef) else HeadRef.parse(head)]
    else:
        found = [HeadRef(kind, layer or 0, number) for number in (heads or (0,))]
    for each in found:
        if each is None:
            raise ValueError(f"{head!r} is no head; c2.5 is head 5 of layer 2 of cross-attention")
        trace.map(*each)
    return [each.code for each in found if each]


def _opened(model: str | ModelHandle) -> ModelHandle:
    if not isinstance(model, str):
        return model
    from model.translator import open_model

    return open_model(model)


def _is_layers(what: Any) -> bool:
    """Whether it is an array, or a sequence of arrays, and not something that a model returned."""
    return hasattr(what, "shape") or (isinstance(what, (tuple, list)) and not hasattr(what, "_fields"))
