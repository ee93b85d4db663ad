"""What a model that does not translate makes of what it is given: the first view of such models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from model.attribution.labelled_map import written_probabilities
from viz.charts.marked import bars
from viz.charts.markup import line
from viz.core.answers import what_if
from viz.core.answers.translations import translation
from viz.core.language import say
from viz.core.session import Session
from viz.widgets import chart, combined, patches
from viz.widgets import map_choice as drawing

if TYPE_CHECKING:
    from model.analysis.what_if.steps import Step

_CANDIDATES = 5


def draw(now: Session) -> None:
    """The overview of a model, by what it reads."""
    {"prompt": _prompt, "sentence": _sentence, "picture": _picture, "maps": _maps}[now.model.reads](now)
    if now.model.reads != "picture":
        chart.lead("seen.open")


def _prompt(now: Session) -> None:
    """How probable each token was, and which heads share their keys."""
    found = translation(now.subject)
    chart.lead("seen.prompt")
    shown = found.tgt[: len(found.log_probs)]
    values = written_probabilities(found, words=False, hide_special=False)[: len(shown)]
    marked = set(range(found.given, len(shown)))
    st.html(bars([label.text for label in shown], values, 1.0, marked, now.theme, ""))
    grouped = getattr(now.model.opened, "shared_keys", 1)
    if grouped > 1:
        heads = now.model.facts.anatomy.kinds[now.kind].heads
        groups = " · ".join(f"H{first}–H{first + grouped - 1}" for first in range(0, heads, grouped))
        st.html(line("alt", say("seen.grouped", heads=heads, keys=heads // grouped, groups=groups)))


def _sentence(now: Session) -> None:
    """What would be filled in at each masked place."""
    found = translation(now.subject)
    if not found.tgt_ids:
        return
    for number, step in enumerate(what_if.steps(now.subject, _CANDIDATES), 1):
        place = f"{now.model.mask} {number}".strip()
        _candidates(now, say("seen.candidates", place=place), step)


def _picture(now: Session) -> None:
    """The chosen head over the picture, and the classes beside it."""

    def beside() -> None:
        if translation(now.subject).tgt_ids:
            _candidates(now, say("seen.classes"), what_if.steps(now.subject, _CANDIDATES)[0])
        drawing.meaning(now, cross=False)
        chart.lead("seen.open")

    patches.over_picture(now, combined.combination(now), beside)


def _maps(now: Session) -> None:
    """Which kinds of attention a file holds."""
    kinds = now.model.facts.anatomy.kinds
    said = [f"{say(f'kind.{kind}')} {each.layers} × {each.heads}" for kind, each in kinds.items()]
    chart.lead("seen.maps", kinds=", ".join(said))


def _candidates(now: Session, title: str, step: Step) -> None:
    names = [each.piece.replace("▁", " ").replace("Ġ", " ").strip() or "␣" for each in step.candidates]
    values = [each.probability for each in step.candidates]
    st.html(bars(names, values, 1.0, {0}, now.theme, title))
    said = ", ".join(f"{name} {value:.0%}" for name, value in zip(names, values, strict=True))
    st.html(line("alt", say("seen.alt", list=said)))
