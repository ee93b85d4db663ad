"""The graphs at work under onnxruntime: what ``viz/web/src/engine`` does in a page, in Python, to be compared with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from model.errors import HeadlightError
from model.onnx.export import FACTS, GRAPHS, NEEDS
from model.own.decoding.search import length_cap
from model.own.decoding.stepping import looping
from model.own.network.config import NEVER_WRITTEN
from model.own.text.vocab import BOS_ID, EOS_ID
from model.own.translator import Translator
from model.trace import HeadRef, Kind

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

NamedArrays = dict[str, np.ndarray]
_GAINS: Mapping[Kind, str] = {"encoder_self": "gains", "decoder_self": "self_gains", "cross": "cross_gains"}


@dataclass(frozen=True)
class EngineOutput:
    """A translation that the graphs wrote, with what they saw: maps [L, H, Q, K], as ``AttentionTrace`` has them."""

    ids: tuple[int, ...]  # token ids without <bos> and <eos>; ``log_probs`` with that of <eos>, where it was written
    log_probs: tuple[float, ...]
    finished: bool
    maps: Mapping[Kind, np.ndarray]
    # states, rows, self_values, cross_values: what votes are made of, see ``VotesGraph``
    states: np.ndarray
    rows: np.ndarray
    self_values: np.ndarray
    cross_values: np.ndarray


class OnnxEngine:
    """The three sessions of an exported folder, on one thread.

    Raises:
        HeadlightError: onnxruntime is not installed, or the folder holds no graphs.
    """

    def __init__(self, folder: Path) -> None:
        try:
            import onnxruntime as ort
        except ImportError as error:
            raise HeadlightError(NEEDS.format(missing=error.name)) from None
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.add_session_config_entry(
            "session.disable_quant_qdq", "1"
        )  # int8 becomes float32 once, not at each step
        try:
            self.facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        except OSError:
            raise HeadlightError(f"{folder} holds no graphs: make them with python -m model export-onnx.") from None
        made = [ort.InferenceSession(folder / f"{name}.onnx", options) for name in GRAPHS]
        self.encoder, self.decoder, self.votes_of = made

    def gains(self, gains: Mapping[HeadRef, float]) -> NamedArrays:
        """One factor a head, as the graphs take them, by input: 1 where nothing is said."""
        facts = self.facts
        layers = {"encoder_self": facts["n_encoder_layers"]}
        made = {
            name: np.ones((layers.get(kind, facts["n_decoder_layers"]), facts["n_heads"]), np.float32)
            for kind, name in _GAINS.items()
        }
        for (kind, layer, head), gain in gains.items():
            made[_GAINS[kind]][layer, head] = gain
        return made

    def translate(
        self, src_ids: Sequence[int], gains: Mapping[HeadRef, float] | None = None, hidden: Sequence[int] = ()
    ) -> EngineOutput:
        """Greedy decoding with a cache, by the rules of ``model/own/decoding``.

        Args:
            src_ids: of the source, <eos> last.
            gains: of heads; 0 mutes.
            hidden: source positions that nothing attends to.
        """
        factors = self.gains(gains or {})
        visible = np.ones((1, len(src_ids)), np.float32)
        visible[:, list(hidden)] = 0
        read = _run(self.encoder, {"ids": np.array([src_ids]), "visible": visible, "gains": factors.pop("gains")})
        source = {"visible": visible, "cross_keys": read["cross_keys"], "cross_values": read["cross_values"], **factors}
        steps, ids, log_probs = list[NamedArrays](), list[int](), list[float]()
        cap, last = length_cap(len(src_ids), self.facts["max_len"]), BOS_ID
        while last != EOS_ID and len(ids) < cap:
            log_p = self._step(last, steps, source)
            log_p[[*NEVER_WRITTEN, *looping(ids)]] = -np.inf
            last = int(log_p.argmax())
            log_probs.append(float(log_p[last]))
            ids += [last] if last != EOS_ID else []
        if last != EOS_ID:  # the last token is read as well, so that its row is there
            self._step(last, steps, source)
        return EngineOutput(
            tuple(ids),
            tuple(log_probs),
            last == EOS_ID,
            {"encoder_self": read["weights"][:, 0], **_maps(steps)},
            np.concatenate([step["states"][0] for step in steps]),
            np.concatenate(
                [step["rows"][0] for step in steps[1:]] or [np.zeros((0, self.facts["d_model"]), np.float32)]
            ),
            steps[-1]["values"][:, 0],
            read["cross_values"][:, 0],
        )

    def votes(self, written: EngineOutput, gains: Mapping[HeadRef, float] | None = None) -> dict[Kind, np.ndarray]:
        """As ``model/attribution/per_head.py`` has them: [L, H, T, K] by kind."""
        factors = self.gains(gains or {})
        del factors["gains"]
        fed = {
            "states": written.states,
            "rows": written.rows,
            "self_weights": written.maps["decoder_self"],
            "cross_weights": written.maps["cross"],
            "self_values": written.self_values,
            "cross_values": written.cross_values,
        }
        found = _run(self.votes_of, fed | factors)
        return {"decoder_self": found["self_votes"], "cross": found["cross_votes"]}

    def _step(self, last: int, steps: list[NamedArrays], source: NamedArrays) -> np.ndarray:
        """Log-probabilities [V] of what follows ``last``; what the graph gave is added to ``steps``."""
        layers, _, heads, _, width = source["cross_keys"].shape
        none = np.zeros((layers, 1, heads, 0, width), np.float32)
        past = {"past_keys": none, "past_values": none}
        if steps:
            past = {"past_keys": steps[-1]["keys"], "past_values": steps[-1]["values"]}
        steps.append(_run(self.decoder, {"ids": np.array([[last]]), **past, **source}))
        logits = steps[-1]["logits"][0, 0].astype(np.float64)
        found: np.ndarray = logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())
        return found


def _run(session: InferenceSession, fed: NamedArrays) -> NamedArrays:
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, fed), strict=True))


def _maps(steps: Sequence[NamedArrays]) -> dict[Kind, np.ndarray]:
    """The decoder's maps, a row a step; what a row cannot see yet is 0."""
    rows = [step["self_weights"][:, 0, :, 0] for step in steps]  # [L, H, 1 … T]
    own = np.stack([np.pad(row, ((0, 0), (0, 0), (0, len(rows) - row.shape[2]))) for row in rows], 2)
    return {"decoder_self": own, "cross": np.stack([step["cross_weights"][:, 0, :, 0] for step in steps], 2)}


@dataclass
class Parity:
    """Counts over the sentences so far."""

    sentences: int = 0  # that were translated by both
    same: int = 0  # of them, those whose tokens are all equal
    map_gap: float = 0.0  # the largest difference of any weight, over sentences with equal tokens
    vote_gap: float = 0.0  # of any vote, in logits; where votes were asked for
    differ: list[str] = field(default_factory=list)  # the first sentences whose tokens differ


def compare(
    translator: Translator,
    engine: OnnxEngine,
    texts: Iterable[str],
    gains: Mapping[HeadRef, float] | None = None,
    votes: bool = False,
) -> Parity:
    """Both translate every text greedily; what a checkpoint does not read is left out."""
    from model.attribution.per_head import vote_maps

    found = Parity()
    for text in texts:
        try:
            expected = translator.translate(text, capture=True, gains=gains)
        except HeadlightError:
            continue
        source = translator.encode_source(text)[1][0].tolist()
        written = engine.translate(source, gains)
        found.sentences += 1
        if written.ids != expected.tgt_ids or written.finished != expected.finished:
            found.differ.append(text)
            continue
        found.same += 1
        gaps = [np.abs(expected.trace.weights[kind] - written.maps[kind]).max() for kind in expected.trace.kinds]
        found.map_gap = max(found.map_gap, *map(float, gaps))
        if votes and not gains:
            ours, theirs = vote_maps(translator, expected), engine.votes(written)
            found.vote_gap = max(found.vote_gap, *(float(np.abs(ours[kind] - theirs[kind]).max()) for kind in ours))
    return found
