"""How the translation came about: token by token, with what was looked at and what else could have been written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from model.attribution.labelled_map import LabelledMap, merge_columns
from model.trace import Label
from viz.core.answers import translations, what_if
from viz.core.choice import Labels, say, within
from viz.core.numbers import shown_piece
from viz.core.session import Session, choose_token, chosen_token
from viz.core.theme import Theme
from viz.web.message import check_shape, pack_fine
from viz.widgets import chart
from viz.widgets.errors import message, reported_step
from viz.widgets.map_choice import merged, merged_name
from viz.widgets.places import register

if TYPE_CHECKING:
    from model.analysis.what_if.fork import Step

LABELS = (
    "first",
    "previous",
    "play",
    "pause",
    "next",
    "last",
    "scrubber",
    "position",
    "written",
    "cross",
    "own",
    "candidates",
    "chosen",
    "others",
    "open",
    "inputs",
    "cross_short",
    "own_short",
    "memory",
    "state",
    "states",
    "read",
    "readout",
    "nothing",
    "hint",
)
_component = register("playback", LABELS)
_CANDIDATES = 5


@dataclass(frozen=True)
class Played:
    """What playback shows, one entry a step."""

    steps: Sequence[Step]  # what was written, and the candidates
    src: Sequence[Label]  # the source tokens, or words
    reads: Sequence[Label]  # the token that each step has just read; <bos> at the first
    writes: Sequence[Label]  # the token that each step writes
    cross: np.ndarray  # weights over ``src``, [T, S]
    own: np.ndarray  # the decoder's weights over ``reads``, [T, T]
    positions: int  # vectors in the encoder's memory, S: one a source token
    # d_model, d_head: sizes of a state, and of a query, key or value in one head
    d_model: int
    d_head: int

    def __post_init__(self) -> None:
        if not len(self.steps) == len(self.reads) == len(self.writes) > 0:
            raise ValueError(f"{len(self.steps)} steps read {len(self.reads)} and write {len(self.writes)} tokens")
        check_shape("cross", self.cross, self.writes, self.src)
        check_shape("own", self.own, self.writes, self.reads)


def playback(
    played: Played, *, start: int, theme: Theme, labels: Labels, key: str, on_step: Callable[[int], None]
) -> None:
    """Buttons, arrow keys, autoplay and a scrubber through the steps.

    Stepping happens in the browser; the step is reported once it has stood still for a moment.

    Args:
        played: every step.
        start: the step, from 1, to open at; a new sentence opens at its first.
        on_step: called with the step that it stands at, from 1, before the script runs again.
    """

    def stood() -> None:
        if step := reported_step(message(key, "step"), len(played.steps)):
            on_step(step)

    begin = min(max(start, 1), len(played.steps))
    data = {**playback_payload(played), "start": begin}
    _component.mount(data, theme=theme, labels=labels, key=key, on_step_change=stood)


def playback_payload(played: Played) -> dict[str, object]:
    """What ``playback`` sends to the browser, less look, labels and start; weights as ``pack_fine`` packs them."""
    return {
        "src": _texts(played.src),
        "reads": _texts(played.reads),
        "writes": _texts(played.writes),
        "cross": pack_fine(played.cross),
        "own": pack_fine(played.own),
        "steps": [_step(step) for step in played.steps],
        "positions": played.positions,
        "d_model": played.d_model,
        "d_head": played.d_head,
    }


def _texts(labels: Sequence[Label]) -> list[list[object]]:
    """Text of each token, and whether it is a special one."""
    return [[label.text, label.is_special] for label in labels]


def _step(step: Step) -> dict[str, object]:
    """Candidates best first; the token that was written stands last where it is not among them."""
    shown = list(step.candidates)
    if step.written.id not in [candidate.id for candidate in shown]:
        shown.append(step.written)
    return {
        "candidates": [[shown_piece(each.piece), round(each.probability, 5)] for each in shown],
        "best": len(step.candidates),
        "written": [candidate.id for candidate in shown].index(step.written.id),
        "entropy": round(step.entropy, 4),
    }


def view(session: Session) -> None:
    """The translation played back, with what each step looked at."""
    translation = translations.translation(session.subject)
    trace = translation.trace
    steps = what_if.steps(session.subject, _CANDIDATES)
    if not translation.finished:
        steps = steps[: max(1, len(translation.tgt))]
        chart.lead("steps.unfinished")
    rows = len(steps)
    cross = LabelledMap(merged(session, trace.cross, "cross"), trace.tgt_outputs, trace.src)
    if session.words:
        cross = merge_columns(cross)
    sizes = session.model.facts
    played = Played(
        steps=steps,
        src=cross.columns,
        reads=trace.tgt_inputs[:rows],
        writes=trace.tgt_outputs[:rows],
        cross=cross.weights[:rows],
        own=merged(session, trace.decoder_self, "decoder_self")[:rows, :rows],
        positions=len(trace.src),
        d_model=sizes.d_model,
        d_head=sizes.d_head,
    )
    playback(
        played,
        start=(chosen_token(rows) or 0) + 1,
        theme=session.theme,
        labels=within("steps", **{name: say(f"steps.{name}", heads=merged_name(session)) for name in ("cross", "own")}),
        key="playback",
        on_step=lambda step: choose_token(step - 1),
    )
    chart.lead("steps.lead")
