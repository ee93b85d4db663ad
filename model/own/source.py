"""Our own Transformer behind the seam: one model, shared by everybody who asks, each pass for one of them alone."""

from __future__ import annotations

import copy
import os
import queue
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

import numpy as np
import torch
from torch import Tensor

from model.errors import (
    MAX_CHARACTERS,
    MAX_SRC_TOKENS,
    EmptySentenceError,
    NotEnglishError,
    SentenceTooLongError,
    UnknownCharacterError,
)
from model.own import checkpoint, passes
from model.own.branches import branched_log_probs, branched_logits, log_probs_without
from model.own.decoding.stepping import StepPlan
from model.own.network.config import NEVER_WRITTEN, facts
from model.own.network.transformer import Transformer
from model.own.passes import WrittenPasses, gradients, slopes
from model.own.patching import patched_logits
from model.own.text.tokenize import CharacterTokenizer, EnglishTokenizer, source_labels
from model.own.text.vocab import BOS_ID, EOS_ID, UNK_ID
from model.passage import (
    Ask,
    ForcedIds,
    HeadsOut,
    HeldNorm,
    Pass,
    Patch,
    Projections,
    Slope,
    Slopes,
    Unembedding,
    one_thread,
)
from model.source import Gains, LacksAbilityError, LanguageChoice, Way
from model.trace import Kind, Label
from model.writing import WORD_START, Neighbour, Token

CALLERS = 2  # a third would wait for the same processor


class Twins:
    """A model and others like it, of which each caller gets one that nobody else has.

    Hooks see what passes through the modules on which they sit, whoever runs them. So no two callers may share
    modules while one of them watches; what is heavy, the weights, all can share.
    """

    def __init__(self, model: Transformer) -> None:
        self._free: queue.LifoQueue[Transformer] = queue.LifoQueue()  # a single caller always gets ``model``
        on_cpu = next(model.parameters()).device.type == "cpu"
        for _ in range(1, min(CALLERS, os.cpu_count() or 1) if on_cpu else 1):
            self._free.put(twin(model))
        self._free.put(model)

    @contextmanager
    def one(self) -> Iterator[Transformer]:
        """One of them, as soon as one is free, for as long as the ``with`` lasts."""
        model = self._free.get()
        try:
            yield model
        finally:
            self._free.put(model)


def twin(model: Transformer) -> Transformer:
    """The same model in other module objects; parameters and buffers are the same tensors."""
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    return copy.deepcopy(model, shared)


def source_rarity(tokens: Sequence[Token]) -> np.ndarray:
    """How rare the word of each source token is, int [S] with <eos>, which counts as commonest; larger is rarer.

    A checkpoint keeps no counts of words, but its vocabulary keeps an order: pieces were merged most
    frequent first, so that a word in more pieces is rarer than one in fewer, and of two with equally many
    the one whose last-merged piece came later.
    """
    pieces = Counter(token.word for token in tokens)
    latest = {word: max(token.id for token in tokens if token.word == word) for word in pieces}
    order = {word: rank for rank, word in enumerate(sorted(pieces, key=lambda w: (pieces[w], latest[w])), 1)}
    same = {(pieces[word], latest[word]): order[word] for word in sorted(pieces, key=order.__getitem__)}
    return np.array([*(same[pieces[token.word], latest[token.word]] for token in tokens), 0])


@torch.inference_mode()
def neighbours(model: Transformer, tokenizer: EnglishTokenizer, word: str, n: int = 10) -> list[Neighbour]:
    """The ``n`` whole words nearest to ``word`` in source-embedding space, nearest first.

    Empty where the word is spelt in pieces: then no single embedding stands for it. The vocabulary
    also holds beginnings of words; only pieces that the training text has as words, in their usual
    casing, are candidates.
    """
    tokens = tokenizer.encode(word)
    if len(tokens) != 1 or not tokens[0].text.startswith(WORD_START):
        return []
    table = torch.nn.functional.normalize(model.encoder.embedding.tokens.weight, dim=-1)
    cosine = table @ table[tokens[0].id]
    found: list[Neighbour] = []
    for token_id in cosine.argsort(descending=True).tolist():
        piece = tokenizer.subwords.id_to_token(token_id) or ""
        candidate = piece.removeprefix(WORD_START)
        is_word = candidate.isalpha() and tokenizer.casing.get(candidate.lower()) == candidate
        if piece.startswith(WORD_START) and is_word and candidate.lower() != word.lower():
            found.append(Neighbour(candidate, float(cosine[token_id])))
        if len(found) == n:
            break
    return found


class OwnSource:
    """A checkpoint of our own as ``model.source.Source`` describes it; ``Translator`` adds writing."""

    end_id = EOS_ID
    never_written = NEVER_WRITTEN
    languages: LanguageChoice = ((), (), "", "")
    mask, shared_keys = "", 1

    def __init__(self, loaded: checkpoint.Checkpoint, name: str) -> None:
        self.model, self.name, self.meta = loaded.model, name, loaded.meta
        self.src_tokenizer, self.tgt_tokenizer = loaded.src_tokenizer, loaded.tgt_tokenizer
        self.max_src_tokens = int(loaded.meta.get("data", {}).get("max_src_tokens", MAX_SRC_TOKENS))
        self.step_plan = StepPlan(self.model)
        self.config = self.model.config.to_dict()
        self.facts = facts(self.config)
        self.anatomy = self.facts.anatomy
        self._twins, self._written = Twins(self.model), WrittenPasses()

    @property
    def device(self) -> torch.device:
        """Where the model lives."""
        return next(self.model.parameters()).device

    @property
    def by_letter(self) -> bool:
        """True for a checkpoint that reads letter by letter."""
        return self.src_tokenizer.kind == CharacterTokenizer.kind

    @contextmanager
    def running(self) -> Iterator[Transformer]:
        """The model, or one of the same weights, for one caller alone: on one processor thread, without gradients.

        A hook belongs on what this yields: on ``self.model`` it sees another caller's pass, or none.
        """
        with self._twins.one() as model, one_thread(), torch.inference_mode():
            yield model

    def ids(self, source: str, tgt_ids: Sequence[int], finished: bool = True) -> ForcedIds:
        """As ``Source.ids``."""
        src = self.encode_source(source)[1]
        inputs, written = torch.tensor([[BOS_ID, *tgt_ids]]), torch.tensor([*tgt_ids, EOS_ID])
        return ForcedIds(src, inputs.to(src.device), written.to(src.device), finished)

    def forced(self, ids: ForcedIds, ask: Ask) -> Pass:
        """As ``Source.forced``."""
        if (found := self._written.over(ids, ask)) is not None:
            return found
        with self.running() as model:
            return passes.forced(model, ids, ask) if ask.gradient is None else gradients(model, ids, ask)

    def slopes(self, ids: ForcedIds, slope: Slope) -> Slopes:
        """As ``Source.slopes``."""
        with self.running() as model:
            return slopes(model, ids, slope)

    def tail(self, kind: Kind, layer: int, states: Tensor, memory: Tensor | None = None) -> Tensor:
        """As ``Source.tail``."""
        with self.running() as model:
            return passes.tail(model, kind, layer, states, memory)

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
        if hidden is not None and gains:
            raise ValueError("change heads or hide positions, not both in one batch")
        with self.running() as model:
            if hidden is not None:
                return log_probs_without(model, ids, hidden, way, last)
            found = branched_log_probs(model, ids, gains or ({},))
        return found[:, -1:] if last else found

    def step_logits(self, ids: ForcedIds, step: int, gains: Sequence[Gains]) -> Tensor:
        """As ``Source.step_logits``."""
        with self.running() as model:
            return branched_logits(model, ids, step, gains)

    def patched(self, ids: ForcedIds, other: Pass, patches: Sequence[Patch], steps: int = 1) -> Tensor:
        """As ``Source.patched``."""
        with self.running() as model:
            return patched_logits(model, ids, other, patches, steps)

    def heads_out(self, kind: Kind, layer: int) -> HeadsOut:
        """As ``Source.heads_out``."""
        return passes.heads_out(self.model, kind, layer)

    def projections(self, kind: Kind, layer: int) -> Projections:
        """As ``Source.projections``."""
        return passes.projections(self.model, kind, layer)

    def norms(self, kind: Kind, layer: int) -> tuple[HeldNorm, HeldNorm]:
        """As ``Source.norms``."""
        return passes.norms(self.model, kind, layer)

    def finish(self, states: Tensor) -> Tensor:
        """As ``Source.finish``."""
        with torch.inference_mode():
            return self.model.project(self.model.decoder.norm(states))

    @property
    def unembedding(self) -> Unembedding:
        """As ``Source.unembedding``."""
        return passes.unembedding(self.model)

    def piece(self, token_id: int) -> str:
        """As ``Source.piece``."""
        return self.tgt_tokenizer.piece(token_id)

    def labels(self, text: str) -> tuple[Label, ...]:
        """The tokens of a source text as labels, without the end; raises as ``encode_source``."""
        return source_labels(text, self.encode_source(text)[0], self.by_letter)

    def rarity(self, text: str) -> np.ndarray | None:
        """As ``Source.rarity``; letters have no order of frequency."""
        return None if self.by_letter else source_rarity(self.src_tokenizer.encode(text))

    def neighbours(self, word: str, n: int = 10) -> list[Neighbour]:
        """The whole words nearest to one in source-embedding space; none for a checkpoint that reads letters."""
        tokenizer = self.src_tokenizer
        return neighbours(self.model, tokenizer, word, n) if isinstance(tokenizer, EnglishTokenizer) else []

    def positions(self) -> np.ndarray:
        """As ``Source.positions``."""
        return self.model.encoder.embedding.positions.table.float().cpu().numpy().copy()

    def in_languages(self, source: str, target: str, name: str) -> NoReturn:
        """Raises LacksAbilityError: it has one pair of languages."""
        raise LacksAbilityError("cross", self.name, "form")

    def seen(self, text: str) -> NoReturn:
        """Raises LacksAbilityError: it sees no pictures."""
        raise LacksAbilityError("encoder_self", self.name, "form")

    def encode_target(self, text: str) -> list[Token]:
        """As ``Source.encode_target``."""
        return self.tgt_tokenizer.encode(text)

    def forced_target(self, text: str) -> list[Token]:
        """The tokens of a translation that is to be forced.

        Raises:
            EmptySentenceError, SentenceTooLongError: there is nothing to force, or too much.
        """
        tokens = self.encode_target(text)
        if not tokens:
            raise EmptySentenceError("The translation to force is empty.")
        if len(tokens) >= self.model.config.max_len:
            raise SentenceTooLongError(
                f"The translation to force has more than {self.model.config.max_len - 1} tokens."
            )
        return tokens

    def decode_target(self, ids: Sequence[int]) -> str:
        """As ``Source.decode_target``."""
        return self.tgt_tokenizer.decode(list(ids))

    def encode_source(self, text: str) -> tuple[list[Token], Tensor]:
        """Tokens of the source, and their ids with <eos>, [1, S].

        Raises:
            EmptySentenceError: there is nothing to read.
            NotEnglishError: the checkpoint reads English, and most letters of the text are not Latin ones.
            SentenceTooLongError: more than MAX_CHARACTERS characters or ``max_src_tokens`` tokens.
            UnknownCharacterError: a letter-by-letter checkpoint never saw one of the characters.
        """
        if not text.strip():
            raise EmptySentenceError("There is nothing to translate: type an English sentence.")
        if len(text) > MAX_CHARACTERS:
            raise SentenceTooLongError(
                f"The text has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}. Translate it in parts."
            )
        if not self.by_letter and mostly_other_letters(text):
            raise NotEnglishError(f"The checkpoint {self.name} reads English; this text is in another script.")
        tokens = self.src_tokenizer.encode(lower_case(text) if self.by_letter else text)
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


def mostly_other_letters(text: str) -> bool:
    """True where more letters of a text are of other scripts than of the Latin one.

    >>> mostly_other_letters("你好 Tom"), mostly_other_letters("Tom said 你好 to her."), mostly_other_letters("1984")
    (False, False, False)
    >>> mostly_other_letters("我爱你。")
    True
    """
    letters = [unicodedata.name(char, "").startswith("LATIN") for char in text if char.isalpha()]
    return 2 * sum(letters) < len(letters)


def lower_case(text: str) -> str:
    """The text in lower case, character for character, so that spans still point into it."""
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
