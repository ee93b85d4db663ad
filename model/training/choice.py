"""What chooses among the weights of a run: greedy BLEU on every dev file, and the words that translations must have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from model.evaluation.corpus import score, translate_ids
from model.evaluation.kept import MustSentence, must_score, read_must
from model.own.network.transformer import Transformer
from model.own.text.tokenize import CharacterTokenizer, EnglishTokenizer
from model.own.text.vocab import EOS_ID, PAD_ID
from model.pairs import read_rows
from model.training.corpus import Corpus, bucketed, collate
from model.training.loss import TranslationLoss

DEV_BATCH = 4_000  # target tokens
MUST_WEIGHT = 0.2  # of a percent of the must-have words beside a point of BLEU
MUST_PERCENT = "must_percent"


def chosen_by(scores: Mapping[str, float]) -> float:
    """The figure that the best weights have most of: the sum of all BLEUs, plus ``MUST_WEIGHT`` a must-have percent."""
    bleu = sum(value for name, value in scores.items() if name != MUST_PERCENT)
    return bleu + MUST_WEIGHT * scores.get(MUST_PERCENT, 0.0)


@dataclass(frozen=True)
class DevFile:
    """One dev file: its name without ending, source ids [N][S], and the references."""

    name: str
    rows: Sequence[np.ndarray]
    references: Sequence[str]


class DevFiles:
    """The dev files of a prepared folder, the first one first, and its must-have words if it has any."""

    def __init__(self, data: Path, src: EnglishTokenizer | CharacterTokenizer, tgt: CharacterTokenizer) -> None:
        corpus, rows = Corpus.load(data / "dev.npz"), read_rows(data / "dev.tsv")
        self.tgt, self.by_letter = tgt, src.kind == CharacterTokenizer.kind
        places: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            places.setdefault(row[2] or "dev", []).append(place)
        self.files = [
            DevFile(name, [corpus.pair(place)[0] for place in among], [rows[place][1] for place in among])
            for name, among in places.items()
        ]
        must = data / "must.tsv"
        self.must: list[MustSentence] = read_must(must) if must.is_file() else []
        self.must_rows = [np.array([*(token.id for token in src.encode(each.english)), EOS_ID]) for each in self.must]

    def scores(self, model: Transformer) -> dict[str, float]:
        """``dev_bleu`` of the first file, ``<name>_bleu`` of others, ``must_percent``; the model is left training."""
        model.eval()
        with torch.inference_mode():
            found = {
                f"{file.name if number else 'dev'}_bleu": score(
                    self._translations(model, file.rows), file.references, self.by_letter
                ).bleu
                for number, file in enumerate(self.files)
            }
            if self.must:
                found[MUST_PERCENT] = must_score(self.must, self._translations(model, self.must_rows)).percent
        model.train()
        return found

    def _translations(self, model: Transformer, rows: Sequence[np.ndarray]) -> list[str]:
        return [self.tgt.decode(list(hypothesis.ids)) for hypothesis in translate_ids(model, rows)]


class DevLikelihood:
    """What chooses a backward model: how probable the English of the dev pairs is, given the Chinese."""

    def __init__(self, data: Path) -> None:
        self.corpus = Corpus.load(data / "dev.npz").turned()

    def scores(self, model: Transformer) -> dict[str, float]:
        """The geometric mean of the tokens' probabilities, in percent; the model is left training."""
        model.eval()
        loss, found = TranslationLoss(model, 0.0), []
        device = next(model.parameters()).device
        with torch.inference_mode():
            for rows in bucketed(self.corpus, DEV_BATCH, model.config.max_len, 0):
                batch = [tensor.to(device) for tensor in collate(self.corpus, rows)]
                found.append((float(loss(*batch)), int((batch[2] != PAD_ID).sum())))
        model.train()
        nats = sum(mean * n for mean, n in found) / sum(n for _, n in found)
        return {"dev_token_percent": 100 * math.exp(-nats)}
