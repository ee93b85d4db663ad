"""How the model knows the order of words: its own table of sines and cosines."""

from __future__ import annotations

import streamlit as st

from model.analysis.lessons import positions
from viz.charts import positions as figures
from viz.core.language import say
from viz.core.session import current_session
from viz.views.positions.rotation import RotationText, rotation_circle
from viz.widgets.bar import bar
from viz.widgets.chart import draw, lead, slider
from viz.widgets.picker import pick

now, words = current_session(), figures.PositionText.said_by(say)
theme = now.theme
table = positions.position_table(now.model.opened)
n_positions, d_model = table.shape
sizes = {"positions": n_positions, "dimensions": d_model}


def slide(name: str, low: int, high: int, start: int) -> int:
    """A whole number that stays in the URL."""
    return slider(f"positions.{name}", name, low, high, start)


def curves() -> None:
    """Chosen dimensions over positions."""
    left, right = st.columns(2, gap="large")
    with left:
        label, explained, options = say("positions.dims"), say("positions.dims.help"), range(d_model)
        chosen = st.multiselect(label, options, options[4:8], key="dims", help=explained, bind="query-params")
    with right:
        span = slide("span", 10, n_positions, 60)
    figure = figures.dimension_curves(table[:span], chosen, theme, words)
    draw(figure, "positions.curves", **sizes, chosen=", ".join(map(str, chosen)))


def matrix() -> None:
    """The table as a picture."""
    left, right = st.columns(2, gap="large")
    with left:
        rows = slide("rows", 10, n_positions, 200)
    with right:
        columns = slide("columns", 8, d_model, 150)
    draw(figures.position_matrix(table[:rows, :columns], theme, words), "positions.matrix", **sizes)


def slices() -> None:
    """One dimension over positions beside one position over dimensions."""
    left, right = st.columns(2, gap="large")
    with left:
        number = slide("dim", 0, d_model - 1, 10)
    with right:
        place = slide("pos", 0, n_positions - 1, 20)
    with left:
        column = table[: max(200, place + 1), number]
        figure = figures.values_line(column, theme, axis=words.position, value=words.value, mark=place)
        draw(figure, "positions.one_dimension", **sizes, dimension=number)
    with right:
        draw(
            figures.position_values(table[place], theme, number, words),
            "positions.one_position",
            **sizes,
            position=place,
        )


def similarity() -> None:
    """Which positions look alike to the model."""
    left, right = st.columns(2, gap="large")
    with right:
        place = slide("pos", 0, n_positions - 1, 20)
    with left:
        how = pick("how")
        values = positions.similarity(table[: max(100, place + 1)], how)
        draw(figures.similarity_map(values, theme, words), "positions.similarity", **sizes)
    with right:
        axis, value = words.position, words.similarity
        figure = figures.values_line(values[place], theme, axis=axis, value=value, mark=place, limits=None)
        draw(figure, "positions.similar_to", **sizes, position=place)


def rotation() -> None:
    """PE(t + φ) = M · PE(t), with the same M for every t."""
    left, right = st.columns([3, 2], gap="large")
    with right:
        offset, pair = slide("phi", 0, min(100, n_positions - 2), 3), slide("pair", 0, d_model // 2 - 1, 2)
        shift, steps = positions.shift(table, offset, pair), positions.round_the_circle(table, offset, pair)
        st.latex(positions.block_formula(shift.block))
        lead("positions.block", pair=pair, angle=f"{shift.angle:.3f}")
        st.metric(say("positions.error"), f"{shift.max_error:.1e}", help=say("positions.error.help"))
        lead("positions.checked", count=len(shift.before), dimensions=d_model)
    with left:
        points = (shift.before[steps], shift.turned[steps], shift.after[steps])
        figure = rotation_circle(points, steps, offset, pair, theme, RotationText.said_by(say))
        draw(figure, "positions.rotation", offset=offset, first=2 * pair, second=2 * pair + 1)


_VIEWS = {"curves": curves, "matrix": matrix, "slices": slices, "similarity": similarity, "rotation": rotation}
with bar():
    chosen = pick("show", labelled=False)
_VIEWS[chosen]()
lead("positions.why")
