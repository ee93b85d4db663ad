"""Text in, translation and attention out: one model shared by everybody who asks."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import Tensor

from model import checkpoint, decoding
from model.capture import SCORES, WEIGHTS, Captured, capture_attention
from model.decoding import Hypothesis
from model.errors import EmptySentenceError, SentenceTooLongError, UnknownCharacterError
from model.interventions import Head, scaled_heads
from model.limits import MAX_CHARACTERS, MAX_SRC_TOKENS
from model.sampling import Sampler, Sampling
from model.stepping import Stepper, StepPlan
from model.threads import one_thread
from model.tokenize import BYTE, WORD_START, CharacterTokenizer, Token
from model.trace import KINDS, AttentionTrace, Label, Translation
from model.transformer import Transformer
from model.vocab import BOS_ID, EOS_ID, SPECIAL_TOKENS, UNK_ID

BOS, EOS = Label(SPECIAL_TOKENS[BOS_ID]), Label(SPECIAL_TOKENS[EOS_ID])


class Translator:
    """A checkpoint at work. Safe to share between threads: one forward pass at a time."""

    def __init__(self, loaded: checkpoint.Checkpoint, name: str) -> None:
        self.model, self.name, self.meta = loaded.model, name, loaded.meta
        self.src_tokenizer, self.tgt_tokenizer = loaded.src_tokenizer, loaded.tgt_tokenizer
        self.max_src_tokens = int(loaded.meta.get("data", {}).get("max_src_tokens", MAX_SRC_TOKENS))
        self.step_plan = StepPlan(self.model)
        self._lock = threading.Lock()

    @classmethod
    def from_checkpoint(cls, name: str | Path, device: str | None = None) -> Translator:
        """The translator of a checkpoint, given by its name or folder, on a GPU where there is one.

        Raises:
            CheckpointError: there is no such checkpoint, or it cannot be read.
        """
        path = checkpoint.resolve(str(name))
        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        return cls(checkpoint.load(path, device), path.name)

    @property
    def _by_letter(self) -> bool:
        return self.src_tokenizer.kind == CharacterTokenizer.kind

    @property
    def device(self) -> torch.device:
        """Where the model lives."""
        return next(self.model.parameters()).device

    @property
    def device_name(self) -> str:
        """The device as a person calls it: the GPU's name, or CPU."""
        return torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else self.device.type.upper()

    def translate(
        self,
        text: str,
        beam: int = 1,
        capture: bool = False,
        *,
        prefix: Sequence[int] = (),
        sampling: Sampling | None = None,
        gains: Mapping[Head, float] | None = None,
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
            EmptySentenceError: there is nothing to translate.
            SentenceTooLongError: more than MAX_CHARACTERS characters or ``max_src_tokens`` tokens.
            UnknownCharacterError: a letter-by-letter checkpoint never saw one of the characters.
            ValueError: sampling together with a beam, or a head that does not exist.
        """
        if sampling and beam > 1:
            raise ValueError("sampling draws one translation: it goes with beam 1")
        tokens, src_ids = self.encode_source(text)
        choose = Sampler(sampling) if sampling else None
        with self.running() as model, scaled_heads(model, gains or {}):
            memory, captured = self._encode(src_ids, capture)
            step = Stepper(model, memory, src_ids, self.step_plan, remember=capture and beam == 1)
            if beam > 1:
                best = decoding.beam_search(model, src_ids, beam, prefix=prefix, step=step)[0]
            else:
                best = decoding.greedy(model, src_ids, None, prefix, choose, step)[0]
            if captured is not None and step.remembers == len(best.ids) + 1:
                with capture_attention(model, kinds=("decoder_self", "cross")) as seen:
                    step.replay_attention()
                captured.values.update(seen.values)
            elif captured is not None:
                self._force(src_ids, memory, best.ids, captured)
        target = self.tgt_tokenizer.decode(list(best.ids))
        pieces = [self.tgt_tokenizer.piece(token_id) for token_id in best.ids]
        return self._translation((text, target), tokens, pieces, best, captured)

    def trace(self, text: str, target: str) -> Translation:
        """The attention with which the model would write a given translation (teacher forcing).

        Raises:
            EmptySentenceError, SentenceTooLongError: as ``translate``, for either side.
        """
        tokens, src_ids = self.encode_source(text)
        forced = self.tgt_tokenizer.encode(target)
        if not forced:
            raise EmptySentenceError("The translation to force is empty.")
        if len(forced) >= self.model.config.max_len:
            raise SentenceTooLongError(
                f"The translation to force has more than {self.model.config.max_len - 1} tokens."
            )
        ids = tuple(token.id for token in forced)
        with self.running():
            memory, captured = self._encode(src_ids, capture=True)
            states = self._force(src_ids, memory, ids, captured or Captured())
            written = torch.tensor([*ids, EOS_ID], device=self.device)
            log_probs = self.model.project(states[0]).float().log_softmax(-1).gather(1, written[:, None])[:, 0]
        pieces = [target[token.start : token.end] if token.id == UNK_ID else token.text for token in forced]
        hypothesis = Hypothesis(ids, tuple(log_probs.tolist()), finished=True)
        return self._translation((text, target), tokens, pieces, hypothesis, captured)

    @contextmanager
    def running(self) -> Iterator[Transformer]:
        """The model, for one caller at a time: on one processor thread, without gradients."""
        with self._lock, one_thread(), torch.inference_mode():
            yield self.model

    def encode_source(self, text: str) -> tuple[list[Token], Tensor]:
        """Tokens of the source, and their ids with <eos>, [1, S].

        Raises:
            EmptySentenceError, SentenceTooLongError, UnknownCharacterError: as ``translate``.
        """
        if not text.strip():
            raise EmptySentenceError("There is nothing to translate: type an English sentence.")
        if len(text) > MAX_CHARACTERS:
            raise SentenceTooLongError(
                f"The text has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}. Translate it in parts."
            )
        tokens = self.src_tokenizer.encode(lower_case(text) if self._by_letter else text)
        if not tokens:
            raise EmptySentenceError("There is nothing to translate: the text holds no word.")
        if len(tokens) > self.max_src_tokens:
            raise SentenceTooLongError(
                f"The text has {len(tokens)} tokens; the limit is {self.max_src_tokens}. Translate it in parts.",
                self.max_src_tokens,
            )
        for token in tokens:
            if token.id == UNK_ID:
                unknown = text[token.start : token.end]
                raise UnknownCharacterError(f"The checkpoint {self.name} does not know the character {unknown!r}.")
        return tokens, torch.tensor([[*(token.id for token in tokens), EOS_ID]], device=self.device)

    def _encode(self, src_ids: Tensor, capture: bool) -> tuple[Tensor, Captured | None]:
        if not capture:
            return self.model.encode(src_ids), None
        with capture_attention(self.model, kinds=("encoder_self",)) as captured:
            return self.model.encode(src_ids), captured

    def _force(self, src_ids: Tensor, memory: Tensor, ids: tuple[int, ...], captured: Captured) -> Tensor:
        """One teacher-forced pass that adds the decoder's maps to those captured: its states, [1, T, D]."""
        inputs = torch.tensor([[BOS_ID, *ids]], device=self.device)
        with capture_attention(self.model, kinds=("decoder_self", "cross")) as seen:
            states = self.model.decode(inputs, memory, src_ids)
        captured.values.update(seen.values)
        return states

    def _translation(
        self,
        texts: tuple[str, str],
        tokens: Sequence[Token],
        pieces: Sequence[str],
        hypothesis: Hypothesis,
        captured: Captured | None,
    ) -> Translation:
        src, tgt = source_labels(texts[0], tokens, self._by_letter), target_labels(pieces, self._by_letter)
        trace = None
        if captured is not None:
            weights = {kind: captured.stack(self.model, kind, WEIGHTS) for kind in KINDS}
            scores = {kind: captured.stack(self.model, kind, SCORES) for kind in KINDS}
            trace = AttentionTrace((*src, EOS), (BOS, *tgt), (*tgt, EOS), weights, scores)
        return Translation(*texts, src, tgt, hypothesis.ids, hypothesis.log_probs, hypothesis.finished, trace)


def lower_case(text: str) -> str:
    """The text in lower case, character for character, so that spans still point into it."""
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


def source_labels(text: str, tokens: Sequence[Token], by_letter: bool = False) -> tuple[Label, ...]:
    """Labels of source tokens: their own spelling in the text; ``##`` before a piece inside a word.

    With ``by_letter`` every token is a word of its own.
    """
    if by_letter:
        return tuple(Label(text[t.start : t.end].strip() or "␣", n, t.start, t.end) for n, t in enumerate(tokens))
    labels = []
    for number, token in enumerate(tokens):
        earlier = tokens[number - 1] if number else None
        inside = earlier is not None and earlier.word == token.word
        surface = text[token.start : token.end]
        if earlier is not None and inside and BYTE.fullmatch(token.text) and earlier.start == token.start:
            surface = token.text  # a later byte of the same character
        labels.append(Label(f"##{surface}" if inside else surface, token.word, token.start, token.end))
    return tuple(labels)


def target_labels(pieces: Sequence[str], by_letter: bool = False) -> tuple[Label, ...]:
    """Labels of target pieces; Latin pieces that continue a word begin with ``##``; a lone space is ␣.

    With ``by_letter`` every piece is a word of its own.
    """
    labels: list[Label] = []
    text = "".join(pieces).replace(WORD_START, " ")
    position, word = len(text.lstrip()) - len(text), -1  # a translation is shown without its leading space
    for number, piece in enumerate(pieces):
        surface = piece.replace(WORD_START, " ")
        inside = not by_letter and number > 0 and _is_latin(piece[0]) and _is_latin(pieces[number - 1][-1])
        word += 0 if inside else 1
        start = position + (len(surface) - len(surface.lstrip()))
        shown = surface.strip() or "␣"
        end = position + len(surface)
        labels.append(Label(f"##{shown}" if inside else shown, word, max(0, min(start, end)), max(0, end)))
        position = end
    return tuple(labels)


def _is_latin(char: str) -> bool:
    return char.isalpha() and char < "\u2e80"
