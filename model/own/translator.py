"""Text in, translation and attention out: one model shared by everybody who asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import torch
from torch import Tensor

from model.common.decoding import Sampler
from model.errors import CheckpointError, HeadlightError, SentenceTooLongError
from model.folders import split_step
from model.history import snapshot
from model.own import checkpoint
from model.own.capture import SCORES, WEIGHTS, Captured, capture_attention, hook_name, n_layers, scaled_heads
from model.own.decoding import search
from model.own.decoding.stepping import Stepper
from model.own.network.transformer import Transformer
from model.own.source import OwnSource
from model.own.text.tokenize import BOS, EOS, pad, source_labels, target_labels
from model.own.text.vocab import BOS_ID, EOS_ID, UNK_ID
from model.passage import Ask, one_thread
from model.sentences import parts_of
from model.source import Gains
from model.trace import KINDS, AttentionTrace, Kind, Label, Span, TracedTranslation, TranslatedText, Translation
from model.writing import LENGTH_ALPHA, Expansion, Hypothesis, Sampling, Token, length_penalty

CHANNEL_WEIGHT = 0.2  # of p(source | translation) beside p(translation | source), where one of several is chosen
SEARCHED = 6  # hypotheses that it is chosen from
NO_BACKWARD = "{} has no backward model: nothing can be read back."


class Translator(OwnSource):
    """A checkpoint at work. Safe to share between threads: nobody else uses the modules that a pass runs through.

    Attributes:
        backward: the model that reads translations back, where the checkpoint has one; a snapshot has none.
    """

    backward: Transformer | None = None

    @classmethod
    def from_checkpoint(cls, name: str | Path, device: str | None = None) -> Translator:
        """The translator of a checkpoint, given by its name or folder, on a GPU where there is one.

        "reverse@600" is the checkpoint as it was after 600 steps of training, if it keeps that snapshot.

        Raises:
            CheckpointError: there is no such checkpoint or snapshot, or it cannot be read.
        """
        base, step = split_step(str(name))
        path = checkpoint.resolve(base)
        if path.name != Path(base).name:  # found without what follows @
            raise CheckpointError(f"{str(name)[:100]!r} is no snapshot: after @ comes a step of training, in digits")
        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        loaded = checkpoint.load(path, device)
        made = cls(loaded, path.name)
        made.backward = checkpoint.load_backward(path, loaded)
        return made if step is None else made.at_snapshot(snapshot(path, step))

    def at_snapshot(self, path: Path) -> Translator:
        """A translator with the weights of a snapshot that training left, and everything else of this one.

        Raises:
            CheckpointError: it belongs to a model of other sizes, or cannot be read.
        """
        whole = checkpoint.Checkpoint(self.model, self.src_tokenizer, self.tgt_tokenizer, self.meta)
        return Translator(checkpoint.at_snapshot(whole, path), f"{self.name}@{path.stem.lstrip('0') or 0}")

    @property
    def device_name(self) -> str:
        """The device as a person calls it: the GPU's name, or CPU."""
        return torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else self.device.type.upper()

    @overload
    def translate(
        self,
        text: str,
        beam: int = ...,
        *,
        capture: Literal[True],
        prefix: Sequence[int] = ...,
        sampling: Sampling | None = ...,
        gains: Gains | None = ...,
    ) -> TracedTranslation: ...

    @overload
    def translate(
        self,
        text: str,
        beam: int = ...,
        capture: bool = ...,
        *,
        prefix: Sequence[int] = ...,
        sampling: Sampling | None = ...,
        gains: Gains | None = ...,
    ) -> Translation: ...

    def translate(
        self,
        text: str,
        beam: int = 1,
        capture: bool = False,
        *,
        prefix: Sequence[int] = (),
        sampling: Sampling | None = None,
        gains: Gains | None = None,
    ) -> Translation:
        """Translate one sentence; greedily, with a beam, or by drawing tokens.

        Decoding runs first. Where maps are wanted, the weights of its steps are taken once more, all at
        once, or a teacher-forced pass over the result follows (after a beam, a cut, or with gains);
        because decoding is causal, both give the same maps.

        Args:
            text: what was typed; line breaks count as spaces.
            beam: hypotheses kept; 1 is greedy decoding.
            capture: keep every attention map.
            prefix: target ids that the translation must start with.
            sampling: draw each token instead of taking the most probable one; goes with beam 1.
            gains: heads to mute or turn up, see ``scaled_heads``.

        Raises:
            EmptySentenceError, SentenceTooLongError, UnknownCharacterError: as ``encode_source``.
            ValueError: sampling together with a beam, or a head that does not exist.
        """
        if sampling and beam > 1:
            raise ValueError("sampling draws one translation: it goes with beam 1")
        tokens, src_ids = self.encode_source(text)
        with self.running() as model, scaled_heads(model, gains or {}):
            best, captured, step = self._decode(model, src_ids, beam, capture, prefix, sampling)
        texts, pieces = (text, self.decode_target(best.ids)), [self.piece(token_id) for token_id in best.ids]
        translation = self._translation(texts, tokens, pieces, best)
        if captured is None:
            return translation
        if not gains:
            self._keep(src_ids, best, captured, step)
        return _traced(translation, *(_by_kind(self.model, captured, hook) for hook in (WEIGHTS, SCORES)))

    def read_back(self, translation: Translation) -> tuple[float, ...]:
        """How probable the source is to the backward model, given the translation: p(source | translation).

        What was dropped or mistaken cannot be read back, however sure the model was of what it wrote. (Li and
        Jurafsky 2016 choose among translations by this; Yee et al. 2019 call it the channel model.)

        Returns:
            The natural log-probability of each source token, then of <eos>; empty where there is no backward model.
        """
        return self._backs(translation.source, [translation.tgt_ids])[0] if self.backward else ()

    def _backs(self, text: str, targets: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
        """The same of several translations of a text, given by their ids, in one pass."""
        assert self.backward is not None
        src_ids = pad([np.array([*ids, EOS_ID]) for ids in targets]).to(self.device)
        written = self.encode_source(text)[1].expand(len(targets), -1)
        inputs = torch.cat([torch.full_like(written[:, :1], BOS_ID), written[:, :-1]], dim=1)
        with one_thread(), torch.inference_mode():
            log_probs = self.backward(src_ids, inputs).log_softmax(-1)
        return [tuple(each.tolist()) for each in log_probs.gather(2, written[:, :, None])[:, :, 0]]

    def both_ways(self, translation: Translation) -> float:
        """What both directions say of a translation, in nats: the more, the better.

        log p(translation | source) over its length penalty, and ``CHANNEL_WEIGHT`` times log p(source | translation)
        over that of the source (a noisy channel: Li and Jurafsky 2016, Yee et al. 2019).
        """
        return _both_ways(translation.log_probs, self.read_back(translation))

    def best_both_ways(self, text: str, beam: int = 1, plus: Callable[[str], float] = lambda _: 0.0) -> Translation:
        """The best hypothesis of a beam search (of ``SEARCHED`` where the beam is 1) by ``both_ways`` and ``plus``.

        Raises:
            HeadlightError: there is no backward model.
            EmptySentenceError, SentenceTooLongError, UnknownCharacterError: as ``encode_source``.
        """
        if self.backward is None:
            raise HeadlightError(NO_BACKWARD.format(self.name))
        found = self.search(text, beam if beam > 1 else SEARCHED, lambda _: None)
        backs = self._backs(text, [each.ids for each in found])
        texts = [self.decode_target(each.ids) for each in found]
        ways = [_both_ways(each.log_probs, back) for each, back in zip(found, backs, strict=True)]
        place = int(np.argmax([way + plus(each) for way, each in zip(ways, texts, strict=True)]))
        best, tokens = found[place], self.encode_source(text)[0]
        return self._translation((text, texts[place]), tokens, [self.piece(each) for each in best.ids], best)

    def better_both_ways(self, translation: Translation) -> Translation | None:
        """What ``best_both_ways`` finds, where it is another text and better; None else, and with no backward model."""
        best = self.best_both_ways(translation.source) if self.backward else translation
        return best if best.text != translation.text and self.both_ways(best) > self.both_ways(translation) else None

    def trace(self, text: str, target: str) -> TracedTranslation:
        """The attention with which the model would write a given translation (teacher forcing).

        Raises:
            EmptySentenceError, SentenceTooLongError: as ``translate``, for either side.
        """
        tokens, _ = self.encode_source(text)
        forced = self.forced_target(target)
        ids = self.ids(text, [token.id for token in forced])
        seen = self.forced(ids, Ask(("weights", "scores"), logits=True))
        assert seen.logits is not None
        log_probs = seen.logits.log_softmax(-1).gather(1, ids.written[:, None])[:, 0]
        pieces = forced_pieces(target, forced)
        hypothesis = Hypothesis(tuple(token.id for token in forced), tuple(log_probs.tolist()), finished=True)
        translation = self._translation((text, target), tokens, pieces, hypothesis)
        weights, scores = (
            {kind: seen.stacked(kind, step).cpu().numpy() for kind in KINDS} for step in ("weights", "scores")
        )
        return _traced(translation, weights, scores)

    def traces(self, pairs: Sequence[tuple[str, str]]) -> list[AttentionTrace | HeadlightError]:
        """As ``Source.traces``: one padded pass over all of them."""
        return batched_traces(self, pairs)

    def retranslate(self, translation: Translation, beam: int, gains: Gains) -> Translation:
        """As ``Source.retranslate``."""
        return self.translate(translation.source, beam, gains=gains)

    def search(self, text: str, beam: int, watch: Callable[[Expansion], None]) -> list[Hypothesis]:
        """As ``Source.search``; the first is what ``translate(text, beam)`` writes, for a beam of 2 or more."""
        _, src_ids = self.encode_source(text)
        with self.running() as model:
            step = Stepper(model, model.encode(src_ids), src_ids, self.step_plan, loops=self.by_letter)
            return search.beam_search(model, src_ids, beam, LENGTH_ALPHA, watch=watch, step=step)

    def _decode(
        self,
        model: Transformer,
        src_ids: Tensor,
        beam: int,
        capture: bool,
        prefix: Sequence[int],
        sampling: Sampling | None,
    ) -> tuple[Hypothesis, Captured | None, Stepper]:
        """The best hypothesis, what was captured on the way, and who went it; ``model`` runs for this caller alone."""
        memory, captured = _encoded(model, src_ids, capture)
        step = Stepper(model, memory, src_ids, self.step_plan, capture and beam == 1, loops=self.by_letter)
        if beam > 1:
            best = search.beam_search(model, src_ids, beam, prefix=prefix, step=step)[0]
        else:
            best = search.greedy(model, src_ids, prefix, Sampler(sampling) if sampling else None, step)[0]
        if captured is not None:
            _capture_decoder(model, captured, best, step, src_ids, memory)
        return best, captured, step

    def _keep(self, src_ids: Tensor, best: Hypothesis, captured: Captured, step: Stepper) -> None:
        """Keep what decoding saw, where it went through every step, as the pass over what it wrote."""
        if step.remembers > len(best.ids):
            with torch.inference_mode():
                inputs = torch.tensor([[BOS_ID, *best.ids]], device=src_ids.device)
                self._written.keep((src_ids, inputs), step.cache, captured, step.stream(inputs))

    def _translation(
        self, texts: tuple[str, str], tokens: Sequence[Token], pieces: Sequence[str], hypothesis: Hypothesis
    ) -> Translation:
        src, tgt = source_labels(texts[0], tokens, self.by_letter), target_labels(pieces, self.by_letter)
        return Translation(*texts, src, tgt, hypothesis.ids, hypothesis.log_probs, hypothesis.finished, EOS_ID)


def _both_ways(ahead: Sequence[float], back: Sequence[float]) -> float:
    ways = [sum(each) / length_penalty(len(each), LENGTH_ALPHA) for each in (ahead, back)]
    return ways[0] + CHANNEL_WEIGHT * ways[1]


def _encoded(model: Transformer, src_ids: Tensor, capture: bool) -> tuple[Tensor, Captured | None]:
    if not capture:
        return model.encode(src_ids), None
    with capture_attention(model, kinds=("encoder_self",)) as captured:
        return model.encode(src_ids), captured


def _capture_decoder(
    model: Transformer, captured: Captured, best: Hypothesis, step: Stepper, src_ids: Tensor, memory: Tensor
) -> None:
    """Add the decoder's maps: the weights of decoding's own steps once more, or a teacher-forced pass."""
    with capture_attention(model, kinds=("decoder_self", "cross")) as seen:
        if step.remembers == len(best.ids) + 1:
            step.replay_attention()
        else:
            model.decode(torch.tensor([[BOS_ID, *best.ids]], device=src_ids.device), memory, src_ids)
    captured.values.update(seen.values)


def _by_kind(model: Transformer, captured: Captured, hook: str) -> dict[Kind, np.ndarray]:
    return {kind: captured.stack(model, kind, hook) for kind in KINDS}


def _traced(
    translation: Translation, weights: dict[Kind, np.ndarray], scores: dict[Kind, np.ndarray]
) -> TracedTranslation:
    src, tgt = translation.src, translation.tgt
    trace = AttentionTrace((*src, EOS), (BOS, *tgt), (*tgt, EOS), weights, scores)
    facts = {each.name: getattr(translation, each.name) for each in fields(translation)}
    return TracedTranslation(**facts, trace=trace)


class _Read(NamedTuple):
    """A pair as ids, with what stands on its axes."""

    src_ids: np.ndarray
    inputs: np.ndarray
    src: tuple[Label, ...]
    tgt: tuple[Label, ...]


def batched_traces(source: OwnSource, pairs: Sequence[tuple[str, str]]) -> list[AttentionTrace | HeadlightError]:
    """As ``Source.traces``: one padded pass over all pairs that can be read.

    Short rows are padded behind their end, where nothing may attend to; so a pair's weights differ from those of a
    pass by itself in rounding alone, and are the same bits whenever the same pairs are gone through together.
    """
    read = [_attempt(source, *pair) for pair in pairs]
    fine = [each for each in read if isinstance(each, _Read)]
    traces = iter(_run(source, fine) if fine else ())
    return [next(traces) if isinstance(each, _Read) else each for each in read]


def _attempt(source: OwnSource, text: str, target: str) -> _Read | HeadlightError:
    try:
        tokens, ids = source.encode_source(text)
        forced = source.forced_target(target)
    except HeadlightError as error:
        return error
    inputs = np.array([BOS_ID, *(token.id for token in forced)])
    src = (*source_labels(text, tokens, source.by_letter), EOS)
    return _Read(ids[0].cpu().numpy(), inputs, src, target_labels(forced_pieces(target, forced), source.by_letter))


def forced_pieces(target: str, tokens: Sequence[Token]) -> list[str]:
    """How the tokens of a given target are spelt: unknown ones as they stand in the text."""
    return [target[token.start : token.end] if token.id == UNK_ID else token.text for token in tokens]


def _run(source: OwnSource, read: Sequence[_Read]) -> Iterator[AttentionTrace]:
    src_ids = pad([each.src_ids for each in read]).to(source.device)
    inputs = pad([each.inputs for each in read]).to(source.device)
    with source.running() as model, capture_attention(model, (WEIGHTS,)) as captured:
        model.decode(inputs, model.encode(src_ids), src_ids)
        maps = {kind: _stacked(model, captured, kind) for kind in KINDS}
    for number, each in enumerate(read):
        sizes = {"src": len(each.src_ids), "tgt": len(each.inputs)}
        yield AttentionTrace(
            each.src, (BOS, *each.tgt), (*each.tgt, EOS), {kind: _cut(maps, number, kind, sizes) for kind in KINDS}, {}
        )


def _stacked(model: Transformer, captured: Captured, kind: Kind) -> np.ndarray:
    """One kind's weights over all layers: float32 [B, L, H, Q, K]."""
    layers = [captured.values[hook_name(kind, layer, WEIGHTS)] for layer in range(n_layers(model, kind))]
    return torch.stack(layers, 1).float().cpu().numpy()


def _cut(maps: Mapping[Kind, np.ndarray], number: int, kind: Kind, sizes: Mapping[str, int]) -> np.ndarray:
    """What belongs to one sentence, without padding: [L, H, Q, K]."""
    rows, columns = sizes["src" if kind == "encoder_self" else "tgt"], sizes["tgt" if kind == "decoder_self" else "src"]
    return maps[kind][number, :, :, :rows, :columns]


def spans_of(translator: Any, text: str) -> list[Span]:
    """Where the parts of a text lie that are translated one by one; see ``parts_of``. A folder's is one part."""
    return parts_of(text, translator.src_tokenizer.kind if isinstance(translator, OwnSource) else "")


def _own(translator: Any) -> Translator:
    if not isinstance(translator, Translator):
        raise HeadlightError(NO_BACKWARD.format(translator.name))
    return translator


def translate_text(
    translator: Any, text: str, beam: int = 1, capture: bool = False, joint: bool = False, read_back: bool = False
) -> TranslatedText:
    """Translate a text sentence by sentence, or with ``joint`` as one; see ``Translator.translate`` for the rest.

    With ``read_back`` each is ``Translator.best_both_ways`` of that beam, without maps.

    Raises:
        HeadlightError: the model, which is to read back, has no backward model.
        EmptySentenceError, SentenceTooLongError, UnknownCharacterError: as ``Translator.translate``; the
            message says which sentence is too long.
    """
    spans = [(0, len(text))] if joint else spans_of(translator, text)
    parts: list[Translation] = []
    for number, (start, end) in enumerate(spans, 1):
        part = text[start:end]
        try:
            if read_back:
                done = _own(translator).best_both_ways(part, beam)
            else:
                done = translator.translate(part, beam, capture=True) if capture else translator.translate(part, beam)
        except SentenceTooLongError as error:
            if len(spans) == 1:
                raise
            raise SentenceTooLongError(f"Sentence {number}: {error}", error.tokens) from None
        parts.append(done)
    return TranslatedText(text, tuple(parts), tuple(spans))
