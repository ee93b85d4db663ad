"""Another word at one step: how the translation goes on from there, and who voted for which."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from model.analysis.what_if.fork import Fork, best_rival, fork_between, parting, prefix_ids
from model.attribution.labelled_map import LabelledMap, merge_columns
from viz.charts.markup import alert
from viz.charts.versions import versions_html
from viz.core.answers import residual, what_if
from viz.core.answers.translations import trace, translation
from viz.core.language import say, within
from viz.core.pieces import shown_piece
from viz.core.session import choose_token, chosen_token, current_session, force, forced
from viz.views.fork.fork_picker import fork_picker
from viz.views.fork.fork_votes import draw_votes
from viz.widgets.token import looked_at
from viz.widgets.versions import compared

_CANDIDATES = 8
now = current_session()
written, own = translation(now.subject), now.model.opened
with st.spinner(say("wait.steps")):
    steps = what_if.steps(now.subject, _CANDIDATES)
if not written.finished:
    steps = steps[:-1]
asked = forced("fork")
parted = parting(written.written_ids, asked)
place = min(max(looked_at(written), written.given), len(steps) - 1)
if parted is not None and chosen_token(len(steps)) is None:
    place = parted
prefix = asked if parted == place else (*written.tgt_ids[:place], best_rival(steps[place]).id)


def pick(candidate: int) -> None:
    """Fork here with a candidate."""
    st.session_state["refused"] = None
    choose_token(place)
    force("fork", (*written.tgt_ids[:place], candidate))


def typed() -> None:
    """Fork with the beginning that was typed; where that cannot be, or changes nothing, leave all as it is."""
    text = st.session_state["prefix"]
    ids, unknown = prefix_ids(own, text)
    parts = parting(written.written_ids, ids)
    sentence = say("fork.unknown", characters=" ".join(unknown)) if unknown else say("fork.same")
    st.session_state["refused"] = (text, sentence) if unknown or parts is None else None
    if not unknown and parts is not None:
        choose_token(parts)
        force("fork", ids)


def prefix_form() -> None:
    """The beginning that the translation must have, to be typed over."""
    refused = st.session_state.get("refused")
    if refused is None or st.session_state.get("prefix") != refused[0]:
        st.session_state["prefix"] = own.decode_target(prefix)
    with st.form("prefix_form", border=False):
        box, button = st.columns([5, 1.4], vertical_alignment="bottom")
        box.text_input(say("fork.prefix"), key="prefix", max_chars=200, help=say("fork.prefix.help"))
        button.form_submit_button(say("fork.go"), on_click=typed, width="stretch")
    if refused is not None and st.session_state["prefix"] == refused[0]:
        st.html(alert(refused[1]))


def said(token_id: int) -> str:
    """A target token in words."""
    return shown_piece(own.piece(token_id))


def draw_fork(fork: Fork) -> None:
    """Who voted at a fork."""
    before = written.tgt_ids[: fork.place]
    with st.spinner(say("wait.votes")):
        votes = residual.votes(now.subject.text, now.checkpoint, before, fork.written, fork.other)
    seen = trace(now.subject)
    sources = LabelledMap(votes.sources, (), seen.src or seen.tgt_inputs[: votes.sources.shape[-1]])
    draw_votes(votes, merge_columns(sources) if now.words else sources, said(fork.written), said(fork.other), now.theme)


with st.spinner(say("wait.fork")):
    forked = what_if.continued(replace(now.subject, forced=prefix))
fork = fork_between(written, forked)
fork_picker(
    steps[place],
    title=say("fork.candidates", step=place + 1, token=shown_piece(steps[place].written.piece)),
    chosen=prefix[place],
    theme=now.theme,
    labels=within("fork"),
    key="fork_picker",
    on_pick=pick,
)
if fork:
    titles = say("fork.written_title"), say("fork.forked_title")
    table, look = st.columns([5, 1], vertical_alignment="center")
    table.html(versions_html(compared(titles, (written, forked)), now.theme))
    look.button(
        say("fork.inspect"), key="inspect_fork", on_click=force, args=("hyp", forked.written_ids), width="stretch"
    )
    draw_fork(fork)
if now.model.reads == "text":  # a prompt has its own box
    prefix_form()
