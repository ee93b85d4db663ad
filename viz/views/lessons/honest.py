"""Lesson 12: reading attention honestly."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.faithfulness.table import RANDOM, rows_of
from viz.charts.lesson_charts import bars
from viz.core.answers.lessons import shuffled_weights
from viz.core.answers.maps import attribution_maps
from viz.core.answers.translations import trace
from viz.core.answers.what_if import faithfulness
from viz.core.choice import say
from viz.core.numbers import number
from viz.core.session import Session
from viz.views.lessons.lesson import Lesson, Values
from viz.widgets.chart import draw, lead

_JUDGED = ("weights", "norms", "gradient_weight", "rollout", "votes")


def picture(now: Session) -> Values:
    """The sink's weight and what it really contributes, the shift, and the trust table's word."""
    left, right = st.columns(2, gap="medium")
    with left:
        values = _sink(now)
    with right:
        return values | _trust(now) | _alignment(now) | _shuffled(now)


def _sink(now: Session) -> Values:
    """Share of weight, and of contributed length, of the special token that each layer sees most."""
    found = trace(now.subject)
    weights, norms = found.weights[now.kind], attribution_maps(now.subject, "norms", None)[now.kind]
    columns = found.axis_tokens(now.kind)[1]
    marks = [place for place, label in enumerate(found.axis_labels(now.kind)[1]) if label.is_special]
    sink = max(marks, key=weights.mean(axis=(0, 1, 2)).__getitem__)
    shares = [maps[..., sink].sum(axis=(1, 2)) / maps.sum(axis=(1, 2, 3)) for maps in (weights, norms)]
    fair = even_share(weights, sink)
    values: Values = {
        "kind": say(f"kind.{now.kind}"),
        "sink": columns[sink],
        "weight": number(100 * float(shares[0].mean()), 0),
        "norm": number(100 * float(shares[1].mean()), 0),
        "fair": number(100 * fair, 0),
    }
    names = [f"L{layer}" for layer in range(len(weights))]
    series = {say("lesson.12.weight_share"): shares[0], say("lesson.12.norm_share"): shares[1]}
    draw(bars(names, series, say("lesson.12.share"), height=240), "lesson.12.sinks", **values)
    return values


def even_share(weights: np.ndarray, column: int) -> float:
    """Share in [0, 1] that a column of maps [L, H, Q, K] would get if every row spread evenly over the keys it may see.

    Under a causal mask row t sees t + 1 keys, so that the first column gets more than one part in K.
    """
    seen = np.asarray((weights > 0).any(axis=(0, 1)))
    return float((seen[:, column] / seen.sum(axis=1)).mean())


def _trust(now: Session) -> Values:
    """What deleting the words that each sort of map marks costs, by the checkpoint's table."""
    table, _ = faithfulness(now.checkpoint, now.model.sha256)
    if table is None:
        lead("lesson.12.no_table")
        return dict.fromkeys(("best", "best_cost", "weights_cost", "random_cost", "judged"), "–")
    rows = rows_of(table)
    means = {name: rows[name]["comprehensiveness"]["mean"] for name in (*_JUDGED, RANDOM)}
    costs = {name: float(mean) for name, mean in means.items() if mean is not None}
    best = max((name for name in costs if name != RANDOM), key=costs.__getitem__)
    values: Values = {
        "best": say(f"method.{best}"),
        "best_cost": number(costs[best]),
        "weights_cost": number(costs["weights"]),
        "random_cost": number(costs[RANDOM]),
        "judged": table["sentences"],
    }
    names = [say("lesson.12.random" if name == RANDOM else f"method.{name}") for name in costs]
    cost = say("lesson.12.cost")
    figure = bars(names, {cost: np.array(list(costs.values()))}, cost, height=230)
    draw(figure, "lesson.12.trust", **values)
    return values


def _shuffled(now: Session) -> Values:
    """How much predictions care whose weight is whose."""
    one, every = shuffled_weights(now.subject)
    start = now.model.opening
    return {"one": number(one), "every": number(every), "shuffled": f"L{start['layer']} H{start['head']}"}


def _alignment(now: Session) -> Values:
    """The best aligning head's error rate, its row read as the token just read and as the token being written."""
    table, _ = now.model.alignment
    if table is None:
        return dict.fromkeys(("head", "aer", "aer_other", "diagonal", "shift", "other_shift"), "–")
    best = table["best_head"]
    other = "written" if best["shift"] == "read" else "read"
    rates = table["aer"][best["links"]][best["method"]]
    return {
        "head": f"L{best['layer']} H{best['head']}",
        "shift": say(f"lesson.12.shift.{best['shift']}"),
        "other_shift": say(f"lesson.12.shift.{other}"),
        "aer": number(rates[best["shift"]]["layers"][best["layer"]][best["head"]], 1),
        "aer_other": number(rates[other]["layers"][best["layer"]][best["head"]], 1),
        "diagonal": number(table["diagonal"], 1),
    }


LESSON = Lesson(
    formula=r"\left\lVert \alpha_j\, f(x_j) \right\rVert \ne \alpha_j, \qquad "
    r"\log p(y \mid x) - \log p(y \mid x \setminus m)",
    picture=picture,
    views=("trust", "alignment", "one_head", "translate"),
    pickers=("kind",),
    own=True,
)
