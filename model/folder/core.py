"""A folder's model with all that was found out about it: made once, and shared by everybody who asks."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from model.errors import FolderError, HeadlightError, Why
from model.folder.describing import Describing
from model.folder.files.load import Loaded, load
from model.folder.forms import Continuing, Filling, Form, Translating
from model.folder.passes import Inner, Passes
from model.folder.picture import Captioning, Seeing
from model.folder.sites import Sites, attention_kind, find_sites, kind_of
from model.folder.sound import Listening
from model.folder.spell import Speller, languages_of
from model.folder.watch import NAME, LayerSite
from model.folder.writing import can_keep
from model.passage import Ask, ForcedIds, Pass, Step, one_thread
from model.source import ABILITIES, SEEN_OR_HEARD, Ability, Anatomy, Need
from model.trace import KINDS, HeadRef, Kind

CLOSE = 1e-4
PACKAGE = Path(__file__).resolve().parents[1]
_LOG = logging.getLogger(__name__)
_NAMES = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")
_SOUND = ("input_features", "input_values")  # what speech models call a spectrogram, or a wave
Pictures = Callable[[str], bytes]


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
        hears = self.form.gathered(self.ids) is not None
        lost = proofs.keys() - {"gains", "hide"} if hears else set()  # of single frames, where groups are shown
        offered = {ability for ability, proof in proofs.items() if ability not in lost and self._holds(proof)}
        if "finish" not in offered or "internals" not in offered:
            offered -= {"finish", "votes"}
        why: dict[Need, Why] = {ability: "other" for ability in proofs if ability not in offered}
        why |= _absent(self.form, self.sites)
        why["positions"] = "own_table"
        why |= {ability: "own_only" for ability in ABILITIES if ability not in (*proofs, "positions")}
        why.update(self._reasons(offered))
        why.update(dict.fromkeys(lost, "grouped"))
        return Anatomy(self.sites.kinds, frozenset(offered), self.form.reads, why)

    def _reasons(self, offered: set[Ability]) -> dict[Need, Why]:
        found: dict[Need, Why] = {}
        if not self.says_something:
            found |= dict.fromkeys(("gains", "gradients", "hide", "finish", "votes"), "no_output")
        if self.form.reads in ("prompt", *SEEN_OR_HEARD):
            found["hide"] = "nothing_to_hide"
        if "finish" in offered and "votes" not in offered:
            found["votes"] = "post_norm"
        if not self.form.writes:
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
        if not self.sites.blocks or not self.form.writes:
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
        if any(self.form.together(self.ids)):  # what shows them by hand works with a mask that hides what comes after
            return False
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


@dataclass(frozen=True)
class Core:
    """The parts of one model; another language changes the form alone.

    ``keeps`` says whether it can write with keys and values kept from before.
    """

    loaded: Loaded
    form: Form
    sites: Sites
    passes: Passes
    inner: Inner
    anatomy: Anatomy
    keeps: bool
    lock: threading.RLock

    @contextmanager
    def running(self) -> Iterator[Any]:
        """The model, for one caller at a time: on one processor thread, without gradients."""
        with self.lock, one_thread(), torch.inference_mode():
            try:
                yield self.loaded.model
            except HeadlightError:
                raise
            except Exception as error:
                if _is_ours(error):
                    raise
                raise _stumbled(type(self.loaded.model).__name__, error) from None

    def in_languages(self, source: str, target: str) -> Core:
        """The same model asked for other languages; itself where there is nothing to choose."""
        speller = getattr(self.form, "speller", None)
        if speller is None or not speller.languages.targets:
            return self
        more = (self.form.pictures,) if isinstance(self.form, Captioning) else ()
        form = type(self.form)(self.loaded, speller.of(speller.languages.chosen(source, target)), *more)
        return replace(self, form=form, passes=type(self.passes)(form, self.sites), inner=Inner(form, self.sites))


def _is_ours(error: Exception) -> bool:
    """Whether an error was raised in this package itself, as one is for a place that is not there."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return Path(last.filename).is_relative_to(PACKAGE)


def _stumbled(name: str, error: Exception) -> FolderError:
    """One sentence on what a model's own code in transformers did with what it was given; the rest is in the log."""
    _LOG.warning("%s could not be run", name, exc_info=error)
    where = next((each.name for each in reversed(traceback.extract_tb(error.__traceback__))), "")
    part = f" in its {where}" if where.isidentifier() else ""
    return FolderError(
        f"{name} was loaded, but its own code in transformers cannot be run on what Headlight gives it: "
        f"{type(error).__name__}{part}. The log has the rest."
    )


def core(path: Path, pictures: Pictures, device: str) -> Core:
    """The model of a folder, looked into by short runs.

    Raises:
        FolderError: something is wrong with it, or it cannot be run on what Headlight can give it.
    """
    loaded = load(path)
    loaded.model.to(device)
    with one_thread():
        try:
            with torch.inference_mode():
                form, sites = _form(path.name, loaded, pictures)
            registered = loaded.model.config._attn_implementation == NAME and bool(sites.modules)
            passes = Passes(form, sites) if registered else EagerPasses(form, sites)
            inner = Inner(form, sites)
            anatomy = Proofs(form, sites, inner, passes).anatomy() if registered else _maps_only(form, sites)
        except FolderError:
            raise
        except Exception as error:
            raise _stumbled(path.name, error) from None
        with torch.inference_mode():
            keeps = form.writes and can_keep(form)
    return Core(loaded, form, sites, passes, inner, anatomy, keeps, threading.RLock())


def _form(name: str, loaded: Loaded, pictures: Pictures) -> tuple[Form, Sites]:
    """The form that fits a model, tried on it."""
    main = getattr(loaded.model, "main_input_name", "")
    if loaded.processor is not None and loaded.tokenizer is None:
        seeing = Seeing(loaded, pictures)
        return seeing, _sites(name, loaded.model, seeing)
    if loaded.processor is not None and main in ("pixel_values", "input_features"):
        speller = Speller(loaded.tokenizer, languages_of(loaded.tokenizer))
        captioning = (Captioning if main == "pixel_values" else Listening)(loaded, speller, pictures)
        return captioning, _sites(name, loaded.model, captioning)
    if main != "input_ids":
        read = "sound" if main in _SOUND else main.replace("_", " ") or "something else"
        raise FolderError(
            f"{name} reads {read}: Headlight opens models of text and pictures, and the Whisper that writes."
        )
    speller = Speller(loaded.tokenizer, languages_of(loaded.tokenizer))
    if loaded.model.config.is_encoder_decoder:
        if not loaded.model.can_generate():
            whole = type(loaded.model).__name__
            raise FolderError(f"{name} holds a {whole}, which has no layer that writes words: it translates nothing.")
        translating = Translating(loaded, speller)
        return translating, _sites(name, loaded.model, translating)
    return _without_encoder(name, loaded, speller, pictures)


def _without_encoder(name: str, loaded: Loaded, speller: Speller, pictures: Pictures) -> tuple[Form, Sites]:
    """The form of a model that is one stack of layers."""
    if loaded.processor is not None and (found := _describing(name, loaded, speller, pictures)):
        return found
    if loaded.model.can_generate():
        sites = _sites(name, loaded.model, continuing := Continuing(loaded, speller))
        if "decoder_self" in sites.kinds:
            return continuing, sites
    filling = Filling(loaded, speller)  # it reads, and at most fills in or names a class
    return filling, _sites(name, loaded.model, filling)


def _describing(name: str, loaded: Loaded, speller: Speller, pictures: Pictures) -> tuple[Form, Sites] | None:
    """The form of a model that reads a picture within a text; None where it can be shown as a model of text alone."""
    try:
        describing = Describing(loaded, speller, pictures)
        sites = _sites(name, loaded.model, describing)
    except Exception as error:
        _LOG.info("%s is opened as a model of text alone: %s", name, error)
        return None
    if "decoder_self" in sites.kinds:
        return describing, sites
    _LOG.info("%s is opened as a model of text alone: no layer of it is a decoder's own attention", name)
    return None


def _sites(name: str, model: Any, form: Form) -> Sites:
    ids, lengths = form.probe()
    found = find_sites(name, model, form.arguments(ids), (lengths, form.together(ids)), form.beside)
    if found and model.config.is_encoder_decoder and "cross" not in found.kinds:
        found = None  # its encoder's attention passes through the registry, its decoder's does not
    return found or eager_sites(name, model, form.arguments(ids), lengths)


def _absent(form: Form, sites: Sites) -> dict[Need, Why]:
    """Why each kind of attention that is not shown is not."""
    absent = [kind for kind in KINDS if kind not in sites.kinds]
    return {kind: "windows" if form.windows and kind == "encoder_self" else "form" for kind in absent}


def _maps_only(form: Form, sites: Sites) -> Anatomy:
    """What is left where attention does not pass through the registry: its maps."""
    why: dict[Need, Why] = dict.fromkeys(ABILITIES, "maps_only")
    why |= _absent(form, sites)
    return Anatomy(sites.kinds, frozenset(), form.reads, why)
