"""On the line over the viewer: whether a map is sound, whether it matters, and what can be taken away."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.attribution.export import maps_csv, maps_json, trace_npz
from model.attribution.labelled_map import combine
from model.attribution.sanity import check_map
from viz.charts.markup import line
from viz.core.answers.translations import trace, translation
from viz.core.language import language, say
from viz.core.session import Session
from viz.export.shown import Shown, names
from viz.widgets import deletion_bar as honesty_bar
from viz.widgets import map_choice as drawing
from viz.widgets import pins, take_away
from viz.widgets.bar import bar


def row(now: Session, asked: Shown) -> None:
    """A button each; what needs the model is reckoned when it is unfolded."""
    with bar():
        _honesty(now, asked)
        _take_away(now, asked)
        take_away.as_code(now, asked)
        pins.pin_button(now, asked, "one_head")


def _honesty(now: Session, asked: Shown) -> None:
    kind = asked.heads[0].kind
    unfolded = st.popover(say("workbench.matters"), key="hl_matters", on_change="rerun")
    with unfolded:
        if unfolded.open:
            _sanity(now, asked)
            drawing.meaning(now, cross=kind == "cross")
            maps = drawing.maps(now, kind)
            heads = [maps[head[1:]] for head in asked.heads]
            values = heads[0] if asked.how == "head" else combine(np.stack(heads), asked.how)
            honesty_bar.honesty_bar(now, kind, values, names(asked, language())[0])


def _sanity(now: Session, asked: Shown) -> None:
    if asked.method != "weights" or asked.how != "head":
        return
    sanity = check_map(trace(now.subject), *asked.heads[0])
    state = "holds" if sanity.holds else "fails"
    errors = {"sums": f"{sanity.row_sum_error:.1e}", "masked": f"{sanity.masked_weight:.1e}"}
    st.html(line(state, say(f"workbench.sanity.{state}", head=asked.heads[0].title, **errors)))


def _take_away(now: Session, asked: Shown) -> None:
    found, made = translation(now.subject), {head.kind: drawing.maps(now, head.kind) for head in asked.heads}
    readings = asked.readings(made, found.trace)
    if not all(reading.weights.size for reading in readings):
        return
    stem = f"headlight-{'-'.join(head.code for head in asked.heads[:6])}-{asked.method}"
    named = list(zip(names(asked, language()), readings, strict=True))

    def numbers() -> None:
        for name, make in (("csv", lambda: maps_csv(named)), ("json", lambda: maps_json(named))):
            st.download_button(name.upper(), make, f"{stem}.{name}", key=f"export_{name}", on_click="ignore")
        st.download_button("NPZ", lambda: trace_npz(found), "headlight-trace.npz", key="export_npz", on_click="ignore")

    take_away.take_away(now, asked, named, stem, numbers)
