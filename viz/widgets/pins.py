"""The pinboard: pictures with their state, kept in the visitor's browser; it is a storyboard, so it can be played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from viz.core.answers.translations import translation
from viz.core.language import language, say
from viz.core.session import Session
from viz.export.pages import start_of
from viz.export.show.reading import read_storyboard
from viz.export.show.storyboard import (
    MOST_SCENES,
    MOST_SIGNS,
    Both,
    Storyboard,
    StoryboardError,
    TalkScene,
    write_storyboard,
)
from viz.export.shown import Shown, names
from viz.widgets.messages import message, part
from viz.widgets.registry import register

_component = register("pin_keeper", ())
MOST_CAPTION = MOST_SIGNS["title"]
_PINS, _KNOWN = "_pins", "_pins_known"  # in the visitor's session: his pins; whether what his browser keeps is known


def pin_keeper(board: str, known: bool, *, key: str, on_found: Callable[[str], None]) -> None:
    """Nothing to be seen: it keeps the board, or hands over the one that it finds.

    Args:
        board: the storyboard's text; "" for an empty one.
        known: whether what the browser keeps has been read, or need not be: else it is not written over.
        key: names this place on the page.
        on_found: called with what was kept, before the script runs again.
    """

    def found() -> None:
        kept = part(message(key, "found"), "board")
        if isinstance(kept, str):
            on_found(kept)

    _component.mount({"board": board, "known": known}, labels=say, key=key, on_found_change=found)


def board() -> Storyboard:
    """What is pinned, as a talk."""
    scenes: tuple[TalkScene, ...] = st.session_state.get(_PINS, ())
    return Storyboard(Both("Pinboard", "钉板"), scenes)


def put(scenes: tuple[TalkScene, ...]) -> None:
    """Let these be the pins; to be called in a widget's callback. What is too much is left out."""
    st.session_state.update({_PINS: scenes[:MOST_SCENES], _KNOWN: True})


def add(data: bytes | str) -> None:
    """Pin what a file holds beside what is there.

    Raises:
        StoryboardError: something is wrong with it.
    """
    new = read_storyboard(data)
    scenes = [replace(each, checkpoint=each.checkpoint or new.checkpoint) for each in new.scenes]
    put((*board().scenes, *(each for each in scenes if each not in board().scenes)))


def written() -> str:
    """The board as a storyboard's text."""
    return write_storyboard(board())


def caption(place: int, said: str) -> None:
    """Put a pin under another caption; to be called in a widget's callback."""
    scenes = list(board().scenes)
    scenes[place] = replace(scenes[place], title=Both(said[:MOST_CAPTION]))
    put(tuple(scenes))


def move(place: int, by: int) -> None:
    """Put a pin before or behind its neighbours; by 0 it is taken off. To be called in a widget's callback."""
    scenes = list(board().scenes)
    taken = scenes.pop(place)
    if by:
        scenes.insert(place + by, taken)
    put(tuple(scenes))


def keep() -> None:
    """Let the browser keep the board; drawn once on every page that pins or shows pins."""
    now = board()
    pin_keeper(written() if now.scenes else "", bool(st.session_state.get(_KNOWN)), key="pin_keeper", on_found=_found)


def _found(text: str) -> None:
    """Take what the browser kept; what is no pinboard is dropped there."""
    st.session_state[_KNOWN] = True
    try:
        mine = board().scenes
        add(text)
        put((*board().scenes[len(mine) :], *mine))
    except StoryboardError:
        return


def pin_button(now: Session, asked: Shown, place: str) -> None:
    """Pin this picture with its state.

    Args:
        now: the view.
        asked: what is shown.
        place: name of the view, for the way back to it.
    """
    if now.model.reads != "text":
        return
    scene = _scene(now, asked, place)
    there = scene in board().scenes
    with st.container(horizontal=True, width="content", gap=None):
        st.button(
            say("pins.pinned" if there else "pins.pin"),
            key="pin",
            help=say("pins.pin.help"),
            disabled=there,
            on_click=lambda: put((*board().scenes, scene)),
        )
        keep()


def _scene(now: Session, asked: Shown, place: str) -> TalkScene:
    about = now.subject
    heads = f"h={','.join(head.code for head in asked.heads)}"
    query = urlencode(st.query_params.to_dict())
    title = f"{about.text[:80]} · {'; '.join(names(asked, language()))[:100]}"
    app = f"{place}?{query}"
    return TalkScene(
        about.text,
        translation(about).text if about.forced else "",
        about.checkpoint,
        "&".join(filter(None, [heads, start_of(asked)]))[: MOST_SIGNS["link"]],
        app if len(app) <= MOST_SIGNS["app"] else "",
        Both(title[:MOST_CAPTION]),
    )
