"""The heads that wrote the chosen token: their votes and links, and the translation without those that are muted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from model.attribution.labelled_map import read
from model.attribution.methods import METHODS
from model.trace import HeadRef
from viz.core.answers import what_if
from viz.core.answers.maps import attribution_maps
from viz.core.answers.translations import translation
from viz.core.language import say
from viz.core.numbers import signed
from viz.core.session import Session
from viz.views.translate.token_links import Mixed, Wrote
from viz.widgets.chips import chips
from viz.widgets.desk_gains import desk_gains, set_desk_gains
from viz.widgets.head_board import Board

if TYPE_CHECKING:
    from model.analysis.what_if.mixing import Mix

_NAMED = 3  # muted heads


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
