"""The picture that Translate opens on: all cross heads together, by the map that the checkpoint's table trusts most."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from model.attribution.methods import METHODS
from model.source import LacksAbilityError
from viz.charts.markup import line
from viz.core.answers.maps import whole_map
from viz.core.language import say
from viz.core.numbers import number
from viz.core.session import Session, choose_head
from viz.views.translate.answer import trusted
from viz.widgets import combined
from viz.widgets.bar import bar
from viz.widgets.deletion_bar import found_honesty
from viz.widgets.picker import pick

_OTHER = "_another_picture"  # the checkpoint of which the visitor looks at a picture that he chose


def best_picture(now: Session) -> tuple[Session, np.ndarray] | None:
    """The view with that map drawn, and its values [T, S]; None where the visitor chose another, or there is none.

    Whoever chooses a head, a sort of map or several heads sees that; a button leads back. Draws this
    button, or the choice between both.
    """
    method = trusted(now.checkpoint)
    if method is None or not now.model.facts.anatomy.abilities.issuperset(METHODS[method].needs):
        return None
    if _chose_another(now):
        st.session_state[_OTHER] = now.checkpoint
        back = say("picture.back", method=say(f"method.{method}"))
        bar().button(back, key="picture_back", on_click=_back, args=(now,))
        return None
    if st.session_state.pop(_OTHER, None) == now.checkpoint:  # who goes back by the pickers asks for these weights
        st.session_state["picture"] = "head"
    with bar():
        chosen = pick("picture", labelled=False)
    if chosen != "trusted":
        return None
    shown = replace(now, method=method, shift="written")
    try:
        return shown, whole_map(now.subject, method)
    except LacksAbilityError:  # found when the model was opened
        return None


def say_best(shown: Session) -> None:
    """What is drawn, and why."""
    st.html(line("alt", say("picture.method", method=say(f"method.{shown.method}")), data_picture=shown.method))


def verdict(shown: Session, values: np.ndarray) -> None:
    """One sentence: does deleting what this map marks cost more than deleting words at random?

    Nothing where words cannot be deleted, or there are too few of them.
    """
    if "hide" not in shown.model.facts.anatomy.abilities:
        return
    found = found_honesty(shown, "cross", values)
    if not found.can_tell:
        return
    said = {"cost": number(found.cost), "median": number(found.median), "beaten": f"{100 * found.beaten:.0f}"}
    look = "holds" if found.verdict == "green" else "fails"
    st.html(line(look, say(f"picture.{found.verdict}", **said), data_verdict=found.verdict))


def _chose_another(now: Session) -> bool:
    start = now.model.opening
    here = now.kind == "cross" and (now.head.layer, now.head.head) != (start["layer"], start["head"])
    return here or now.method != "weights" or combined.combination(now).how != "head"


def _back(now: Session) -> None:
    """Let go of whatever was chosen; in a callback."""
    start = now.model.opening
    choose_head(now.head._replace(kind=start["kind"], layer=start["layer"], head=start["head"]))
    st.session_state.update(method="weights", combine="head", over=[], picture="trusted")
    st.session_state.pop(_OTHER, None)
