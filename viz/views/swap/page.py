"""One word exchanged for a near one: the two translations side by side, and what changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import streamlit as st

from model.analysis.what_if.swap import Word, changes, source_words, swapped
from model.trace import Translation
from viz.charts.marked import marked_text
from viz.charts.markup import line
from viz.core.answers import translations, what_if
from viz.core.choice import say
from viz.core.session import Session
from viz.core.theme import Theme
from viz.widgets import chart
from viz.widgets.errors import end_view

NEAR = 10


def take_near() -> None:
    """Put the near word that was chosen into the box."""
    if word := st.session_state.get("near"):
        st.session_state["swap_with"] = word


def show(title: str, source: str, word: Word, translation: Translation, marked: Collection[int], theme: Theme) -> None:
    """A sentence with one word marked, over its translation with the changed tokens marked."""
    english = [source[: word.start], source[word.start : word.end], source[word.end :]]
    chinese = [label.text for label in translation.tgt]
    st.html(line("alt", title))
    st.html(marked_text(english, {1}, theme, "en"))
    st.html(marked_text(chinese, marked, theme))
    st.html(line("alt", say("swap.mean", mean=f"{translation.confidence:.0%}")))


def choose_swap(words: Sequence[Word], checkpoint: str) -> tuple[Word, str, bool]:
    """The word, what stands in its place, and whether the visitor asked for that; ends the view where there is none."""
    if st.session_state.get("swap_word", 0) not in range(len(words)):
        st.session_state["swap_word"] = 0
    choice, box = st.columns(2)
    place = choice.selectbox(
        say("swap.word"),
        range(len(words)),
        index=max(range(len(words)), key=lambda n: len(words[n].text)),
        format_func=lambda n: f"{n + 1} · {words[n].text}",
        key="swap_word",
        bind="query-params",
    )
    new = box.text_input(say("swap.with"), key="swap_with", placeholder=say("swap.placeholder"), bind="query-params")
    word = words[place]
    near = {each.word: each.cosine for each in what_if.near(word.text, checkpoint, NEAR)}
    if near:
        st.pills(
            say("swap.near"),
            list(near),
            format_func=lambda each: f"{each} {near[each]:.2f}",
            key="near",
            help=say("swap.near.help"),
            on_change=take_near,
        )
    else:
        chart.lead("swap.pieces", word=word.text)
    asked = bool(new.strip())
    if not asked and not near:
        end_view()
    return word, new if asked else next(iter(near)), asked


def compare(session: Session, translation: Translation, word: Word, new: str, asked: bool) -> None:
    """Both sentences with their translations, and what changed between them."""
    sentence, put = swapped(translation.source, word, new)
    other = what_if.continued(replace(session.subject.own, text=sentence))
    before, after = ([label.text for label in each.tgt] for each in (translation, other))
    found = changes(before, after)
    left, right = st.columns(2, gap="large")
    with left:
        gone = {n for each in found for n in range(each.start, each.end)}
        show(say("swap.before"), translation.source, word, translation, gone, session.theme)
    with right:
        came = {n for each in found for n in range(each.new_start, each.new_end)}
        title = say("swap.after") if asked else say("swap.example", word=new)
        show(title, sentence, put, other, came, session.theme)
    pairs = [("".join(before[c.start : c.end]) or "∅", "".join(after[c.new_start : c.new_end]) or "∅") for c in found]
    told = "; ".join(f"{old} → {new}" for old, new in pairs).replace("##", "")
    chart.lead("swap.changed" if pairs else "swap.unchanged", **({"changes": told} if pairs else {}))
    st.button(say("swap.use"), on_click=st.session_state.update, kwargs={"text": sentence, "swap_with": ""})


def view(session: Session) -> None:
    """A word to exchange, and what becomes of the translation."""
    translation = translations.translation(session.subject)
    chart.lead("swap.lead")
    if session.model.kind == "own" and session.model.meta.get("src_tokenizer") != "english":
        st.info(say("swap.letters"))
        end_view()
    words = source_words(translation.source, translation.src)
    if not words:
        st.info(say("swap.no_words"))
        end_view()
    compare(session, translation, *choose_swap(words, session.checkpoint))
