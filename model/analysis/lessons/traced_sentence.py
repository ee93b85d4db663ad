"""What a question of a lesson is made of: a sentence with the model's numbers, as precisely as they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from random import Random
from typing import NamedTuple

import numpy as np

from model.attribution.per_head import norm_maps
from model.passage import Ask, Pass
from model.trace import HeadRef, Kind, TracedTranslation
from model.translator import Translator

Displayed = str | int | float | list[int]


class Made(NamedTuple):
    """What a template made of a sentence."""

    values: Mapping[str, Displayed]  # fill the question's text
    key: Displayed  # the right answer
    wrong: Mapping[str, Displayed]  # by misconception, what would follow from it


def shown(value: Displayed) -> str:
    """A value as questions and options show it: three digits of a number that is not whole.

    >>> shown(-0.12345), shown(2048), shown(58469.6), shown([2, 3])
    ('−0.123', '2,048', '58,470', '[2, 3]')
    """
    if isinstance(value, str | list):
        return str(value)
    whole = isinstance(value, int) or abs(value) >= 1000
    return (f"{value:,.0f}" if whole else f"{value:.3g}").replace("-", "−")


def seen(value: float) -> float:
    """A number as precisely as it is shown, with which questions go on computing."""
    return float(f"{value:.3g}")


class TracedSentence:
    """A sentence, with what templates ask of the model about it.

    Args:
        model: that translated it.
        found: its translation with every map.
    """

    def __init__(self, model: Translator, found: TracedTranslation) -> None:
        self.translator, self.found, self.trace = model, found, found.trace
        self.width, self.heads = int(model.config["d_model"]), int(model.config["n_heads"])
        self.decoder_layers, self.entries = int(model.config["n_decoder_layers"]), int(model.config["src_vocab_size"])
        self.src = [label.text for label in self.trace.src]
        self.read = [label.text for label in self.trace.tgt_inputs]
        self.writes = [label.text for label in self.trace.tgt_outputs]
        self.n, self.t = len(self.src), len(self.read)

    def head(self, kind: Kind, rng: Random) -> tuple[HeadRef, np.ndarray]:
        """One head, and its weights as they are shown, float64 [Q, K]."""
        weights = self.trace.weights[kind]
        head = HeadRef(kind, rng.randrange(weights.shape[0]), rng.randrange(weights.shape[1]))
        return head, np.vectorize(seen)(weights[head.layer, head.head].astype(float))

    def numbers(self, rng: Random, many: int) -> tuple[int, list[float]]:
        """A token's place, and some neighbouring numbers of its vector in the encoder's residual stream."""
        level, place = rng.randrange(1, len(self.stream)), rng.randrange(self.n)
        start = rng.randrange(self.width - many)
        return place, [seen(each) for each in self.stream[level, place, start : start + many]]

    @cached_property
    def stream(self) -> np.ndarray:
        """The encoder's residual stream, float64 [L + 1, S, D]."""
        found = self._pass(Ask(kinds=(), source_stream=True)).source_stream
        return np.asarray(found.levels.double().cpu()) if found else np.zeros((0, 0, 0))

    @cached_property
    def slopes(self) -> np.ndarray:
        """Gradient of the translation's log-probability in each weight of the encoder, float64 [L, H, S, S]."""
        found = self._pass(Ask(kinds=("encoder_self",), gradient="all")).gradients
        return np.stack([np.asarray(found[key].double().cpu()) for key in sorted(found)])

    @cached_property
    def norms(self) -> np.ndarray:
        """‖α f(x)‖ of the cross heads, [L, H, T, S]."""
        return norm_maps(self.translator, self.found)["cross"]

    def _pass(self, ask: Ask) -> Pass:
        ids = self.translator.ids(self.found.source, self.found.tgt_ids, self.found.finished)
        return self.translator.forced(ids, ask)
