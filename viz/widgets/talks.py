"""Talks in the app: those that ship, the one that the command line names, a visitor's own; and what becomes of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from model.errors import CheckpointError
from model.source import ModelHandle
from viz.charts.sheet.files import svg
from viz.charts.sheet.sheet import SheetStyle
from viz.core import models
from viz.core.choice import language, say
from viz.core.kept import kept
from viz.export.show.command import file_of
from viz.export.show.handout import picture
from viz.export.show.reading import open_storyboard, read_storyboard, shipped, shipped_storyboard, storyboard_in
from viz.export.show.staged import Stage, stage
from viz.export.show.storyboard import MOST_FILE_BYTES, Both, Storyboard, StoryboardError, TalkScene
from viz.export.show.talk import talk_page
from viz.widgets import pins

GIVEN, OWN, PINS = "given", "own", "pins"  # names of talks that do not ship
NAMED_IN_LINK = "storyboard"  # in the page's link
PLACE_IN_LINK = ("scene", "click", "hall")  # in the same; the talk itself reads and says them
CHOSEN = "talk_chosen"  # key of the box that says which
FILE_TYPES = ("yaml", "yml")  # of files
MOST_KB = MOST_FILE_BYTES // 1024
SMALL = SheetStyle(8.0, 6.0)
_OWN = "_own_talk"


def names() -> Mapping[str, str]:
    """The talks that can be chosen now, with what they are called."""
    found = {name: shipped_storyboard(name).title.of(language()) for name in shipped()}
    if (path := storyboard_in(sys.argv[1:])) is not None:
        found[GIVEN] = path.name
    if OWN in _brought():
        found[OWN] = say("show.own")
    if pins.board().scenes:
        found[PINS] = say("show.pins")
    return found


def opened(name: str) -> Storyboard:
    """The storyboard of a name.

    Raises:
        StoryboardError: there is none, or something is wrong with it.
    """
    if name == GIVEN and (path := storyboard_in(sys.argv[1:])) is not None:
        return _given(path)
    if name == PINS:
        return pins.board()
    return _brought()[name] if name in _brought() else shipped_storyboard(name)


def take(data: bytes) -> None:
    """Keep a visitor's own talk for his session; to be called in a widget's callback.

    Raises:
        StoryboardError: something is wrong with the file.
    """
    st.session_state[_OWN] = {OWN: read_storyboard(data)}


def _brought() -> Mapping[str, Storyboard]:
    found: Mapping[str, Storyboard] = st.session_state.get(_OWN, {})
    return found


def _given(path: Path) -> Storyboard:
    try:
        return open_storyboard(path)
    except OSError as error:
        raise StoryboardError(f"{path}: {error.strerror or error}.") from error


def model_named(name: str) -> ModelHandle:
    """A model that can be chosen in the app by everybody.

    Raises:
        HeadlightError: there is none of that name, or something is wrong with it.
    """
    if name not in models.entries():
        known = ", ".join(models.entries())
        raise CheckpointError(f"there is no model {name[:60]!r}; there are: {known}")
    return models.entry_of(name).opened


@kept(4)
def staged(board: Storyboard) -> Stage:
    """The talk with every scene traced; raises as ``stage``."""
    return stage(board, model_named)


@kept(4)
def page(board: Storyboard, spoken: str) -> str:
    """The talk as one page; raises as ``talk_page``."""
    return talk_page(staged(board), spoken, alone=False)


@kept(4)
def saved(board: Storyboard, ending: str, spoken: str) -> bytes:
    """The talk as "html" or "pdf"."""
    return file_of(staged(board), ending, spoken)


@kept(64)
def small_picture(scene: TalkScene, spoken: str) -> str:
    """What a scene shows first, as SVG; raises as ``stage``."""
    [shown] = staged(Storyboard(Both(), (scene,))).scenes
    return svg(picture(shown.sight, shown.selection, spoken, SMALL)).decode()
