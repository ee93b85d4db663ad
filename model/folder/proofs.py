"""What a model offers, found by running it: each ability is proved on a short input, or it is not offered."""

from __future__ import annotations

import logging
from collections.abc import Callable

import torch
from torch import Tensor

from model.errors import Why
from model.folder.forms import Form
from model.folder.inner import Inner
from model.folder.passes import Passes
from model.folder.sites import Sites
from model.passage import Ask, ForcedIds
from model.source import ABILITIES, Ability, Anatomy, Need
from model.trace import KINDS, HeadRef, Kind

CLOSE = 1e-4
_LOG = logging.getLogger(__name__)


class Proofs:
    """The proofs of one model."""

    def __init__(self, form: Form, sites: Sites, inner: Inner, passes: Passes) -> None:
        self.form, self.sites, self.inner, self.passes = form, sites, inner, passes
        self.ids: ForcedIds = form.probe()[0]
        self.kinds: tuple[Kind, ...] = tuple(sites.kinds)

    def anatomy(self) -> Anatomy:
        """What the model has and offers, and why it lacks what it lacks."""
        proofs: dict[Ability, Callable[[], bool]] = {
            "scores": self._scores,
            "gains": self._gains,
            "hide": self._hide,
            "gradients": self._gradients,
            "internals": self._internals,
            "finish": self._finish,
            "votes": self._votes,
            "projections": self._projections,
        }
        offered = {ability for ability, proof in proofs.items() if self._holds(proof)}
        if "finish" not in offered or "internals" not in offered:
            offered -= {"finish", "votes"}
        why: dict[Need, Why] = {ability: "other" for ability in proofs if ability not in offered}
        why |= {kind: "form" for kind in KINDS if kind not in self.kinds}
        why["positions"] = "own_table"
        why |= {ability: "own_only" for ability in ABILITIES if ability not in (*proofs, "positions")}
        why.update(self._reasons(offered))
        return Anatomy(self.sites.kinds, frozenset(offered), self.form.reads, why)

    def _reasons(self, offered: set[Ability]) -> dict[Need, Why]:
        found: dict[Need, Why] = {}
        if not self.says_something:
            found |= dict.fromkeys(("gains", "gradients", "hide", "finish", "votes"), "no_output")
        if self.form.reads in ("prompt", "picture"):
            found["hide"] = "nothing_to_hide"
        if "finish" in offered and "votes" not in offered:
            found["votes"] = "post_norm"
        if self.form.reads in ("sentence", "picture"):
            found |= dict.fromkeys(("finish", "votes"), "form")
        return {need: why for need, why in found.items() if need not in offered}

    @property
    def says_something(self) -> bool:
        """Whether there are logits at the end."""
        with torch.inference_mode():
            logits = self.passes.forced(self.ids, Ask(kinds=(), logits=True)).logits
        return logits is not None and logits.numel() > 0

    @staticmethod
    def _holds(proof: Callable[[], bool]) -> bool:
        """Whether a proof holds; where a model stumbles over it, it does not, and the log says over what."""
        try:
            return proof()
        except Exception as error:
            _LOG.info("%s was not proved: %r", proof.__name__.removeprefix("_"), error)
            return False

    @torch.inference_mode()
    def _scores(self) -> bool:
        seen = self.passes.forced(self.ids, Ask(("masked_scores", "weights"), self.kinds))
        pairs = [(steps["masked_scores"].softmax(-1), steps["weights"]) for steps in seen.attention.values()]
        return all(_close(one, other, 1e-5) for one, other in pairs)

    @torch.inference_mode()
    def _gains(self) -> bool:
        """A gain of 1 changes nothing, and of 0 as much as the head's columns of W_O at 0 do."""
        for kind in self.kinds:
            for layer in (0, self.sites.kinds[kind].layers - 1):
                heads = self._heads_of_one_matrix(kind, layer)
                gains = [dict.fromkeys(heads, gain) for gain in (1.0, 0.0)]
                found = self.passes.log_probs(self.ids, [{}, *gains])
                with self.inner.without_columns(*heads[0]):
                    (without,) = self.passes.log_probs(self.ids)
                if not _close(found[0], found[1], 1e-5) or not _close(found[2], without, CLOSE):
                    return False
        return True

    def _heads_of_one_matrix(self, kind: Kind, layer: int) -> list[HeadRef]:
        """A layer's last head, in every layer that shares its W_O, as ALBERT's do."""
        own = self.sites.out[kind, layer]
        layers = [each for each in range(self.sites.kinds[kind].layers) if self.sites.out[kind, each] is own]
        return [HeadRef(kind, each, self.sites.kinds[kind].heads - 1) for each in layers]

    @torch.inference_mode()
    def _hide(self) -> bool:
        if self.form.reads not in ("text", "sentence"):
            return False
        hidden = torch.zeros(2, self.ids.src.shape[1], dtype=torch.bool)
        hidden[1, 0] = True
        found = self.passes.log_probs(self.ids, hidden=hidden.numpy())
        plain = self.passes.log_probs(self.ids)
        return _close(found[:1], plain, 1e-4) and not _close(found[0], found[1], 0.0)

    def _gradients(self) -> bool:
        found = self.passes.gradients(self.ids, Ask(kinds=self.kinds, gradient="all")).gradients
        return len(found) == len(self.sites.modules) and all(
            bool(torch.isfinite(each).all()) for each in found.values()
        )

    @torch.inference_mode()
    def _internals(self) -> bool:
        """The heads through W_O, with its bias, are the layer's output; where it must be, the stream is a sum."""
        asked = Ask(("heads", "value", "query", "key", "output", "residual", "inputs"), self.kinds)
        seen = self.passes.forced(self.ids, asked)
        for (kind, layer), steps in seen.attention.items():
            out = self.inner.heads_out(kind, layer)
            by_hand = torch.einsum("hqd,hde->qe", steps["heads"], out.weight) + out.bias
            if not _close(by_hand, steps["output"], CLOSE):
                return False
        return True

    @torch.inference_mode()
    def _finish(self) -> bool:
        if not self.sites.blocks or self.form.reads in ("sentence", "picture"):
            return False
        seen = self.passes.forced(self.ids, Ask(("output",), self.kinds, stream=True, logits=True))
        assert seen.stream is not None
        assert seen.logits is not None
        first = 1 if getattr(self.form, "forced_id", None) is not None else 0
        return _close(self.inner.finish(seen.stream.levels[-1:])[0][first:], seen.logits[first:], CLOSE)

    @torch.inference_mode()
    def _votes(self) -> bool:
        """Logits are linear in the normalised stream, and the stream is the sum of its parts."""
        seen = self.passes.forced(self.ids, Ask(("output",), self.kinds, stream=True, logits=True))
        assert seen.stream is not None
        assert seen.logits is not None
        final = seen.stream.levels[-1]
        rows = torch.stack([self.inner.unembedding.logits(each) for each in final])
        first = 1 if getattr(self.form, "forced_id", None) is not None else 0
        return _close(rows[first:].float(), seen.logits[first:], 1e-3)

    @torch.inference_mode()
    def _projections(self) -> bool:
        seen = self.passes.forced(self.ids, Ask(("inputs", "memory", "query", "key", "value", "scores"), self.kinds))
        for (kind, layer), steps in seen.attention.items():
            maps = self.inner.projections(kind, layer)
            for name, source in (("query", "inputs"), ("key", "memory"), ("value", "memory")):
                weight, bias = getattr(maps, name)
                made = (steps[source] @ weight.T + bias).unflatten(-1, (steps[name].shape[0], -1)).transpose(0, 1)  # type: ignore[index]
                if not _close(made, steps[name], CLOSE):  # type: ignore[index]
                    return False
            dots = steps["query"] @ steps["key"].transpose(1, 2) / steps["query"].shape[-1] ** 0.5
            if not _close(dots, steps["scores"], CLOSE):
                return False
        return True


def _close(one: Tensor, other: Tensor, within: float) -> bool:
    """Whether two tensors of one shape differ by no more, as a part of the largest number or absolutely."""
    if one.shape != other.shape or not bool(torch.isfinite(one).all()):
        return False
    size = max(1.0, float(other.abs().max())) if other.numel() else 1.0
    return bool((one - other).abs().max() <= within * size) if other.numel() else True
