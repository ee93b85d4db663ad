"""A head's output, or a state, carried from one sentence into the other: what becomes of the translation."""

from __future__ import annotations

import streamlit as st

from model.analysis.what_if.patching import Carried
from viz.figures.marked import marked_text
from viz.figures.markup import line
from viz.numbers import number
from viz.parts.comparing import patching, sentences
from viz.parts.picker import coded
from viz.shell import pickers
from viz.shell.errors import end_view
from viz.state.answers import compare
from viz.state.answers.translations import translation, translator
from viz.state.language import say
from viz.state.view import view

now = view()
other = sentences.other_sentence(now)
if other is None:
    end_view()
one, two = translation(now.subject), translation(other)
then = sentences.both(now, one, two, more=1)[0]
about = compare.contrast(now.subject, other)
if about is None:
    st.info(say("carry.same"))
    end_view()
with st.spinner(say("carry.computing")):
    found = compare.sweep(now.checkpoint, about)
piece = translator(now.checkpoint).piece
before = [piece(each) for each in about.before]
tokens = patching.tokens_of(one, about, before)
ranking = found.best()
sites = {site.code: site for site in ranking}
names = {code: patching.site_name(site, tokens) for code, site in sites.items()}
labels = {code: f"{names[code]} · {patching.percent(found.share(site))}" for code, site in sites.items()}
first = next(site for site in ranking if site.head)
state = next(site for site in ranking if site.head is None)
pieces = (piece(about.written), piece(about.rival))
patching.told(found, before, pieces, labels[first.code], labels[state.code])


def read(said: object) -> str | None:
    """The site that a link means, if it can be carried here."""
    site = Carried.parse(str(said))
    return site.code if site and site.code in sites else None


pickers.hide(["carry"])
with then:
    code = coded(st.selectbox, "carry", say("carry.pick"), labels, first.code, read, help=say("carry.pick.help"))
    written, (own, rival) = compare.patched(now.checkpoint, about, sites[code])
    marked = sentences.changed_texts(written, [label.text for label in one.tgt])[0]
    st.html(marked_text(written, marked, now.theme))
said = {"written": pieces[0], "rival": pieces[1], "own": number(own), "own_rival": number(rival)}
st.html(line("alt", say("carry.result", share=patching.percent(found.share(sites[code])), what=names[code], **said)))
patching.states_chart(now, found, sites[code], tokens)
patching.heads_board(now, found, sites[code])
st.html(line("alt", say("carry.meaning")))
