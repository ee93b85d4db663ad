"""Carrying a head's output, or a state, from one sentence or model into another, and what that does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from torch import Tensor

from model.analysis.what_if.fork import fork_between
from model.attribution.aligned import aligned_places
from model.errors import HeadlightError
from model.passage import Ask, Patch, Places, TextSide
from model.source import Source, require
from model.trace import HeadRef, Kind, Translation

DONOR = Ask(("heads",), stream=True, source_stream=True)  # of the pass that something is carried from
LONGER = 10  # tokens that a patched translation may have more than both translations
_STATE = re.compile(r"([st])([0-9]{1,3})\.([0-9]{1,3})")


class Carried(NamedTuple):
    """Where something is carried: a head, at all places, or the state on a level at one place of a side."""

    head: HeadRef | None
    side: TextSide = "src"
    level: int = 0
    place: int = 0

    @property
    def code(self) -> str:
        """Its short name, for links.

        >>> Carried(None, "tgt", 3, 0).code, Carried(HeadRef("cross", 2, 5)).code
        ('t3.0', 'c2.5')
        """
        return self.head.code if self.head else f"{self.side[0]}{self.level}.{self.place}"

    @classmethod
    def parse(cls, code: str) -> Carried | None:
        """The site that a code names, whether or not there is one; None where it names none."""
        if match := _STATE.fullmatch(code):
            return cls(None, "src" if match[1] == "s" else "tgt", int(match[2]), int(match[3]))
        head = HeadRef.parse(code)
        return cls(head) if head else None


@dataclass(frozen=True)
class Contrast:
    """Two sentences, or one that two models read, and the first step at which their translations differ."""

    # text, other: the sentence that is read, and the one that something is carried from
    text: str
    other: str
    before: tuple[int, ...]  # target ids that both translations have before that step
    # written, rival: id of the token that the first has there, and the other
    written: int
    rival: int
    src: Places  # places of the first source with the end, and their partners in the other
    sizes: tuple[int, int]  # number of source tokens of either, with the end
    drafts: tuple[tuple[int, ...], tuple[int, ...]]  # ids of both translations

    def patch(self, site: Carried, steps: int | None = None) -> Patch:
        """What carrying a site is, with ``steps`` positions read by the decoder; else with those of ``before``."""
        tgt = tuple((place, place) for place in range(len(self.before) + 1 if steps is None else steps))
        if site.head:
            return Patch(frozenset({site.head}), src=self.src, tgt=tgt)
        states = frozenset({(site.side, site.level)})
        if site.side == "src":
            return Patch(states=states, src=tuple(pair for pair in self.src if pair[0] == site.place))
        return Patch(states=states, tgt=tuple(pair for pair in tgt if pair[0] == site.place))


@dataclass(frozen=True)
class Sweep:
    """What carrying each single site does at the step where two translations part.

    The logit of the token that the first translation has, less that of the other's, is 0 % moved where it stays
    as it is, and 100 % where it becomes what the other pass has (the normalised logit difference of Wang et al.
    2023). A difference of logits is one of log-probabilities.
    """

    # plain, other: log-probabilities of the two tokens, [2], in the first pass and in the other
    plain: np.ndarray
    other: np.ndarray
    heads: dict[Kind, np.ndarray]  # share moved by each head, by kind, [L, H]
    states: dict[TextSide, np.ndarray]  # by each state, by side, [levels, places]; NaN where a place has no partner

    def share(self, site: Carried) -> float:
        """What one site moves."""
        return float(self.heads[site.head.kind][site.head[1:]] if site.head else self.states[site.side][site[2:]])

    def best(self) -> list[Carried]:
        """Every site that can be carried, the one that moves most first."""
        every = [Carried(HeadRef(kind, *at)) for kind, values in self.heads.items() for at in np.ndindex(*values.shape)]
        every += [Carried(None, side, *at) for side, values in self.states.items() for at in np.ndindex(*values.shape)]
        shares = {site: self.share(site) for site in every}
        return sorted((site for site in every if not np.isnan(shares[site])), key=lambda site: -shares[site])


def contrast(one: Translation, other: Translation) -> Contrast | None:
    """What can be carried between two translations; None where they do not part."""
    fork = fork_between(one, other)
    if fork is None:
        return None
    pairs = aligned_places([label.text for label in one.src], [label.text for label in other.src])
    ends = (len(one.src), len(other.src))
    return Contrast(
        text=one.source,
        other=other.source,
        before=one.tgt_ids[: fork.place],
        written=fork.written,
        rival=fork.other,
        src=(*pairs, ends),
        sizes=(ends[0] + 1, ends[1] + 1),
        drafts=(one.tgt_ids, other.tgt_ids),
    )


def sweep(model: Source, about: Contrast, donor: Source | None = None) -> Sweep:
    """What each head and each state moves, all of them one by one, in one batch.

    ``donor`` is the model that reads the other sentence, where it is not the same one.

    Raises:
        LacksAbilityError, OtherShapeError: as ``check_one_shape``.
    """
    require(model, "patches")
    if donor is not None:
        check_one_shape(model, donor, about.text, about.other)
    heads = [Carried(head) for head in model.anatomy.all_heads()]
    sizes: dict[TextSide, tuple[int, int]] = {
        "src": (model.anatomy.layers("encoder_self") + 1, about.sizes[0]),
        "tgt": (model.anatomy.layers("decoder_self") + 1, len(about.before) + 1),
    }
    can = {here for here, _ in about.src}
    states = [
        Carried(None, side, *at)
        for side, size in sizes.items()
        for at in np.ndindex(*size)
        if side == "tgt" or at[1] in can
    ]
    found = log_probs_at(model, about, [Patch(), *(about.patch(site) for site in (*heads, *states))], donor)
    other = log_probs_at(donor or model, replace(about, text=about.other, src=()), [Patch()])[0]
    gap = found[:, 0] - found[:, 1]
    way = gap[0] - (other[0] - other[1])
    shares = (gap[0] - gap[1:]) / way if abs(way) > 1e-6 else np.full(len(gap) - 1, np.nan)
    by_kind = {
        kind: np.full((each.layers, each.heads), np.nan, np.float32) for kind, each in model.anatomy.kinds.items()
    }
    by_side = {side: np.full(size, np.nan, np.float32) for side, size in sizes.items()}
    for site, share in zip((*heads, *states), shares, strict=True):
        if site.head:
            by_kind[site.head.kind][site.head[1:]] = share
        else:
            by_side[site.side][site[2:]] = share
    return Sweep(found[0], other, by_kind, by_side)


def log_probs_at(model: Source, about: Contrast, patches: Sequence[Patch], donor: Source | None = None) -> np.ndarray:
    """Log-probabilities of the two tokens at the step where they part, under each patch: float64 [N, 2]."""
    found = _logits(model, about, donor, about.before, patches)[:, 0].double().log_softmax(-1)
    return found[:, [about.written, about.rival]].cpu().numpy()


def _logits(
    model: Source, about: Contrast, donor: Source | None, read: Sequence[int], patches: Sequence[Patch], steps: int = 1
) -> Tensor:
    """Logits of the last steps, [N, steps, V], while both passes read the same target."""
    giver = donor or model
    other = giver.forced(giver.ids(about.other, read), DONOR)
    return model.patched(model.ids(about.text, read), other, patches, steps)


def patched_ids(model: Source, about: Contrast, carried: Carried, donor: Source | None = None) -> tuple[int, ...]:
    """What the model writes greedily while something is carried, without the end, and without a rule against loops.

    The other pass reads what has been written so far, so a decoder's head is carried at every step. Several steps
    are taken at once where the model writes on as one of the two translations does (blockwise decoding, Stern et
    al. 2018): the result is that of step by step.
    """
    require(model, "patches")
    written: list[int] = []
    most = max(map(len, about.drafts)) + LONGER
    while len(written) < most:
        guess = _guess(written, about.drafts)[: most - len(written)]
        read, patch = (*written, *guess), about.patch(carried, len(written) + len(guess) + 1)
        logits = _logits(model, about, donor, read, [patch], len(guess) + 1)[0].clone()
        logits[:, list(model.never_written)] = -float("inf")
        for token, guessed in zip(logits.argmax(-1).tolist(), (*guess, None), strict=True):
            if token == model.end_id or len(written) == most:
                return tuple(written)
            written.append(token)
            if token != guessed:
                break
    return tuple(written)


def _guess(written: Sequence[int], drafts: Sequence[Sequence[int]]) -> Sequence[int]:
    """How a translation may go on: as the first draft, of those that hold its last token, does after it."""
    if not written:
        return drafts[0]
    for draft in drafts:
        places = [place for place, token in enumerate(draft) if token == written[-1]]
        if places:
            return draft[min(places, key=lambda place: abs(place + 1 - len(written))) + 1 :]
    return ()


class OtherShapeError(HeadlightError):
    """Two models between which nothing can be carried: their layers, heads, widths or vocabularies differ."""


def check_one_shape(model: Source, donor: Source, *texts: str) -> None:
    """Nothing, where what a pass of one model holds has its place in a pass of the other.

    ``texts`` are what they are to read: they must cut them into the same tokens.

    Raises:
        LacksAbilityError: one of them gives or takes no states.
        OtherShapeError: they differ in what a state is, or in what a token is.
    """
    for each in (model, donor):
        require(each, "patches")
    if (what := next(_differences(model, donor, texts), None)) is not None:
        raise OtherShapeError(f"Nothing can be carried from {donor.name} into {model.name}: {what} differ.")


def _differences(model: Source, donor: Source, texts: Sequence[str]) -> Iterator[str]:
    """In what two models differ; what comes later is asked only of models that agree in what comes before."""
    if model.anatomy.kinds != donor.anatomy.kinds:
        yield "their numbers of layers or heads"
    (words, width), (other_words, other_width) = (each.unembedding.table.shape for each in (model, donor))
    if width != other_width:
        yield "the widths of their states (d_model)"
    if words != other_words or any(model.piece(each) != donor.piece(each) for each in range(words)):
        yield "their target vocabularies"
    if any(not model.ids(text, ()).src.equal(donor.ids(text, ()).src) for text in texts):
        yield "their source vocabularies"
