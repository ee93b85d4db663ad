"""The sentence and its translation as tokens that light each other up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from model.attribution.labelled_map import read
from model.attribution.methods import METHODS
from model.trace import HeadRef
from viz.core.answers import what_if
from viz.core.answers.maps import attribution_maps
from viz.core.answers.translations import translation
from viz.core.choice import Labels, say
from viz.core.numbers import signed
from viz.core.session import Session
from viz.core.theme import Theme
from viz.web.message import check_shape, pack_coarse, pack_fine
from viz.widgets.chips import chips
from viz.widgets.desk_board import desk_gains, set_desk_gains
from viz.widgets.errors import message, part
from viz.widgets.head_board import Board, board_payload
from viz.widgets.places import opened_place, register

if TYPE_CHECKING:
    from model.analysis.what_if.mixing import Mix

_NAMED = 3  # muted heads
LABELS = (
    "src_title",
    "tgt_title",
    "hint",
    "attends",
    "attended",
    "nothing",
    "confidence",
    "legend_weight",
    "legend_confidence",
    "play",
    "stop",
    "looks",
    "heads_hint",
    "back",
    "copy",
    "copied",
)
_component = register("token_links", LABELS)


def writers(now: Session, place: int | None) -> Wrote | None:
    """The heads that wrote a token; None without one, or where the model does not offer what it takes."""
    anatomy = now.model.opened.anatomy
    offered = {*anatomy.abilities, *anatomy.kinds}
    if place is None or not offered >= {*METHODS["votes"].needs, "gains", "cross"}:
        return None
    found = translation(now.subject)
    label = (found.trace.tgt_outputs[place],)
    token = label[0].text
    gains = desk_gains(now.model)
    votes = attribution_maps(now.subject, "votes", None)["cross"][:, :, place].sum(-1)
    board = Board(
        {"cross": votes},
        {"cross": say("kind.cross")},
        lambda value: signed(value, 1),
        lambda value: say("writers.vote", vote=signed(value), token=token),
        top=float(np.abs(votes).max(initial=0)) or 1.0,
        signed=True,
        muted=[head for head, gain in gains.items() if gain == 0 and head.kind == "cross"],
    )
    rows = found.trace.cross[:, :, place : place + 1]
    looked = read(rows, label, found.trace.src, now.words, now.hide_special).weights[:, :, 0]
    title, legend = (say(f"writers.{name}", token=token) for name in ("title", "legend"))
    return Wrote(board, looked, title, legend, _mixed(now, gains, place), lambda head: _toggle(now, head))


def _toggle(now: Session, head: HeadRef | None) -> None:
    """Mute a head, or bring it back; None brings all back. In a callback."""
    gains = {} if head is None else desk_gains(now.model)
    if head is not None and gains.pop(head, 1.0) != 0:
        gains[head] = 0.0
    set_desk_gains(now.model, gains)


def _mixed(now: Session, gains: dict[HeadRef, float], place: int) -> Mixed | None:
    if not gains:
        return None
    mix = what_if.mix(now.subject, tuple(gains.items()))
    heads = [f"{say(f'kind.{head.kind}')} {head.title}" for head in gains]
    named = ", ".join(heads[:_NAMED]) + (" …" if len(heads) > _NAMED else "")
    key = "mixed" if any(gains.values()) else "without"
    same = mix.mixed.tgt_ids == mix.original.tgt_ids
    title = say(f"writers.{key}.same" if same else f"writers.{key}", heads=named, chance=_chance(now, mix, place))
    tokens = chips(mix.mixed.text, mix.mixed.tgt)
    return Mixed(title, tuple((each["before"] + each["text"], new) for each, new in zip(tokens, mix.new, strict=True)))


def _chance(now: Session, mix: Mix, place: int) -> str:
    """What becomes of the token's probability; nothing where it is one of a translation that was forced."""
    found = translation(now.subject)
    if found.tgt_ids != mix.original.tgt_ids:
        return ""
    before, after = (f"{math.exp(each[place]):.0%}" for each in (mix.before, mix.after))
    return say("writers.chance", token=found.trace.tgt_outputs[place].text, before=before, after=after)


@dataclass(frozen=True)
class Mixed:
    """The translation with muted heads."""

    title: str  # says which
    # each with what stands before it, and whether the translation lacks it with all heads
    tokens: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Wrote:
    """The heads that wrote the chosen token."""

    board: Board  # their votes, of one kind
    looked: np.ndarray  # what each looked at in the step that wrote it, [L, H, S]
    # title, legend: what is asked, and what the numbers are
    title: str
    legend: str
    mixed: Mixed | None  # the translation with other gains of heads; None where each has its own
    # called with the head that was clicked, None to bring all back, before the script runs again
    on_head: Callable[[HeadRef | None], None]


def token_links(
    src: list[str],
    tgt: list[str],
    weights: np.ndarray,
    probabilities: list[float],
    *,
    theme: Theme,
    labels: Labels,
    key: str,
    src_words: list[int],
    tgt_words: list[int],
    chosen: int | None = None,
    on_pick: Callable[[int | None], None] | None = None,
    wrote: Wrote | None = None,
    written: str = "",
    readings: Sequence[str] = (),
) -> None:
    """Two rows of tokens; pointing at one, or reaching it by keyboard, lights up what it is linked with.

    Args:
        src, tgt: tokens; a piece inside a word begins with ``##``.
        weights, probabilities: cross-attention [T, S], of whose rows t writes tgt[t]; of each target token, [T].
        theme, labels: the look, and the strings named in LABELS, in the visitor's language.
        key: names this place on the page; the same key keeps what the visitor pinned.
        src_words, tgt_words: the word of each token; neighbours of one word are joined; -1 is special.
        chosen: the target token that is pinned before anybody points at one.
        on_pick: called with the target token that was clicked, None where it was let go, before the script runs again.
        wrote: the heads that wrote the chosen token.
        written, readings: the translation, to be copied; how each target token is said, none where nobody asked.

    Raises:
        ValueError: weights, probabilities or words do not fit the tokens.
    """
    links = links_payload(src, tgt, weights, probabilities, src_words, tgt_words)
    data = {**links, "chosen": chosen, "heads": _heads_payload(wrote, src), "written": written, "readings": readings}
    said = {"on_pick_change": lambda: _picked(key, len(tgt), on_pick), "on_head_change": lambda: _pressed(key, wrote)}
    _component.mount(data, theme=theme, labels=labels, key=key, **said)


def _picked(key: str, tokens: int, on_pick: Callable[[int | None], None] | None) -> None:
    """One of so many target tokens was clicked, or let go."""
    place = part(message(key, "pick"), "place")
    if on_pick and type(place) is int and -1 <= place < tokens:
        on_pick(place if place >= 0 else None)


def _pressed(key: str, wrote: Wrote | None) -> None:
    """A head was clicked, or all are to be brought back."""
    if wrote is None:
        return
    said = message(key, "head")
    head = opened_place(said, wrote.board.places)
    if head is not None or part(said, "back") is True:
        wrote.on_head(head)


def _heads_payload(wrote: Wrote | None, src: Sequence[str]) -> dict[str, object] | None:
    if wrote is None:
        return None
    rows = wrote.looked.reshape(-1, wrote.looked.shape[-1])
    check_shape("looked", rows, range(len(rows)), src)
    mixed = wrote.mixed and {
        "title": wrote.mixed.title,
        "tokens": [{"text": text, "fresh": new} for text, new in wrote.mixed.tokens],
    }
    said = {"title": wrote.title, "legend": wrote.legend}
    return {"board": board_payload(wrote.board), "rows": pack_coarse(rows), "mixed": mixed, **said}


def links_payload(
    src: Sequence[str],
    tgt: Sequence[str],
    weights: np.ndarray,
    probabilities: Sequence[float],
    src_words: Sequence[int],
    tgt_words: Sequence[int],
) -> dict[str, object]:
    """What ``token_links`` sends to the browser, less look and labels; weights as ``pack_fine`` packs them.

    Raises:
        ValueError: as ``token_links``.
    """
    check_shape("weights", weights, tgt, src)
    for name, values, tokens in (
        ("probabilities", probabilities, tgt),
        ("src_words", src_words, src),
        ("tgt_words", tgt_words, tgt),
    ):
        if len(values) != len(tokens):
            raise ValueError(f"{name} has {len(values)} entries, but there are {len(tokens)} tokens")
    return {
        "src": list(src),
        "tgt": list(tgt),
        "weights": pack_fine(weights),
        "probabilities": [round(float(value), 4) for value in probabilities],
        "src_words": [int(word) for word in src_words],
        "tgt_words": [int(word) for word in tgt_words],
    }
