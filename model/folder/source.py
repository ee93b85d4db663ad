"""A local Hugging Face folder as ``model.source.Source`` describes a model."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from model.common.decoding import Sampler
from model.common.scenes import shipped_picture
from model.errors import HeadlightError, PictureError, SentenceTooLongError
from model.folder.core import Core, Pictures, core
from model.folder.describing import Describing
from model.folder.files.look import read_config
from model.folder.forms import Continuing, Translating
from model.folder.passes import Passes
from model.folder.picture import Captioning, Seeing
from model.folder.telling import Telling, check_memory
from model.folder.watch import watching
from model.folder.writing import Writer
from model.folders import fingerprint
from model.passage import Ask, ForcedIds, HeadsOut, HeldNorm, Pass, Patch, Projections, Slope, Slopes, Unembedding
from model.source import WAYS, Anatomy, Facts, Gains, LacksAbilityError, LanguageChoice, Need, Way, require_of
from model.trace import AttentionTrace, Kind, Label, TracedTranslation, Translation
from model.writing import Expansion, Hypothesis, Neighbour, Sampling, Token


class AskedSource:
    """A folder's model as ``model.source.Source`` describes one; ``FolderSource`` adds writing."""

    def __init__(self, made: Core, path: Path, name: str) -> None:
        self.core, self.path, self.name = made, path, name
        self.telling = Telling(made.form)
        self.end_id = made.form.end_id

    @property
    def anatomy(self) -> Anatomy:
        """As ``Source.anatomy``."""
        return self.core.anatomy

    @property
    def device_name(self) -> str:
        """The device as a person calls it: the GPU's name, or CPU."""
        device = self.core.loaded.model.device
        return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type.upper()

    @cached_property
    def facts(self) -> Facts:
        """Sizes of the model."""
        form, config = self.core.form, self.core.loaded.model.config.get_text_config()
        width = int(getattr(config, "hidden_size", 0) or getattr(config, "d_model", 0))
        heads = max((each.heads for each in self.anatomy.kinds.values()), default=1)
        d_head = int(getattr(config, "head_dim", 0) or getattr(config, "d_kv", 0) or width // heads)
        with self.core.running():
            logits = self.core.passes.forced(form.probe()[0], Ask(kinds=(), logits=True)).logits
        vocabulary = 0 if logits is None else int(logits.shape[-1])
        given = getattr(form, "given", ())  # which stand in what is forced, though nothing ever chooses them
        never = tuple(each for each in self.never_written if each not in given)
        return Facts(self.anatomy, width, d_head, vocabulary, form.max_len, self.end_id, never)

    @cached_property
    def meta(self) -> dict[str, object]:
        """What its tables are told apart by."""
        return {"sha256": fingerprint(self.path)}

    @property
    def shared_keys(self) -> int:
        """How many heads of its own attention share one set of keys and values."""
        kind = next(iter(self.anatomy.kinds))
        return self.anatomy.kinds[kind].heads // self.core.sites.key_heads[kind]

    def seen(self, text: str) -> tuple[bytes, tuple[int, int]]:
        """The part of a picture that the model sees, as a PNG file, and its rows and columns of patches.

        Raises:
            LacksAbilityError: it sees no pictures.
            PictureError: there is no such picture.
        """
        form = self.core.form
        if not isinstance(form, Seeing | Captioning | Describing):
            raise LacksAbilityError("encoder_self", self.name, "form")
        pixels, out = form.eye.pixels(form.pictures(text)), io.BytesIO()
        form.eye.seen(pixels).save(out, "PNG")
        return out.getvalue(), form.eye.grid(pixels)

    @property
    def mask(self) -> str:
        """What stands for a place to fill in; "" where the model fills in none."""
        return self.telling.mask

    @property
    def languages(self) -> LanguageChoice:
        """LanguageChoice to choose from and into, and the chosen ones; () and "" where there is no choice."""
        own = self.telling.languages
        return own.sources, own.targets, own.source, own.target

    @cached_property
    def config(self) -> dict[str, object]:
        """What the folder's config.json says, to be shown."""
        return read_config(self.path)

    @cached_property
    def never_written(self) -> tuple[int, ...]:
        """As ``Source.never_written``: what stands for padding, a beginning or a language, and single bad words."""
        return self.telling.never_written()

    def ids(self, source: str, tgt_ids: Sequence[int], finished: bool = True) -> ForcedIds:
        """As ``Source.ids``."""
        return self.core.form.ids(source, tgt_ids, finished)

    def forced(self, ids: ForcedIds, ask: Ask) -> Pass:
        """As ``Source.forced``."""
        if ask.gradient is not None:
            require_of(self.anatomy, self.name, "gradients")
            with self.core.running():
                return self.core.passes.gradients(ids, ask)
        inside = set(ask.steps) - {"weights"}
        needs: list[Need] = ["scores"] if inside & {"scores", "masked_scores"} else []
        needs += ["internals"] if ask.stream or inside - {"scores", "masked_scores"} else []
        require_of(self.anatomy, self.name, *needs)
        with self.core.running():
            return self.core.passes.forced(ids, ask)

    def slopes(self, ids: ForcedIds, slope: Slope) -> Slopes:
        """As ``Source.slopes``: a folder's embeddings are entered in too many ways."""
        raise LacksAbilityError("slopes", self.name, "own_only")

    def norms(self, kind: Kind, layer: int) -> tuple[HeldNorm, HeldNorm]:
        """As ``Source.norms``: which norm stands before which attention differs from family to family."""
        raise LacksAbilityError("norms", self.name, "own_only")

    def tail(self, kind: Kind, layer: int, states: Tensor, memory: Tensor | None = None) -> Tensor:
        """As ``Source.tail``: what a folder's layer does after attention is not known step by step."""
        raise LacksAbilityError("tails", self.name, "own_only")

    def patched(self, ids: ForcedIds, other: Pass, patches: Sequence[Patch], steps: int = 1) -> Tensor:
        """As ``Source.patched``: what a folder's layers do with other states is not known step by step."""
        raise LacksAbilityError("patches", self.name, "own_only")

    def log_probs(
        self,
        ids: ForcedIds,
        gains: Sequence[Gains] = (),
        hidden: np.ndarray | None = None,
        way: Way = "mask",
        *,
        last: bool = False,
    ) -> Tensor:
        """As ``Source.log_probs``."""
        if hidden is not None:
            require_of(self.anatomy, self.name, WAYS[way])
        if any(gains):
            require_of(self.anatomy, self.name, "gains")
        with self.core.running():
            found = self.core.passes.log_probs(ids, gains, hidden)
        return found[:, -1:] if last else found

    def step_logits(self, ids: ForcedIds, step: int, gains: Sequence[Gains]) -> Tensor:
        """As ``Source.step_logits``."""
        if any(gains):
            require_of(self.anatomy, self.name, "gains")
        with self.core.running():
            return self.core.passes.step_logits(ids, step, gains)

    def heads_out(self, kind: Kind, layer: int) -> HeadsOut:
        """As ``Source.heads_out``."""
        require_of(self.anatomy, self.name, "internals")
        return self.core.inner.heads_out(kind, layer)

    def projections(self, kind: Kind, layer: int) -> Projections:
        """As ``Source.projections``."""
        require_of(self.anatomy, self.name, "projections")
        with self.core.running():
            return self.core.inner.projections(kind, layer)

    def finish(self, states: Tensor) -> Tensor:
        """As ``Source.finish``."""
        require_of(self.anatomy, self.name, "finish")
        with self.core.running():
            return self.core.inner.finish(states)

    @property
    def unembedding(self) -> Unembedding:
        """As ``Source.unembedding``."""
        require_of(self.anatomy, self.name, "votes")
        with self.core.running():
            return self.core.inner.unembedding

    def positions(self) -> np.ndarray:
        """As ``Source.positions``: no folder's table is known to be added to its embeddings."""
        raise LacksAbilityError("positions", self.name, "own_table")

    def piece(self, token_id: int) -> str:
        """As ``Source.piece``."""
        return self.telling.piece(token_id)

    def rarity(self, text: str) -> np.ndarray | None:
        """As ``Source.rarity``: nothing says how rare a folder's tokens are."""
        return None

    def neighbours(self, word: str, n: int = 10) -> list[Neighbour]:
        """No words: a folder's embeddings are of pieces."""
        return []

    def labels(self, text: str) -> tuple[Label, ...]:
        """The tokens of a source text as labels, without the one that ends it."""
        return self.telling.source(text)

    def encode_target(self, text: str) -> list[Token]:
        """As ``Source.encode_target``."""
        return self.telling.target(text)

    def decode_target(self, ids: Sequence[int]) -> str:
        """As ``Source.decode_target``."""
        return self.telling.text(ids)


def shipped_or_none(name: str) -> bytes:
    """A picture that comes with the program; no bytes where the name stands for none, as for models of text."""
    return shipped_picture(name) or b""


class FolderSource(AskedSource):
    """One folder's model at work. Safe to share between threads: one forward pass at a time."""

    @classmethod
    def open(cls, path: Path, name: str = "", pictures: Pictures = shipped_or_none) -> FolderSource:
        """The model of a folder, on a GPU where there is one.

        Args:
            path: of the folder.
            name: it is called so; its folder's own name where it is "".
            pictures: gives the bytes of a picture by its name, for a model that sees; those that ship, where not said.

        Raises:
            FolderError: something is wrong with the folder.
        """
        device = "cuda" if torch.cuda.is_available() else "cpu"
        return cls(core(path, pictures, device), path, name or path.name)

    def in_languages(self, source: str, target: str, name: str) -> FolderSource:
        """The same model asked for other languages, under another name."""
        return FolderSource(self.core.in_languages(source, target), self.path, name)

    def translate(
        self,
        text: str,
        beam: int = 1,
        capture: bool = False,
        *,
        prefix: Sequence[int] = (),
        sampling: Sampling | None = None,
        gains: Gains | None = None,
    ) -> TracedTranslation:
        """What the model makes of a text or picture: a translation, a continuation, what it fills in, or a class.

        The maps are those of a teacher-forced pass over the result; without ``capture`` there are none, and the trace
        is not to be looked at. The rest is as in ``Translator.translate``.

        Raises:
            EmptySentenceError, SentenceTooLongError, PictureError: the source cannot be read.
            MapsTooLargeError: its maps would take too much memory.
            LacksAbilityError: heads cannot be changed.
        """
        if gains:
            require_of(self.anatomy, self.name, "gains")
        passes: Passes = self.core.passes
        with self.core.running(), watching(passes.changed(gains)) if gains else nullcontext():
            best = self._written(text, beam, prefix, sampling)
        return self._told(text, best, capture)

    def trace(self, text: str, target: str) -> TracedTranslation:
        """As ``Source.trace``."""
        if not isinstance(self.core.form, Translating):
            raise LacksAbilityError("cross", self.name, "form")
        tokens = self.encode_target(target)
        if len(tokens) >= self.core.form.max_len:
            raise SentenceTooLongError(f"The translation to force has more than {self.core.form.max_len - 1} tokens.")
        ids = self.ids(text, [each.id for each in tokens])
        log_probs = tuple(self.log_probs(ids)[0].tolist())
        return self._told(text, Hypothesis(tuple(each.id for each in tokens), log_probs, True), True, (target, tokens))

    def traces(self, pairs: Sequence[tuple[str, str]]) -> list[AttentionTrace | HeadlightError]:
        """As ``Source.traces``, one after the other: padding means something else to each family."""
        found: list[AttentionTrace | HeadlightError] = []
        for source, target in pairs:
            try:
                found.append(self._one_trace(source, target))
            except HeadlightError as error:
                found.append(error)
        return found

    def _one_trace(self, source: str, target: str) -> AttentionTrace:
        if isinstance(self.core.form, Translating):
            return self.trace(source, target).trace
        if not isinstance(self.core.form, Continuing):
            return self.translate(source, capture=True).trace
        ids = self.telling.begun(source)
        return self._told(source, Hypothesis(ids, (0.0,) * len(ids), False), True).trace

    def retranslate(self, translation: Translation, beam: int, gains: Gains) -> Translation:
        """As ``Source.retranslate``."""
        return self.translate(translation.source, beam, gains=gains)

    def search(self, text: str, beam: int, watch: Callable[[Expansion], None]) -> list[Hypothesis]:
        """As ``Source.search``."""
        with self.core.running():
            return self._writer(text, ()).beam(beam, watch)

    def _writer(self, text: str, prefix: Sequence[int]) -> Writer:
        form = self.core.form
        begun = tuple(prefix) or self.telling.begun(text)
        if form.whole and begun[: len(given := self.telling.begun(text))] != given:
            raise PictureError("What stands before the words that this model writes, its picture, cannot be changed.")
        ids = form.ids(text, (), True)
        most = form.most_new(ids) + (len(begun) if isinstance(form, Continuing) else 0)
        writer = Writer(form, ids, self.never_written, begun, min(most, form.max_len - 1))
        writer.keeps = self.core.keeps
        return writer

    def _written(self, text: str, beam: int, prefix: Sequence[int], sampling: Sampling | None) -> Hypothesis:
        """The best hypothesis, to be called while the model runs for one caller."""
        if not self.telling.writes:
            return self.telling.said(self.core.passes, text, self.never_written)
        writer = self._writer(text, prefix)
        if beam > 1 and sampling is None:
            return writer.beam(beam)[0]
        return writer.best(Sampler(sampling) if sampling else None)

    def _told(
        self, text: str, best: Hypothesis, capture: bool, forced: tuple[str, list[Token]] | None = None
    ) -> TracedTranslation:
        """A hypothesis as a translation, with its maps where they are wanted."""
        ids = self.ids(text, best.ids, best.finished)
        kinds = tuple(self.anatomy.kinds)
        maps: tuple[dict[Kind, np.ndarray], dict[Kind, np.ndarray]] = ({}, {})
        if capture:
            check_memory(self.anatomy, self.telling.lengths(ids, self.core))
            steps = ("weights", "scores") if "scores" in self.anatomy.abilities else ("weights",)
            seen = self.forced(ids, Ask(steps, kinds))  # type: ignore[arg-type]
            maps = tuple({kind: seen.stacked(kind, step).float().cpu().numpy() for kind in kinds} for step in steps)  # type: ignore[assignment, arg-type]
            maps = maps if len(maps) == 2 else (maps[0], {})
        return self.telling.translation(text, best, maps, ids, forced)
