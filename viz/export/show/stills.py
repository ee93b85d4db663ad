"""Pictures of views as they stand in the app: made by another process, which runs the app's own script for each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from viz.export.show.storyboard import StoryboardError, TalkScene

HOME = Path(__file__).resolve().parents[3]
MAKER = "viz.app.view_stills"
LOOKS = ("light", "dark")
SECONDS_FIRST, SECONDS_EACH = 120, 60  # to load a model, and for a view


@dataclass(frozen=True)
class Asked:
    """A view of the app that is to be pictured.

    Attributes:
        view: its name.
        query: what its link says besides, an entry a choice.
        language: "en" or "zh".
    """

    view: str
    query: tuple[tuple[str, str], ...]
    language: str


@dataclass(frozen=True)
class RenderedView:
    """A view's picture in one look.

    Attributes:
        markup: of its own elements, with ``<div data-part="0">`` where the first of ``parts`` belongs.
        style: the style sheets that the app wrote into its page.
        parts: name of a component, or "figure" for one of Plotly's, with the data that it shows.
    """

    markup: str
    style: str
    parts: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class ViewStill:
    """A view's picture by look; ``wrong`` says why there is none."""

    looks: Mapping[str, RenderedView]
    wrong: str = ""

    @property
    def names(self) -> set[str]:
        """Of everything that is mounted in it."""
        return {str(part["name"]) for rendered in self.looks.values() for part in rendered.parts}


def asked_of(scene: TalkScene, checkpoint: str, language: str) -> Asked:
    """What a scene that is of a view asks for.

    Args:
        scene: with a ``view``.
        checkpoint: of the storyboard, where the scene names none.
        language: of all words.
    """
    view = scene.view.partition("?")[0]
    return Asked(view, (*scene.choices.items(), ("text", scene.text), ("checkpoint", checkpoint)), language)


def stills(asked: Sequence[Asked]) -> list[ViewStill]:
    """The pictures, in order.

    Raises:
        StoryboardError: the process that makes them failed.
    """
    return list(_made(tuple(asked))) if asked else []


@lru_cache(maxsize=16)
def _made(asked: tuple[Asked, ...]) -> tuple[ViewStill, ...]:
    try:
        done = subprocess.run(  # noqa: S603 - our own module, and what it reads is data
            [sys.executable, "-m", MAKER],
            input=json.dumps([asdict(each) for each in asked]),
            capture_output=True,
            text=True,
            cwd=HOME,
            timeout=SECONDS_FIRST + SECONDS_EACH * len(asked),
            check=True,
        )
    except subprocess.SubprocessError as error:
        raise StoryboardError("The pictures of views could not be made.") from error
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return tuple(_read(each) for each in found)


def _read(said: Mapping[str, Any]) -> ViewStill:
    looks = {
        look: RenderedView(each["markup"], each["style"], tuple(each["parts"])) for look, each in said["looks"].items()
    }
    return ViewStill(looks, said["wrong"])


def mounted(found: Iterable[ViewStill]) -> list[str]:
    """Names of the components in all of them, without Plotly's figures."""
    return sorted(set().union(*(each.names for each in found)) - {"figure"})
