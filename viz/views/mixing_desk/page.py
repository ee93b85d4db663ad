"""Mute, solo or turn up heads, and see what becomes of the translation."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from model.trace import KINDS
from viz.core.answers import what_if
from viz.core.choice import say, within
from viz.core.numbers import number
from viz.core.session import Session
from viz.widgets import repair
from viz.widgets.desk_board import Desk, desk_gains, desk_sizes, mixing_desk, set_desk_gains

if TYPE_CHECKING:
    from model.analysis.what_if.mixing import Mix


def verdict(mix: Mix, changed: int) -> str:
    """What the changed heads did, in one or two sentences."""
    if not changed:
        return say("mix.untouched")
    same = mix.mixed.tgt_ids == mix.original.tgt_ids
    tokens = say("mix.same") if same else say("mix.new", new=sum(mix.new), lost=sum(mix.lost))
    which = "less" if mix.change < -0.005 else "more" if mix.change > 0.005 else "equal"
    before, after = (number(sum(each)) for each in (mix.before, mix.after))
    return f"{tokens} {say(f'mix.{which}', factor=factor(abs(mix.change)), before=before, after=after)}"


def factor(nats: float) -> str:
    """What a difference in log-probability multiplies a probability by: "1.35", "178,000", "10¹³"."""
    if nats > 16:
        return "10" + f"{nats / math.log(10):.0f}".translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    size = math.exp(nats)
    return f"{size:.3g}" if size < 100 else f"{round(size, 2 - math.ceil(math.log10(size))):,.0f}"


def view(session: Session) -> None:
    """Every head with its gain, and what the gains make of the translation."""
    gains = desk_gains(session.model)
    mix = what_if.mix(session.subject, tuple(gains.items()))
    titles = {kind: say(f"kind.{kind}") for kind in KINDS}
    said, asked, cursor = verdict(mix, len(gains)), repair.ask(session), next(iter(gains), session.head)
    mixing_desk(
        Desk(gains, desk_sizes(session.model), titles, mix, session.words, said, asked, cursor),
        theme=session.theme,
        labels=within("mix"),
        key="desk",
        on_mix=partial(set_desk_gains, session.model),
    )
