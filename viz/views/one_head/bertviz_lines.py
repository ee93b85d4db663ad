"""One layer, or every head, as lines between tokens: BertViz's head view and model view."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import clear_cache  # type: ignore[attr-defined]

import numpy as np
import streamlit as st

from viz.charts.lines.bertviz_code import (
    HEAD_SIZES,
    MODEL_SIZES,
    BertVizError,
    asset,
    bertviz_version,
    head_code,
    libraries,
    model_code,
)
from viz.charts.markup import alert, line
from viz.core.choice import language, say
from viz.core.session import Session
from viz.core.theme import FONTS, Theme, head_colour
from viz.web.page import source_hash
from viz.widgets import chart, map_choice
from viz.widgets.errors import end_view

STEPS = 255
MAX_LINES = 60_000
SAY = ("rows", "columns", "head", "heads", "layers", "squares", "summary", "failed", "title", "lang")
TEXTS = ("rows", "columns", "head", "heads", "layers", "squares", "failed")


@dataclass(frozen=True)
class Drawing:
    """A document for a frame, and the height in pixels at which the frame shows all of it."""

    html: str
    height: int


@dataclass(frozen=True)
class Lines:
    """What to draw: one kind's weights and the tokens of its axes.

    Raises:
        ValueError: shapes disagree, an axis is empty, or a value is not between 0 and 1.
    """

    weights: np.ndarray  # from 0 to 1, float [layer, head, query, key]
    # rows, columns: the queries and the keys, as they are written
    rows: Sequence[str]
    columns: Sequence[str]

    def __post_init__(self) -> None:
        labels = (len(self.rows), len(self.columns))
        if self.weights.ndim != 4 or self.weights.shape[2:] != labels:
            raise ValueError(f"weights have shape {self.weights.shape}, but there are {labels} tokens")
        if 0 in self.weights.shape:
            raise ValueError(f"there is nothing to draw in weights of shape {self.weights.shape}")
        if not (np.isfinite(self.weights).all() and self.weights.min() >= 0 and self.weights.max() <= 1 + 1e-4):
            raise ValueError("weights must lie between 0 and 1")

    def only(self, layer: int) -> Lines:
        """The same of one layer."""
        return Lines(self.weights[layer : layer + 1], self.rows, self.columns)

    def steps(self) -> np.ndarray:
        """The weights in 256 steps, uint8 [layer, head, query, key]; 255 is 1, what is not drawn is 0."""
        steps = _quantised(self.weights)
        return np.where(steps >= _weakest_step(steps), steps, np.uint8(0))

    def weakest(self) -> float:
        """The least weight that is drawn: half a step, or more where only the MAX_LINES strongest are drawn."""
        return (_weakest_step(_quantised(self.weights)) - 0.5) / STEPS

    def strongest(self, layer: int, head: int, number: int) -> list[tuple[str, str, float]]:
        """The strongest lines of a head as query, key and weight, strongest first."""
        weights = self.weights[layer, head]
        best = np.argsort(-weights, axis=None, kind="stable")[:number]
        places = (divmod(int(index), len(self.columns)) for index in best)
        return [(self.rows[row], self.columns[column], float(weights[row, column])) for row, column in places]


def _quantised(weights: np.ndarray) -> np.ndarray:
    return np.rint(np.clip(weights, 0, 1) * STEPS).astype(np.uint8)


def _weakest_step(steps: np.ndarray) -> int:
    """The smallest step from 1 on of which, with all larger ones, there are at most MAX_LINES."""
    at_least = np.bincount(steps.ravel(), minlength=STEPS + 1)[::-1].cumsum()[::-1]
    return 1 + int(np.argmax(at_least[1:] <= MAX_LINES))


def head_view(lines: Lines, *, theme: Theme, layer: int, shown: Sequence[int], say: Mapping[str, str]) -> Drawing:
    """One layer as lines between queries and keys, a colour a head; heads are switched on and off in it.

    Args:
        lines: what is known; only ``layer`` of it is drawn.
        shown: the heads that are switched on to begin with.
        say: the texts in it, by the names in SAY.

    Raises:
        ValueError: there is no such layer or head, or a text is missing.
        BertVizError: BertViz is not installed as expected.
    """
    _check_choice(lines, layer, shown)
    sizes = {"box": HEAD_SIZES["BOXWIDTH"], "between": HEAD_SIZES["MATRIX_WIDTH"]}
    sizes |= {"top": HEAD_SIZES["TEXT_TOP"], "square": HEAD_SIZES["CHECKBOX_SIZE"]}
    given = {"view": "head", "layer": layer, "layers": [layer], "shown": list(shown), "sizes": sizes}
    document = _page(head_code(), _given(lines.only(layer), theme, say) | given, theme)
    rows = max(len(lines.rows), len(lines.columns))
    return Drawing(document, HEAD_SIZES["TEXT_TOP"] + rows * HEAD_SIZES["BOXHEIGHT"])


def model_view(lines: Lines, *, theme: Theme, layer: int, head: int, say: Mapping[str, str]) -> Drawing:
    """Every head of every layer as a small picture; the chosen one is open, a click opens another.

    Args, Raises: as ``head_view``.
    """
    _check_choice(lines, layer, [head])
    layers, rows = lines.weights.shape[0], max(len(lines.rows), len(lines.columns))
    # All layers fit one screen up to some thirty tokens; below 3 pixels a row, rows would merge.
    row_height = round(min(10.5, max(3.0, 560 / layers / rows)), 2)
    sizes = {"width": MODEL_SIZES["DIV_WIDTH"], "box": MODEL_SIZES["DETAIL_BOX_WIDTH"], "row": row_height}
    given = {"view": "model", "layer": layer, "layers": list(range(layers)), "shown": [head], "sizes": sizes}
    document = _page(model_code(), _given(lines, theme, say) | given, theme)
    return Drawing(document, _model_height(layers, rows, row_height))


def _model_height(layers: int, rows: int, row_height: float) -> int:
    """The larger of all layers' pictures under their heading and the opened head, as BertViz adds them up."""
    size = MODEL_SIZES
    heading = size["HEADING_TEXT_SIZE"] + size["HEADING_PADDING"] + size["TEXT_SIZE"] + size["TEXT_PADDING"]
    pictures = heading + layers * (rows * row_height + 2 * size["THUMBNAIL_PADDING"])
    detail = rows * size["DETAIL_BOX_HEIGHT"] + 2 * size["DETAIL_PADDING"] + size["DETAIL_HEADING_HEIGHT"]
    return math.ceil(max(pictures, detail))


def _check_choice(lines: Lines, layer: int, heads: Sequence[int]) -> None:
    layers, n_heads = lines.weights.shape[:2]
    if not (0 <= layer < layers and heads and all(0 <= head < n_heads for head in heads)):
        raise ValueError(f"there are layers 0–{layers - 1} and heads 0–{n_heads - 1}, got L{layer} H{list(heads)}")


def _given(lines: Lines, theme: Theme, say: Mapping[str, str]) -> dict[str, Any]:
    if missing := [name for name in SAY if name not in say]:
        raise ValueError(f"texts are missing: {', '.join(missing)}")
    return {
        "shape": lines.weights.shape,
        "weights": base64.b64encode(lines.steps().tobytes()).decode("ascii"),
        "rows": list(lines.rows),
        "columns": list(lines.columns),
        "colours": [head_colour(head) for head in range(lines.weights.shape[1])],
        "background": theme.background,
        "dark": theme.is_dark,
        "say": {name: say[name] for name in SAY},
    }


def _page(code: str, given: Mapping[str, Any], theme: Theme) -> str:
    """The whole document, with BertViz's code after the libraries and the preparation that it needs."""
    colours = {"background": theme.background, "surface": theme.surface, "text": theme.text, "muted": theme.muted}
    variables = "".join(f"--{name}: {value};" for name, value in colours.items())
    style = f"{asset('bertviz_lines.css')}\n:root {{ {variables} font-family: {FONTS}; color-scheme: {theme.name}; }}"
    body = f'<div id="bertviz" class="{given["view"]}-view"><div id="vis"></div></div>'
    return sealed_document(body, style, given, [*libraries(), code], given["say"]["title"], given["say"]["lang"])


def draw(session: Session, method: str) -> None:
    """The lines of the chosen layer ("head"), or of every head ("model")."""
    if not map_choice.is_drawn(session, session.kind):
        end_view()
    reading = map_choice.reading(session, session.kind)
    if not reading.weights.size:
        st.info(say("lines.empty"))
        end_view()
    values, strength = map_choice.strengths(session, reading.weights)
    lines = Lines(values, [label.text for label in reading.rows], [label.text for label in reading.columns])
    draw_lines(session, lines, method, strength)
    map_choice.meaning(session, cross=session.kind == "cross")
    st.caption(say("lines.credit", version=bertviz_version()))


def draw_lines(session: Session, lines: Lines, method: str, strength: str) -> None:
    """The picture, and in words its strongest lines; ends the view where BertViz is not there."""
    head = session.head
    strongest = ", ".join(f"{row} → {key} {weight:.2f}" for row, key, weight in lines.strongest(*head[1:], 5))
    whose = map_choice.whose(session, head.title) + ("" if session.method == "weights" else f" · {strength}")
    summary = say("lines.strongest", head=whose, kind=say(f"kind.{session.kind}"), lines=strongest)
    texts = {name: say(f"lines.{name}") for name in TEXTS}
    texts |= {"summary": summary, "title": say("lines.title"), "lang": language()}
    try:
        if method == "head":
            picture = head_view(lines, theme=session.theme, layer=head.layer, shown=[head.head], say=texts)
            weakest = lines.only(head.layer).weakest()
        else:
            picture = model_view(lines, theme=session.theme, layer=head.layer, head=head.head, say=texts)
            weakest = lines.weakest()
        bertviz_version()
    except BertVizError as error:
        st.html(alert(say("lines.unavailable", message=error)))
        end_view()
    # Streamlit asks urllib whether the document is a URL, and urllib's cache would keep 128 of them, four times each.
    st.iframe(picture.html, height=picture.height, alt=summary)
    clear_cache()
    chart.lead(f"lines.lead.{method}")
    st.html(line("alt", summary))
    if weakest > 0.002:
        st.html(line("alt", say("lines.weakest", weakest=f"{weakest:.3f}")))


def sealed_document(
    body: str, style: str, data: Mapping[str, Any], scripts: Sequence[str], title: str = "", lang: str = "en"
) -> str:
    """HTML that asks for nothing from anywhere; identical for identical arguments.

    Its content security policy (https://www.w3.org/TR/CSP3/) names the style and the scripts by their
    hashes: markup that slipped in with the data could neither run nor fetch anything.

    Args:
        body: HTML that stands before the scripts; must not hold text that a visitor typed.
        style: CSS.
        data: whatever the scripts need, visitors' text too; they find it as JSON in ``#given``.
        scripts: run in this order, after the body and the data.
        title, lang: of the document, for those who have it read to them.

    Raises:
        ValueError: the style or a script would end its own element.
    """
    for name, sources in (("style", [style]), ("script", scripts)):
        if any(f"</{name}" in source.lower() or "<!--" in source for source in sources):
            raise ValueError(f"a {name} holds </{name} or <!--")
    looks, allowed = source_hash(style), " ".join(source_hash(script) for script in scripts)
    policy = f"default-src 'none'; script-src {allowed}; style-src {looks}; form-action 'none'; base-uri 'none'"
    given = f'<script type="application/json" id="given">{inert_json(data)}</script>'
    running, heading = "".join(f"<script>{script}</script>" for script in scripts), escape(title)
    return (
        f'<!doctype html><html lang="{escape(lang)}"><head><meta charset="utf-8"><title>{heading}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><style>{style}</style></head>'
        f"<body><main><h1>{heading}</h1>{body}</main>{given}{running}</body></html>"
    )


def inert_json(value: Mapping[str, Any]) -> str:
    """JSON in ASCII in which no markup can begin or end; U+2028, U+2029 and lone surrogates are escaped too."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
