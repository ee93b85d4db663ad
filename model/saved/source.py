"""A file of saved maps where a model is expected: it has its maps, and lacks everything that takes a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from model.errors import MapsError, Why
from model.saved.reading import MOST_UNPACKED, read_maps
from model.source import ABILITIES, Anatomy, AttentionKind, Facts, LacksAbilityError, LanguageChoice, Need
from model.trace import KINDS, Label, TracedTranslation
from model.writing import Neighbour


class SavedSource:
    """One file of maps, under its name."""

    end_id, never_written = -1, ()
    device_name = "NPZ"
    languages: LanguageChoice = ((), (), "", "")
    mask, shared_keys = "", 1

    def __init__(self, found: TracedTranslation, name: str) -> None:
        self.found, self.name = found, name
        trace = found.trace
        kinds = {kind: _kind(kind, trace.weights[kind]) for kind in trace.kinds}
        why: dict[Need, Why] = dict.fromkeys((*ABILITIES, *KINDS), "saved")
        self.anatomy = Anatomy(kinds, frozenset(("scores",) if trace.scores else ()), "maps", why)
        self.facts = Facts(self.anatomy, 0, 0, 0, 0, self.end_id, ())
        self.config: dict[str, Any] = {kind: " × ".join(map(str, trace.weights[kind].shape)) for kind in trace.kinds}

    @classmethod
    def open(cls, path: Path, name: str = "") -> SavedSource:
        """The maps of a file.

        Raises:
            MapsError: there is none, or something is wrong with it.
        """
        if not path.is_file() or path.stat().st_size > MOST_UNPACKED:
            raise MapsError(f"{path.name} is no file, or larger than {MOST_UNPACKED // 2**20} MB.")
        return cls(read_maps(path.read_bytes()), name or path.name)

    def translate(self, text: str = "", beam: int = 1, capture: bool = True, **_: Any) -> TracedTranslation:
        """What the file holds, whatever is asked."""
        return self.found

    def labels(self, text: str) -> tuple[Label, ...]:
        """The source tokens that the file holds."""
        return self.found.src

    def rarity(self, text: str) -> np.ndarray | None:
        """Nothing says how rare its tokens are."""
        return None

    def neighbours(self, word: str, n: int = 10) -> list[Neighbour]:
        """No words."""
        return []

    def piece(self, token_id: int) -> str:
        """The text of a target token, by its place."""
        tgt = self.found.tgt
        return tgt[token_id].text if 0 <= token_id < len(tgt) else ""

    def decode_target(self, ids: Sequence[int]) -> str:
        """The texts of target tokens, by their places."""
        return " ".join(map(self.piece, ids))

    def _lacks(self, *_: Any, **__: Any) -> NoReturn:
        raise LacksAbilityError("gains", self.name, "saved")

    ids = forced = slopes = tail = norms = log_probs = step_logits = heads_out = projections = finish = _lacks
    positions = trace = traces = search = encode_target = retranslate = patched = in_languages = seen = _lacks

    @property
    def unembedding(self) -> NoReturn:
        """Not there."""
        self._lacks()


def _kind(kind: str, maps: np.ndarray) -> AttentionKind:
    rows, columns = ("src" if kind == "encoder_self" else "tgt"), ("tgt" if kind == "decoder_self" else "src")
    return AttentionKind(maps.shape[0], maps.shape[1], rows, columns, kind == "decoder_self")  # type: ignore[arg-type]
