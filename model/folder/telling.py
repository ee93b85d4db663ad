"""What a model of a folder wrote or said, as a translation with labels: the same for every form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from model.errors import MapsTooLargeError
from model.folder.describing import Describing
from model.folder.forms import Continuing, Filling, Form, Translating, label_of
from model.folder.passes import Passes
from model.folder.picture import Captioning, Seeing
from model.folder.spell import Languages
from model.passage import Ask, ForcedIds
from model.source import Anatomy
from model.trace import AttentionTrace, Kind, Label, TracedTranslation, patch_label
from model.writing import Hypothesis, Token

if TYPE_CHECKING:
    from model.folder.core import Core

MOST_BYTES_OF_MAPS = 2**29  # bytes of the maps of one source, scores included
MapsAndScores = tuple[Mapping[Kind, np.ndarray], Mapping[Kind, np.ndarray]]


class Telling:
    """How one form's input and output are told."""

    def __init__(self, form: Form) -> None:
        self.form = form

    @property
    def writes(self) -> bool:
        """Whether the model writes token by token."""
        return self.form.writes

    @property
    def _classes(self) -> bool:
        return isinstance(self.form, Seeing) or (isinstance(self.form, Filling) and self.form.classes)

    @property
    def mask(self) -> str:
        """The token that stands for a place to fill in."""
        if not isinstance(self.form, Filling) or self._classes:
            return ""
        return str(getattr(self.form.speller.tokenizer, "mask_token", None) or "")

    @property
    def languages(self) -> Languages:
        """What the model can be told."""
        return Languages() if isinstance(self.form, Seeing) else self.form.speller.languages

    def piece(self, token_id: int) -> str:
        """How a token is spelt, or what a class is called."""
        return label_of(self.form.config, token_id) if self._classes else self.form.speller.piece(token_id)

    def text(self, ids: Sequence[int]) -> str:
        """The text of what was written."""
        return ", ".join(map(self.piece, ids)) if self._classes else self.form.speller.text(ids)

    def source(self, text: str) -> tuple[Label, ...]:
        """The tokens of a source text, without the one that ends it."""
        labels = self.form.encoded(text)[1]
        return labels[:-1] if labels and labels[-1].is_special else labels

    def target(self, text: str) -> list[Token]:
        """The tokens of a target text, with what every translation begins with."""
        given = self.form.given if isinstance(self.form, Translating) else ()
        first = [Token(self.piece(each), each, -1, 0, 0) for each in given]
        return first + [each for each in self.form.speller.target(text) if each.id != self.form.end_id]

    def begun(self, text: str) -> tuple[int, ...]:
        """Ids that stand before what is to be written: a language, or the rest of a prompt."""
        if isinstance(self.form, Translating):
            return self.form.given
        return tuple(self.form.encoded(text)[0][1:])

    def never_written(self) -> tuple[int, ...]:
        """See ``Source.never_written``."""
        if not self.writes:
            return ()
        bad = getattr(self.form.generation, "bad_words_ids", None) or ()
        found = {int(each[0]) for each in bad if len(each) == 1}
        tokenizer = self.form.speller.tokenizer
        found |= {int(each) for each in tokenizer.all_special_ids if each is not None}
        found |= self.form.speller.languages.ids | self.form.unwritten
        rows = self.form.model.get_input_embeddings().weight.shape[0]
        found |= set(range(len(tokenizer), rows))  # of which the tokenizer knows nothing
        return tuple(sorted(found - {self.form.end_id}))

    def said(self, passes: Passes, text: str, never: Sequence[int]) -> Hypothesis:
        """The most probable token of each masked place, or the most probable class; nothing where there is neither."""
        found = passes.forced(self.form.ids(text, (), True), Ask(kinds=(), logits=True)).logits
        assert found is not None
        if not found.numel():
            return Hypothesis((), (), True)
        best = found.log_softmax(-1).max(-1)
        return Hypothesis(tuple(best.indices.tolist()), tuple(best.values.tolist()), True)

    def lengths(self, ids: ForcedIds, made: Core) -> tuple[int, int]:
        """How many tokens the encoder and the decoder read."""
        if isinstance(self.form, Seeing | Captioning):
            return self.form.eye.tokens(ids.src), ids.inputs.shape[1]
        return 0 if self.form.whole else ids.src.shape[1], ids.inputs.shape[1]

    def translation(
        self, text: str, best: Hypothesis, maps: MapsAndScores, ids: ForcedIds, forced: tuple[str, list[Token]] | None
    ) -> TracedTranslation:
        """All of it. ``forced`` is a target text that was given, with its tokens."""
        src, (written, tgt) = self._src(text, ids, maps), self._tgt(text, best, forced)
        inner = {kind: dict(values) for kind, values in zip(("weights", "scores"), maps, strict=True)}
        together = self.form.together(ids)
        trace = AttentionTrace(src, *self._sides(tgt, ids), inner["weights"], inner["scores"], together)
        ended = bool(src) and src[-1].is_special
        return TracedTranslation(
            source=text,
            text=written,
            src=src[:-1] if ended else src,
            tgt=tgt,
            tgt_ids=best.ids,
            log_probs=best.log_probs,
            finished=best.finished,
            end_id=self.form.end_id,
            trace=trace,
            given=min(len(best.ids), len(self.begun(text))) if self.writes else 0,
        )

    def _src(self, text: str, ids: ForcedIds, maps: MapsAndScores) -> tuple[Label, ...]:
        if isinstance(self.form, Continuing):
            return ()
        if isinstance(self.form, Seeing | Captioning):
            return self.form.eye.labels(ids.src)
        return self.form.encoded(text)[1]

    def _tgt(
        self, text: str, best: Hypothesis, forced: tuple[str, list[Token]] | None
    ) -> tuple[str, tuple[Label, ...]]:
        if forced is not None:
            return forced[0], _given_labels(*forced)
        if self._classes:
            return self.text(best.ids), tuple(Label(self.piece(each), n) for n, each in enumerate(best.ids))
        if isinstance(self.form, Filling):
            return self._filled(text, best.ids)
        if isinstance(self.form, Describing):
            whole, labels = self.form.written(text, (self.form.encoded(text)[0][0], *best.ids))
            return whole, labels[1:]
        if isinstance(self.form, Continuing):
            first = self.form.encoded(text)[0][0]
            whole, labels = self.form.speller.written((first, *best.ids))
            return whole, labels[1:]
        return self.form.speller.written(best.ids)

    def _filled(self, text: str, filled: Sequence[int]) -> tuple[str, tuple[Label, ...]]:
        """The sentence with its masked places filled, and a label for each of them."""
        fills, ids = iter(filled), self.form.encoded(text)[0]
        mask = getattr(self.form.speller.tokenizer, "mask_token_id", None)
        whole = self.form.speller.text([next(fills, each) if each == mask else each for each in ids])
        names = (self.form.speller.text([each]).strip() or self.piece(each) for each in filled)
        return whole, tuple(Label(name, number) for number, name in enumerate(names))

    def _sides(self, tgt: tuple[Label, ...], ids: ForcedIds) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Labels of what the decoder reads, and of what it writes."""
        if not self.writes:
            return (), tgt
        first = int(ids.inputs[0, 0])
        start = Label(self.piece(first)) if first != getattr(self.form, "image_id", -1) else patch_label(0, 1)
        if isinstance(self.form, Continuing) and not self.form.speller.is_special(first):
            start = self.form.speller.written([first])[1][0]
            start = Label(start.text, tgt[0].word - 1 if tgt and not tgt[0].text.startswith("##") else 0, 0, start.end)
        return (start, *tgt), (*tgt, Label(self.piece(self.form.end_id)))


def _given_labels(text: str, tokens: Sequence[Token]) -> tuple[Label, ...]:
    """Labels of a target text that was given: spans point into it."""
    labels: list[Label] = []
    for number, each in enumerate(tokens):
        if each.word < 0:
            labels.append(Label(each.text))
            continue
        inside = number > 0 and tokens[number - 1].word == each.word
        shown = text[each.start : each.end] or "␣"
        labels.append(Label(f"##{shown}" if inside else shown, each.word, each.start, each.end))
    return tuple(labels)


def check_memory(anatomy: Anatomy, lengths: tuple[int, int]) -> None:
    """Nothing, where the maps of so many tokens fit.

    Raises:
        MapsTooLargeError: they do not; said before any memory is taken.
    """
    sides = {"src": lengths[0], "tgt": lengths[1]}
    cells = sum(each.layers * each.heads * sides[each.rows] * sides[each.columns] for each in anatomy.kinds.values())
    size = cells * 4 * (2 if "scores" in anatomy.abilities else 1)
    if size > MOST_BYTES_OF_MAPS:
        raise MapsTooLargeError(
            f"The maps of {max(lengths):,} tokens would take {size / 2**20:,.0f} MB; the limit is "
            f"{MOST_BYTES_OF_MAPS // 2**20} MB. Take a shorter text or a smaller picture."
        )
