"""What may look at what: padding, the future, both, and −∞ becoming 0."""

from __future__ import annotations

import streamlit as st

from model.analysis import mask_steps
from model.analysis.mask_steps import BatchMask
from model.errors import HeadlightError
from viz import session
from viz.chart import draw, lead, pick, slider
from viz.figures import masks as figures
from viz.figures.row_steps import StepsText, steps_figure
from viz.session import say

now, theme, words = session.view(), session.theme(), figures.MaskText.said_by(say)


@st.cache_data(max_entries=16, show_spinner=False)
def _batch(text: str, checkpoint: str, target: bool) -> BatchMask:
    make = mask_steps.target_batch if target else mask_steps.source_batch
    return make(session.translator(checkpoint), mask_steps.sentences_of(text))


def batch(target: bool) -> BatchMask:
    """The sentences that the visitor typed, one a line, and their masks."""
    st.session_state.setdefault("batch", mask_steps.opening_batch(session.example_sentences(now.checkpoint)))
    with st.form("sentences", border=False):
        st.text_area(say("masks.batch"), key="batch", height=110, help=say("masks.batch.help"), bind="query-params")
        st.form_submit_button(say("masks.batch.show"))
    try:
        return _batch(st.session_state["batch"], now.checkpoint, target)
    except HeadlightError as error:
        session.show_error(error)
        st.stop()


def _padding() -> None:
    made = batch(target=False)
    rows, columns = made.padding.shape
    figure = figures.batch_figure(made.padding, made.tokens, theme, words)
    draw(figure, "masks.padding", fits=True, rows=rows, columns=columns, hidden=int((~made.padding).sum()))


def _causal() -> None:
    size = slider("masks.size", "size", 2, 60, 20)
    names = [str(place) for place in range(size)]
    figure = figures.mask_figure(mask_steps.causal(size), names, names, theme, words, size=560)
    draw(figure, "masks.causal", fits=True, size=size)


def _combined() -> None:
    made = batch(target=True)
    assert made.combined is not None  # a target batch has it
    padded = 1 + int((~made.padding).any(axis=1).argmax())
    number = slider("masks.which", "which", 1, len(made.tokens), padded) - 1
    tokens, both = made.tokens[number], made.combined[number]
    figure = figures.combination_figure(
        made.padding[number], mask_steps.causal(len(tokens)), both, tokens, theme, words
    )
    draw(figure, "masks.combined", sentence=number + 1, text=made.text[number], hidden=int((~both).sum()))


def _triu() -> None:
    size = slider("masks.triu_size", "n", 3, 12, 6)
    lead("masks.triu")
    names = [str(place) for place in range(size)]
    for column, k in zip(st.columns(3), mask_steps.TRIU_OFFSETS, strict=True):
        made = mask_steps.triu(size, k)
        with column:
            st.markdown(f"`np.triu(np.ones(({size}, {size})), k={k})`" + (" ✓" if made.is_causal else ""))
            figure = figures.mask_figure(
                made.ones == 0, names, names, theme, words, numbers=made.ones, blind=made.blind, size=260
            )
            draw(figure, f"masks.triu.{k}", fits=True, words_below=True, size=size)


def _steps() -> None:
    trace = session.translation().trace
    assert trace is not None  # session.translation() always captures
    rows, columns = trace.axis_tokens(now.kind)
    row = slider("masks.row", "row", 0, len(rows) - 1, min(4, len(rows) // 2))
    made = mask_steps.row_steps(trace, now.kind, now.layer, now.head, row)
    hidden = int((made.scores != made.masked).sum())
    lead(f"masks.steps.{'hides' if hidden else 'open'}", hidden=hidden)
    if now.kind != "decoder_self":
        st.button(say("masks.steps.choose"), on_click=session.choose_head, args=("decoder_self", now.layer, now.head))
    figure = steps_figure((made.scores, made.masked, made.weights), columns, theme, StepsText.said_by(say))
    kind, place, error = say(f"kind.{now.kind}"), f"L{now.layer} H{now.head}", f"{made.error:.0e}"
    draw(figure, "masks.steps", fits=True, kind=kind, place=place, row=row, token=rows[row], error=error)


VIEWS = {"padding": _padding, "causal": _causal, "combined": _combined, "triu": _triu, "steps": _steps}
VIEWS[pick("masks.view", "mask", tuple(VIEWS), labelled=False)]()
