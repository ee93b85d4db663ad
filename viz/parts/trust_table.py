"""The honest table: which sort of map marks the words that the translations of a corpus need."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from model.analysis.faithfulness.table import LOWER_IS_BETTER, MEASURES, ROWS
from model.analysis.maps.sorts import DRAWN
from viz.figures.layout import chart_config
from viz.figures.markup import Markup, line, tag
from viz.figures.trust import Measure, dots_figure
from viz.numbers import number
from viz.state.answers.faithfulness import faithfulness
from viz.state.checkpoints import sha256
from viz.state.language import say
from viz.theme import Theme


def draw_table(checkpoint: str, theme: Theme) -> None:
    """The table that comes with a checkpoint: winner, dots, meanings, numbers; or why there is none."""
    table, why = faithfulness(checkpoint, sha256(checkpoint))
    if table is None:
        st.html(line("error", say(f"trust.{why}", checkpoint=checkpoint), data_table=why))
        return
    winner = winner_sentence(table)
    st.html(line("lead", winner, id="hl-winner", style="font-weight: 600;"))
    names = [row_name(name) for name in ROWS]
    measures = [panel(table, measure) for measure in MEASURES]
    figure = dots_figure(names, measures, len(ROWS) - len(DRAWN), theme)
    alt = say("trust.dots.alt", winner=winner, sentences=f"{table['sentences']:,}")
    st.plotly_chart(figure, key="trust_dots", theme=None, config=chart_config("headlight-trust"), alt=alt)
    facts = {
        "sentences": f"{table['sentences']:,}",
        "tokens": f"{table['tokens']:,}",
        "command": table.get("command", ""),
    }
    items = [_meaning(measure) for measure in MEASURES]
    st.html(tag("ul", *items, class_="hl-alt", style="max-width: 72rem; padding-left: 1.2rem;"))
    for key in ("trust.maps", "trust.source"):
        st.html(line("alt", say(key, **facts), style="max-width: 72rem;"))
    st.dataframe(columns(table), hide_index=True)


def winner_sentence(table: dict[str, Any]) -> str:
    """Which sort of map wins, by which measures, and whether that is clear."""
    best = table["best"]
    wins = {name: [measure for measure in MEASURES if best[measure]["drawn"] == name] for name in DRAWN}
    first = max(DRAWN, key=lambda name: len(wins[name]))
    clear = [measure for measure in wins[first] if is_clear(best[measure])]
    listed = say("trust.comma").join(say(f"trust.{measure}") for measure in wins[first])
    facts = {"drawn": say(f"drawn.{first}"), "wins": len(wins[first]), "all": len(MEASURES), "measures": listed}
    others = {best[measure]["next"] for measure in wins[first] if measure not in clear}
    unclear = say("trust.comma").join(say(f"drawn.{name}") for name in DRAWN if name in others)
    return say("trust.winner", **facts) + (say("trust.winner.unclear", others=unclear) if others else "")


def is_clear(best: dict[str, Any]) -> bool:
    """True where the lead is more than two standard errors."""
    return best["lead"] is not None and best["se"] is not None and best["lead"] > 2 * best["se"]


def panel(table: dict[str, Any], measure: str) -> Measure:
    """One measure as a panel of dots."""
    cells = [table["drawn"][name][measure] for name in ROWS]
    means, errors = (
        np.array([np.nan if cell[part] is None else cell[part] for cell in cells], dtype=float)
        for part in ("mean", "se")
    )
    return Measure(_titled(measure), means, errors, ROWS.index(table["best"][measure]["drawn"]))


def columns(table: dict[str, Any]) -> dict[str, list[str]]:
    """The numbers as columns: a sort of map a line, mean ± standard error."""
    shown = {say("trust.map"): [row_name(name) for name in ROWS]}
    for measure in MEASURES:
        cells = [table["drawn"][name][measure] for name in ROWS]
        shown[_titled(measure)] = [
            "–" if c["mean"] is None else f"{number(c['mean'], 3)} ± {c['se'] or 0:.3f}" for c in cells
        ]
    return shown


def row_name(name: str) -> str:
    """A sort of map, or a yardstick, in the visitor's language."""
    return say(f"drawn.{name}" if name in DRAWN else f"trust.row.{name}")


def _titled(measure: str) -> str:
    return f"{say(f'trust.{measure}')} {'↓' if measure in LOWER_IS_BETTER else '↑'}"


def _meaning(measure: str) -> Markup:
    better = say("trust.lower" if measure in LOWER_IS_BETTER else "trust.higher")
    return tag("li", tag("b", say(f"trust.{measure}")), f" ({better}): {say(f'trust.{measure}.meaning')}")
