"""A translation token by token, and at each step what could have been written instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from viz.components.shared.messages import message
from viz.components.shared.pieces import shown_piece
from viz.components.shared.registry import register
from viz.state.language import Labels
from viz.theme import Theme

if TYPE_CHECKING:
    from model.analysis.what_if.steps import Candidate, Step

LABELS = ("steps", "candidates", "written", "forced")
_component = register("fork_picker", LABELS)


def fork_picker(
    steps: Sequence[Step],
    *,
    place: int,
    other: int,
    opened: int | None,
    theme: Theme,
    labels: Labels,
    key: str,
    on_pick: Callable[[int, int], None],
) -> None:
    """The tokens written, and the candidates of the step that the visitor looks at.

    Args:
        steps: of the translation.
        place, other: the step that the fork is at, and the id written there instead.
        opened: the step whose candidates are shown first; None for that of the fork.
        theme: the look.
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        on_pick: called with the step and the candidate's id that were clicked, before the script runs again.
    """

    def picked() -> None:
        choice = picked_candidate(message(key, "pick"), steps)
        if choice is not None:
            on_pick(*choice)

    data = {"steps": steps_payload(steps), "fork": {"place": place, "id": other}, "opened": opened}
    _component.mount(data, theme=theme, labels=labels, key=key, on_pick_change=picked)


def steps_payload(steps: Sequence[Step]) -> list[dict[str, object]]:
    """Steps as they travel."""
    return [
        {"written": _candidate(step.written), "candidates": [_candidate(each) for each in step.candidates]}
        for step in steps
    ]


def picked_candidate(value: object, steps: Sequence[Step]) -> tuple[int, int] | None:
    """The step and the candidate's id that a browser's message names; None where it names none of the steps'."""
    if not isinstance(value, dict):
        return None
    place, candidate = value.get("place"), value.get("id")
    if type(place) is not int or type(candidate) is not int or not 0 <= place < len(steps):
        return None
    return (place, candidate) if any(each.id == candidate for each in steps[place].candidates) else None


def _candidate(candidate: Candidate) -> dict[str, object]:
    return {
        "id": candidate.id,
        "text": shown_piece(candidate.piece),
        "probability": round(candidate.probability, 5),
    }
