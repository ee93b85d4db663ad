"""Another word at one step: how the translation goes on from there, and who voted for which."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from model.analysis.what_if.fork import Fork, best_rival, fork_between, parting, prefix_ids
from model.attribution.labelled_map import LabelledMap, merge_columns
from model.trace import Kind, TracedTranslation
from viz.charts.deletion import bars_figure
from viz.charts.layout import chart_config
from viz.charts.marked import versions_html
from viz.charts.markup import alert, line, tag
from viz.core.answers import maps, what_if
from viz.core.answers.translations import trace, translation
from viz.core.choice import say, within
from viz.core.numbers import shown_piece, signed
from viz.core.session import Session, choose_token, chosen_token, force, forced
from viz.core.theme import Theme
from viz.widgets.chart import lead
from viz.widgets.compared_sentences import compared
from viz.widgets.desk_board import mute_on_desk
from viz.widgets.errors import message
from viz.widgets.head_board import Board, head_board
from viz.widgets.places import looked_at, register

if TYPE_CHECKING:
    from model.analysis.residual.votes import Votes
    from model.analysis.what_if.fork import Candidate, Step

_KINDS: tuple[Kind, Kind] = ("cross", "decoder_self")
_NAMED = 4  # heads that a word's bar names
LABELS = ("written", "forced")
_component = register("fork_picker", LABELS)
_CANDIDATES = 8


def draw_votes(votes: Votes, sources: LabelledMap, written: str, other: str, theme: Theme) -> None:
    """Votes of heads, source words and the rest, for one token against another.

    Args:
        votes: for ``written`` against ``other``.
        sources: ``votes.sources`` [L, H, S] with its source tokens, or words, as columns.
        written, other: the two tokens; shown literally.
    """
    said = {"a": written, "b": other}
    title = tag("h3", say("votes.title", **said), style="margin:.2rem 0 0;font-size:1.1rem")
    st.html(title + sum_html(votes, written, other))
    heads, parts = st.columns([3, 2], gap="medium")
    with heads:
        _draw_heads(votes, said, theme)
    with parts:
        _draw_parts(votes, said, theme)
    _draw_words(sources, said, theme)
    st.html(rest_html(votes))


def sum_html(votes: Votes, written: str, other: str) -> str:
    """One sentence that adds the votes up; the exact numbers are attributes."""
    heads = {kind: signed(float(each.sum())) for kind, each in votes.heads.items()}
    share = math.exp(min(50.0, abs(votes.difference)))
    favoured = (written, other) if votes.difference >= 0 else (other, written)
    sentence = say(
        "votes.sum" if "cross" in votes.heads else "votes.sum.alone",
        a=written,
        b=other,
        difference=signed(votes.difference, 4),
        total=signed(votes.total, 4),
        rest=signed(votes.rest),
        more=favoured[0],
        less=favoured[1],
        times=f"{share:,.1f}" if share < 1e4 else f"{share:.0e}",
        **heads,
    )
    numbers = {"difference": votes.difference, "total": votes.total, "rest": votes.rest}
    exact = {f"data-{name}": f"{value:.6f}" for name, value in numbers.items()}
    return line("lead", sentence, id="hl-votes", **exact, style="max-width:none;margin:0")


def rest_html(votes: Votes) -> str:
    """One sentence that says what the rest is."""
    rest = say(
        "votes.rest",
        feed_forward=signed(float(votes.feed_forward.sum())),
        embedding=signed(votes.embedding),
        biases=signed(votes.biases),
    )
    return line("alt", rest, style="max-width:60rem")


def _kinds(votes: Votes) -> list[Kind]:
    """The kinds whose heads voted, in the order in which they are drawn."""
    return [kind for kind in _KINDS if kind in votes.heads]


def _draw_heads(votes: Votes, said: dict[str, str], theme: Theme) -> None:
    board = Board(
        votes.heads,
        {kind: say(f"kind.{kind}") for kind in _kinds(votes)},
        signed,
        signed,
        top=max(float(np.abs(each).max(initial=0)) for each in votes.heads.values()) or 1.0,
        signed=True,
    )
    head_board(
        board,
        selected=None,
        theme=theme,
        labels=within("votes", legend=say("votes.heads", **said)),
        key="votes_heads",
        on_open=mute_on_desk,
    )


def _draw_parts(votes: Votes, said: dict[str, str], theme: Theme) -> None:
    names = [say(f"votes.part.{part}") for part in (*_kinds(votes), "rest", "sum")]
    kinds = [float(votes.heads[kind].sum()) for kind in _kinds(votes)]
    values = np.array([*kinds, votes.rest, votes.total])
    lead("votes.parts", **said)
    hover = [f"{name}: {signed(value)}" for name, value in zip(names, values, strict=True)]
    figure = bars_figure(names, values, theme, hover, pitch=110)
    _chart(figure, "votes_parts", say("votes.parts.alt", values=", ".join(hover), **said))


def _draw_words(sources: LabelledMap, said: dict[str, str], theme: Theme) -> None:
    words = [label.text for label in sources.columns]
    values = sources.weights.sum(axis=(0, 1))
    hover = [
        f"{word}: {signed(values[place])}\n{_strongest(sources.weights[:, :, place])}"
        for place, word in enumerate(words)
    ]
    lead("votes.words", **said)
    figure = bars_figure(words, values, theme, hover, pitch=1130 / len(words))
    order = np.argsort(-np.abs(values))[:_NAMED]
    named = ", ".join(f"{words[place]} {signed(values[place])}" for place in order)
    _chart(figure, "votes_words", say("votes.words.alt", words=named, **said))


def _strongest(votes: np.ndarray, kind: str = "") -> str:
    """The heads with the largest votes either way, of [L, H]: "L3 H2 +0.31 · L4 H0 −0.20"."""
    order = np.argsort(-np.abs(votes), axis=None)[:_NAMED]
    places = [divmod(int(place), votes.shape[1]) for place in order]
    named = " · ".join(f"L{layer} H{head} {signed(votes[layer, head])}" for layer, head in places)
    return f"{kind}: {named}" if kind else named


def _chart(figure: object, key: str, alt: str) -> None:
    name = f"headlight-{key.replace('_', '-')}"
    st.plotly_chart(figure, key=key, theme=None, config=chart_config(name), alt=alt)


def fork_picker(step: Step, *, title: str, chosen: int, theme: Theme, on_pick: Callable[[int], None]) -> None:
    """The candidates of one step.

    Args:
        chosen: id of the one that is written instead.
        on_pick: called with the candidate's id that was clicked, before the script runs again.
    """

    def picked() -> None:
        candidate = picked_candidate(message("fork_picker", "pick"), step)
        if candidate is not None:
            on_pick(candidate)

    data = {"title": title, "chosen": chosen, **step_payload(step)}
    _component.mount(data, theme=theme, labels=within("fork"), key="fork_picker", on_pick_change=picked)


def step_payload(step: Step) -> dict[str, object]:
    """A step as it travels."""
    return {"written": step.written.id, "candidates": [_candidate(each) for each in step.candidates]}


def picked_candidate(value: object, step: Step) -> int | None:
    """The candidate's id that a browser's message names; None where it names none of the step's."""
    return value if type(value) is int and any(each.id == value for each in step.candidates) else None


def _candidate(candidate: Candidate) -> dict[str, object]:
    return {
        "id": candidate.id,
        "text": shown_piece(candidate.piece),
        "probability": round(candidate.probability, 5),
    }


@dataclass(frozen=True)
class _Here:
    """A step of the translation, and what is written there instead."""

    session: Session  # the visitor's choices
    written: TracedTranslation  # the translation
    steps: Sequence[Step]  # its candidates, step by step
    place: int  # of the step
    prefix: tuple[int, ...]  # what the forked translation begins with

    def pick(self, candidate: int) -> None:
        """Fork here with a candidate."""
        st.session_state["refused"] = None
        choose_token(self.place)
        force("fork", (*self.written.tgt_ids[: self.place], candidate))

    def typed(self) -> None:
        """Fork with the beginning that was typed; where that cannot be, or changes nothing, leave all as it is."""
        text = st.session_state["prefix"]
        ids, unknown = prefix_ids(self.session.model.opened, text)
        parts = parting(self.written.written_ids, ids)
        sentence = say("fork.unknown", characters=" ".join(unknown)) if unknown else say("fork.same")
        st.session_state["refused"] = (text, sentence) if unknown or parts is None else None
        if not unknown and parts is not None:
            choose_token(parts)
            force("fork", ids)

    def said(self, token_id: int) -> str:
        """A target token in words."""
        return shown_piece(self.session.model.opened.piece(token_id))


def _here(session: Session) -> _Here:
    written = translation(session.subject)
    with st.spinner(say("wait.steps")):
        steps = what_if.steps(session.subject, _CANDIDATES)
    if not written.finished:
        steps = steps[:-1]
    asked = forced("fork")
    parted = parting(written.written_ids, asked)
    place = min(max(looked_at(written), written.given), len(steps) - 1)
    if parted is not None and chosen_token(len(steps)) is None:
        place = parted
    prefix = asked if parted == place else (*written.tgt_ids[:place], best_rival(steps[place]).id)
    return _Here(session, written, steps, place, prefix)


def prefix_form(here: _Here) -> None:
    """The beginning that the translation must have, to be typed over."""
    refused = st.session_state.get("refused")
    if refused is None or st.session_state.get("prefix") != refused[0]:
        st.session_state["prefix"] = here.session.model.opened.decode_target(here.prefix)
    with st.form("prefix_form", border=False):
        box, button = st.columns([5, 1.4], vertical_alignment="bottom")
        box.text_input(say("fork.prefix"), key="prefix", max_chars=200, help=say("fork.prefix.help"))
        button.form_submit_button(say("fork.go"), on_click=here.typed, width="stretch")
    if refused is not None and st.session_state["prefix"] == refused[0]:
        st.html(alert(refused[1]))


def draw_fork(here: _Here, fork: Fork) -> None:
    """Who voted at a fork."""
    now = here.session
    before = here.written.tgt_ids[: fork.place]
    with st.spinner(say("wait.votes")):
        votes = maps.votes(now.subject.text, now.checkpoint, before, fork.written, fork.other)
    seen = trace(now.subject)
    sources = LabelledMap(votes.sources, (), seen.src or seen.tgt_inputs[: votes.sources.shape[-1]])
    merged = merge_columns(sources) if now.words else sources
    draw_votes(votes, merged, here.said(fork.written), here.said(fork.other), now.theme)


def view(session: Session) -> None:
    """The candidates of a step, the translation that forks there, and the votes between the two."""
    here = _here(session)
    with st.spinner(say("wait.fork")):
        forked = what_if.continued(replace(session.subject, forced=here.prefix))
    fork, step = fork_between(here.written, forked), here.steps[here.place]
    fork_picker(
        step,
        title=say("fork.candidates", step=here.place + 1, token=shown_piece(step.written.piece)),
        chosen=here.prefix[here.place],
        theme=session.theme,
        on_pick=here.pick,
    )
    if fork:
        titles = say("fork.written_title"), say("fork.forked_title")
        table, look = st.columns([5, 1], vertical_alignment="center")
        table.html(versions_html(compared(titles, (here.written, forked)), session.theme))
        look.button(
            say("fork.inspect"), key="inspect_fork", on_click=force, args=("hyp", forked.written_ids), width="stretch"
        )
        draw_fork(here, fork)
    if session.model.reads == "text":  # a prompt has its own box
        prefix_form(here)
