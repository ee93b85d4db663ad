"""The pinboard: pictures with their state, kept in the visitor's browser; it is a storyboard, so it can be played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from model.errors import HeadlightError
from viz.core.answers.translations import translation
from viz.core.choice import language, say
from viz.core.models import current, entries
from viz.core.pictures import is_own
from viz.core.selection import Selection
from viz.core.session import Session, subject, typed
from viz.export.show.reading import read_storyboard
from viz.export.show.storyboard import (
    MOST_SCENES,
    MOST_SIGNS,
    OWN_CHOICES,
    Both,
    Storyboard,
    StoryboardError,
    TalkScene,
    write_storyboard,
)
from viz.export.shown import names
from viz.widgets.errors import message, part
from viz.widgets.places import register

_component = register("pin_keeper", ())
MOST_CAPTION = MOST_SIGNS["title"]
MOST_PINNED = 40  # heads, where a scene's link would be too long
UNNAMED = Both("Pinboard", "钉板")
_TITLE = "_pins_title"  # in the visitor's session, with the next two: what the board is called
_NEW = "_pins_new"  # whether a view that is redrawn by itself has pinned something
_PINS, _KNOWN = "_pins", "_pins_known"  # his pins; whether what his browser keeps is known


def pin_keeper(board: str, known: bool, *, key: str, on_found: Callable[[str], None]) -> None:
    """Nothing to be seen: it keeps the board, or hands over the one that it finds.

    Args:
        board: the storyboard's text; "" for an empty one.
        known: whether what the browser keeps has been read, or need not be: else it is not written over.
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
    return Storyboard(st.session_state.get(_TITLE) or UNNAMED, scenes)


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


def change(place: int, scene: TalkScene) -> None:
    """Put another scene in a pin's place; to be called in a widget's callback."""
    scenes = list(board().scenes)
    scenes[place] = scene
    put(tuple(scenes))


def rewrite(data: str) -> None:
    """Let the board be what a text says.

    Raises:
        StoryboardError: something is wrong with it.
    """
    new = read_storyboard(data)
    put(tuple(replace(each, checkpoint=each.checkpoint or new.checkpoint) for each in new.scenes))
    rename(new.title)


def rename(title: Both) -> None:
    """Call the board, and the talk that it is, something else."""
    st.session_state[_TITLE] = title


def move(place: int, by: int) -> None:
    """Put a pin before or behind its neighbours; by 0 it is taken off. To be called in a widget's callback."""
    scenes = list(board().scenes)
    taken = scenes.pop(place)
    if by:
        scenes.insert(place + by, taken)
    put(tuple(scenes))


def keep() -> None:
    """Let the browser keep the board; once on every page."""
    now = board()
    pin_keeper(written() if now.scenes else "", bool(st.session_state.get(_KNOWN)), key="pin_keeper", on_found=_found)


def _found(text: str) -> None:
    """Take what the browser kept; what is no pinboard is dropped there."""
    st.session_state[_KNOWN] = True
    try:
        mine = board().scenes
        add(text)
        put((*board().scenes[len(mine) :], *mine))
        rename(read_storyboard(text).title)
    except StoryboardError:
        return


def pin_button(now: Session, asked: Selection, place: str) -> None:
    """Pin this picture of heads with its state.

    Args:
        asked: what is shown.
        place: name of the view, for the way back to it.
    """
    if now.model.reads != "text":
        return
    scene = _scene(now, asked, place)
    there = scene in board().scenes
    st.button(
        say("pins.pinned" if there else "pins.pin"),
        key="pin",
        help=say("pins.pin.help"),
        disabled=there,
        on_click=_put_and_say,
        args=((*board().scenes, scene),),
    )
    if st.session_state.pop(_NEW, False):
        st.rerun()  # the whole page, whose frame lets the browser keep the board


def _put_and_say(scenes: tuple[TalkScene, ...]) -> None:
    put(scenes)
    st.session_state[_NEW] = True  # the button, disabled by now, does not tell


def view_button(view: str) -> None:
    """Pin a view as it stands: its link is the scene's, so the talk shows the same."""
    model = current()
    if model.base in entries() and model.reads != "maps" and not is_own(typed()):
        st.button(say("pins.pin"), key="pin", help=say("pins.pin.help"), on_click=pin_view, args=(view,))


def pin_view(view: str) -> None:
    """Put a view on the board; to be called in a widget's callback, when its link is that of what is seen."""
    try:
        about = subject()
        said = {name: value for name, value in st.query_params.to_dict().items() if value}
        kept = {name: value for name, value in said.items() if name not in OWN_CHOICES}
        picture, app = (f"{view}?{urlencode(each)}".rstrip("?") for each in (kept, said))
        title = say(f"page.{view}")
    except HeadlightError:  # said in full over the view
        return
    if len(picture) > MOST_SIGNS["view"]:
        return
    scene = TalkScene(
        about.text,
        checkpoint=about.checkpoint,
        app=app if len(app) <= MOST_SIGNS["app"] else "",
        title=Both(f"{title} · {about.text[:80]}"[:MOST_CAPTION]),
        view=picture,
    )
    if scene not in board().scenes:
        put((*board().scenes, scene))
    st.toast(say("pins.pinned"))


def _scene(now: Session, asked: Selection, place: str) -> TalkScene:
    about = now.subject
    if len(asked.link) > MOST_SIGNS["link"]:
        asked = replace(asked, heads=asked.heads[:MOST_PINNED], rows=(), columns=())
    query = urlencode(st.query_params.to_dict())
    title = f"{about.text[:80]} · {'; '.join(names(asked, language()))[:100]}"
    app = f"{place}?{query}"
    return TalkScene(
        about.text,
        translation(about).text if about.forced else "",
        about.checkpoint,
        asked.link,
        app if len(app) <= MOST_SIGNS["app"] else "",
        Both(title[:MOST_CAPTION]),
    )
