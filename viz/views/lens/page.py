"""What each decoder layer would have written, and what a head pushes towards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from model.trace import Label, TracedTranslation
from model.writing import WORD_START
from viz.charts.deletion import bars_figure
from viz.charts.layout import chart_config
from viz.charts.markup import tag
from viz.core.answers import maps, translations
from viz.core.choice import say, within
from viz.core.numbers import shown_piece, signed
from viz.core.session import Session, choose_token, theme
from viz.widgets import chart
from viz.widgets.errors import message, reported_step, told
from viz.widgets.places import looked_at, register

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
_CANDIDATES, PROMOTED = 5, 8


def lens_grid(
    found: Lens,
    piece: Callable[[int], str],
    reads: Sequence[Label],
    writes: Sequence[Label],
    *,
    step: int,
    on_step: Callable[[int], None],
) -> None:
    """The grid, and under it one step from layer to layer; a click on a column, or ← and →, chooses the step.

    Stepping happens in the browser; the step is reported once it has stood still for a moment.

    Args:
        found: the lens over a translation.
        piece: the text of a target id.
        reads, writes: tokens that the decoder reads and writes, one a step that is shown.
        step: that is chosen, from 1.
        on_step: called with the step that was chosen, from 1, before the script runs again.
    """

    def chosen() -> None:
        if now := reported_step(message("lens_grid", "step"), len(writes)):
            on_step(now)

    data = {**lens_payload(found, piece, reads, writes), "step": step}
    _component.mount(data, theme=theme(), labels=within("lens"), key="lens_grid", on_step_change=chosen)


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


@dataclass(frozen=True)
class _Shown:
    """What the lens is about: ``rows`` steps of a translation."""

    session: Session
    translation: TracedTranslation

    @property
    def rows(self) -> int:
        """Steps that there are."""
        made = self.translation
        return len(made.trace.tgt_outputs) if made.finished else max(1, len(made.tgt))

    def piece(self, token: int) -> str:
        """The text of a target id."""
        return str(self.session.model.opened.piece(token))


def layers(shown: _Shown) -> None:
    """The grid, and what the chosen head promotes at the chosen step."""
    trace, rows = shown.translation.trace, shown.rows
    step = min(looked_at(shown.translation) + 1, rows)
    lens_grid(
        maps.lens(shown.session.subject, _CANDIDATES),
        shown.piece,
        trace.tgt_inputs[:rows],
        trace.tgt_outputs[:rows],
        step=step,
        on_step=lambda step: choose_token(step - 1),
    )
    with told():
        promotion(shown, step)


def promotion(shown: _Shown, step: int) -> None:
    """Tokens whose logits the frame's head raises and lowers most; an encoder head has no direct part in them."""
    now = shown.session
    place = {"kind": say(f"kind.{now.kind}"), "head": now.head.title}
    place |= {"token": shown.translation.trace.tgt_outputs[step - 1].text, "step": str(step)}
    title = say("lens.promotes", **place)
    st.html(tag("h3", title, style="margin:.4rem 0 0;font-size:1.15rem"))
    if now.kind == "encoder_self":
        chart.lead("lens.no_vote")
        return
    chart.lead("lens.promotes.lead")
    moved = maps.promoted(now.subject, _CANDIDATES, now.head, step - 1, PROMOTED)
    pairs = [*moved.raised, *moved.lowered[::-1]]
    names = [shown.piece(token).replace(WORD_START, " ").strip() or "␣" for token, _ in pairs]
    values = np.array([change for _, change in pairs])
    hover = [f"{name}: {signed(change)}" for name, change in zip(names, values, strict=True)]
    figure = bars_figure(names, values, theme(), hover, pitch=1130 / len(names))
    raised, lowered = ", ".join(hover[:PROMOTED]), ", ".join(hover[: PROMOTED - 1 : -1])
    alt = say("lens.promotes.alt", **place, raised=raised, lowered=lowered)
    st.plotly_chart(figure, key="lens_promotes", theme=None, config=chart_config("headlight-promotes"), alt=alt)


def view(session: Session) -> None:
    """The lens over every layer and step."""
    layers(_Shown(session, translations.translation(session.subject)))
    chart.lead("lens.lead")
