"""A sheet as the bytes of a file: SVG, PDF or PNG. All three work offline, without a browser."""

from __future__ import annotations

import html
import io
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from viz.charts.sheet.font import FONT_NAME, SHEET_FONT, writable
from viz.charts.sheet.font import width as text_width
from viz.charts.sheet.sheet import Box, Sheet, Write
from viz.core.theme import FONTS

if TYPE_CHECKING:
    from fpdf import FPDF
    from PIL.ImageDraw import ImageDraw

DOTS = 300  # of a PNG, an inch
MOST_PIXELS = 60_000_000


def svg(sheet: Sheet) -> bytes:
    """The sheet as SVG; its texts stay texts, in the reader's own font."""
    size = f'width="{sheet.width:.2f}pt" height="{sheet.height:.2f}pt"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {sheet.width:.2f} {sheet.height:.2f}" '
        f'font-family="{html.escape(FONTS)}">',
        f"<title>{_safe(sheet.title)}</title>",
        '<rect width="100%" height="100%" fill="#FFFFFF"/>',
    ]
    for mark in sheet.marks:
        if isinstance(mark, Box):
            place = f'x="{mark.x:.2f}" y="{mark.y:.2f}" width="{mark.w:.2f}" height="{mark.h:.2f}"'
            parts.append(f'<rect {place} fill="{mark.fill}"/>')
        else:
            turn = f' transform="rotate(-90 {mark.x:.2f} {mark.y:.2f})"' if mark.turned else ""
            look = f'font-size="{mark.size:.2f}" text-anchor="{mark.anchor}" fill="{mark.ink}"'
            parts.append(f'<text x="{mark.x:.2f}" y="{mark.y:.2f}" {look}{turn}>{_safe(mark.text)}</text>')
    return "\n".join([*parts, "</svg>\n"]).encode()


def _safe(text: str) -> str:
    """A visitor's text as XML takes it: escaped, without the control characters that it cannot hold."""
    return html.escape("".join(sign if sign.isprintable() or sign == " " else "�" for sign in text))


def pdf(sheet: Sheet) -> bytes:
    """The sheet as PDF, with the glyphs that it needs; its texts can be searched and copied."""
    return pdf_of([sheet], sheet.title)


def pdf_of(sheets: Sequence[Sheet], title: str) -> bytes:
    """Sheets as the pages of one PDF."""
    from fpdf import FPDF

    paper = FPDF(unit="pt")
    paper.set_title(writable(title))
    paper.set_creator("Headlight")
    paper.set_auto_page_break(False)
    paper.add_font(FONT_NAME, fname=SHEET_FONT)
    for sheet in sheets:
        paper.add_page(format=(sheet.width, sheet.height))
        for mark in sheet.marks:
            _put(paper, mark)
    return bytes(paper.output())


def _put(paper: FPDF, mark: Box | Write) -> None:
    """One mark on the page that is open."""
    if isinstance(mark, Box):
        paper.set_fill_color(*_rgb(mark.fill))
        paper.rect(mark.x, mark.y, mark.w, mark.h, style="F")
        return
    paper.set_font(FONT_NAME, size=mark.size)
    paper.set_text_color(*_rgb(mark.ink))
    text, x = writable(mark.text), mark.x - _before(mark)
    if mark.turned:
        with paper.rotation(90, mark.x, mark.y):
            paper.text(x, mark.y, text)
    else:
        paper.text(x, mark.y, text)


def _before(mark: Write) -> float:
    """How much of a text stands before its x."""
    return {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor] * text_width(mark.text, mark.size)


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return red, green, blue


def png(sheet: Sheet) -> bytes:
    """The sheet as PNG of 300 dots an inch; fewer where it would be very large."""
    from PIL import Image, ImageDraw

    scale = min(DOTS / 72, math.sqrt(MOST_PIXELS / (sheet.width * sheet.height)))
    image = Image.new("RGB", (math.ceil(sheet.width * scale), math.ceil(sheet.height * scale)), "#FFFFFF")
    draw = ImageDraw.Draw(image)
    for mark in sheet.marks:
        if isinstance(mark, Box):
            left, top = mark.x * scale, mark.y * scale
            draw.rectangle((left, top, left + mark.w * scale, top + mark.h * scale), fill=mark.fill)
        elif mark.turned:
            _write_turned(image, mark, scale)
        else:
            _write(draw, mark, scale)
    out = io.BytesIO()
    image.save(out, "PNG", dpi=(72 * scale, 72 * scale))
    return out.getvalue()


def _write(draw: ImageDraw, mark: Write, scale: float) -> None:
    from PIL import ImageFont

    font = ImageFont.truetype(str(SHEET_FONT), mark.size * scale)
    at = ((mark.x - _before(mark)) * scale, mark.y * scale)
    draw.text(at, writable(mark.text), fill=mark.ink, font=font, anchor="ls")


def _write_turned(image: object, mark: Write, scale: float) -> None:
    """A text that runs upwards from its place."""
    from PIL import Image, ImageDraw

    assert isinstance(image, Image.Image)
    room = math.ceil((text_width(mark.text, mark.size) + mark.size) * scale), math.ceil(1.6 * mark.size * scale)
    strip = Image.new("L", room, 0)
    base = 1.2 * mark.size * scale
    flat = Write(0, base / scale, mark.text, mark.size, ink="#FFFFFF")
    _write(ImageDraw.Draw(strip), flat, scale)
    turned = strip.rotate(90, expand=True)
    left, top = round(mark.x * scale - base), round(mark.y * scale - turned.height)
    image.paste(mark.ink, (left, top), turned)


FILES: Mapping[str, Callable[[Sheet], bytes]] = {"svg": svg, "pdf": pdf, "png": png}
