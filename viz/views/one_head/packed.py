"""The viewer's message: what comes from the trace at once, what the model has to make when it is asked for."""

from __future__ import annotations

import hashlib

import streamlit as st

from model.analysis.maps.sorts import DRAWN, SORTS, Drawn, traced_maps
from viz.core.answers.maps import drawn_maps
from viz.core.answers.translations import trace, translation
from viz.core.kept import kept
from viz.core.session import Subject
from viz.web.payload import pack, sort_of

_MADE = "_made"  # what a visitor has asked for of the subject that he looks at
MOST_MADE = 5  # beside what comes from the trace: a long sentence's maps are a megabyte a sort


def offered(subject: Subject) -> tuple[Drawn, ...]:
    """The sorts that there are of this model's attention."""
    anatomy = subject.model.facts.anatomy
    able = (drawn for drawn in DRAWN if anatomy.abilities.issuperset(SORTS[drawn].needs))
    return tuple(drawn for drawn in able if set(SORTS[drawn].kinds) & set(trace(subject).weights))


def packed(subject: Subject, language: str, asked: str) -> tuple[bytes, str]:
    """The message with the sorts of the trace, those asked for before, and ``asked``; and a name for it.

    Raises as ``translations.translation``; what could not be made is not asked for again.
    """
    traced = [drawn for drawn in offered(subject) if SORTS[drawn].from_trace]
    about, before = st.session_state.get(_MADE, (subject, ()))
    made = tuple(each for each in before if each != asked) if about == subject else ()
    if asked not in traced:
        made = (*made, asked)[-MOST_MADE:]
    found = message(subject, language, (*traced, *sorted(made)))
    st.session_state[_MADE] = (subject, made)
    return found


@kept(16)
def message(subject: Subject, language: str, sorts: tuple[str, ...]) -> tuple[bytes, str]:
    """The message with these sorts, and a name for it; raises as ``translations.translation``."""
    found, maps = translation(subject), {}
    for name in sorts:
        drawn, step = sort_of(name)
        is_traced = SORTS[drawn].from_trace is not None
        maps[name] = traced_maps(found.trace, drawn) if is_traced else drawn_maps(subject, drawn, step)
    more = [drawn for drawn in offered(subject) if drawn not in sorts]
    sent = pack(found, maps, language=language, model=subject.checkpoint, more=more)
    return sent, hashlib.sha256(sent).hexdigest()[:16]
