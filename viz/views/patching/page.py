"""A head's output, or a state, carried from one sentence or model into the other: what becomes of the translation."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.what_if.patching import Carried, Contrast, Sweep
from viz.charts.marked import marked_text
from viz.charts.markup import line
from viz.core.answers import translations
from viz.core.answers.translations import translation
from viz.core.choice import say
from viz.core.numbers import number
from viz.core.session import Session, Subject
from viz.views.patching import grids
from viz.widgets import compared_models, compared_sentences
from viz.widgets.errors import end_view
from viz.widgets.picker import bar, coded, hide, pick, shown_key
from viz.widgets.take_away import patching_code

SENTENCE = "carry_sentence"  # key of what chooses the other sentence


def chosen_donor(now: Session) -> tuple[Subject | None, list[str]]:
    """The other pass's subject as the visitor chose it, None where there is none; and what is not to be seen of this.

    Both choices are always drawn, so that the link keeps what stands in either.
    """
    names = compared_models.of_one_shape(now.checkpoint)
    with bar():
        is_model = pick("donor", labelled=False) == "model"
        name = compared_models.choose(names, now.checkpoint) if names else ""
    with st.container(key=SENTENCE):
        text = compared_sentences.other_text(now)
    unseen = ["against", SENTENCE if is_model else shown_key("against")]
    if not is_model and not text:
        st.info(say("compare.none"))
    if is_model and not name:
        st.html(line("lead", say("carry.no_model", model=now.checkpoint)))
    if not (name if is_model else text):
        return None, unseen
    own = now.subject.own
    return (replace(own, checkpoint=name) if is_model else replace(own, text=text)), unseen


def called(now: Session, other: Subject) -> dict[str, str]:
    """Both passes as a text calls them."""
    if other.checkpoint == now.checkpoint:
        return {"one": say("carry.first"), "other": say("carry.second")}
    sides = {"one": now.checkpoint, "other": other.checkpoint}
    return {side: say("carry.named", model=compared_models.named(name)) for side, name in sides.items()}


def beside(now: Session, other: Subject) -> DeltaGenerator:
    """Both sentences over their translations, or both models over what they write; the empty column beside them."""
    one, two = translation(now.subject), translation(other)
    if other.checkpoint == now.checkpoint:
        return compared_sentences.both(now, one, two, more=1)[0]
    first, second, rest = st.columns(3)
    marked = compared_sentences.changed_labels(one.tgt, two.tgt)
    both = zip((first, second), called(now, other).values(), (one, two), marked, strict=True)
    for column, name, found, places in both:
        column.html(str(line("alt", name)) + marked_text([label.text for label in found.tgt], places, now.theme))
    return rest


@dataclass(frozen=True)
class _Sites:
    """What can be carried, best first, and what each is called."""

    found: Sweep  # what carrying each gives
    # sites, names: by their codes
    sites: dict[str, Carried]
    names: dict[str, str]

    @property
    def labels(self) -> dict[str, str]:
        """A site's name with the share of the way that it goes."""
        shares = {code: grids.percent(self.found.share(site)) for code, site in self.sites.items()}
        return {code: f"{self.names[code]} · {share}" for code, share in shares.items()}

    @property
    def first(self) -> Carried:
        """The best head."""
        return next(site for site in self.sites.values() if site.head)

    @property
    def state(self) -> Carried:
        """The best state."""
        return next(site for site in self.sites.values() if site.head is None)

    def read(self, said: object) -> str | None:
        """The site that a link means, if it can be carried here."""
        site = Carried.parse(str(said))
        return site.code if site and site.code in self.sites else None


def _swept(session: Session, about: Contrast, donor_name: str, tokens: dict[str, list[str]]) -> _Sites:
    with st.spinner(say("carry.computing")):
        found = translations.sweep(session.checkpoint, about, donor_name)
    sites = {site.code: site for site in found.best()}
    return _Sites(found, sites, {code: grids.site_name(site, tokens) for code, site in sites.items()})


def view(session: Session) -> None:
    """What carrying each head's output, and each state, makes of the translation."""
    other, unseen = chosen_donor(session)
    hide([*unseen, "carry"])
    if other is None:
        end_view()
    about = translations.contrast(session.subject, other)
    then, names = beside(session, other), called(session, other)
    same_model = other.checkpoint == session.checkpoint
    if about is None:
        st.info(say("carry.same" if same_model else "carry.same_models"))
        end_view()
    _carry(session, about, other, (then, names))
    meaning = say("carry.meaning.sentences") if same_model else say("carry.meaning.models", **names)
    st.html(line("alt", say("carry.meaning", **names), " ", meaning))


def _carry(session: Session, about: Contrast, other: Subject, shown: tuple[DeltaGenerator, dict[str, str]]) -> None:
    one, piece = translation(session.subject), session.model.opened.piece
    then, names = shown
    before = [piece(each) for each in about.before]
    tokens = grids.tokens_of(one, about, before)
    swept = _swept(session, about, other.checkpoint, tokens)
    found, labels, first = swept.found, swept.labels, swept.first.code
    with then:
        look = {"help": say("carry.pick.help")}
        code = coded(st.selectbox, "carry", say("carry.pick"), labels, first, swept.read, **look)
        written, (own, rival) = translations.patched(session.checkpoint, about, other.checkpoint, swept.sites[code])
        marked = compared_sentences.changed_texts(written, [label.text for label in one.tgt])[0]
        st.html(marked_text(written, marked, session.theme))
    with bar():
        patching_code(session.subject, other, code)
    chosen, pieces = swept.sites[code], (piece(about.written), piece(about.rival))
    grids.states_chart(session, found, chosen, tokens, names)
    grids.told(found, before, pieces, names, labels[first], labels[swept.state.code])
    said = {"written": pieces[0], "rival": pieces[1], "own": number(own), "own_rival": number(rival)}
    share = grids.percent(found.share(chosen))
    st.html(line("alt", say("carry.result", share=share, what=swept.names[code], **said)))
    grids.heads_board(session, found, chosen)
