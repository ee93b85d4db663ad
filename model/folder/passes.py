"""One pass of a folder's model over what it reads and writes: watched, changed, or differentiated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from model.folder.forms import Form
from model.folder.sites import Sites, first_tensor, states_of
from model.folder.watch import LayerSite, Watch, watching
from model.passage import Ask, ForcedIds, Pass, Step, Stream
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
        watch = Watch(self.sites.of, ask.kinds, frozenset(ask.steps) - set(BESIDE))
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
                of_steps.append({site: _of_the_possible(site[0], found[site]) for site in watch.seen})
        weights: dict[LayerSite, dict[Step, Tensor]] = {
            site: {"weights": kept["weights"].detach()[0]} for site, kept in watch.seen.items()
        }
        if ask.gradient != "each":
            return Pass(weights, gradients=of_steps[0])
        return Pass(weights, gradients={site: torch.stack([each[site] for each in of_steps]) for site in watch.seen})


def _of_the_possible(kind: Kind, gradient: Tensor) -> Tensor:
    hidden = torch.from_numpy(~may_attend(kind, tuple(gradient.shape))).to(gradient.device)
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
