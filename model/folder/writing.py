"""Decoding with a folder's model: greedy, sampled, and beam search, by Headlight's own rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from model.common.decoding import expand, only
from model.folder.forms import Form
from model.passage import ForcedIds
from model.writing import LENGTH_ALPHA, Expansion, Hypothesis

Chooser = Callable[[Tensor], Tensor]
READ = ("pixel_values", "input_features", "input_ids")  # what a model may call what its encoder reads


class Writer:
    """Writes on from what one source gives; ``keeps`` says whether the model can go on from keys and values kept."""

    keeps = False

    def __init__(self, form: Form, ids: ForcedIds, never: Sequence[int], prefix: Sequence[int], cap: int) -> None:
        self.form, self.ids, self.prefix, self.cap = form, ids, tuple(prefix), cap
        self._never = [each for each in never if each != form.end_id]
        self._arguments = form.arguments(ids)
        self._encoded: Any = None  # what the encoder gave, as the model's own class of output
        self._kept: Any = None
        self._fed = 0
        self._read: Tensor | None = None  # logits after the last token that is kept, [1, V]
        if "decoder_input_ids" in self._arguments:
            encoder = form.model.get_encoder()
            names = (*READ, "attention_mask")
            asked = {name: self._arguments[name] for name in names if name in self._arguments}
            self._encoded = encoder(**asked, return_dict=True)

    def _arguments_of(self, ids: ForcedIds, rows: int = 1) -> dict[str, Any]:
        """What the model is called with, the encoder's states in place of what it read."""
        arguments = self.form.arguments(ids, rows=rows)
        if self._encoded is not None:
            arguments.pop(next(name for name in READ if name in arguments))
            states = self._encoded.last_hidden_state.expand(rows, -1, -1).contiguous()  # GPT-2 views it
            arguments["encoder_outputs"] = type(self._encoded)(**{**self._encoded, "last_hidden_state": states})
        return arguments

    def _next(self, ids: Sequence[int]) -> Tensor:
        """Log-probabilities of the token after ``ids``, [1, V], with what the model has kept of them where it can."""
        if not self.keeps:
            return self._step([ids])
        if self._read is None or self._fed <= len(ids):
            self._read = self._whole(ids)[:, -1]
        return self._read.log_softmax(-1)

    def _whole(self, ids: Sequence[int]) -> Tensor:
        """Logits after each token that is new to what is kept, [1, T, V]; of all where the model keeps nothing."""
        every = [int(self.ids.inputs[0, 0]), *ids]
        new = torch.tensor([every[self._fed :]], dtype=torch.long, device=self.ids.inputs.device)
        grown = self.ids._replace(inputs=new)
        kept = {"use_cache": True, "past_key_values": self._kept} if self.keeps else {}
        output = self.form.model(**{**self._arguments_of(grown), **kept})
        first = self._fed == 0
        if self.keeps:
            self._kept, self._fed = output.past_key_values, len(every)
        return self.form.logits(output, grown) if first else output.logits.float()

    def _begun(self) -> tuple[list[int], list[float]]:
        """What must be read in one pass of what is given, with its log-probabilities; nothing where nothing must."""
        if not self.form.whole or not self.prefix:
            return [], []
        *logits, self._read = self._whole(self.prefix).unbind(1)
        chosen = torch.tensor(self.prefix, device=self._read.device)[None, :, None]
        return list(self.prefix), torch.stack(logits, 1).log_softmax(-1).gather(2, chosen)[0, :, 0].tolist()

    def best(self, choose: Chooser | None = None) -> Hypothesis:
        """The most probable token at every step, or the one that ``choose`` takes of log-probabilities [1, V]."""
        ids, log_probs = self._begun()
        while len(ids) < self.cap:
            log_p = self._next(ids)
            if len(ids) < len(self.prefix):
                token = self.prefix[len(ids)]
            else:
                allowed = self._allowed(log_p)
                token = int((allowed.argmax(-1) if choose is None else choose(allowed))[0])
            log_probs.append(float(log_p[0, token]))
            if token == self.form.end_id:
                return Hypothesis(tuple(ids), tuple(log_probs), finished=True)
            ids.append(token)
        return Hypothesis(tuple(ids), tuple(log_probs), finished=False)

    def beam(self, beam: int, watch: Callable[[Expansion], None] | None = None) -> list[Hypothesis]:
        """What beam search finishes, best first by log-probability over length penalty."""
        ids, log_probs = self._begun()
        growing, done = [Hypothesis(tuple(ids), tuple(log_probs), finished=False)], list[Hypothesis]()
        for length in range(len(ids), self.cap):
            log_p = self._step([each.ids for each in growing])
            log_p = only(log_p, self.prefix[length]) if length < len(self.prefix) else self._allowed(log_p)
            expansion = expand(growing, log_p, beam, self.form.end_id)
            if watch is not None:
                watch(expansion)
            growing = expansion.kept
            done = sorted(done + expansion.ended, key=lambda h: h.score(LENGTH_ALPHA), reverse=True)[:beam]
            full = len(done) == beam and growing
            if not growing or (full and done[-1].score(LENGTH_ALPHA) >= growing[0].best_score(self.cap, LENGTH_ALPHA)):
                break
        return done or sorted(growing, key=lambda h: h.score(LENGTH_ALPHA), reverse=True)

    def _step(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """Log-probabilities of the next token of each row, [N, V]; all rows are equally long."""
        written = torch.tensor([list(row) for row in rows], dtype=torch.long, device=self.ids.inputs.device)
        inputs = torch.cat((self.ids.inputs[:, :1].expand(len(rows), -1), written), 1)
        src = self.ids.src.expand(len(rows), *self.ids.src.shape[1:])
        grown = self.ids._replace(inputs=inputs, src=src)
        logits = self.form.logits(self.form.model(**self._arguments_of(grown, len(rows))), grown)
        return logits[:, -1].log_softmax(-1)

    def _allowed(self, log_p: Tensor) -> Tensor:
        found = log_p.clone()
        found[:, self._never] = -math.inf
        return found


def can_keep(form: Form) -> bool:
    """Whether a model's next token is the same with keys and values kept from before, found by trying it."""
    probe = form.probe()[0]
    writers = [Writer(form, probe, (), (), 3) for _ in range(2)]
    writers[0].keeps = True
    tokens = probe.inputs[0, 1:].tolist()
    least = len(tokens) - 2 if form.whole else 0
    try:
        for length in range(least, least + 3):
            one, other = (writer._next(tokens[:length]) for writer in writers)
            if not torch.allclose(one, other, atol=1e-4):
                return False
    except Exception:
        return False
    return True
