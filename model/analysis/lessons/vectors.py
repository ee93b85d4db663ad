"""From subwords to vectors, and from the last vector back to a word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from model.trace import Translation
from model.translator import Translator

OTHER_SCRIPT = "愛爱國国學学車车馬马說说個个這这門门見见"
"""Ten characters, each in the traditional form and then in the simplified one."""


@dataclass(frozen=True)
class Embedded:
    """A sentence's rows of the source table, [S, …], float64."""

    shape: tuple[int, int]  # of the table: entries, numbers each
    # what a row is multiplied by before the position is added, √d_model (Vaswani et al. 2017, section 3.4).
    scale: float
    # row, scaled, position: lengths of the rows, of the rows times ``scale``, and of the positions, [S]
    row: np.ndarray
    scaled: np.ndarray
    position: np.ndarray
    cosines: np.ndarray  # of every two rows, [S, S]
    alike: np.ndarray  # share of the whole table's rows whose dot product with each row is above 0, [S]


def embedded(model: Translator, text: str) -> Embedded:
    """What the encoder makes of each token of a text before its first layer; raises as ``encode_source``."""
    ids = model.encode_source(text)[1][0]
    with model.running() as network:
        embedding = network.encoder.embedding
        rows = embedding.tokens.weight[ids].double().cpu()
        alike = (embedding.tokens.weight @ embedding.tokens.weight[ids].T > 0).double().mean(0).cpu().numpy()
        table = embedding.positions.table[: len(ids)].double().cpu()
        shape, scale = embedding.tokens.weight.shape, embedding.scale
    directions = F.normalize(rows, dim=-1)
    row, scaled, position = (each.norm(dim=-1).numpy() for each in (rows, rows * scale, table))
    cosines = (directions @ directions.T).numpy()
    return Embedded((shape[0], shape[1]), scale, row, scaled, position, cosines, alike)


@dataclass(frozen=True)
class Written:
    """How one step's state becomes a word: the same table that embeds target tokens turns it into scores."""

    shape: tuple[int, int]  # of that table
    best: tuple[int, ...]  # ids of the largest scores, [N]; ``logits`` and ``log_p`` are theirs, float64
    logits: np.ndarray
    log_p: np.ndarray
    log_sum: float  # log Σ exp of all scores, which log-softmax takes off


def written(model: Translator, translation: Translation, step: int, n: int = 5) -> Written:
    """The state of a step times the embeddings of all target tokens, by hand (Press and Wolf 2017)."""
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    with model.running() as network, torch.inference_mode():
        state = network.decode(ids.inputs, network.encode(ids.src), ids.src)[0, step].double()
        table = network.decoder.embedding.tokens.weight.double()
        logits, best = (table @ state).cpu().sort(descending=True)
    log_sum = float(logits.logsumexp(0))
    found = logits[:n].numpy()
    return Written((table.shape[0], table.shape[1]), tuple(best[:n].tolist()), found, found - log_sum, log_sum)


def split_words(pieces: list[str]) -> list[list[str]]:
    """Pieces word by word; ``##`` marks one inside a word.

    >>> split_words(["un", "##friend", "##ly", "dog"])
    [['un', '##friend', '##ly'], ['dog']]
    """
    words: list[list[str]] = []
    for piece in pieces:
        if piece.startswith("##") and words:
            words[-1].append(piece)
        else:
            words.append([piece])
    return words


def scripts_known(model: Translator) -> tuple[int, int]:
    """How many of OTHER_SCRIPT's traditional, and of its simplified, characters the target vocabulary has."""
    known = {model.piece(token) for token in range(model.facts.vocabulary)}
    return sum(each in known for each in OTHER_SCRIPT[::2]), sum(each in known for each in OTHER_SCRIPT[1::2])
