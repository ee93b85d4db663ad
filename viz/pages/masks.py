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

VIEWS = ("steps", "causal", "padding", "combined", "triu")
now, theme, words = session.view(), session.theme(), figures.MaskText.said_by(say)


@st.cache_data(max_entries=16, show_spinner=False)
def _batch(text: str, checkpoint: str, target: bool) -> BatchMask:
    make = mask_steps.target_batch if target else mask_steps.source_batch
    return make(session.translator(checkpoint), mask_steps.sentences_of(text))


def batch(target: bool) -> BatchMask:
    """The sentences that the visitor typed, one a line, and their masks."""
    examples = session.example_sentences(now.checkpoint)[:3]
    st.session_state.setdefault("batch", "\n".join(examples))
    with st.form("sentences", border=False):
        st.text_area(say("masks.batch"), key="batch", height=110, help=say("masks.batch.help"), bind="query-params")
        st.form_submit_button(say("masks.batch.show"))
    try:
        return _batch(st.session_state["batch"], now.checkpoint, target)
    except HeadlightError as error:
        session.show_error(error)
        st.stop()


def padding() -> None:
    """The padding mask of the batch."""
    made = batch(target=False)
    shape = {"rows": len(made.tokens), "columns": len(made.tokens[0]), "hidden": int((~made.padding).sum())}
    draw(figures.batch_figure(made.padding, made.tokens, theme, words), "masks.padding", fits=True, **shape)


def causal() -> None:
    """The causal mask of a chosen size."""
    size = slider("masks.size", "size", 2, 60, 20)
    names = [str(place) for place in range(size)]
    figure = figures.mask_figure(mask_steps.causal(size), names, names, theme, words, size=560)
    draw(figure, "masks.causal", fits=True, size=size)


def combined() -> None:
    """Both masks, as the decoder uses them for one sentence of the batch."""
    made = batch(target=True)
    assert made.combined is not None  # a target batch has it
    number = slider("masks.which", "which", 1, len(made.tokens), 1) - 1
    tokens, both = made.tokens[number], made.combined[number]
    figure = figures.combination_figure(
        made.padding[number], mask_steps.causal(len(tokens)), both, tokens, theme, words
    )
    draw(figure, "masks.combined", sentence=number + 1, text=made.text[number], hidden=int((~both).sum()))


def triu() -> None:
    """np.triu(ones, k) for three k, read as masks."""
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
            draw(figure, f"masks.triu.{k}", fits=True, size=size)


def steps() -> None:
    """One query's scores, masked scores and weights."""
    trace = session.translation().trace
    assert trace is not None  # session.translation() always captures
    rows, columns = trace.axis_tokens(now.kind)
    row = slider("masks.row", "row", 0, len(rows) - 1, min(4, len(rows) // 2))
    made = mask_steps.row_steps(trace, now.kind, now.layer, now.head, row)
    hidden = int((made.scores != made.masked).sum())
    lead(f"masks.steps.{'hides' if hidden else 'open'}", hidden=hidden)
    figure = steps_figure((made.scores, made.masked, made.weights), columns, theme, StepsText.said_by(say))
    place = {"kind": say(f"kind.{now.kind}"), "layer": now.layer, "head": now.head, "row": row}
    draw(figure, "masks.steps", fits=True, **place, token=rows[row], error=f"{made.error:.0e}")


view = pick("masks.view", "mask", VIEWS, labelled=False)
{"padding": padding, "causal": causal, "combined": combined, "triu": triu, "steps": steps}[view]()
