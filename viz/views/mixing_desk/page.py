"""Mute, solo or turn up heads, and see what becomes of the translation."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from model.trace import KINDS, HeadRef, Kind
from viz.core.answers import what_if
from viz.core.choice import say, within
from viz.core.numbers import number
from viz.core.session import Session
from viz.widgets import head_facts, repair
from viz.widgets.desk_board import Desk, Tint, desk_gains, desk_sizes, mixing_desk, set_desk_gains

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


def costs(session: Session) -> Tint:
    """What muting each head alone does to a token's log-probability over the corpus; or that no table says.

    Of a head within two standard errors of 0 there is no colour; of others the square root, for one head costs far
    more than the rest.
    """
    table, made = head_facts.corpus_table(session.checkpoint)
    if table is None:
        return Tint(say("mix.cost.none", checkpoint=session.checkpoint), {}, {})
    top = max(float(np.nanmax(np.abs(each), initial=0)) for each in table.importance.values())
    shares, notes = dict[Kind, np.ndarray](), dict[HeadRef, str]()
    for kind, cost in table.importance.items():
        if cost.shape != desk_sizes(session.model).get(kind):
            continue
        error = np.nan_to_num(table.errors[kind])
        is_sure = np.abs(cost) > 2 * error  # never, where there is no number
        shares[kind] = np.where(is_sure, -np.sign(cost) * np.sqrt(np.abs(cost) / (top or 1)), 0.0)
        heads = [HeadRef(kind, *place) for place in np.ndindex(*cost.shape) if np.isfinite(cost[place])]
        notes |= {head: _cost_of(head, float(cost[head[1:]]), float(table.errors[kind][head[1:]])) for head in heads}
    most = head_facts.measured_first(table.importance)[:1]
    named = ", ".join(notes[head] for head in most)
    return Tint(say("mix.cost.told", most=named, made=made), shares, notes)


def _cost_of(head: HeadRef, cost: float, error: float) -> str:
    """A head's cost with its standard error, where that is known."""
    if np.isnan(error):
        return say("mix.cost.head", head=head_facts.title(head), cost=number(cost, 4))
    return say("mix.cost.head.error", head=head_facts.title(head), cost=number(cost, 4), error=number(error, 4))


def view(session: Session) -> None:
    """Every head with its gain, and what the gains make of the translation."""
    gains = desk_gains(session.model)
    mix = what_if.mix(session.subject, tuple(gains.items()))
    titles = {kind: say(f"kind.{kind}") for kind in KINDS}
    said, asked, cursor = verdict(mix, len(gains)), repair.ask(session), next(iter(gains), session.head)
    mixing_desk(
        Desk(gains, desk_sizes(session.model), titles, mix, session.words, said, costs(session), asked, cursor),
        theme=session.theme,
        labels=within("mix"),
        key="desk",
        on_mix=partial(set_desk_gains, session.model),
    )
