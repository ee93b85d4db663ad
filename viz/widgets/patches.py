"""A head over a picture or a spectrogram, painted and read: where it looks from one patch, or from another token."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from model.analysis.faithfulness.table import share_on
from model.attribution.methods import METHODS, MethodName
from model.trace import HeadRef, Label, patch_label
from viz.charts.markup import line
from viz.core import models, pictures
from viz.core.answers.maps import seen_picture
from viz.core.answers.translations import translation
from viz.core.choice import Labels, say, within
from viz.core.numbers import number
from viz.core.session import Session, chosen_token
from viz.core.theme import Theme
from viz.web.message import pack_fine
from viz.widgets import map_choice
from viz.widgets.errors import message, part
from viz.widgets.map_choice import merged, merged_name
from viz.widgets.places import register

LABELS = ("grid", "cell", "marked", "hint")
_component = register("patch_picture", LABELS)


@dataclass(frozen=True)
class Patched:
    """What lies over a picture.

    Attributes:
        picture: the part that the model sees, as the bytes of a PNG file.
        values: of each patch, [rows, columns], of any size.
        selected: the patch that is looked from, row by row; None for a token that is no patch.
        signed: values have either sign.
        marked: patches to be outlined, bool [rows, columns]; None for none.
        names: of the patches; () where they are called by row and column.
    """

    picture: bytes
    values: np.ndarray
    selected: int | None
    signed: bool = False
    marked: np.ndarray | None = None
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or not self.values.size:
            raise ValueError(f"a picture's patches are [rows, columns], got {self.values.shape}")
        if self.marked is not None and self.marked.shape != self.values.shape:
            raise ValueError(f"marks of shape {self.marked.shape} do not fit patches of {self.values.shape}")


def patch_picture(shown: Patched, *, theme: Theme, labels: Labels, key: str, on_look: Callable[[int], None]) -> None:
    """The picture; ``on_look`` is called with the patch that was clicked, before the script runs again."""

    def looked() -> None:
        patch = part(message(key, "look"), "patch")
        if type(patch) is int and 0 <= patch < shown.values.size:
            on_look(patch)

    _component.mount(patch_payload(shown), theme=theme, labels=labels, key=key, on_look_change=looked)


def patch_payload(shown: Patched) -> dict[str, object]:
    """What ``patch_picture`` sends to the browser, less look and labels: values as parts of the largest."""
    high = float(np.abs(shown.values).max()) or 1.0
    rows, columns = shown.values.shape
    return {
        "picture": f"data:image/png;base64,{base64.b64encode(shown.picture).decode('ascii')}",
        "rows": rows,
        "columns": columns,
        "values": pack_fine(shown.values / high),
        "high": high,
        "selected": -1 if shown.selected is None else shown.selected,
        "signed": shown.signed,
        "names": list(shown.names) or [patch_label(place, columns).text for place in range(rows * columns)],
        "marked": [] if shown.marked is None else np.flatnonzero(shown.marked).tolist(),
    }


NAMED = 5


def over_picture(now: Session, beside: Callable[[], None] | None = None) -> None:
    """The chosen head's row over the picture; at its side the token that it looks from, and what ``beside`` draws.

    Nothing lies over it where the decoder looks at what is written, and no patch is among that.
    """
    found = translation(now.subject).trace
    picture, (rows, columns) = seen_picture(now.subject)
    tokens = found.axis_labels(now.kind)[1]
    patches = [place for place, label in enumerate(tokens) if label.is_patch]
    left, right = st.columns([2, 3], gap="large")
    over, selected, decides = np.zeros((rows, columns)), None, None
    with right:
        if not patches:
            st.html(line("lead", say(f"{_words(now)}.none")))
        else:
            written = now.kind != "encoder_self"
            names = [label.text for label in (found.tgt_outputs if written else found.src)]
            query = _written(now, names) if written else query_picker(names)
            values = merged(now, map_choice.maps(now, now.kind), now.kind)[query].astype(float)
            _lines(now, tokens, values, names[query], patches)
            over = values[patches].reshape(rows, columns)
            selected = patches.index(query) if not written and query in patches else None
            decides = None if written else _deciding(now, over, values)
        if now.model.reads == "sound":
            st.html(line("lead", say("heard.how")))
        if beside is not None:
            beside()
    named = [label for label in tokens if label.is_patch] or [label for label in found.src if label.is_patch]
    shown = Patched(picture, over, selected, METHODS[now.method].signed, decides, tuple(each.text for each in named))
    looks = now.kind == "encoder_self"  # from the patch that is clicked
    grid, hint = say(f"{_words(now)}.grid"), say(f"{_words(now)}.hint" if looks else f"{_words(now)}.hint.plain")
    labels = within("patch", grid=grid, hint=hint)

    def looked(patch: int) -> None:
        if looks:
            look(patches[patch])

    with left:
        patch_picture(shown, theme=now.theme, labels=labels, key="patches", on_look=looked)


def _words(now: Session) -> str:
    """What the texts are called that say what is seen: of a picture's patches, or of what is heard."""
    return "heard" if now.model.reads == "sound" else "patch"


def _written(now: Session, names: list[str]) -> int:
    """Which written token's row is shown: the chosen one, or the first that the model wrote by itself."""
    found = chosen_token(len(names))
    return min(translation(now.subject).given, len(names) - 1) if found is None else found


def _deciding(now: Session, over: np.ndarray, values: np.ndarray) -> np.ndarray | None:
    """Which patches of a drawn scene decide, with what the row puts on them; None where that is not known."""
    decides = pictures.deciding(now.subject.text)
    if decides is None or decides.shape != over.shape:
        return None
    truth(now.checkpoint, now.method, values, decides)
    return decides


def truth(checkpoint: str, method: MethodName, values: np.ndarray, decides: np.ndarray) -> None:
    """The picture's truth meter: what a row puts on the patches that decide, against chance and many scenes."""
    share = float(share_on(values, decides))
    said = {"count": int(decides.sum()), "all": decides.size, "chance": f"{decides.mean():.0%}"}
    st.html(line("lead", say("patch.truth", share=f"{share:.0%}" if np.isfinite(share) else "–", **said)))
    table = models.entry_of(checkpoint).scenes
    if table and method in table["maps"]:
        found = table["maps"][method]
        best = HeadRef("encoder_self", found["best"]["layer"], found["best"]["head"]).title
        shares = {"mean": f"{found['mean']:.0%}", "most": f"{found['best']['share']:.0%}"}
        measured = {"scenes": table["scenes"], "chance": f"{table['chance']:.0%}", "method": say(f"method.{method}")}
        st.html(line("alt", say("patch.truth.all", best=best, **shares, **measured)))


def _lines(now: Session, labels: Sequence[Label], values: np.ndarray, token: str, patches: Sequence[int]) -> None:
    """What lies over the picture, in words."""
    key = "patch.signed" if METHODS[now.method].signed else f"{_words(now)}.lead"
    key += ".written" if now.kind != "encoder_self" else ""
    said = {"head": f"{map_choice.whose(now, merged_name(now))} · {map_choice.name(now)}", "token": token}
    st.html(line("lead", say(key, **said)))
    order = sorted(patches, key=lambda place: -abs(values[place]))[:NAMED]
    st.html(line("alt", say(f"{_words(now)}.alt", list=_named(labels, values, order), **said)))
    others = [place for place, label in enumerate(labels) if not label.is_patch and values[place] != 0]
    others = sorted(sorted(others, key=lambda place: -abs(values[place]))[:NAMED])
    if others:
        st.html(line("alt", say(f"{_words(now)}.special", list=_named(labels, values, others))))


def _named(labels: Sequence[Label], values: np.ndarray, places: Iterable[int]) -> str:
    return ", ".join(f"{labels[at].text.removeprefix('##')} {number(values[at])}" for at in places)


def query_picker(names: list[str]) -> int:
    """Which token is looked from."""
    if st.session_state.get("patch") not in range(len(names)):
        st.session_state.pop("patch", None)
    return int(
        st.selectbox(
            say("patch.query"),
            range(len(names)),
            format_func=names.__getitem__,
            key="patch",
            help=say("patch.query.help"),
            bind="query-params",
            width=200,
        )
    )


def look(token: int) -> None:
    """Look from a token; to be called in a widget's callback."""
    st.session_state["patch"] = token
