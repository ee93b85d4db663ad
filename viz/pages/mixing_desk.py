"""Mute, solo or turn up heads, and see what becomes of the translation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from model.trace import KINDS, Kind
from viz import cached, session
from viz.components.mixing_desk import LABELS, Desk, mixing_desk
from viz.mix_code import format_mix, parse_mix
from viz.session import say

if TYPE_CHECKING:
    from model.analysis.mixing import Mix
    from model.interventions import Head

now, config = session.view(), session.config(session.checkpoint())
depths = {kind: config["n_encoder_layers" if kind == "encoder_self" else "n_decoder_layers"] for kind in KINDS}
sizes: dict[Kind, tuple[int, int]] = {kind: (depths[kind], config["n_heads"]) for kind in KINDS}


def verdict(mix: Mix, changed: int) -> str:
    """What the changed heads did, in one sentence."""
    if not changed:
        return say("mix.untouched")
    numbers = {"before": sum(mix.before), "after": sum(mix.after), "change": mix.change}
    texts = {name: f"{value:+.2f}" if name == "change" else f"{value:.2f}" for name, value in numbers.items()}
    texts = {name: text.replace("-", "−") for name, text in texts.items()}
    tokens = (
        say("mix.same")
        if mix.mixed.tgt_ids == mix.original.tgt_ids
        else say("mix.new", new=sum(mix.new), lost=sum(mix.lost))
    )
    return f"{tokens} {say('mix.odds', times=times(mix.change), **texts)}"


def times(change: float) -> str:
    """A change in log-probability as a factor: "× 0.31"; very large and small ones as powers of ten."""
    return f"× {math.exp(change):.3g}" if abs(change) < 7 else f"× 10^{change / math.log(10):.0f}".replace("-", "−")


def moved(gains: dict[Head, float]) -> None:
    """Write the faders into the link."""
    st.session_state["mix"] = format_mix(gains, sizes)


gains = parse_mix(str(st.session_state.get("mix", "")), sizes)
mix = cached.mix(now.text, now.checkpoint, now.beam, tuple(gains.items()))
mixing_desk(
    Desk(gains, sizes, {kind: say(f"kind.{kind}") for kind in KINDS}, mix, now.words, verdict(mix, len(gains))),
    theme=session.theme(),
    labels={label: say(f"mix.{label}") for label in LABELS},
    key="desk",
    on_mix=moved,
)
