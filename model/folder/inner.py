"""What stands in a model's modules: W_O by head, the linear maps of attention, the way from the stream to logits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from model.folder.forms import Form
from model.folder.passes import is_norm
from model.folder.sites import Sites, linear_maps, states_of, weight_and_bias
from model.folder.watch import Watch, watching
from model.passage import HeadsOut, Projections, Unembedding
from model.trace import Kind


class Inner:
    """The inside of one model."""

    def __init__(self, form: Form, sites: Sites) -> None:
        self.form, self.sites, self.model = form, sites, form.model
        self._projections: dict[nn.Module, Projections] = {}
        self._unembedding: Unembedding | None = None

    def heads_out(self, kind: Kind, layer: int) -> HeadsOut:
        """As ``Source.heads_out``."""
        weight, bias = weight_and_bias(self.sites.out[kind, layer])
        return HeadsOut(weight.T.reshape(self.sites.kinds[kind].heads, -1, weight.shape[0]), bias)

    @contextmanager
    def without_columns(self, kind: Kind, layer: int, head: int) -> Iterator[None]:
        """The model while the columns of W_O that read one head are 0; whoever calls holds the model for himself."""
        weight, _ = weight_and_bias(self.sites.out[kind, layer])
        width = weight.shape[1] // self.sites.kinds[kind].heads
        columns = weight[:, head * width : (head + 1) * width]
        kept = columns.clone()
        try:
            columns.zero_()
            yield
        finally:
            columns.copy_(kept)

    def projections(self, kind: Kind, layer: int) -> Projections:
        """As ``Source.projections``: found by which map gives the queries, keys and values that the layer used.

        Raises:
            LookupError: none of the layer's linear maps does.
        """
        module = self.sites.modules[kind, layer]
        if module not in self._projections:
            self._projections[module] = self._found_projections(kind, layer)
        return self._projections[module]

    def _found_projections(self, kind: Kind, layer: int) -> Projections:
        module, ids = self.sites.modules[kind, layer], self.form.probe()[0]
        given: dict[nn.Module, Tensor] = {}
        maps = linear_maps(module)
        handles = [each.register_forward_hook(lambda m, _a, out: given.__setitem__(m, out)) for each, _, _ in maps]
        try:
            with (
                torch.inference_mode(),
                watching(Watch(self.sites.of, (kind,), frozenset({"query", "key", "value"}))) as watch,
            ):
                self.model(**self.form.arguments(ids))
        finally:
            for handle in handles:
                handle.remove()
        parts = [part for each, weight, bias in maps if each in given for part in _parts(given[each][0], weight, bias)]
        wanted = [watch.seen[kind, layer][step] for step in ("query", "key", "value")]
        found = [_that_gives(values.transpose(0, 1).flatten(1), parts) for values in wanted]
        query, key, value = found
        return Projections(query, key, value, weight_and_bias(self.sites.out[kind, layer]))

    def finish(self, states: Tensor) -> Tensor:
        """As ``Source.finish``: the model itself goes on from states put in the place of its last layer's output."""
        shape = states.shape
        rows = states.reshape(-1, *shape[-2:]) if states.dim() > 2 else states[None]

        def instead(_module: nn.Module, _args: object, output: Any) -> object:
            own = rows.to(states_of(output))
            return own if isinstance(output, Tensor) else (own, *output[1:])

        probe = self.form.probe()[0]
        ids = probe._replace(inputs=probe.inputs[:, :1].expand(1, rows.shape[1]))
        handle = self.sites.blocks[-1].register_forward_hook(instead)
        try:
            with torch.inference_mode(), watching(Watch(self.sites.of)):
                found = self.model(**self.form.arguments(ids)).logits.float()
        finally:
            handle.remove()
        return found.reshape(*shape[:-1], found.shape[-1])

    @property
    def unembedding(self) -> Unembedding:
        """As ``Source.unembedding``.

        Raises:
            LookupError: no norm stands behind the last layer.
        """
        if self._unembedding is None:
            self._unembedding = self._found_unembedding()
        return self._unembedding

    def _found_unembedding(self) -> Unembedding:
        """The norm that is given what the last layer gives, measured; and the table, as large as the logits say."""
        norm, final, normed, logits = self._after_the_last()
        scale, shift, eps, centred = _measured(norm, final, normed)
        table = self.model.get_output_embeddings().weight.detach()
        plain = normed[0] @ table.T
        factor = float((logits[0] * plain).sum() / (plain * plain).sum())
        return Unembedding(table * factor if abs(factor - 1) > 1e-4 else table, scale, shift, eps, centred)

    def _after_the_last(self) -> tuple[nn.Module, Tensor, Tensor, Tensor]:
        """That norm, what it was given and gave, and the logits, of a short input."""
        last: list[Tensor] = []
        found: list[tuple[nn.Module, Tensor, Tensor]] = []

        def after(module: nn.Module, args: Any, output: Any) -> None:
            if last and args and isinstance(args[0], Tensor) and args[0].data_ptr() == last[0].data_ptr():
                found.append((module, args[0], output))

        handles = [self.sites.blocks[-1].register_forward_hook(lambda _m, _a, out: last.append(states_of(out)))]
        handles += [each.register_forward_hook(after) for each in self.model.modules() if is_norm(each)]
        ids = self.form.probe()[0]
        try:
            with torch.inference_mode(), watching(Watch(self.sites.of)):
                logits = self.model(**self.form.arguments(ids)).logits.float()
        finally:
            for handle in handles:
                handle.remove()
        if not found:
            raise LookupError("no norm stands behind the last layer")
        return (*found[0], logits)


def _measured(norm: nn.Module, final: Tensor, normed: Tensor) -> tuple[Tensor, Tensor, float, bool]:
    """Scale, shift and ε of a norm, and whether it takes away the mean, by what it makes of some vectors."""
    eps = next(float(getattr(norm, name)) for name in ("eps", "variance_epsilon", "epsilon") if hasattr(norm, name))
    x, y = final[0].double(), normed[0].double()
    with torch.inference_mode():
        shift = norm(torch.zeros_like(final[:, :1]))[0, 0].double()
        moved = norm(final + 3.0)[0].double()
    centred = bool((moved - y).abs().max() < 1e-3)
    around = x - x.mean(-1, keepdim=True) if centred else x
    unit = around * torch.rsqrt((around**2).mean(-1, keepdim=True) + eps)
    scale = ((y - shift) * unit).sum(0) / (unit * unit).sum(0)
    return scale.float(), shift.float(), eps, centred


def _parts(output: Tensor, weight: Tensor, bias: Tensor) -> list[tuple[Tensor, tuple[Tensor, Tensor]]]:
    """What a linear map gives, [T, D], with its numbers; of one that makes queries, keys and values, each third."""
    whole = [(output, (weight, bias))]
    if len(weight) % 3:
        return whole
    thirds = zip(output.chunk(3, -1), weight.chunk(3), bias.chunk(3), strict=True)
    return whole + [(out, (own, shift)) for out, own, shift in thirds]


def _that_gives(wanted: Tensor, parts: Sequence[tuple[Tensor, tuple[Tensor, Tensor]]]) -> tuple[Tensor, Tensor]:
    for output, numbers in parts:
        if output.shape == wanted.shape and bool((output - wanted).abs().max() < 1e-5):
            return numbers
    raise LookupError("no linear map gives these vectors")
