"""Which head a browser's message names, and the components that send such messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from model.analysis.faithfulness.evidence import telling_token
from model.trace import HeadRef, TracedTranslation
from viz.core.language import Labels
from viz.core.session import chosen_token
from viz.core.theme import Theme
from viz.widgets.messages import message
from viz.widgets.registry import Component


def mount_heads(
    component: Component,
    data: Mapping[str, object],
    places: Sequence[HeadRef],
    *,
    selected: HeadRef | None,
    theme: Theme,
    labels: Labels,
    key: str,
    on_open: Callable[[HeadRef], None],
) -> HeadRef | None:
    """A component that opens one of the heads it shows; returns the one that was just opened, else None.

    Args:
        component: what to mount.
        data: what it shows, less what is selected, look and labels.
        places: the heads that it shows.
        selected: a head to mark.
        theme, labels, key: as ``Component.mount`` takes them.
        on_open: called with the head before the script runs again.
    """

    def opened() -> None:
        place = opened_place(message(key, "open"), places)
        if place is not None:
            on_open(place)

    marked = selected._asdict() if selected else None
    result = component.mount({**data, "selected": marked}, theme=theme, labels=labels, key=key, on_open_change=opened)
    return opened_place(result.get("open"), places)


def opened_place(value: object, places: Iterable[HeadRef]) -> HeadRef | None:
    """The head that a browser's message names; None where there is no such one among those shown."""
    if not isinstance(value, dict):
        return None
    asked = value.get("kind"), value.get("layer"), value.get("head")
    if any(type(number) is not int for number in asked[1:]):  # True is no layer
        return None
    return next((place for place in places if tuple(place) == asked), None)


def looked_at(found: TracedTranslation) -> int:
    """The place of the chosen one among written tokens; where none is chosen, of one to begin with: see its source."""
    outputs = found.trace.tgt_outputs
    chosen = chosen_token(len(outputs))
    return (telling_token(outputs, found.log_probs) or 0) if chosen is None else chosen
