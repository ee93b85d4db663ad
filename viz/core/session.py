"""What a visitor looks at: the sentence and its translation, the head, and how it is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import streamlit as st

from model.attribution.methods import METHODS, MethodName, Shift
from model.sentences import parts_of
from model.trace import HeadRef, Kind
from viz.core.choice import chosen, chosen_text, picked, picked_token
from viz.core.codes.choices import read_token
from viz.core.models import ModelEntry, current, entry_of
from viz.core.selection import REST, Selection, read_link
from viz.core.theme import Theme, theme_named

_CODE = re.compile(r"([0-9a-f]{8})((?:\.[0-9]{1,7})+)")


def token_code(ids: Sequence[int], about: str) -> str:
    """Ids, and a fingerprint of what they translate: "" for no ids.

    >>> token_code([45, 7], "a sentence")
    'a71a1427.45.7'
    """
    return ".".join([_fingerprint(about), *map(str, ids)]) if ids else ""


def token_ids(code: str, about: str, vocab_size: int, most: int, end_id: int, never: Sequence[int]) -> tuple[int, ...]:
    """The ids that ``token_code`` wrote; () where the code is not one about this, or no model could write it.

    Args:
        code: whatever stands in the link.
        about: what the ids must be about.
        vocab_size: ids are below it.
        most: ids that a translation can have.
        end_id: of the token that ends a translation, and can only be the last.
        never: ids that no model writes.
    """
    match = _CODE.fullmatch(code)
    if not match or match[1] != _fingerprint(about):
        return ()
    ids = tuple(int(part) for part in match[2][1:].split("."))
    ended = end_id in ids[:-1] or set(never) & set(ids)
    return () if ended or max(ids) >= vocab_size or len(ids) > most else ids


def _fingerprint(about: str) -> str:
    return f"{crc32(about.encode('utf-8', 'replace')):08x}"


@dataclass(frozen=True)
class Subject:
    """One translation that answers are about; the key of their caches."""

    text: str  # the sentence
    checkpoint: str  # name of the model that translates it
    beam: int = 1  # how many hypotheses it keeps
    forced: tuple[int, ...] = ()  # target ids under inspection in place of the model's own choice; () for that

    @property
    def model(self) -> ModelEntry:
        """The model that translates it."""
        return entry_of(self.checkpoint)

    @property
    def own(self) -> Subject:
        """The model's own choice, whatever is under inspection."""
        return replace(self, forced=())


_PREFERRED = "_preferred"  # in a visitor's session: what is inspected without being in the link, and of what


@dataclass(frozen=True)
class Session:
    """One visitor's choices in this run of the script; all of them live in the link."""

    subject: Subject
    selection: Selection
    theme: Theme

    def choosing(self, **choices: Any) -> Session:
        """The same with other choices; their names are those of ``Selection``."""
        return replace(self, selection=replace(self.selection, **choices))

    @property
    def checkpoint(self) -> str:
        """Name of the chosen checkpoint."""
        return self.subject.checkpoint

    @property
    def model(self) -> ModelEntry:
        """The chosen model."""
        return self.subject.model

    @property
    def head(self) -> HeadRef:
        """The chosen head."""
        return self.selection.head

    @property
    def kind(self) -> Kind:
        """Which attention."""
        return self.head.kind

    @property
    def words(self) -> bool:
        """Whether pieces are merged into words."""
        return self.selection.words

    @property
    def hide_special(self) -> bool:
        """Whether special tokens are left out."""
        return self.selection.hide_special

    @property
    def method(self) -> MethodName:
        """What is shown of a head."""
        return self.selection.method

    @property
    def shift(self) -> Shift:
        """Which step names a row of cross-attention."""
        return self.selection.row_shift


_session: ContextVar[Session | None] = ContextVar("session", default=None)


def current_session() -> Session:
    """The choices as this run read them; pages begin with it."""
    return _session.get() or read_session()


def read_session() -> Session:
    """The choices that the frame's widgets hold now, which ``current_session`` says from here on."""
    state, about = st.session_state, subject()
    start = about.model.opening
    kind = chosen_kind(about.model)
    sizes = about.model.facts.anatomy.kinds[kind]
    layers = sizes.layers
    layer = chosen("layer", min(start["layer"], layers - 1), range(layers))
    head = HeadRef(kind, layer, chosen("head", start["head"], range(sizes.heads)))
    own = read_link(chosen_text(REST)).in_app
    method: MethodName = picked("method")
    selection = replace(
        own,
        heads=own.heads if own.heads[:1] == (head,) else (head,),
        words=bool(state.get("words", False)),
        hide_special=bool(state.get("special", False)),
        method=method,
        step=picked_token() if METHODS[method].of_token else None,
        shift=picked("shift", start["shift"]),
        # What is one map for all heads leaves nothing to combine.
        combine=picked("combine") if METHODS[method].per == "head" else "head",
        over=tuple(code for code in state.get("over", ()) if code in combinable(about.model, kind)),
    )
    now = Session(about, selection.at_token(_token()), theme())
    _session.set(now)
    return now


def combinable(model: ModelEntry, kind: Kind) -> list[str]:
    """Everything of a kind that can be combined: layers, then heads."""
    sizes = model.facts.anatomy.kinds[kind]
    layers, heads = range(sizes.layers), range(sizes.heads)
    return [f"L{layer}" for layer in layers] + [f"L{layer} H{n}" for layer in layers for n in heads]


def chosen_kind(model: ModelEntry) -> Kind:
    """Which attention is chosen; that on which a model opens where it does not have the chosen one."""
    start: Kind = model.opening["kind"]
    kind: Kind = picked("kind", start)
    return kind if kind in model.facts.anatomy.kinds else start


def subject() -> Subject:
    """The translation that the frame's widgets ask for."""
    own = Subject(sentence(), current().name, int(chosen("beam", 1, range(1, 9))))
    return replace(own, forced=forced("hyp") or _preferred(own))


def prefer(own: Subject, ids: Sequence[int]) -> None:
    """Inspect these target ids in place of the model's own choice in this and the next runs; none for that choice."""
    st.session_state[_PREFERRED] = (own, tuple(ids))


def _preferred(own: Subject) -> tuple[int, ...]:
    about, ids = st.session_state.get(_PREFERRED, (None, ()))
    return ids if about == own else ()


def parts() -> list[str]:
    """The sentences of what was typed, which are translated one by one; white space stays around a single one."""
    text = typed()
    return [text[start:end] for start, end in parts_of(text, str(current().meta.get("src_tokenizer", "")))]


def part() -> int:
    """Which sentence is looked at, by the link's ``part``, counted from 0; the first where there is no such one."""
    number = str(st.session_state.get("part", "")).strip()
    found = int(number) - 1 if number.isascii() and number.isdigit() else 0
    return found if 0 <= found < len(parts()) else 0


def sentence() -> str:
    """The sentence that is looked at."""
    return parts()[part()]


def typed() -> str:
    """What stands in the box."""
    return str(st.session_state.get("text", current().default_text))


def theme() -> Theme:
    """The look that the visitor's browser shows."""
    return theme_named(st.context.theme.type)


def choose_head(head: HeadRef) -> None:
    """Select a head; to be called in a widget's callback, before the frame draws its pickers."""
    st.session_state.update(head._asdict())


def chosen_token(n_tokens: int) -> int | None:
    """Which of so many written tokens is looked at, in every view, counted from 0; None before one is chosen."""
    found = _token()
    return found if found is not None and found < n_tokens else None


def _token() -> int | None:
    """The same, of however many."""
    number = read_token(chosen_text("step").strip())
    return number - 1 if number else None


def choose_token(place: int | None) -> None:
    """Look at a written token, counted from 0, or at none; to be called in a widget's callback."""
    st.session_state["step"] = "" if place is None else str(place + 1)


def choose_part(number: int = 0) -> None:
    """Look at a sentence, counted from 0; to be called in a widget's callback."""
    st.session_state["part"] = str(number + 1) if number else ""
    choose_token(None)


def forced(name: str) -> tuple[int, ...]:
    """Target ids that the link's ``hyp`` or ``fork`` forces on this sentence; () where they are for another one."""
    code = str(st.session_state.get(name, ""))
    if not code:
        return ()
    own = current().facts
    return token_ids(code, _fingerprinted(), own.vocabulary, own.max_len, own.end_id, own.never_written)


def force(name: str, ids: Sequence[int]) -> None:
    """Write target ids into the link's ``hyp`` or ``fork``; to be called in a widget's callback."""
    st.session_state[name] = token_code(ids, _fingerprinted())


def _fingerprinted() -> str:
    """What forced ids are about: the weights and the sentence."""
    model = current()
    return f"{model.meta.get('sha256', model.name)} {sentence()}"
