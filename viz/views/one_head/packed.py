"""The viewer's message: what comes from the trace at once, what the model has to make when it is asked for."""

from __future__ import annotations

import hashlib

import streamlit as st

from model.attribution.methods import METHOD_NAMES, METHODS, MethodName, traced_maps
from viz.core.answers.maps import attribution_maps
from viz.core.answers.translations import trace, translation
from viz.core.kept import kept
from viz.core.session import Subject
from viz.web.payload import pack, sort_of

_MADE = "_made"  # what a visitor has asked for of the subject that he looks at
MOST_MADE = 5  # beside what comes from the trace: a long sentence's maps are a megabyte a sort


def offered(subject: Subject) -> tuple[MethodName, ...]:
    """The sorts that there are of this model's attention."""
    anatomy = subject.model.facts.anatomy
    able = (method for method in METHOD_NAMES if anatomy.abilities.issuperset(METHODS[method].needs))
    return tuple(method for method in able if set(METHODS[method].kinds) & set(trace(subject).weights))


def packed(subject: Subject, language: str, asked: str) -> tuple[bytes, str]:
    """The message with the sorts of the trace, those asked for before, and ``asked``; and a name for it.

    Raises as ``translations.translation``; what could not be made is not asked for again.
    """
    traced = [method for method in offered(subject) if METHODS[method].from_trace]
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
        method, step = sort_of(name)
        is_traced = METHODS[method].from_trace is not None
        maps[name] = traced_maps(found.trace, method) if is_traced else attribution_maps(subject, method, step)
    more = [method for method in offered(subject) if method not in sorts]
    sent = pack(found, maps, language=language, model=subject.checkpoint, more=more)
    return sent, hashlib.sha256(sent).hexdigest()[:16]
