"""A head over the picture: where it looks from one patch, or from a token that is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import streamlit as st

from model.analysis.faithfulness.table import share_on
from model.attribution.methods import METHODS, MethodName
from model.trace import HeadRef, Label
from viz.charts.markup import line
from viz.core import models, pictures
from viz.core.answers.maps import seen_picture
from viz.core.answers.translations import trace
from viz.core.language import say, within
from viz.core.numbers import number
from viz.core.session import Session
from viz.widgets import map_choice
from viz.widgets.combined import Combination
from viz.widgets.patch_picture import Patched, patch_picture

NAMED = 5


def over_picture(now: Session, chosen: Combination, beside: Callable[[], None] | None = None) -> None:
    """The chosen head's row over the picture; at its side the token that it looks from, and what ``beside`` draws."""
    labels = trace(now.subject).src
    picture, (rows, columns) = seen_picture(now.subject)
    leading = len(labels) - rows * columns
    left, right = st.columns([2, 3], gap="large")
    with right:
        query = query_picker([label.text for label in labels])
        values = chosen.of(map_choice.maps(now, now.kind), now.kind)[query].astype(float)
        _told(now, chosen, labels, values, (query, leading))
        decides = pictures.deciding(now.subject.text)
        if decides is not None and decides.shape == (rows, columns):
            truth(now.checkpoint, now.method, values, decides)
        else:
            decides = None
        if beside is not None:
            beside()
    selected = query - leading if query >= leading else None
    over = values[leading:].reshape(rows, columns)
    shown = Patched(picture, over, selected, METHODS[now.method].signed, decides)
    with left:
        labelled = within("patch")
        patch_picture(shown, theme=now.theme, labels=labelled, key="patches", on_look=lambda at: look(at + leading))


def truth(checkpoint: str, method: MethodName, values: np.ndarray, decides: np.ndarray) -> None:
    """The picture's truth meter: what a row puts on the patches that decide, against chance and many scenes."""
    share = float(share_on(values, decides))
    said = {"count": int(decides.sum()), "all": decides.size, "chance": f"{decides.mean():.0%}"}
    st.html(line("lead", say("patch.truth", share=f"{share:.0%}" if np.isfinite(share) else "–", **said)))
    table = models.entry_of(checkpoint).scenes
    if table and method in table["maps"]:
        found = table["maps"][method]
        best = HeadRef("encoder_self", found["best"]["layer"], found["best"]["head"]).title
        shares = {"mean": f"{found['mean']:.0%}", "most": f"{found['best']['share']:.0%}"}
        measured = {"scenes": table["scenes"], "chance": f"{table['chance']:.0%}", "method": say(f"method.{method}")}
        st.html(line("alt", say("patch.truth.all", best=best, **shares, **measured)))


def _told(
    now: Session, chosen: Combination, labels: Sequence[Label], values: np.ndarray, place: tuple[int, int]
) -> None:
    """What lies over the picture, in words."""
    query, leading = place
    key = "patch.signed" if METHODS[now.method].signed else "patch.lead"
    said = {"head": f"{map_choice.whose(now, chosen.name)} · {map_choice.name(now)}", "token": labels[query].text}
    st.html(line("lead", say(key, **said)))
    order = np.argsort(-np.abs(values[leading:]))[:NAMED] + leading
    st.html(line("alt", say("patch.alt", list=_named(labels, values, order), **said)))
    if leading:
        st.html(line("alt", say("patch.special", list=_named(labels, values, range(leading)))))


def _named(labels: Sequence[Label], values: np.ndarray, places: Iterable[int]) -> str:
    return ", ".join(f"{labels[at].text} {number(values[at])}" for at in places)


def query_picker(names: list[str]) -> int:
    """Which token is looked from."""
    if st.session_state.get("patch") not in range(len(names)):
        st.session_state.pop("patch", None)
    return int(
        st.selectbox(
            say("patch.query"),
            range(len(names)),
            format_func=names.__getitem__,
            key="patch",
            help=say("patch.query.help"),
            bind="query-params",
            width=200,
        )
    )


def look(token: int) -> None:
    """Look from a token; to be called in a widget's callback."""
    st.session_state["patch"] = token
