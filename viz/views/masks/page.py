"""What may look at what: padding, the future, both, and −∞ becoming 0."""

from __future__ import annotations

import streamlit as st

from model.analysis.lessons import masks
from model.analysis.lessons.masks import BatchMask, source_batch, target_batch
from viz.charts.row_steps import StepsText, steps_figure
from viz.core.answers.translations import trace
from viz.core.language import say
from viz.core.models import own_translator
from viz.core.session import choose_head, current_session
from viz.views.masks import figure as figures
from viz.widgets.bar import bar
from viz.widgets.chart import draw, lead, slider
from viz.widgets.picker import pick

now, words = current_session(), figures.MaskText.said_by(say)
theme = now.theme


@st.cache_data(max_entries=16, show_spinner=False)
def _batch(text: str, checkpoint: str, target: bool) -> BatchMask:
    make = target_batch if target else source_batch
    return make(own_translator(checkpoint), masks.sentences_of(text))


def batch(target: bool) -> BatchMask:
    """The sentences that the visitor typed, one a line, and their masks."""
    st.session_state.setdefault("batch", masks.opening_batch(now.model.examples))
    with st.form("sentences", border=False):
        st.text_area(say("masks.batch"), key="batch", height=110, help=say("masks.batch.help"), bind="query-params")
        st.form_submit_button(say("masks.batch.show"))
    return _batch(st.session_state["batch"], now.checkpoint, target)


def _padding() -> None:
    place = st.container()
    made = batch(target=False)
    rows, columns = made.padding.shape
    figure = figures.batch_figure(made.padding, made.tokens, theme, words)
    with place:
        draw(figure, "masks.padding", fits=True, rows=rows, columns=columns, hidden=int((~made.padding).sum()))


def _causal() -> None:
    size = slider("masks.size", "size", 2, 60, 20)
    names = [str(place) for place in range(size)]
    figure = figures.mask_figure(masks.causal(size), names, names, theme, words, size=560)
    draw(figure, "masks.causal", fits=True, size=size)


def _combined() -> None:
    made = batch(target=True)
    assert made.combined is not None  # a target batch has it
    padded = 1 + int((~made.padding).any(axis=1).argmax())
    number = slider("masks.which", "which", 1, len(made.tokens), padded) - 1
    tokens, both = made.tokens[number], made.combined[number]
    figure = figures.combination_figure(made.padding[number], masks.causal(len(tokens)), both, tokens, theme, words)
    draw(figure, "masks.combined", sentence=number + 1, text=made.text[number], hidden=int((~both).sum()))


def _triu() -> None:
    size = slider("masks.triu_size", "n", 3, 12, 6)
    lead("masks.triu")
    names = [str(place) for place in range(size)]
    for column, k in zip(st.columns(3), masks.TRIU_OFFSETS, strict=True):
        made = masks.triu(size, k)
        with column:
            st.markdown(f"`np.triu(np.ones(({size}, {size})), k={k})`" + (" ✓" if made.is_causal else ""))
            figure = figures.mask_figure(
                made.ones == 0, names, names, theme, words, numbers=made.ones, blind=made.blind, size=260
            )
            draw(figure, f"masks.triu.{k}", fits=True, size=size)


def _steps() -> None:
    found = trace(now.subject)
    rows, columns = found.axis_tokens(now.kind)
    row = slider("masks.row", "row", 0, len(rows) - 1, min(4, len(rows) // 2))
    made = masks.row_steps(found, *now.head, row)
    hidden = int((made.scores != made.masked).sum())
    lead(f"masks.steps.{'hides' if hidden else 'open'}", hidden=hidden)
    if now.kind != "decoder_self":
        st.button(say("masks.steps.choose"), on_click=choose_head, args=(now.head._replace(kind="decoder_self"),))
    figure = steps_figure((made.scores, made.masked, made.weights), columns, theme, StepsText.said_by(say))
    kind, place, error = say(f"kind.{now.kind}"), now.head.title, f"{made.error:.0e}"
    draw(figure, "masks.steps", fits=True, kind=kind, place=place, row=row, token=rows[row], error=error)


_VIEWS = {"padding": _padding, "causal": _causal, "combined": _combined, "triu": _triu, "steps": _steps}
with bar():
    chosen = pick("mask", labelled=False)
_VIEWS[chosen]()
