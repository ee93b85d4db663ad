"""The talks that ship, by name, and the one that a command line names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from model.folders import argument_of
from viz.export.show.reading import read_storyboard
from viz.export.show.storyboard import MOST_FILE_BYTES, Storyboard, StoryboardError

STORYBOARDS = Path(__file__).resolve().parent / "storyboards"
ENDINGS = (".yaml", ".yml")
OPTION = "--storyboard"


def shipped() -> tuple[str, ...]:
    """Names of the talks that ship, in the order of their files."""
    return tuple(path.stem for path in sorted(STORYBOARDS.glob("*.yaml")))


@lru_cache(maxsize=16)
def shipped_storyboard(name: str) -> Storyboard:
    """A talk that ships.

    Raises:
        StoryboardError: there is none of that name.
    """
    if name not in shipped():
        raise StoryboardError(f"There is no talk {name[:60]!r}; there are: {', '.join(shipped())}.")
    return open_storyboard(STORYBOARDS / f"{name}.yaml")


def open_storyboard(path: Path) -> Storyboard:
    """The storyboard in a file, of which no more is read than a storyboard may have.

    Raises:
        OSError: it cannot be read.
        StoryboardError: something is wrong with it.
    """
    with path.open("rb") as file:
        return read_storyboard(file.read(MOST_FILE_BYTES + 1))


def storyboard_in(arguments: Sequence[str]) -> Path | None:
    """The file that arguments name, ``--storyboard FILE``; None where they name none."""
    said = argument_of(OPTION, arguments)
    return None if said is None else Path(said)
