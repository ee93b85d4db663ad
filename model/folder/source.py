"""A local Hugging Face folder as ``model.source.Source`` describes a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import torch

from model.common.pictures import shipped_picture
from model.common.sampling import Sampler
from model.errors import SentenceTooLongError
from model.folder.asked import AskedSource
from model.folder.core import Pictures, core
from model.folder.forms import Translating
from model.folder.passes import Passes
from model.folder.telling import check_memory
from model.folder.watch import watching
from model.folder.writing import MOST_NEW, Writer
from model.passage import Ask
from model.source import Gains, LacksAbilityError, require_of
from model.trace import Kind, TracedTranslation, Translation
from model.writing import Expansion, Hypothesis, Sampling, Token


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
        ids = form.ids(text, (), True)
        most = 2 * ids.src.shape[1] + 10 if isinstance(form, Translating) else len(begun) + MOST_NEW
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
