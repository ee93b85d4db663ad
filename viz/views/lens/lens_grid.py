"""The logit lens as a grid: what every decoder layer would have written at every step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from model.trace import Label
from viz.core.language import Labels
from viz.core.pieces import shown_piece
from viz.core.theme import Theme
from viz.widgets.messages import message, reported_step
from viz.widgets.registry import register

if TYPE_CHECKING:
    from model.analysis.residual.lens import Lens

LABELS = (
    "grid",
    "reads",
    "writes",
    "embedding",
    "after",
    "cell",
    "hint",
    "legend_probability",
    "legend_same",
    "curve",
    "settles",
    "never",
    "candidates",
)
_component = register("lens_grid", LABELS)


def lens_grid(
    found: Lens,
    piece: Callable[[int], str],
    reads: Sequence[Label],
    writes: Sequence[Label],
    *,
    step: int,
    theme: Theme,
    labels: Labels,
    key: str,
    on_step: Callable[[int], None],
) -> None:
    """The grid, and under it one step from layer to layer; a click on a column, or ← and →, chooses the step.

    Stepping happens in the browser; the step is reported once it has stood still for a moment.

    Args:
        found: the lens over a translation.
        piece: the text of a target id.
        reads, writes: tokens that the decoder reads and writes, one a step that is shown.
        step: that is chosen, from 1.
        theme: the look.
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        on_step: called with the step that was chosen, from 1, before the script runs again.
    """

    def chosen() -> None:
        if now := reported_step(message(key, "step"), len(writes)):
            on_step(now)

    data = {**lens_payload(found, piece, reads, writes), "step": step}
    _component.mount(data, theme=theme, labels=labels, key=key, on_step_change=chosen)


def lens_payload(
    found: Lens, piece: Callable[[int], str], reads: Sequence[Label], writes: Sequence[Label]
) -> dict[str, object]:
    """What ``lens_grid`` sends to the browser, less step, look and labels.

    ``steps`` has one entry a step: of every level the candidates as places in ``tokens`` with their
    probabilities, the rank and the probability of the token written, and whether it comes first.

    Raises:
        ValueError: the lens has fewer steps than there are labels.
    """
    if not len(reads) == len(writes) <= len(found.written):
        raise ValueError(f"the lens has {len(found.written)} steps, but {len(reads)} and {len(writes)} labels")
    shown = found.tokens[:, : len(writes)]
    ids = sorted(set(shown.flatten().tolist()))
    places = {token: place for place, token in enumerate(ids)}
    return {
        "tokens": [shown_piece(piece(token)) for token in ids],
        "reads": [label.text for label in reads],
        "writes": [label.text for label in writes],
        "vocabulary": found.vocabulary,
        "settles": [found.settles(step) for step in range(len(writes))],
        "steps": [
            {
                "candidates": [[places[token] for token in level] for level in shown[:, step].tolist()],
                "probabilities": [[round(p, 4) for p in level] for level in found.probabilities[:, step].tolist()],
                "ranks": found.ranks[:, step].tolist(),
                "written": [round(p, 5) for p in found.written_probabilities[:, step].tolist()],
            }
            for step in range(len(writes))
        ],
    }
