"""The sentence, its translation, and which English words each Chinese token attends to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from model.analysis.what_if.repair import IGNORED, RATES, REPEATS, Quality, quality
from model.analysis.what_if.verdict import (
    BACKWARD_WEIGHT,
    LENGTH_POWER,
    LOW,
    RARE_PIECES,
    TRACELESS,
    UNREAD,
    UNSURE,
    USUAL_LENGTH,
    joint_confidence,
)
from model.attribution.labelled_map import read, shown_groups, token_rows, written_probabilities
from model.attribution.methods import METHODS
from model.source import SEEN_OR_HEARD, LacksAbilityError
from model.trace import HeadRef, TracedTranslation
from viz.charts.marked import bars
from viz.charts.markup import is_chinese, line, readings
from viz.core.answers import what_if
from viz.core.answers.maps import whole_map
from viz.core.answers.translations import translation
from viz.core.choice import say, within
from viz.core.kept import has_pytorch
from viz.core.numbers import number
from viz.core.selection import Selection
from viz.core.session import Session, choose_head, choose_token
from viz.views.translate import panel
from viz.views.translate.panel import answer, trusted
from viz.views.translate.token_links import token_links, writers
from viz.widgets import chart, map_choice, patches, take_away, verdict
from viz.widgets.alignment import opening_line
from viz.widgets.chips import draw_examples
from viz.widgets.deletion_bar import found_honesty
from viz.widgets.map_choice import members, merged
from viz.widgets.picker import bar, pick

if TYPE_CHECKING:
    from model.analysis.what_if.fork import Step

_OTHER = "_another_picture"  # the checkpoint of which the visitor looks at a picture that he chose
_CANDIDATES = 5
_READY = "_heads_beside"  # in a visitor's session: the run that loads PyTorch has passed


def best_picture(now: Session) -> tuple[Session, np.ndarray] | None:
    """The view with that map drawn, and its values [T, S]; None where the visitor chose another, or there is none.

    Whoever chooses a head, a sort of map or several heads sees that; a button leads back. Draws this
    button, or the choice between both.
    """
    method = trusted(now.checkpoint)
    if method is None or not now.model.facts.anatomy.abilities.issuperset(METHODS[method].needs):
        return None
    if _chose_another(now):
        st.session_state[_OTHER] = now.checkpoint
        back = say("picture.back", method=say(f"method.{method}"))
        bar().button(back, key="picture_back", on_click=_back, args=(now,))
        return None
    if st.session_state.pop(_OTHER, None) == now.checkpoint:  # who goes back by the pickers asks for these weights
        st.session_state["picture"] = "head"
    with bar():
        chosen = pick("picture", labelled=False)
    if chosen != "trusted":
        return None
    shown = now.choosing(method=method, shift="written")
    try:
        return shown, whole_map(now.subject, method)
    except LacksAbilityError:  # found when the model was opened
        return None


def say_best(shown: Session) -> None:
    """What is drawn, and why."""
    st.html(line("alt", say("picture.method", method=say(f"method.{shown.method}")), data_picture=shown.method))


def honesty(shown: Session, values: np.ndarray) -> None:
    """One sentence: does deleting what this map marks cost more than deleting words at random?

    Nothing where words cannot be deleted, or there are too few of them.
    """
    if "hide" not in shown.model.facts.anatomy.abilities:
        return
    found = found_honesty(shown, "cross", values)
    if not found.can_tell:
        return
    said = {"cost": number(found.cost), "median": number(found.median), "beaten": f"{100 * found.beaten:.0f}"}
    look = "holds" if found.verdict == "green" else "fails"
    st.html(line(look, say(f"picture.{found.verdict}", **said), data_verdict=found.verdict))


def _chose_another(now: Session) -> bool:
    start = now.model.opening
    here = now.kind == "cross" and (now.head.layer, now.head.head) != (start["layer"], start["head"])
    return here or now.method != "weights" or now.selection.combine != "head"


def _back(now: Session) -> None:
    """Let go of whatever was chosen; in a callback."""
    start = now.model.opening
    choose_head(now.head._replace(kind=start["kind"], layer=start["layer"], head=start["head"]))
    st.session_state.update(method="weights", combine="head", over=[], picture="trusted")
    st.session_state.pop(_OTHER, None)


def draw_overview(now: Session) -> None:
    """The overview of a model, by what it reads."""
    if now.model.reads in SEEN_OR_HEARD:
        _picture(now)
        return
    {"prompt": _prompt, "sentence": _sentence, "maps": _maps}[now.model.reads](now)
    chart.lead("seen.open")


def _prompt(now: Session) -> None:
    """How probable each token was, and which heads share their keys."""
    chart.lead("seen.prompt")
    _written(now)
    grouped = getattr(now.model.opened, "shared_keys", 1)
    if grouped > 1:
        heads = now.model.facts.anatomy.kinds[now.kind].heads
        groups = " · ".join(f"H{first}–H{first + grouped - 1}" for first in range(0, heads, grouped))
        st.html(line("alt", say("seen.grouped", heads=heads, keys=heads // grouped, groups=groups)))


def _written(now: Session) -> None:
    """How probable each token was; what the model wrote itself is marked."""
    found = translation(now.subject)
    shown = found.tgt[: len(found.log_probs)]
    values = written_probabilities(found, words=False, hide_special=False)[: len(shown)]
    marked = set(range(found.given, len(shown)))
    st.html(bars([label.text for label in shown], values, 1.0, marked, now.theme, ""))


def _sentence(now: Session) -> None:
    """What would be filled in at each masked place."""
    found = translation(now.subject)
    if not found.tgt_ids:
        return
    for nth, step in enumerate(what_if.steps(now.subject, _CANDIDATES), 1):
        place = f"{now.model.mask} {nth}".strip()
        _candidates(now, say("seen.candidates", place=place), step)


def _picture(now: Session) -> None:
    """The chosen head over picture or spectrogram; beside it the classes, or how probable each written token was."""

    def beside() -> None:
        if {"cross", "decoder_self"} & now.model.facts.anatomy.kinds.keys():
            _written(now)
        elif translation(now.subject).tgt_ids:
            _candidates(now, say("seen.classes"), what_if.steps(now.subject, _CANDIDATES)[0])
        map_choice.meaning(now, cross=False)
        chart.lead("seen.open")

    patches.over_picture(now, beside)


def _maps(now: Session) -> None:
    """Which kinds of attention a file holds."""
    kinds = now.model.facts.anatomy.kinds
    said = [f"{say(f'kind.{kind}')} {each.layers} × {each.heads}" for kind, each in kinds.items()]
    chart.lead("seen.maps", kinds=", ".join(said))


def _candidates(now: Session, title: str, step: Step) -> None:
    names = [each.piece.replace("▁", " ").replace("Ġ", " ").strip() or "␣" for each in step.candidates]
    values = [each.probability for each in step.candidates]
    st.html(bars(names, values, 1.0, {0}, now.theme, title))
    said = ", ".join(f"{name} {value:.0%}" for name, value in zip(names, values, strict=True))
    st.html(line("alt", say("seen.alt", list=said)))


def is_ready() -> bool:
    """Whether the heads beside the picture can be drawn: PyTorch is there, or the run that loads it has passed."""
    return has_pytorch() or _READY in st.session_state


def draw_links(now: Session, translation: TracedTranslation, ready: bool) -> tuple[Session, np.ndarray] | None:
    """Which source words each written token attends to, with the heads where ready; what ``best_picture`` gave."""
    is_own = now.model.kind == "own"
    trace = translation.trace
    best = best_picture(now)
    shown, whole = best or (now.choosing(shift="written"), merged(now, map_choice.maps(now, "cross"), "cross"))
    values, written = token_rows(whole, trace, shown.shift)
    reading = read(values, written, trace.src, now.words, now.hide_special, shown.method)
    sides = {} if is_own else {"src_title": say("tokens.source"), "tgt_title": say("tokens.target")}
    links, strength = map_choice.strengths(shown, reading.weights)
    groups, place = shown_groups(written, now.words, now.hide_special), panel.token_of(now)
    token_links(
        [label.text for label in reading.columns],
        [label.text for label in reading.rows],
        links,
        written_probabilities(translation, now.words, now.hide_special, shown.shift),
        theme=now.theme,
        labels=within(
            "tokens",
            attends=_told(shown, "attends"),
            attended=_told(shown, "attended"),
            legend_weight=strength,
            **sides,
        ),
        key="links",
        src_words=[label.word for label in reading.columns],
        tgt_words=[label.word for label in reading.rows],
        chosen=next((row for row, group in enumerate(groups) if place in group), None),
        on_pick=lambda row: choose_token(None if row is None else groups[row][0]),
        wrote=writers(now, place) if ready else None,
        written=translation.text,
        readings=[" ".join(_readings(label.text)) for label in reading.rows] if st.session_state.get("pinyin") else (),
    )
    if not best and now.selection.combine == "head":
        opening_line(now)
    return best


def _readings(text: str) -> list[str]:
    return readings(text) if text and all(map(is_chinese, text)) else []


def _told(shown: Session, how: str) -> str:
    """What is said of a token that is pointed at: weights are looks, anything else marks."""
    return say(f"tokens.{how}" if shown.method == "weights" else f"tokens.marks.{how}")


def _rates(known: Mapping[str, Any]) -> dict[str, str]:
    """The rates of a warning in words; where nothing was warned of, no share of it can be right."""
    percent = {name: "–" if known[name] is None else f"{known[name]:.0%}" for name in RATES}
    return {**percent, "sentences": f"{known['sentences']:,}", "poor_below": f"{known['poor_below']:.0f}"}


def _judged(known: Mapping[str, Any]) -> dict[str, str]:
    """The same on translations that were judged by reading."""
    read, most = known["judged"], known["chosen_on"]["false_alarms"]
    rates = {name: f"{read[name]:.0%}" for name in ("caught", "false_alarms")}
    return {
        **rates,
        "wrong": f"{read['wrong']}",
        "right": f"{read['sentences'] - read['wrong']}",
        "most": f"{most:.0%}",
    }


def draw_hints(now: Session, translation: TracedTranslation) -> None:
    """What the verdict over every view rests on, and how often it is right."""
    hints, known = quality(translation), now.model.warning
    threshold, given_back = verdict.basis(now.subject)
    limits = {"repeats": REPEATS, "traceless": TRACELESS, "pieces": RARE_PIECES}
    percent = {"threshold": f"{threshold:.0%}", "low": f"{LOW:.0%}"}
    sure = say("quality.sure.back" if given_back else "quality.sure", **percent)
    back = {"weight": BACKWARD_WEIGHT, "unread": -UNREAD, "joint": f"{joint_confidence(translation, given_back):.0%}"}
    numbers = say(
        "quality.numbers",
        confidence=f"{hints.confidence:.0%}",
        entropy=f"{hints.entropy.mean():.1f}",
        words=", ".join(hints.ignored) or say("quality.none"),
    )
    st.html(line("alt", say("quality.help", sure=sure, unsure=f"{UNSURE:.0%}", **limits)))
    if given_back:
        length = {"usual": USUAL_LENGTH, "power": LENGTH_POWER}
        st.html(line("alt", say("quality.back", **back, **length, threshold=percent["threshold"])))
    if known and (read := known.get("judged")) and read["wrong"] not in (0, read["sentences"]):
        st.html(line("alt", say("quality.judged", **_judged(known))))
    if known and (offers := known.get("offers")) and (read_ones := offers["offered"] - offers["unread"]):
        st.html(line("alt", say("quality.offers", **offers | {"offered": read_ones})))
    st.html(line("alt", say("quality.rates", **_rates(known)) if known else say("quality.no_rates")))
    st.html(line("alt", numbers))
    draw_bars(now, hints, translation)


def draw_bars(now: Session, hints: Quality, translation: TracedTranslation) -> None:
    """What each source word got, and how widely each step looked."""
    trace = translation.trace
    coverage, spread = st.columns(2, gap="large")
    with coverage:
        marked = {n for n, word in enumerate(hints.words) if word in hints.ignored and hints.coverage[n] < IGNORED}
        highest = max(2.0, *hints.coverage.tolist())
        st.html(bars(hints.words, hints.coverage.tolist(), highest, marked, now.theme, say("quality.coverage")))
    with spread:
        tokens, most = [label.text for label in trace.tgt_outputs], math.log(len(trace.src))
        title = say("quality.spread", most=f"{most:.1f}")
        st.html(bars(tokens, hints.entropy.tolist(), most, (), now.theme, title))


def view(session: Session) -> None:
    """The sentence with its translation, and what is known of the chosen token; of other models what they read."""
    ready = is_ready()  # asked before anything is drawn: a translation may load PyTorch
    if session.model.reads not in (*SEEN_OR_HEARD, "maps"):
        with bar().popover(say("app.examples"), width="content", key="hl_examples"):
            draw_examples(session.model)
    if session.model.reads == "text":
        draw_translation(session, ready)
    else:
        draw_overview(session)


def draw_evidence(now: Session, found: TracedTranslation, best: tuple[Session, np.ndarray] | None) -> None:
    """What speaks for the picture and the answer, and what else is known of the token."""
    reasons, panel_column = st.columns([7, 3], gap="medium")
    with reasons:
        if best:
            say_best(best[0])
            honesty(*best)
        answer(now)
        draw_hints(now, found)
    with panel_column:
        panel.draw(now)


def on_screen(now: Session, best: tuple[Session, np.ndarray] | None) -> Selection:
    """What the picture shows, its chosen token pinned, as a page of its own opens on it; ``best`` as it was drawn."""
    shown = best[0] if best else now.choosing(shift="written", step=map_choice.chosen_step(now))
    how, over = ("mean", ()) if best else (now.selection.combine, now.selection.over)
    heads, sizes = [now.head._replace(kind="cross")], now.model.facts.anatomy.kinds["cross"]
    if how in ("mean", "max") and METHODS[shown.method].per == "head":
        heads = [HeadRef("cross", *place) for place in members(over, sizes.layers, sizes.heads)]
    place = panel.token_of(now)
    return replace(
        shown.selection,
        heads=tuple(heads),
        view="lines",
        together=how if len(heads) > 1 else "side",
        scale="own",
        rows=() if place is None else (f"t{place}",),
    )


def draw_translation(now: Session, ready: bool) -> None:
    """The picture first, then the answer and its evidence."""
    found = translation(now.subject)
    best = draw_links(now, found, ready)
    verdict.draw_here(now.subject, found, offers=True)
    panel.answer_line(now, with_head=best is None)
    how = st.expander(say("quality.how"), key="hl_how", on_change="rerun")  # computed when somebody asks
    if how.open:
        with how:
            draw_evidence(now, found, best)
    with st.container(horizontal=True, vertical_alignment="center"):
        take_away.page_button(now, on_screen(now, best), "page")
        st.html(line("alt", say("app.purpose")))
    if not ready:  # the first visit of all: the picture came before PyTorch, the heads beside it come now
        st.session_state[_READY] = True
        st.rerun()
