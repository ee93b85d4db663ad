"""Families that transformers' registry does not reach: their maps, as they give them themselves, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from model.errors import FolderError
from model.folder.passes import Passes
from model.folder.sites import Sites, attention_kind, kind_of
from model.folder.watch import LayerSite
from model.passage import Ask, ForcedIds, Pass, Step
from model.trace import KINDS, Kind

_NAMES = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")


def eager_sites(name: str, model: Any, arguments: Mapping[str, Any], lengths: tuple[int, int]) -> Sites:
    """The kinds of a model that gives maps when it is asked for them.

    Raises:
        FolderError: it gives none, or not one row and one column a token.
    """
    model.set_attn_implementation("eager")
    maps = _maps(model(**arguments, output_attentions=True))
    if not maps:
        raise FolderError(
            f"{name} shows no attention: its kind of model is neither in transformers' registry nor gives maps."
        )
    found: dict[Kind, tuple[int, int]] = {}
    for layers in maps:
        found[kind_of(name, layers[0], lengths)] = (len(layers), int(layers[0].shape[1]))
    kinds = {kind: attention_kind(kind, *found[kind]) for kind in KINDS if kind in found}
    return Sites(model, kinds, {}, {}, {}, (), {kind: each.heads for kind, each in kinds.items()})


class EagerPasses(Passes):
    """Passes that give weights and logits."""

    def forced(self, ids: ForcedIds, ask: Ask) -> Pass:
        """As ``Passes.forced``."""
        output = self.model(**self.form.arguments(ids), output_attentions=bool(ask.steps))
        attention: dict[LayerSite, dict[Step, Tensor]] = {}
        for kind, layers in zip(self.sites.kinds, self._in_order(output), strict=True) if ask.steps else ():
            attention |= {(kind, layer): {"weights": each[0].float()} for layer, each in enumerate(layers)}
        return Pass(attention, None, self.form.logits(output, ids)[0] if ask.logits else None)

    def _in_order(self, output: Any) -> list[tuple[Tensor, ...]]:
        """The maps of a run in the order of KINDS, as ``eager_sites`` found them."""
        maps = _maps(output)
        return maps if len(maps) == len(self.sites.kinds) else maps[: len(self.sites.kinds)]


def _maps(output: Any) -> list[tuple[Tensor, ...]]:
    found = [getattr(output, name, None) for name in _NAMES]
    return [tuple(each) for each in found if each and each[0] is not None]
