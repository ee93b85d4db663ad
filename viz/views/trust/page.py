"""Which picture deserves trust: over a corpus as a table, and on this sentence, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model.analysis.faithfulness.table import LOWER_IS_BETTER, MEASURES, RANDOM, ROWS, rows_of
from model.attribution.labelled_map import token_rows
from model.attribution.methods import METHODS
from model.trace import HeadRef, Kind
from viz.charts.deletion import VERDICTS
from viz.charts.layout import (
    PAGE_WIDTH,
    base_layout,
    chart_config,
    colour_bar,
    column_labels,
    label_width,
    number_axis,
    panel_place,
    panel_title,
    scale_of,
    shown,
    token_axis,
)
from viz.charts.markup import Markup, line, tag
from viz.core.answers.translations import trace
from viz.core.answers.what_if import faithfulness, left_out
from viz.core.choice import say, within
from viz.core.going import open_head
from viz.core.models import entry_of
from viz.core.numbers import number, signed
from viz.core.session import Session
from viz.core.theme import Theme
from viz.widgets import chart, deletion_bar, map_choice
from viz.widgets.head_board import Board, head_board
from viz.widgets.picker import bar, hide, pick

_ROW = 27  # pixels of a row of dots
_GAP = 0.022  # of the width, between two panels of dots
_BETWEEN = 0.1  # of the width, between two matrices
# What takes nothing away stands first; then the yardstick with its kin, and chance, as hollow marks.
UNTOUCHED = tuple(name for name, sort in METHODS.items() if not sort.perturbs)
ORDER = (*UNTOUCHED, *(name for name in ROWS if name not in UNTOUCHED))
LED = ("comprehensiveness", "sufficiency")
CROSS: Kind = "cross"
_WITH_SENTENCE = ("layer", "head", "method", "of", "shift")  # of the frame; the corpus's table has no use for them


@dataclass(frozen=True)
class Measure:
    """One panel of dots: a title, means [R] and standard errors [R], NaN where unknown, and which row is best."""

    title: str
    means: np.ndarray
    errors: np.ndarray
    best: int


def dots_figure(rows: Sequence[str], measures: Sequence[Measure], baselines: int, theme: Theme) -> go.Figure:
    """Means as dots with lines of two standard errors either way, one panel a measure; the best row stands out.

    Args:
        rows: names of what was measured, R of them; shown literally.
        measures: the panels.
        baselines: how many of the last rows are yardsticks, drawn hollow.

    Raises:
        ValueError: a measure has not R means and errors.
    """
    for measure in measures:
        if measure.means.shape != (len(rows),) or measure.errors.shape != (len(rows),):
            raise ValueError(f"{len(rows)} rows, but {measure.title} has {measure.means.shape} means")
    layout = base_layout(theme, height=_ROW * len(rows) + 96, showlegend=False)
    left = label_width(rows, 14) + 14
    layout["margin"] = {"l": round(left), "r": 8, "t": 34, "b": 34}
    layout["annotations"], data = [], []
    for place, measure in enumerate(measures):
        suffix, domain = panel_place(place, len(measures), _GAP)
        data.append(_dots(rows, measure, baselines, theme, suffix))
        layout[f"xaxis{suffix}"] = number_axis(theme, "", domain=domain, nticks=4) | {"anchor": f"y{suffix}"}
        y = token_axis(theme, rows if place == 0 else [""] * len(rows), "", 14, range=[len(rows) - 0.5, -0.5])
        lines = {"showgrid": True, "gridcolor": theme.surface, "anchor": f"x{suffix}"}
        layout[f"yaxis{suffix}"] = y | lines
        layout["annotations"].append(panel_title(measure.title, domain[0], theme))
    return go.Figure({"data": data, "layout": layout}, skip_invalid=False)


def matrices_figure(
    costs: np.ndarray,
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    theme: Theme,
    *,
    titles: tuple[str, str],
    names: tuple[str, str],
    signed: bool = False,
) -> go.Figure:
    """What deleting each word costs each token, beside what a map marks; the map's top word of each row is ringed.

    Args:
        costs: in nats, [T, W].
        values: of the map, [T, W].
        rows, columns: the T tokens and W words; shown literally.
        titles: over both.
        names: of both colour bars.
        signed: the map's values have either sign.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    expected = (len(rows), len(columns))
    if costs.shape != expected or values.shape != expected or not costs.size:
        raise ValueError(f"costs {costs.shape} and values {values.shape} do not fit {expected} tokens")
    layout, pitch = _matrices_layout(rows, columns, titles, theme)
    top = (np.arange(len(rows)), values.argmax(axis=1))
    data = []
    for place, (matrix, name) in enumerate(zip((costs, values), names, strict=True)):
        suffix, domain = panel_place(place, 2, _BETWEEN)
        bar = colour_bar(theme, name, x=domain[1] + 0.004, xpad=0, len=1)
        data.append(_matrix(matrix, bar, suffix, theme, signed or place == 0))
        for look in ((theme.background, 6.0), (theme.accent, 2.5)):
            data.append(_rings(top, min(11.0, pitch * 0.6), *look, suffix))
    return go.Figure({"data": data, "layout": layout}, skip_invalid=False)


def _matrices_layout(
    rows: Sequence[str], columns: Sequence[str], titles: Sequence[str], theme: Theme
) -> tuple[dict[str, Any], float]:
    """Two matrices over the same tokens side by side; and the pixels from column to column."""
    cell = float(min(30.0, max(13.0, 420.0 / len(rows))))
    small = min(14.0, cell * 0.8)
    left = label_width(rows, small) + 24
    pitch = (PAGE_WIDTH - left - 90) * (1 - _BETWEEN) / 2 / len(columns)
    size, angle, needed = column_labels(columns, min(14.0, pitch * 0.9), pitch)
    layout = base_layout(theme, height=round(cell * len(rows) + needed + 66), showlegend=False)
    layout["margin"] = {"l": round(left), "r": 90, "t": round(needed + 46), "b": 14}
    layout["annotations"] = []
    for place, title in enumerate(titles):
        suffix, domain = panel_place(place, len(titles), _BETWEEN)
        x = token_axis(theme, columns, "", size, side="top", tickangle=angle, domain=domain)
        y = token_axis(theme, rows if place == 0 else [""] * len(rows), "", small, range=[len(rows) - 0.5, -0.5])
        layout[f"xaxis{suffix}"], layout[f"yaxis{suffix}"] = x | {"anchor": f"y{suffix}"}, y | {"anchor": f"x{suffix}"}
        layout["annotations"].append(panel_title(title, domain[0], theme) | {"yshift": round(needed) + 14})
    layout["xaxis2"]["matches"], layout["yaxis2"]["matches"] = "x", "y"
    return layout, pitch


def _dots(rows: Sequence[str], measure: Measure, baselines: int, theme: Theme, suffix: str) -> dict[str, Any]:
    plain = len(rows) - baselines
    colours = [theme.accent if n == measure.best else theme.muted for n in range(len(rows))]
    said = [
        f"{shown(name)}: {number(mean, 3)} ± {number(2 * error, 3)}" if np.isfinite(mean) else f"{shown(name)}: –"
        for name, mean, error in zip(rows, measure.means, np.nan_to_num(measure.errors), strict=True)
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": measure.means,
        "y": np.arange(len(rows)),
        "error_x": {"array": 2 * np.nan_to_num(measure.errors), "color": theme.muted, "thickness": 2, "width": 4},
        "marker": {
            "size": [14 if n == measure.best else 11 for n in range(len(rows))],
            "color": colours,
            "symbol": ["circle" if n < plain else "diamond-open" for n in range(len(rows))],
            "line": {"width": 2, "color": colours},
        },
        "customdata": said,
        "hovertemplate": "%{customdata}<extra></extra>",
        "cliponaxis": False,
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
    }


def _matrix(values: np.ndarray, bar: dict[str, Any], suffix: str, theme: Theme, signed: bool) -> dict[str, Any]:
    top = float(np.abs(values).max()) or 1.0
    return {
        "type": "heatmap",
        "z": values.astype(np.float32),
        "zmin": -top if signed else 0.0,
        "zmax": top,
        "colorscale": scale_of(theme.diverging if signed else theme.scale),
        "colorbar": bar,
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "%{y} · %{x}: <b>%{z:.3f}</b><extra></extra>",
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
    }


def _rings(top: tuple[np.ndarray, np.ndarray], size: float, colour: str, width: float, suffix: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": top[1],
        "y": top[0],
        "marker": {"symbol": "circle-open", "size": size, "color": colour, "line": {"width": width * size / 11}},
        "hoverinfo": "skip",
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
    }


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


def head_of(now: Session) -> HeadRef:
    """The chosen layer and head, of cross-attention."""
    layers, heads = trace(now.subject).cross.shape[:2]
    return HeadRef(CROSS, min(now.head.layer, layers - 1), min(now.head.head, heads - 1))


def this_sentence(now: Session) -> None:
    """What deleting each word costs each token, the chosen map beside it, and the honesty of every head."""
    from model.analysis.faithfulness.deletion import by_words

    found, head, left = trace(now.subject), head_of(now), left_out(now.subject)
    if not left.costs.size:
        st.info(say("trust.empty"))
        return
    maps = map_choice.maps(now, CROSS)
    name = f"{say('kind.cross')} · {map_choice.whose(now, head.title)} · {map_choice.name(now)}"
    deletion_bar.deletion_bar(now, CROSS, maps[head[1:]], name)
    rows, labels = token_rows(by_words(maps, found.src, now.method), found, now.shift)
    n = min(rows.shape[-2], left.costs.shape[1])
    costs, values = left.costs.T[:n], rows[*head[1:], :n]
    tokens, words = [label.text for label in labels[:n]], [label.text for label in left.words]
    chart.lead("trust.matrices.lead")
    figure = matrices_figure(
        costs,
        values,
        tokens,
        words,
        now.theme,
        titles=(say("trust.costs"), name),
        names=(say("trust.nats"), map_choice.name(now)),
        signed=METHODS[now.method].signed and not METHODS[now.method].by_size,
    )
    st.plotly_chart(
        figure, key="left_out", theme=None, config=chart_config("headlight-left-out"), alt=_said(costs, tokens, words)
    )
    if map_choice.chosen_step(now) is None:
        every_head(now, rows)


def every_head(now: Session, rows: np.ndarray) -> None:
    """The honesty of every head of cross-attention, [L, H, T, W], as a board that opens one on a click."""
    from model.analysis.faithfulness.verdict import LEVEL, honesty_of_all

    honesty = honesty_of_all(left_out(now.subject), rows)
    cost, verdict = (map_choice.one_of(now.method, each) for each in (honesty.cost, honesty.verdict))
    signs = np.vectorize(lambda each: VERDICTS.get(str(each), ("", ""))[1], otypes=[str])(verdict)
    chart.lead(
        "trust.heads.lead",
        method=map_choice.name(now),
        n=int((verdict == "green").sum()),
        all=verdict.size,
        luck=f"{LEVEL * verdict.size:.0f}",
    )
    top = max(float(honesty.cost.max()), 1e-6)
    board = Board({CROSS: np.maximum(cost, 0.0)}, {CROSS: say("kind.cross")}, number, number, top, marks={CROSS: signs})
    head_board(
        board,
        selected=head_of(now),
        theme=now.theme,
        labels=within("trust.heads"),
        key="honest_heads",
        on_open=open_head,
    )
    best = [f"{HeadRef(CROSS, n, h).title} {number(honesty.cost[n, h])}" for n, h in honesty.order()[:5]]
    if METHODS[now.method].per == "head":
        st.html(line("alt", say("trust.heads.best", heads=" · ".join(best))))


def _said(costs: np.ndarray, tokens: list[str], words: list[str]) -> str:
    """The dearest word of each of the first tokens, as alternative text."""
    pairs = [f"{tokens[t]}: {words[w]} {number(costs[t, w])}" for t, w in enumerate(costs.argmax(axis=1)[:12])]
    return say("trust.matrices.alt", tokens=len(tokens), words=len(words), pairs=", ".join(pairs))


def view(session: Session) -> None:
    """The corpus's table, or this sentence."""
    with bar():
        shown = pick("trust", labelled=False)
    if shown == "table":
        hide(_WITH_SENTENCE)
        draw_table(session.checkpoint, session.theme)
    else:
        this_sentence(session)
