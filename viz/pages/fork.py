"""Another word at one step: how the translation goes on from there, and who voted for which."""

from __future__ import annotations

import html

import streamlit as st

from model.analysis.fork import Fork, closest_call, fork_between, prefix_ids
from model.analysis.reading import Reading, merge_columns
from model.vocab import EOS_ID
from viz import cached, chart, session
from viz.components.fork_picker import LABELS, fork_picker, shown_piece
from viz.figures.versions import versions_html
from viz.session import say
from viz.versions import compared
from viz.vote_charts import draw_votes

CANDIDATES = 8
now, translation = session.view(), session.translation()
translator = session.translator(now.checkpoint)
steps = cached.steps(now.text, now.checkpoint, translation.tgt_ids, CANDIDATES)
if not translation.finished:
    steps = steps[:-1]
call = closest_call(steps)
prefix = session.forced("fork") or (*translation.tgt_ids[: call.place], call.other)


def pick(place: int, candidate: int) -> None:
    """Fork at a step with a candidate."""
    st.session_state["refused"] = None
    session.force("fork", (*translation.tgt_ids[:place], candidate))


def typed() -> None:
    """Fork with the beginning that was typed; where a character is unknown, leave all as it is."""
    text = st.session_state["prefix"]
    ids, unknown = prefix_ids(translator, text)
    st.session_state["refused"] = (text, unknown) if unknown else None
    if not unknown:
        session.force("fork", ids)


def prefix_form() -> None:
    """The beginning that the translation must have, to be typed over."""
    refused = st.session_state.get("refused")
    if refused is None or st.session_state.get("prefix") != refused[0]:
        st.session_state["prefix"] = translator.tgt_tokenizer.decode(list(prefix))
    with st.form("prefix_form", border=False):
        box, button = st.columns([5, 1.4], vertical_alignment="bottom")
        box.text_input(say("fork.prefix"), key="prefix", max_chars=200, help=say("fork.prefix.help"))
        button.form_submit_button(say("fork.go"), on_click=typed, width="stretch")
    if refused is not None and st.session_state["prefix"] == refused[0]:
        sentence = say("fork.unknown", characters=" ".join(refused[1]))
        st.html(f'<p role="alert" class="hl-error">{html.escape(sentence)}</p>')


def said(token_id: int) -> str:
    """A target token in words."""
    return shown_piece(token_id, translator.tgt_tokenizer.piece(token_id))


def draw_fork(fork: Fork) -> None:
    """Who voted at a fork."""
    before = translation.tgt_ids[: fork.place]
    votes = cached.votes(now.text, now.checkpoint, before, fork.written, fork.other)
    sources = Reading(votes.sources, (), session.trace().src)
    draw_votes(votes, merge_columns(sources) if now.words else sources, said(fork.written), said(fork.other))


forked = cached.continued(now.text, now.checkpoint, now.beam, prefix)
fork = fork_between(translation, forked)
fork_picker(
    steps,
    place=fork.place if fork else call.place,
    other=fork.other if fork else EOS_ID,
    theme=session.theme(),
    labels={name: say(f"fork.{name}") for name in LABELS},
    key="fork_picker",
    on_pick=pick,
)
prefix_form()
if fork is None:
    chart.lead("fork.same")
else:
    titles = say("fork.written_title"), say("fork.forked_title")
    table, look = st.columns([5, 1], vertical_alignment="center")
    table.html(versions_html(compared(titles, (translation, forked)), session.theme()))
    ids = (*forked.tgt_ids, EOS_ID) if forked.finished else forked.tgt_ids
    look.button(say("fork.inspect"), key="inspect_fork", on_click=session.force, args=("hyp", ids), width="stretch")
    draw_fork(fork)
