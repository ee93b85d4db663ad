"""What could have been written at one step of a translation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from viz.core.language import Labels
from viz.core.pieces import shown_piece
from viz.core.theme import Theme
from viz.widgets.messages import message
from viz.widgets.registry import register

if TYPE_CHECKING:
    from model.analysis.what_if.steps import Candidate, Step

LABELS = ("written", "forced")
_component = register("fork_picker", LABELS)


def fork_picker(
    step: Step,
    *,
    title: str,
    chosen: int,
    theme: Theme,
    labels: Labels,
    key: str,
    on_pick: Callable[[int], None],
) -> None:
    """The candidates of one step.

    Args:
        step: of the translation.
        title: over them.
        chosen: id of the one that is written instead.
        theme: the look.
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        on_pick: called with the candidate's id that was clicked, before the script runs again.
    """

    def picked() -> None:
        candidate = picked_candidate(message(key, "pick"), step)
        if candidate is not None:
            on_pick(candidate)

    data = {"title": title, "chosen": chosen, **step_payload(step)}
    _component.mount(data, theme=theme, labels=labels, key=key, on_pick_change=picked)


def step_payload(step: Step) -> dict[str, object]:
    """A step as it travels."""
    return {"written": step.written.id, "candidates": [_candidate(each) for each in step.candidates]}


def picked_candidate(value: object, step: Step) -> int | None:
    """The candidate's id that a browser's message names; None where it names none of the step's."""
    return value if type(value) is int and any(each.id == value for each in step.candidates) else None


def _candidate(candidate: Candidate) -> dict[str, object]:
    return {
        "id": candidate.id,
        "text": shown_piece(candidate.piece),
        "probability": round(candidate.probability, 5),
    }
