"""One pass of a folder's model over what it reads and writes: watched, changed, or differentiated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from model.folder.forms import Form
from model.folder.sites import Sites, first_tensor, linear_maps, states_of, weight_and_bias
from model.folder.watch import LayerSite, Watch, watching
from model.passage import Ask, ForcedIds, HeadsOut, Pass, Projections, Step, Stream, Unembedding
from model.source import Gains
from model.trace import Kind, may_attend

BESIDE: tuple[Step, ...] = ("inputs", "memory", "residual", "output")  # which the attention function does not see
TOKENS_IN_A_BATCH = 1024


class Passes:
    """The passes of one model."""

    def __init__(self, form: Form, sites: Sites) -> None:
        self.form, self.sites, self.model = form, sites, form.model

    def forced(self, ids: ForcedIds, ask: Ask) -> Pass:
        """As ``Source.forced``, without gradients."""
        watch = Watch(self.sites.of, ask.kinds, frozenset(ask.steps) - set(BESIDE), gathered=self.form.gathered(ids))
        beside = _Beside(self.sites, ask)
        with ExitStack() as stack:
            beside.hang(stack)
            with watching(watch):
                output = self.model(**self.form.arguments(ids))
        wanted = [site for site in self.sites.modules if site[0] in ask.kinds] if ask.steps else []
        memory = getattr(output, "encoder_last_hidden_state", None)
        attention = {site: {**watch.seen.get(site, {}), **beside.steps(site, memory)} for site in wanted}
        logits = self.form.logits(output, ids)[0] if ask.logits else None
        return Pass(attention, beside.stream() if ask.stream else None, logits)

    def log_probs(self, ids: ForcedIds, gains: Sequence[Gains] = (), hidden: np.ndarray | None = None) -> Tensor:
        """As ``Source.log_probs``.

        Raises:
            ValueError: a head does not exist, or heads and positions are to be changed at once.
        """
        if hidden is not None and gains:
            raise ValueError("change heads or hide positions, not both in one batch")
        rows = len(hidden) if hidden is not None else max(1, len(gains))
        if not ids.steps:
            return torch.zeros(rows, 0, device=ids.written.device)
        written = ids.written[: ids.steps].expand(rows, -1)[..., None]
        found = (part[:, : ids.steps].log_softmax(-1) for part in self._logits(ids, gains, hidden, rows))
        return torch.cat([part.gather(2, written[: len(part)])[..., 0] for part in found])

    def step_logits(self, ids: ForcedIds, step: int, gains: Sequence[Gains]) -> Tensor:
        """As ``Source.step_logits``."""
        if not 0 <= step < ids.steps:
            raise IndexError(f"there is no step {step} of {ids.steps}")
        return torch.cat([part[:, step] for part in self._logits(ids, gains, None, len(gains))])

    def _logits(self, ids: ForcedIds, gains: Sequence[Gains], hidden: np.ndarray | None, rows: int) -> Iterator[Tensor]:
        """Logits of every step, [some rows, T, V] at a time."""
        factors = self._factors(gains, rows)
        masks = None if hidden is None else torch.from_numpy(np.ascontiguousarray(hidden)).to(ids.src.device)
        at_once = max(1, TOKENS_IN_A_BATCH // max(1, ids.src.shape[1] + ids.inputs.shape[1]))
        for start in range(0, rows, at_once):
            part = slice(start, min(start + at_once, rows))
            own = {site: factor[part] for site, factor in factors.items()}
            with watching(Watch(self.sites.of, gains=own)):
                arguments = self.form.arguments(ids, None if masks is None else masks[part], part.stop - start)
                output = self.model(**arguments)
            yield self.form.logits(output, ids)

    def _factors(self, gains: Sequence[Gains], rows: int) -> dict[LayerSite, Tensor]:
        """Factor of each head by site, [rows, H]; sites whose heads all keep 1 are left out."""
        factors: dict[LayerSite, Tensor] = {}
        for row, each in enumerate(gains):
            for (kind, layer, head), gain in each.items():
                sizes = self.sites.kinds.get(kind)
                if sizes is None or not (0 <= layer < sizes.layers and 0 <= head < sizes.heads):
                    raise ValueError(f"there is no head {kind} L{layer} H{head}")
                site = (kind, layer)
                if gain != 1 or site in factors:
                    factors.setdefault(site, torch.ones(rows, sizes.heads))[row, head] = gain
        return factors

    def changed(self, gains: Gains) -> Watch:
        """A watch under which heads are changed while the model writes."""
        return Watch(self.sites.of, gains=self._factors([gains], 1))

    def gradients(self, ids: ForcedIds, ask: Ask) -> Pass:
        """Gradients of a log-probability with respect to every weight, caught by tensor hooks (``register_hook``).

        What may not attend gets 0.
        """
        found: dict[LayerSite, Tensor] = {}
        watch = Watch(self.sites.of, ask.kinds, graph=True)
        with torch.inference_mode(False), torch.enable_grad(), ExitStack() as stack:
            own = ForcedIds(ids.src.clone(), ids.inputs.clone(), ids.written.clone(), ids.finished)
            arguments = self.form.arguments(own)
            if "pixel_values" in arguments:
                arguments["pixel_values"] = arguments["pixel_values"].clone().requires_grad_()
            for table in (each for each in self.model.modules() if isinstance(each, nn.Embedding)):
                stack.callback(table.register_forward_hook(lambda _m, _a, out: out.clone().requires_grad_()).remove)
            with watching(watch):
                output = self.model(**arguments)
            for site, kept in watch.seen.items():
                if ask.on_weights:
                    ask.on_weights(*site, kept["weights"])
                kept["weights"].register_hook(lambda grad, site=site: found.__setitem__(site, grad.detach()[0]))
            every = self.form.logits(output, own)[0].log_softmax(-1).gather(1, own.written[:, None])[:, 0]
            sums = {"all": [every[: ids.steps].sum()], "each": list(every[: ids.steps])}
            steps = sums[ask.gradient] if isinstance(ask.gradient, str) else [every[ask.gradient or 0]]
            of_steps = []
            for wanted in steps:
                torch.autograd.backward(
                    wanted, inputs=[kept["weights"] for kept in watch.seen.values()], retain_graph=True
                )
                together = self.form.together(own)
                of_steps.append({site: _of_the_possible(site[0], found[site], together) for site in watch.seen})
        weights: dict[LayerSite, dict[Step, Tensor]] = {
            site: {"weights": kept["weights"].detach()[0]} for site, kept in watch.seen.items()
        }
        if ask.gradient != "each":
            return Pass(weights, gradients=of_steps[0])
        return Pass(weights, gradients={site: torch.stack([each[site] for each in of_steps]) for site in watch.seen})


def _of_the_possible(kind: Kind, gradient: Tensor, together: tuple[int, int]) -> Tensor:
    hidden = torch.from_numpy(~may_attend(kind, tuple(gradient.shape), together)).to(gradient.device)
    return gradient.masked_fill(hidden, 0.0)


class _Beside:
    """What stands around attention: what goes into it, what its output is added to, and the stream."""

    def __init__(self, sites: Sites, ask: Ask) -> None:
        self.sites, self.ask = sites, ask
        self.inputs: dict[nn.Module, list[Tensor]] = {}
        self.outputs: dict[nn.Module, list[Tensor]] = {}
        self.sums: dict[nn.Module, list[Tensor]] = {}  # by W_O: what the next norm is given
        self.levels: list[Tensor] = []
        self._last: nn.Module | None = None

    def hang(self, stack: ExitStack) -> None:
        """Hooks for all that is asked, which the stack takes off."""
        if self.ask.stream:
            self._hang_stream(stack)
        if not (set(self.ask.steps) & set(BESIDE) or self.ask.stream):
            return
        for module in dict.fromkeys(self.sites.modules.values()):
            stack.callback(module.register_forward_pre_hook(self._before, with_kwargs=True).remove)
        for out in dict.fromkeys(self.sites.out.values()):
            stack.callback(out.register_forward_hook(self._after).remove)
        for norm in norms(self.sites):
            stack.callback(norm.register_forward_pre_hook(self._summed).remove)

    def steps(self, site: LayerSite, memory: Tensor | None) -> dict[Step, Tensor]:
        """What was asked for of a layer."""
        module, turn = self.sites.modules[site], self.sites.of[self.sites.modules[site]].index(site)
        found: dict[Step, Tensor] = {}
        asked = set(self.ask.steps)
        if asked & {"inputs", "memory"}:
            found["inputs"] = self.inputs[module][turn][0]
            found["memory"] = memory[0] if site[0] == "cross" and memory is not None else found["inputs"]
        out = self.sites.out.get(site)
        if out is not None and asked & {"output", "residual"}:
            found["output"] = self.outputs[out][turn][0]
            if "residual" in asked:
                found["residual"] = self.sums[out][turn][0] - found["output"]
        return {step: found[step].detach() for step in self.ask.steps if step in found}

    def stream(self) -> Stream:
        """The stream of the stack that writes; what a layer adds beside attention counts as feed-forward."""
        levels = torch.stack(self.levels).detach()
        added = levels[1:] - levels[:-1]
        writing: tuple[Kind, ...] = ("decoder_self", "cross")
        kinds: list[Kind] = [kind for kind in writing if kind in self.sites.kinds] or ["encoder_self"]
        for layer in range(len(added)):
            for kind in kinds:
                added[layer] -= self.outputs[self.sites.out[kind, layer]][0][0]
        return Stream(levels, added)

    def _hang_stream(self, stack: ExitStack) -> None:
        blocks = self.sites.blocks

        def first(_m: nn.Module, args: Any, kwargs: Any) -> None:
            self.levels.append(first_tensor(args, kwargs)[0])

        stack.callback(blocks[0].register_forward_pre_hook(first, with_kwargs=True).remove)
        for block in blocks:
            handle = block.register_forward_hook(lambda _m, _a, out: self.levels.append(states_of(out)[0]))
            stack.callback(handle.remove)

    def _before(self, module: nn.Module, args: Any, kwargs: Any) -> None:
        self.inputs.setdefault(module, []).append(first_tensor(args, kwargs))

    def _after(self, module: nn.Module, _args: Any, output: Tensor) -> None:
        self.outputs.setdefault(module, []).append(output)
        self._last = module

    def _summed(self, _module: nn.Module, args: Any) -> None:
        """The first norm after a W_O is given the sum that its output went into."""
        if self._last is not None and args:
            self.sums.setdefault(self._last, []).append(args[0])
            self._last = None


def norms(sites: Sites) -> list[nn.Module]:
    """The norms of a model: modules with one vector of scales."""
    root = sites.root
    return [each for each in root.modules() if is_norm(each)]


def is_norm(module: nn.Module) -> bool:
    """Whether a module scales what it is given, and has no other weights."""
    own = dict(module.named_parameters(recurse=False))
    weight = own.get("weight")
    return weight is not None and weight.dim() == 1 and set(own) <= {"weight", "bias"}


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
        ids = probe._replace(inputs=probe.inputs[:, -1:].expand(1, rows.shape[1]))  # the last is no picture's
        handle = self.sites.blocks[-1].register_forward_hook(instead)
        try:
            with torch.inference_mode(), watching(Watch(self.sites.of)):
                found = self.model(**self.form.arguments(ids)).logits.float()
        finally:
            handle.remove()
        result: Tensor = found.reshape(*shape[:-1], found.shape[-1])
        return result

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
