"""The six steps of a head for one query: the numbers that each shows, as pictures and as words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from viz.charts.layout import shown
from viz.charts.markup import Markup, line
from viz.charts.row_steps import number
from viz.core.language import Say
from viz.core.theme import Theme
from viz.views.inside.steps_figure import Bars, Cells, Strip, step_figure

if TYPE_CHECKING:
    from model.analysis.residual.proof import HeadProof
    from model.analysis.residual.six_steps import HeadSteps

STEPS = (1, 2, 3, 4, 5, 6)
_NAMED = 3  # keys that the alternative text names


def step_facts(steps: HeadSteps, query: int, queries: Sequence[str], keys: Sequence[str]) -> dict[str, Any]:
    """What the sentences say about one query: sizes, hidden keys, and the key with the largest weight."""
    strongest = int(steps.weights[query].argmax())
    d_head = steps.query.shape[1]
    return {
        "token": queries[query],
        "keys": len(keys),
        "d_model": steps.inputs.shape[1],
        "d_head": d_head,
        "root": f"{np.sqrt(d_head):.3f}",
        "hidden": int(np.isneginf(steps.masked_scores[query]).sum()),
        "mask": ".hides" if np.isneginf(steps.masked_scores[query]).any() else ".open",
        "strongest": keys[strongest],
        "weight": number(float(steps.weights[query, strongest]), 3),
    }


def step_picture(
    step: int, steps: HeadSteps, query: int, keys: Sequence[str], theme: Theme, say: Say
) -> tuple[Any, str]:
    """One step's picture, and its numbers in words.

    Args:
        step: 1 to 6.
        steps: of the head, every query.
        query: row of the query.
        keys: tokens that can be attended to.
        theme: the look.
        say: gives the interface strings called ``inside.…``.

    Raises:
        ValueError: there is no such step.
    """
    if step not in STEPS:
        raise ValueError(f"step must be 1 to {STEPS[-1]}, got {step}")
    sizes = {"keys": len(keys), "d_model": steps.inputs.shape[1], "d_head": steps.query.shape[1]}
    panels, above, below = _parts(step, steps, query, lambda name, **more: say(f"inside.{name}", **sizes, **more))
    words = {"key_title": say("inside.key"), "dimension": say("inside.dimension")}
    return step_figure(panels, keys, theme, above=above, below=below, **words), in_words(panels, keys)


def _parts(
    step: int, steps: HeadSteps, query: int, title: Say
) -> tuple[list[Bars | Cells], Strip | None, Strip | None]:
    """Panels of a step, and the vectors above and below them."""
    asked = Strip(title("q"), steps.query[query])
    weights = steps.weights[query]
    dots = steps.dots[query]
    same = _span(np.concatenate([dots, steps.scores[query]]))
    if step == 1:
        return (
            [Cells(title("k"), steps.key, above=asked), Cells(title("v"), steps.value)],
            Strip(title("x"), steps.inputs[query]),
            None,
        )
    if step == 2:
        return (
            [Cells(title("products"), steps.query[query] * steps.key, above=asked), Bars(title("dots"), dots)],
            None,
            None,
        )
    if step == 6:
        weighted = weights[:, None] * steps.value
        gathered = Strip(title("gathered"), steps.gathered[query])
        panels: list[Bars | Cells] = [
            Bars(title("weights"), weights, (0, 1)),
            Cells(title("weighted"), weighted, below=gathered),
        ]
        return panels, None, Strip(title("projected"), steps.projected[query])
    rows = {
        3: [Bars(title("dots"), dots, same), Bars(title("scores"), steps.scores[query], same)],
        4: [Bars(title("scores"), steps.scores[query]), Bars(title("masked"), steps.masked_scores[query])],
        5: [Bars(title("masked"), steps.masked_scores[query]), Bars(title("weights"), weights, (0, 1))],
    }
    return list(rows[step]), None, None


def proof_line(proof: HeadProof, heads: int, say: Say) -> Markup:
    """How exactly the steps give what the model computed, as HTML."""
    state = "holds" if proof.holds else "fails"
    weights, output = f"{proof.weights_error:.0e}", f"{proof.output_error:.0e}"
    sentence = say(f"inside.{state}", weights=weights, output=output, heads=heads)
    return line(state, sentence)


def in_words(panels: Sequence[Bars | Cells], keys: Sequence[str]) -> str:
    """The largest numbers of every row of bars; of cells, the range."""
    parts = []
    for panel in panels:
        if isinstance(panel, Bars):
            best = np.argsort(-panel.values, kind="stable")[:_NAMED]
            named = ", ".join(f"{shown(keys[place])} {number(float(panel.values[place]))}" for place in best)
        else:
            named = f"{number(float(panel.values.min()))} … {number(float(panel.values.max()))}"
        parts.append(f"{panel.title}: {named}")
    return "; ".join(parts)


def _span(values: np.ndarray) -> tuple[float, float]:
    return min(0.0, float(values.min())), max(0.0, float(values.max()))
