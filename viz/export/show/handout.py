"""The handout of a talk: a page a scene with its picture, its question and what is said; its texts can be searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from model.attribution.methods import METHODS
from viz.charts.colour import on_scale
from viz.charts.sheet.files import pdf_of
from viz.charts.sheet.sheet import POINTS_A_CM, Box, Sheet, SheetStyle, Write, hexadecimal, wrapped
from viz.core.selection import Selection
from viz.core.text import text
from viz.core.theme import LIGHT
from viz.export.show.sights import Sight
from viz.export.show.staged import Stage, Staged
from viz.export.show.storyboard import OPTION_LETTERS
from viz.export.show.talk import answer_said
from viz.export.shown import labelled_maps, names, sheet_of
from viz.web.payload import method_title

PIXELS = 8  # a side
WIDE, HIGH = 21.0 * POINTS_A_CM, 29.7 * POINTS_A_CM  # A4
PAGE_MARGIN = 1.6 * POINTS_A_CM
TITLE, BODY = 20.0, 11.0  # sizes of type
TYPES = (12.0, 10.0, 8.0, 6.0, 5.0, 4.0)  # of the picture, the first with which a page is long enough
MOST_ABREAST = 6


def small_maps(kinds: Sequence[tuple[str, np.ndarray]], signed: bool, said: str, style: SheetStyle) -> Sheet:
    """The grids side by side with what they are called, under them what is shown.

    Args:
        kinds: title and maps [L, H, Q, K] of each kind.
        signed: values have either sign.
        said: the last line.
        style: width and type.
    """
    total, size = style.width_cm * POINTS_A_CM, style.type_pt
    gap = 2.5 * size
    across = sum(maps.shape[1] for _, maps in kinds)
    side = (total - gap * len(kinds)) / across
    marks: list[Box | Write] = []
    x, deepest = gap, max(maps.shape[0] for _, maps in kinds)
    for title, maps in kinds:
        high = float(np.abs(maps).max()) or 1.0
        marks.append(Write(x, 1.2 * size, title, size))
        for (layer, head), _ in np.ndenumerate(maps[:, :, 0, 0]):
            at = x + head * side, 2 * size + layer * side
            marks += _cells(pooled(maps[layer, head]) / high, signed, *at, 0.92 * side)
        marks += [
            Write(x - 0.4 * size, 2 * size + (layer + 0.6) * side, f"L{layer}", 0.7 * size, "end")
            for layer in range(len(maps))
        ]
        x += maps.shape[1] * side + gap
    bottom = 2 * size + deepest * side + 1.6 * size
    marks.append(Write(gap, bottom, said, size))
    return Sheet(total, bottom + size, tuple(marks), said)


def pooled(values: np.ndarray) -> np.ndarray:
    """The strongest value by its size in each of 8 × 8 parts of a map.

    >>> float(pooled(np.eye(16))[0, 0]), pooled(np.zeros((3, 5))).shape
    (1.0, (8, 8))
    """
    rows, columns = (_parts(count) for count in values.shape)
    found = np.zeros((PIXELS, PIXELS))
    for row, (top, bottom) in enumerate(rows):
        for column, (left, right) in enumerate(columns):
            part = values[top:bottom, left:right]
            found[row, column] = part.flat[np.abs(part).argmax()]
    return found


def _parts(count: int) -> list[tuple[int, int]]:
    """First index of each part, and the one after its last."""
    starts = [place * count // PIXELS for place in range(PIXELS)]
    return [(start, max(start + 1, -(-(place + 1) * count // PIXELS))) for place, start in enumerate(starts)]


def _cells(shares: np.ndarray, signed: bool, x: float, y: float, side: float) -> list[Box]:
    scale = LIGHT.diverging if signed else LIGHT.scale
    fills = hexadecimal(on_scale(0.5 + 0.5 * shares if signed else shares, scale))
    step = side / PIXELS
    return [
        Box(x + column * step, y + row * step, step, step, str(fill)) for (row, column), fill in np.ndenumerate(fills)
    ]


def handout(shown: Stage, language: str) -> bytes:
    """The PDF."""
    title = shown.storyboard.title.of(language) or text(language, "talk.untitled")
    pages = []
    for number, each in enumerate(shown.scenes, 1):
        place = text(language, "handout.place", title=title, number=number, count=len(shown.scenes))
        sizes = iter(TYPES)
        page = _page(each, place, language, next(sizes))
        for size in sizes:
            if page.height <= HIGH:
                break
            page = _page(each, place, language, size)
        pages.append(page)
    return pdf_of(pages, title)


def _page(each: Staged, place: str, language: str, size: float) -> Sheet:
    """One scene on a page; longer than A4 where even the smallest type leaves no room."""
    scene, sight = each.scene, each.sight
    room = WIDE - 2 * PAGE_MARGIN
    marks: list[Box | Write] = []
    y = PAGE_MARGIN
    source, translation = sight.translation.source, sight.translation.text
    for said, large, gap in (
        (scene.title.of(language) or scene.text, TITLE, 0.0),
        (text(language, "handout.text", source=source, translation=translation), BODY, 4.0),
    ):
        y += gap
        for line in wrapped(said, room, large):
            y += 1.25 * large
            marks.append(Write(PAGE_MARGIN, y, line, large))
    y += 1.2 * BODY
    if not scene.view:
        method = picture(sight, each.selection, language, SheetStyle(room / POINTS_A_CM, size))
        marks += [replace(mark, x=mark.x + PAGE_MARGIN, y=mark.y + y) for mark in method.marks]
        y += method.height
    for paragraph in _paragraphs(each, language):
        y += 0.5 * BODY
        for line in wrapped(paragraph, room, BODY):
            y += 1.4 * BODY
            marks.append(Write(PAGE_MARGIN, y, line, BODY))
    height = max(HIGH, y + 2 * PAGE_MARGIN)
    marks.append(Write(WIDE - PAGE_MARGIN, height - 0.6 * PAGE_MARGIN, place, 9.0, "end"))
    return Sheet(WIDE, height, tuple(marks), place)


def _paragraphs(each: Staged, language: str) -> list[str]:
    """What stands beside the picture, the question, what is said, and at last the answer."""
    said = [("" if language == "zh" else " ").join(each.scene.fragments(language))]
    said = [f"• {point.of(language)}" for point in each.scene.points] + said
    if each.scene.view:
        name = text(language, f"page.{each.scene.view.partition('?')[0]}")
        said.insert(0, text(language, "handout.view", view=name))
    if each.predict:
        options = [option.of(language) for option in each.predict.options]
        listed = "  ".join(f"{letter} {option}" for letter, option in zip(OPTION_LETTERS, options, strict=False))
        said.insert(0, text(language, "handout.ask", ask=each.predict.ask.of(language), options=listed))
        said.append(text(language, "handout.answer", answer=answer_said(each, language)))
    return [paragraph for paragraph in said if paragraph]


def picture(sight: Sight, selection: Selection, language: str, style: SheetStyle) -> Sheet:
    """What is chosen, on a sheet: its heads as maps, or every head small."""
    method, maps = method_title(selection.map_name, sight.trace, language), sight.maps(selection.map_name)
    if selection.view == "all":
        kinds = [(text(language, f"kind.{kind}"), values) for kind, values in maps.items()]
        return small_maps(kinds, METHODS[selection.method].signed, method, style)
    shown = selection.fitting
    if shown.together == "side":
        shown = replace(shown, heads=shown.heads[:MOST_ABREAST])
    named = list(zip(names(shown, language), labelled_maps(shown, maps, sight.trace), strict=True))
    return sheet_of(shown, named, language, f"{method} · {sight.source.name}", style)
