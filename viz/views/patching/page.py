"""A head's output, or a state, carried from one sentence or model into the other: what becomes of the translation."""

from __future__ import annotations

import streamlit as st

from model.analysis.what_if.patching import Carried
from viz.charts.marked import marked_text
from viz.charts.markup import line
from viz.core.answers import compare
from viz.core.answers.translations import translation
from viz.core.language import say
from viz.core.numbers import number
from viz.core.session import current_session
from viz.views.patching import donor
from viz.views.patching import grids as patching
from viz.widgets import compared_sentences as sentences
from viz.widgets.bar import bar
from viz.widgets.errors import end_view
from viz.widgets.picker import coded, hide
from viz.widgets.take_away import patching_code

now = current_session()
other, unseen = donor.chosen_donor(now)
hide([*unseen, "carry"])
if other is None:
    end_view()
about = compare.contrast(now.subject, other)
then, called = donor.beside(now, other), donor.called(now, other)
if about is None:
    st.info(say("carry.same" if other.checkpoint == now.checkpoint else "carry.same_models"))
    end_view()
with st.spinner(say("carry.computing")):
    found = compare.sweep(now.checkpoint, about, other.checkpoint)
one, piece = translation(now.subject), now.model.opened.piece
before = [piece(each) for each in about.before]
tokens = patching.tokens_of(one, about, before)
ranking = found.best()
sites = {site.code: site for site in ranking}
names = {code: patching.site_name(site, tokens) for code, site in sites.items()}
labels = {code: f"{names[code]} · {patching.percent(found.share(site))}" for code, site in sites.items()}
first = next(site for site in ranking if site.head)
state = next(site for site in ranking if site.head is None)
pieces = (piece(about.written), piece(about.rival))


def read(said: object) -> str | None:
    """The site that a link means, if it can be carried here."""
    site = Carried.parse(str(said))
    return site.code if site and site.code in sites else None


with then:
    code = coded(st.selectbox, "carry", say("carry.pick"), labels, first.code, read, help=say("carry.pick.help"))
    written, (own, rival) = compare.patched(now.checkpoint, about, other.checkpoint, sites[code])
    marked = sentences.changed_texts(written, [label.text for label in one.tgt])[0]
    st.html(marked_text(written, marked, now.theme))
with bar():
    patching_code(now.subject, other, code)
patching.states_chart(now, found, sites[code], tokens, called)
patching.told(found, before, pieces, called, labels[first.code], labels[state.code])
said = {"written": pieces[0], "rival": pieces[1], "own": number(own), "own_rival": number(rival)}
st.html(line("alt", say("carry.result", share=patching.percent(found.share(sites[code])), what=names[code], **said)))
patching.heads_board(now, found, sites[code])
if other.checkpoint == now.checkpoint:
    st.html(line("alt", say("carry.meaning", **called), " ", say("carry.meaning.sentences")))
else:
    st.html(line("alt", say("carry.meaning", **called), " ", say("carry.meaning.models", **called)))
