"""Which word goes with which: links of the current translation, and how true such links are on known pairs."""

from __future__ import annotations

import streamlit as st

from model.analysis.alignment.gold import error_rate
from model.analysis.alignment.links import links_csv, pharaoh
from viz.charts.markup import line
from viz.core.language import say, within
from viz.core.session import current_session
from viz.views.alignment import truth_meter
from viz.views.alignment.gold_links import truth_maps, truth_pairs, word_maps
from viz.views.alignment.word_links import word_links
from viz.widgets import alignment, chart
from viz.widgets.bar import bar
from viz.widgets.picker import pick

now = current_session()
with bar():
    shown = pick("align_view", labelled=False)
    chosen = alignment.setting(now)
place = chosen.index(*alignment.decoder(now))
table, _ = now.model.alignment


def best_buttons() -> None:
    """The ways to the best settings that the checkpoint's table knows."""
    if table:
        alignment.best_button("best_head", table["best_head"])
        alignment.best_button("best", table["best"])


def score_line(key: str, **values: object) -> None:
    """One sentence on what is drawn and how true it is."""
    rate = alignment.rate_of(table, chosen) if table else None
    if table and rate is not None:
        known = {"aer": rate, "diagonal": table["diagonal"]}
        values |= {name: f"{rate:.0f}" for name, rate in known.items()} | {"pairs": table["sentences"]}
    sentence = say(key if rate is None else f"{key}.scored", name=chosen.name, **values)
    st.html(line("alt", sentence))
    alignment.table_notice(now.checkpoint, chosen.method)


def this_sentence() -> None:
    """Links of the current translation, to look at and to take away."""
    src, tgt, maps = word_maps(now.subject, chosen.method)
    links = chosen.links(maps[place])
    word_links(src, tgt, links, theme=now.theme, labels=within("alignment.words"), key="word_links")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        score_line("alignment.links")
        best_buttons()
    line = pharaoh(links)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.code(line or "∅", language=None, wrap_lines=True)
        st.download_button("i-j", line + "\n", "headlight-alignment.txt", "text/plain", on_click="ignore")
        csv = links_csv(links, src, tgt, maps[place])
        st.download_button("CSV", csv, "headlight-alignment.csv", "text/csv", on_click="ignore")


def known_pair() -> None:
    """One pair that people have aligned: every head's error on it, and the chosen map."""
    pairs = truth_pairs(now.checkpoint)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        number = truth_meter.pair_picker(pairs)
        best_buttons()
    maps, rates, tokens = truth_maps(now.checkpoint, number, chosen.method)
    links = chosen.links(maps[place])
    score_line("alignment.meter", here=f"{100 * error_rate(links, pairs[number]):.0f}")
    scores, picture = st.columns([9, 11], gap="medium")
    with scores:
        truth_meter.grid(now, chosen, rates)
    with picture:
        truth_meter.picture(pairs[number], maps[place] / tokens[:, None], links, chosen, now.theme)


this_sentence() if shown == "sentence" else known_pair()
chart.lead(f"alignment.why.{now.shift}")
