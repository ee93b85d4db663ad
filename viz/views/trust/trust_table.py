"""The honest table: which sort of map marks the words that the translations of a corpus need."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from model.analysis.faithfulness.table import LOWER_IS_BETTER, MEASURES, RANDOM, ROWS, rows_of
from model.attribution.methods import METHODS
from viz.charts.layout import chart_config
from viz.charts.markup import Markup, line, tag
from viz.core.answers.faithfulness import faithfulness
from viz.core.language import say
from viz.core.models import entry_of
from viz.core.numbers import number, signed
from viz.core.theme import Theme
from viz.views.trust.figure import Measure, dots_figure
from viz.widgets.bar import bar
from viz.widgets.picker import pick

# What takes nothing away stands first; then the yardstick with its kin, and chance, drawn hollow.
UNTOUCHED = tuple(name for name, sort in METHODS.items() if not sort.perturbs)
ORDER = (*UNTOUCHED, *(name for name in ROWS if name not in UNTOUCHED))
LED = ("comprehensiveness", "sufficiency")


def draw_table(checkpoint: str, theme: Theme) -> None:
    """The table that comes with a checkpoint: winner, dots, meanings, numbers; or why there is none."""
    table, why = faithfulness(checkpoint, entry_of(checkpoint).sha256)
    if table is None:
        st.html(line("error", say(f"trust.{why}", checkpoint=checkpoint), data_table=why))
        return
    with bar():
        way, target = pick("way", labelled=False), pick("target", labelled=False)
    rows = rows_of(table, target, way)
    if not rows:
        st.info(say("trust.no_setting"))
        return
    winner = winner_sentence(table, rows)
    st.html(line("lead", winner, id="hl-winner", style="font-weight: 600;"))
    figure = dots_figure(
        [row_name(name) for name in ORDER], [panel(rows, each) for each in MEASURES], len(ORDER) - len(UNTOUCHED), theme
    )
    alt = say("trust.dots.alt", winner=winner, sentences=f"{table['sentences']:,}")
    st.plotly_chart(figure, key="trust_dots", theme=None, config=chart_config("headlight-trust"), alt=alt)
    facts = {
        "sentences": f"{table['sentences']:,}",
        "tokens": f"{table['tokens']:,}",
        "command": table.get("command", ""),
    }
    items = [_meaning(measure) for measure in MEASURES]
    st.html(tag("ul", *items, class_="hl-alt", style="max-width: 72rem; padding-left: 1.2rem;"))
    for key in (f"way.{way}.meaning", "trust.maps", "trust.kin", "trust.source"):
        st.html(line("alt", say(key, **facts), style="max-width: 72rem;"))
    st.dataframe(columns(table, rows), hide_index=True)


def winner_sentence(table: dict[str, Any], rows: dict[str, Any]) -> str:
    """Which sort of map is most ahead, of those that take nothing away, and by how much in the setting on the page."""
    best, base = say(f"method.{table['best']}"), say(f"method.{table['base']}")
    if table["best"] == table["base"]:
        return say("trust.best.base", method=best)
    gaps = say("trust.comma").join(
        f"{say(f'trust.{measure}')} {signed(cell['gap'])} ± {2 * (cell['gap_se'] or 0):.2f}"
        for measure, cell in ((measure, rows[table["best"]][measure]) for measure in LED)
    )
    return say("trust.best", method=best, base=base, gaps=gaps)


def panel(rows: dict[str, Any], measure: str) -> Measure:
    """One measure as a panel of dots."""
    cells = [rows[name][measure] for name in ORDER]
    means, errors = (
        np.array([np.nan if cell[part] is None else cell[part] for cell in cells], dtype=float)
        for part in ("mean", "se")
    )
    lower = measure in LOWER_IS_BETTER
    known = np.nan_to_num((-means if lower else means)[: len(UNTOUCHED)], nan=-np.inf)
    return Measure(_titled(measure), means, errors, int(known.argmax()))


def columns(table: dict[str, Any], rows: dict[str, Any]) -> dict[str, list[str]]:
    """The numbers as columns: a sort of map a line, mean ± standard error, what it takes, and of how many pairs."""
    shown = {say("trust.map"): [row_name(name) for name in ORDER]}
    for measure in MEASURES:
        cells = [rows[name][measure] for name in ORDER]
        shown[_titled(measure)] = [
            "–" if c["mean"] is None else f"{number(c['mean'], 3)} ± {c['se'] or 0:.3f}" for c in cells
        ]
        if measure in LED:
            title = say("trust.ahead", measure=say(f"trust.{measure}"), base=say(f"method.{table['base']}"))
            shown[title] = ["–" if c["gap"] is None else f"{signed(c['gap'])} ± {c['gap_se'] or 0:.2f}" for c in cells]
    seconds, pairs = [table["seconds"].get(name) for name in ORDER], {**table["pairs"], RANDOM: table["sentences"]}
    shown[say("trust.seconds")] = ["–" if each is None else f"{each:.3f}" for each in seconds]
    shown[say("trust.pairs")] = [f"{pairs.get(name, 0):,}" for name in ORDER]
    return shown


def row_name(name: str) -> str:
    """A sort of map, or a yardstick, in the visitor's language."""
    return say("trust.row.random") if name == RANDOM else say(f"method.{name}")


def _titled(measure: str) -> str:
    return f"{say(f'trust.{measure}')} {'↓' if measure in LOWER_IS_BETTER else '↑'}"


def _meaning(measure: str) -> Markup:
    better = say("trust.lower" if measure in LOWER_IS_BETTER else "trust.higher")
    return tag("li", tag("b", say(f"trust.{measure}")), f" ({better}): {say(f'trust.{measure}.meaning')}")
