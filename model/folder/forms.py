"""The forms that a model comes in: what goes in, what is written, and which rows of its output say so."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence, Set
from typing import Any

import torch
from torch import Tensor, nn
from transformers import GenerationConfig

from model.errors import MAX_CHARACTERS, MAX_SRC_TOKENS, EmptySentenceError, SentenceTooLongError
from model.folder.files.load import Loaded
from model.folder.spell import Speller
from model.passage import ForcedIds
from model.source import Reads
from model.trace import Label

IMPOSSIBLE = -1e4  # log-probability of what cannot be written, where another token is forced
MOST_TOKENS = 4096
MOST_NEW = 24  # tokens that a prompt is continued by


class Form(ABC):
    """One form; ``reads`` names it, ``writes`` says whether it writes token by token.

    Attributes:
        end_id: of the token that ends what is written.
        start: ids that stand before what is written, the first of which decoding starts with.
    """

    reads: Reads
    writes = False
    windows = False  # whether its encoder attends in windows, of which no map is shown
    whole = False  # whether what is given must be read in one pass, since a picture cannot be read by halves
    unwritten: Set[int] = frozenset()  # ids that are never written, beside those of every form
    beside: frozenset[nn.Module] = frozenset()  # modules whose attention is none of what it shows

    def __init__(self, loaded: Loaded, speller: Speller) -> None:
        self.model, self.speller = loaded.model, speller
        self.config = loaded.model.config
        self.end_id = self._end()
        self.max_len = self._max_len()

    @property
    def generation(self) -> GenerationConfig | None:
        """What the folder says of writing; None of a model that writes nothing."""
        return getattr(self.model, "generation_config", None) if self.model.can_generate() else None

    @abstractmethod
    def ids(self, source: str, tgt_ids: Sequence[int], finished: bool) -> ForcedIds:
        """As ``Source.ids``."""

    @abstractmethod
    def arguments(self, ids: ForcedIds, hidden: Tensor | None = None, rows: int = 1) -> dict[str, Any]:
        """What the model is called with: as many rows of the same; ``hidden`` [rows, S] masks source positions."""

    @abstractmethod
    def probe(self) -> tuple[ForcedIds, tuple[int, int]]:
        """Something short to find out with what a model does, and how many tokens either side reads there."""

    def most_new(self, ids: ForcedIds) -> int:
        """How many tokens it may write."""
        return MOST_NEW

    def together(self, ids: ForcedIds) -> tuple[int, int]:
        """As ``AttentionTrace.together``, of what is read."""
        return 0, 0

    def gathered(self, ids: ForcedIds) -> Tensor | None:
        """Which of the encoder's tokens are shown as one, 0 or 1, [shown, S]; None where each is shown by itself."""
        return None

    def logits(self, output: Any, ids: ForcedIds) -> Tensor:
        """Logits of what each step writes: [rows, T, V]."""
        found: Tensor = output.logits
        return found.float()

    def _end(self) -> int:
        said = getattr(self.generation, "eos_token_id", None)
        said = said if said is not None else getattr(self.config, "eos_token_id", None)
        said = said[0] if isinstance(said, list | tuple) and said else said
        own = getattr(self.speller.tokenizer, "eos_token_id", None)
        return int(said if isinstance(said, int) else own if own is not None else 0)

    def _max_len(self) -> int:
        text = self.config.get_text_config()
        said = (getattr(text, name, None) for name in ("max_position_embeddings", "n_positions"))
        found = next((each for each in said if isinstance(each, int) and each > 0), MOST_TOKENS)  # XLNet says -1
        # RoBERTa counts places from after the padding's id: two of its places are never used.
        spared = 2 if getattr(self.model, "base_model_prefix", "") in ("roberta", "longformer") else 0
        return int(min(found, MOST_TOKENS)) - spared

    def encoded(self, text: str) -> tuple[list[int], tuple[Label, ...]]:
        """Ids and labels of a source.

        Raises:
            EmptySentenceError, SentenceTooLongError: there is nothing to read, or too much.
        """
        if not text.strip():
            raise EmptySentenceError("There is nothing to read: type a sentence.")
        if len(text) > MAX_CHARACTERS:
            raise SentenceTooLongError(
                f"The text has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}. Take it in parts."
            )
        ids, labels = self.speller.source(text)
        most = min(MAX_SRC_TOKENS, self.max_len)
        if len(ids) > most:
            raise SentenceTooLongError(f"The text has {len(ids)} tokens; the limit is {most}. Take it in parts.", most)
        if not any(not each.is_special for each in labels) and not any(map(self._is_mask, ids)):
            raise EmptySentenceError("There is nothing to read: the text holds no word.")
        return ids, labels

    def _is_mask(self, token_id: int) -> bool:
        return token_id == getattr(self.speller.tokenizer, "mask_token_id", None)

    def tensor(self, ids: Sequence[int]) -> Tensor:
        """Ids where the model is."""
        return torch.tensor(list(ids), dtype=torch.long, device=self.model.device)


class Translating(Form):
    """An encoder and a decoder: a text in, another text out."""

    reads: Reads = "text"
    writes = True

    def __init__(self, loaded: Loaded, speller: Speller) -> None:
        super().__init__(loaded, speller)
        self.start_id = self._start()
        self.forced_id = self._forced()

    def _start(self) -> int:
        names = ("decoder_start_token_id", "bos_token_id", "pad_token_id")
        said = [getattr(self.generation, names[0], None)]
        said += [getattr(self.config, name, None) for name in names]
        found = next((each for each in said if isinstance(each, int)), self.end_id)
        target = self.speller.languages.target
        # mBART's decoder starts with the language that it is to write, which a folder names once for all.
        if found in self.speller.languages.ids and target:
            return int(self.speller.tokenizer.convert_tokens_to_ids(target))
        return found

    def _forced(self) -> int | None:
        """The token that must be written first: a language, where one is chosen and decoding does not start with it."""
        languages = self.speller.languages
        if languages.sources and self.start_id not in languages.ids:
            table = getattr(self.speller.tokenizer, "lang_code_to_token", None)
            token = table[languages.target] if isinstance(table, dict) else languages.target
            return int(self.speller.tokenizer.convert_tokens_to_ids(token))
        said = getattr(self.generation, "forced_bos_token_id", None)
        return said if isinstance(said, int) else None

    @property
    def given(self) -> tuple[int, ...]:
        """What every translation begins with."""
        return () if self.forced_id is None else (self.forced_id,)

    def most_new(self, ids: ForcedIds) -> int:
        """As ``Form.most_new``."""
        return 2 * ids.src.shape[1] + 10

    def ids(self, source: str, tgt_ids: Sequence[int], finished: bool) -> ForcedIds:
        """As ``Form.ids``."""
        src = self.tensor(self.encoded(source)[0])[None]
        inputs, written = self.tensor([self.start_id, *tgt_ids])[None], self.tensor([*tgt_ids, self.end_id])
        return ForcedIds(src, inputs, written, finished)

    def arguments(self, ids: ForcedIds, hidden: Tensor | None = None, rows: int = 1) -> dict[str, Any]:
        """As ``Form.arguments``."""
        src = ids.src.expand(rows, -1)
        seen = torch.ones_like(src) if hidden is None else (~hidden).long()
        return {
            "input_ids": src,
            "attention_mask": seen,
            "decoder_input_ids": ids.inputs.expand(rows, -1),
            "use_cache": False,
        }

    def probe(self) -> tuple[ForcedIds, tuple[int, int]]:
        """As ``Form.probe``."""
        some = self.model.get_input_embeddings().weight.shape[0] // 2
        src, tgt = [some, some + 1, some - 1, some, self.end_id], [some, some + 1]
        inputs, written = self.tensor([self.start_id, *tgt])[None], self.tensor([*tgt, self.end_id])
        return ForcedIds(self.tensor(src)[None], inputs, written), (5, 3)

    def logits(self, output: Any, ids: ForcedIds) -> Tensor:
        """As ``Form.logits``."""
        found = super().logits(output, ids)
        if self.forced_id is None:
            return found
        forced = torch.full_like(found[:, :1], IMPOSSIBLE)
        forced[..., self.forced_id] = 0.0
        return torch.cat((forced, found[:, 1:]), 1)


class Continuing(Form):
    """A decoder alone: it goes on from a prompt. Row t has read token t and writes token t + 1, in the prompt too."""

    reads: Reads = "prompt"
    writes = True

    def ids(self, source: str, tgt_ids: Sequence[int], finished: bool) -> ForcedIds:
        """As ``Form.ids``."""
        first = self.encoded(source)[0][0]
        inputs, written = self.tensor([first, *tgt_ids])[None], self.tensor([*tgt_ids, self.end_id])
        return ForcedIds(inputs[:, :1], inputs, written, finished)

    def arguments(self, ids: ForcedIds, hidden: Tensor | None = None, rows: int = 1) -> dict[str, Any]:
        """As ``Form.arguments``."""
        return {"input_ids": ids.inputs.expand(rows, -1), "use_cache": False}

    def probe(self) -> tuple[ForcedIds, tuple[int, int]]:
        """As ``Form.probe``."""
        some = self.model.get_input_embeddings().weight.shape[0] // 2
        inputs = self.tensor([some, some + 1, some - 1, some])[None]
        return ForcedIds(inputs[:, :1], inputs, self.tensor([*inputs[0, 1:].tolist(), self.end_id])), (0, 4)


class Filling(Form):
    """An encoder alone: what it says is what it would put in the places of its mask, or which class it sees."""

    reads: Reads = "sentence"
    classes = False  # its output is one class, and no token

    def ids(self, source: str, tgt_ids: Sequence[int], finished: bool) -> ForcedIds:
        """As ``Form.ids``."""
        src = self.tensor(self.encoded(source)[0])[None]
        return ForcedIds(src, src[:, :0], self.tensor(tgt_ids))

    def arguments(self, ids: ForcedIds, hidden: Tensor | None = None, rows: int = 1) -> dict[str, Any]:
        """As ``Form.arguments``."""
        src = ids.src.expand(rows, -1)
        return {"input_ids": src, "attention_mask": torch.ones_like(src) if hidden is None else (~hidden).long()}

    def probe(self) -> tuple[ForcedIds, tuple[int, int]]:
        """As ``Form.probe``."""
        some = self.model.get_input_embeddings().weight.shape[0] // 2
        mask = getattr(self.speller.tokenizer, "mask_token_id", None)
        src = self.tensor([some, some + 1, some if mask is None else mask, some - 1])[None]
        return ForcedIds(src, src[:, :0], self.tensor([some])), (4, 0)

    def logits(self, output: Any, ids: ForcedIds) -> Tensor:
        """As ``Form.logits``."""
        found: Tensor | None = getattr(output, "logits", None)
        if found is None:
            return torch.zeros(1, 0, 0, device=self.model.device)
        if found.dim() == 2:
            self.classes = True
            return found[:, None].float()
        mask = getattr(self.speller.tokenizer, "mask_token_id", None)
        if mask is None or found.shape[1] != ids.src.shape[1]:
            return found.new_zeros(len(found), 0, 0)
        masks = (ids.src[0] == mask).nonzero()[:, 0]
        return found[:, masks].float()


def label_of(config: Any, number: int) -> str:
    """What a model's config calls one of its classes."""
    names = getattr(config, "id2label", None) or {}
    return str(names.get(number, names.get(str(number), f"class {number}")))
