"""What a model offers, whoever made it: kinds of attention, abilities, a look at one text, and a forced pass.

Analysis asks nothing of a model but this. Importing it loads no PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from model.errors import REASONS, HeadlightError, Why
from model.trace import KINDS, AttentionTrace, HeadRef, Kind, Label, TracedTranslation, Translation

if TYPE_CHECKING:
    import numpy as np
    from torch import Tensor

    from model.passage import Ask, ForcedIds, HeadsOut, HeldNorm, Pass, Patch, Projections, Slope, Slopes, Unembedding
    from model.writing import Expansion, Hypothesis, Neighbour, Sampling, Token

Gains = Mapping[HeadRef, float]
LanguageChoice = tuple[tuple[str, ...], tuple[str, ...], str, str]  # from, into, and the two that a model starts with
Way = Literal["mask", "remove", "average", "silence"]  # of deleting source positions
WAYS: Mapping[Way, Ability] = {"mask": "hide", "remove": "remove", "average": "average", "silence": "silence"}
Ability = Literal[
    "scores", "gains", "hide", "remove", "average", "silence", "gradients", "slopes", "internals", "tails", "finish",
    "votes", "projections", "norms", "positions", "patches",
]  # fmt: skip
ABILITIES: Mapping[Ability, str] = {  # what each is, and what takes it
    "scores": "scores before softmax, which with the mask give the weights",
    "gains": "heads muted and turned up: importance, mixing desk",
    "hide": "source words hidden: honesty, trust",
    "remove": "source words taken out, those behind them moving up: trust",
    "average": "source words read as the mean of all tokens: trust",
    "silence": "source words without values in cross-attention, whose weights stay: value zeroing",
    "gradients": "gradients of a log-probability with respect to every weight",
    "slopes": "gradients of what each step writes with respect to the embeddings: input × gradient",
    "internals": "queries, keys, values, the stream, and W_O by head: norms, flow by norms",
    "tails": "what the rest of a layer makes of other states: ALTI+",
    "finish": "any level of the stream read as logits: logit lens",
    "votes": "logits split into parts, the last norm's scale held: fork, what a head promotes",
    "projections": "the linear maps of an attention layer: one head worked out by hand",
    "norms": "the norms that queries and keys come through: why a head looks there",
    "positions": "a table of positions that is added to the embeddings",
    "patches": "states and heads' outputs taken from another pass: patching",
}

Need = Ability | Kind  # what a view may ask of a model
Reads = Literal["text", "prompt", "sentence", "picture", "sound", "maps"]
SEEN_OR_HEARD: tuple[Reads, ...] = ("picture", "sound")  # what is given is no text


class LacksAbilityError(HeadlightError):
    """The model cannot give what an analysis needs."""

    def __init__(self, ability: Need, name: str, why: Why | None = None) -> None:
        super().__init__(f"the model {name} does not offer {ability!r}" + (f": {REASONS[why]}" if why else ""))
        self.ability, self.why = ability, why


@dataclass(frozen=True)
class AttentionKind:
    """One kind of attention: its layers and heads, whose tokens ask and are asked, and whether the future is hidden."""

    layers: int
    heads: int
    rows: Literal["src", "tgt"]
    columns: Literal["src", "tgt"]
    causal: bool


@dataclass(frozen=True)
class Anatomy:
    """Which attention a model has, and what can be asked of it.

    Attributes:
        kinds: those that it has, in the order of KINDS.
        abilities: what it offers.
        reads: what it is given: a "text" to translate, a "prompt" to go on from, a "sentence" to read, a
            "picture", a "sound", or nothing: its "maps" are all there is.
        why: a reason for what it lacks, where one is known.
    """

    kinds: Mapping[Kind, AttentionKind]
    abilities: frozenset[Ability]
    reads: Reads = "text"
    why: Mapping[Need, Why] = field(default_factory=dict)

    def offers(self, need: Need) -> bool:
        """Whether the model has this kind of attention, or this ability."""
        return need in self.kinds or need in self.abilities

    def layers(self, kind: Kind) -> int:
        """Number of layers that have attention of this kind; 0 where the model has none."""
        return self.kinds[kind].layers if kind in self.kinds else 0

    def all_heads(self) -> list[HeadRef]:
        """Every head, kind by kind, layer by layer."""
        return [
            HeadRef(kind, layer, head)
            for kind in KINDS
            if kind in self.kinds
            for layer in range(self.kinds[kind].layers)
            for head in range(self.kinds[kind].heads)
        ]


class Source(Protocol):
    """A model that writes, as analysis sees it. Safe to share between threads."""

    name: str
    end_id: int  # of the token that ends a translation

    @property
    def anatomy(self) -> Anatomy:
        """Which attention there is, and what can be asked."""

    def ids(self, source: str, tgt_ids: Sequence[int], finished: bool = True) -> ForcedIds:
        """What is read and written in a pass over target ids, on the model's device.

        Raises:
            EmptySentenceError, SentenceTooLongError, UnknownCharacterError: the source cannot be read.
        """

    def forced(self, ids: ForcedIds, ask: Ask) -> Pass:
        """One teacher-forced pass over one sentence.

        Raises:
            LacksAbilityError: the model cannot give what is asked.
            IndexError: there is no such step to take the gradient of.
        """

    def slopes(self, ids: ForcedIds, slope: Slope) -> Slopes:
        """How what each step writes would react to each embedding that was read.

        Raises:
            LacksAbilityError: the model gives no gradients of its embeddings.
        """

    def tail(self, kind: Kind, layer: int, states: Tensor, memory: Tensor | None = None) -> Tensor:
        """What the rest of a layer makes of states to which its attention of a kind was added: [..., D] → [..., D].

        ``memory`` [S, D] is what cross-attention reads, where that comes after.
        """

    def log_probs(
        self,
        ids: ForcedIds,
        gains: Sequence[Gains] = (),
        hidden: np.ndarray | None = None,
        way: Way = "mask",
        *,
        last: bool = False,
    ) -> Tensor:
        """Natural log-probability of each written token, float32 [N, T], of N changed models; T goes by ``ids.steps``.

        Args:
            ids: what is read and written.
            gains: for each row the factors of heads' outputs; () is one row, or one for each row of ``hidden``,
                of the model as it is.
            hidden: bool [N, S], source positions that are deleted, row by row.
            way: of deleting them; "mask": nothing may attend to them.
            last: of the last step alone, [N, 1], or [N, 0] where there is none.

        Raises:
            ValueError: a head does not exist.
            LacksAbilityError: heads cannot be changed, or positions hidden.
        """

    def step_logits(self, ids: ForcedIds, step: int, gains: Sequence[Gains]) -> Tensor:
        """Logits of one step, float32 [N, V], of N changed models; raises as ``log_probs``, and IndexError."""

    def patched(self, ids: ForcedIds, other: Pass, patches: Sequence[Patch], steps: int = 1) -> Tensor:
        """Logits of the last steps, float32 [N, steps, V]; patches are of ``other``, which kept heads and streams."""

    def heads_out(self, kind: Kind, layer: int) -> HeadsOut:
        """The output projection of a layer's attention, by head."""

    def projections(self, kind: Kind, layer: int) -> Projections:
        """The linear maps of a layer's attention."""

    def norms(self, kind: Kind, layer: int) -> tuple[HeldNorm, HeldNorm]:
        """The norms that an attention layer's queries, and its keys and values, come through from the stream.

        Raises:
            LacksAbilityError: they come from the stream in another way.
        """

    def finish(self, states: Tensor) -> Tensor:
        """Logits of decoder states as they leave a layer: [..., D] → [..., V]."""

    @property
    def unembedding(self) -> Unembedding:
        """The last norm and the projection to the vocabulary."""

    @property
    def never_written(self) -> tuple[int, ...]:
        """Ids that decoding never writes."""

    def piece(self, token_id: int) -> str:
        """How a target token is spelt."""

    def rarity(self, text: str) -> np.ndarray | None:
        """How rare the word of each source token is, int [S] with the end, larger is rarer; None where nobody knows."""

    def positions(self) -> np.ndarray:
        """The table that is added to the embeddings: float32 [P, D]."""

    def trace(self, text: str, target: str) -> TracedTranslation:
        """The attention with which the model would write a given translation."""

    def traces(self, pairs: Sequence[tuple[str, str]]) -> list[AttentionTrace | HeadlightError]:
        """The weights with which it would write each target of its source, without scores; or why it cannot.

        Several are gone through at once where the model can do so. A model that translates nothing leaves the
        targets aside and reads the sources.
        """

    def retranslate(self, translation: Translation, beam: int, gains: Gains) -> Translation:
        """The text of a translation once more, by the model with changed heads."""

    def search(self, text: str, beam: int, watch: Callable[[Expansion], None]) -> list[Hypothesis]:
        """What beam search finished, best first; ``watch`` sees every step."""

    def encode_target(self, text: str) -> list[Token]:
        """The tokens of a target text."""

    def decode_target(self, ids: Sequence[int]) -> str:
        """The text of target ids."""


@dataclass(frozen=True)
class Facts:
    """Sizes of a model.

    Attributes:
        anatomy: kinds of attention with their layers and heads, and what can be asked.
        d_model: width of the residual stream; ``d_head`` of one head's queries, keys and values.
        vocabulary: number of target tokens; ``max_len`` of those of the longest translation.
        end_id: of the token that ends a translation; ``never_written``: of those that decoding never writes.
    """

    anatomy: Anatomy
    d_model: int
    d_head: int
    vocabulary: int
    max_len: int
    end_id: int
    never_written: tuple[int, ...]


class ModelHandle(Source, Protocol):
    """An opened model, whoever made it: what analysis asks of it, and what a person asks of it besides."""

    @property
    def device_name(self) -> str:
        """The device as a person calls it."""

    @property
    def facts(self) -> Facts:
        """Its sizes."""

    @property
    def config(self) -> Mapping[str, Any]:
        """What its config.json says, to be shown."""

    @property
    def languages(self) -> LanguageChoice:
        """Those that it can be asked for; none where it has but one pair."""

    @property
    def mask(self) -> str:
        """What stands for a place to fill in; "" where it fills in none."""

    @property
    def shared_keys(self) -> int:
        """How many heads of a layer share one set of keys and values; 1 where each has its own."""

    def in_languages(self, source: str, target: str, name: str) -> ModelHandle:
        """The same model asked for other languages, under another name.

        Raises:
            HeadlightError: it knows no such languages.
        """

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
        """What it makes of a text or picture; with ``capture``, with every map.

        Raises:
            HeadlightError: the source cannot be read, or the model cannot do what is asked.
        """

    def labels(self, text: str) -> tuple[Label, ...]:
        """The tokens that it reads of a text, without the end.

        Raises:
            HeadlightError: the text cannot be read.
        """

    def neighbours(self, word: str, n: int = 10) -> list[Neighbour]:
        """The source tokens whose embeddings are nearest to those of a word, nearest first."""

    def seen(self, text: str) -> tuple[bytes, tuple[int, int]]:
        """The picture of a name as the model is given it, PNG, and its patches: rows, columns.

        Raises:
            LacksAbilityError: the model does not see.
        """


def require(source: Source, *needs: Need) -> None:
    """Say what is missing before anything is computed.

    Raises:
        LacksAbilityError: the model does not offer one of these.
    """
    require_of(source.anatomy, source.name, *needs)


def require_of(anatomy: Anatomy, name: str, *needs: Need) -> None:
    """As ``require``, of a model that need not be there yet."""
    for need in needs:
        if not anatomy.offers(need):
            raise LacksAbilityError(need, name, anatomy.why.get(need))
