"""Sentences with some tokens marked, rows of words with a bar each, and translations under each other, as HTML."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from viz.core.theme import Theme

FONT = "font-variant-numeric: tabular-nums;"
LARGE, SMALL = "1.6rem", "1.1rem"
LONG = 80  # Latin letters, of which a Chinese character takes the room of two


def marked_text(pieces: Sequence[str], marked: Collection[int], theme: Theme, language: str = "zh") -> str:
    """A sentence whose pieces at the places ``marked`` are underlined and tinted; text is shown literally.

    A piece that begins with ``##`` continues the word before it; other neighbours in Latin letters get a space.
    A long sentence is written smaller, so that it leaves room for what stands under it.
    """
    size = SMALL if sum(1 if letter.isascii() else 2 for piece in pieces for letter in piece) > LONG else LARGE
    style = f"background: color-mix(in srgb, {theme.accent} 20%, transparent); color: inherit; "
    style += f"border-bottom: .18rem solid {theme.accent}; border-radius: .15rem .15rem 0 0; padding: 0 .05rem;"
    shown = []
    for place, piece in enumerate(pieces):
        text = html.escape(piece.removeprefix("##"), quote=False)
        if place and not piece.startswith("##") and _is_latin(pieces[place - 1][-1:]) and _is_latin(piece[:1]):
            shown.append(" ")
        shown.append(f'<mark style="{style}">{text}</mark>' if place in marked else text)
    return f'<p lang="{language}" style="font-size: {size}; line-height: 1.45; margin: 0;">{"".join(shown)}</p>'


def bars(
    words: Sequence[str], values: Sequence[float], highest: float, marked: Collection[int], theme: Theme, title: str
) -> str:
    """Words in a row, each over a bar as long as its share of ``highest`` and its value; text is shown literally.

    Args:
        words, values: of the same number.
        highest: the value of a full bar.
        marked: places that are shown in the accent colour, with a dashed frame.
        title: what the bars show, above them.

    Raises:
        ValueError: words and values differ in number.
    """
    if len(words) != len(values):
        raise ValueError(f"{len(words)} words have {len(values)} values")
    items = []
    for place, (word, value) in enumerate(zip(words, values, strict=True)):
        colour = theme.accent if place in marked else theme.muted
        frame = f"1px dashed {theme.accent}" if place in marked else "1px solid transparent"
        length = f"{100 * min(1.0, max(0.0, value / highest if highest > 0 else 0.0)):.0f}%"
        items.append(
            f'<li style="min-width: 3.2rem; padding: .05rem .3rem .15rem; border: {frame}; border-radius: .35rem;">'
            f'<span style="overflow-wrap: anywhere;">{html.escape(word, quote=False)}</span>'
            f'<span style="display: block; height: .4rem; border-radius: .2rem; background: {theme.grid};">'
            f'<span style="display: block; height: 100%; width: {length}; border-radius: .2rem; background: {colour};">'
            f'</span></span><span style="font-size: .8rem; color: {theme.muted}; {FONT}">{value:.1f}</span></li>'
        )
    heading = f'<p style="margin: 0 0 .2rem; color: {theme.muted}; font-size: .9rem;">{html.escape(title)}</p>'
    row = (
        "display: flex; flex-wrap: wrap; gap: .2rem .45rem; margin: 0; padding: 0; list-style: none; line-height: 1.3;"
    )
    return f'{heading}<ul style="{row}">{"".join(items)}</ul>'


def _is_latin(text: str) -> bool:
    return text.isascii() and text.isalnum()


@dataclass(frozen=True)
class Version:
    """One translation as the comparison shows it."""

    title: str  # where it comes from
    text: str  # the translation
    # character span of its first token that differs; None where none does. An empty span at the end of the text marks
    # that it ended there.
    mark: tuple[int, int] | None
    numbers: str  # what is said of its probability


def versions_html(versions: Sequence[Version], theme: Theme) -> str:
    """A table of versions as HTML; whatever stands in them is shown literally."""
    rows = "".join(_row(version, theme) for version in versions)
    return (
        "<table class='hl-versions' style='border-collapse:collapse;width:100%;border:0'>"
        f"<tbody style='border:0'>{rows}</tbody></table>"
    )


def _row(version: Version, theme: Theme) -> str:
    line = f"border:0;border-top:1px solid {theme.grid};padding:.35rem .6rem .35rem 0;vertical-align:baseline"
    quiet = f"{line};color:{theme.muted};font-size:.95rem;text-align:left"
    head = f"{quiet};font-weight:400;width:11rem"
    return (
        f"<tr style='border:0'><th scope='row' style='{head}'>{_literal(version.title)}</th>"
        f"<td lang='zh' style='{line};font-size:1.35rem;line-height:1.4;overflow-wrap:anywhere'>"
        f"{_marked(version, theme)}</td>"
        f"<td style='{quiet};width:17rem;font-variant-numeric:tabular-nums'>{_literal(version.numbers)}</td></tr>"
    )


def _marked(version: Version, theme: Theme) -> str:
    if version.mark is None:
        return _literal(version.text) or "∅"
    start, end = version.mark
    before, differs, after = version.text[:start], version.text[start:end], version.text[end:]
    style = (
        f"background:{theme.surface};color:{theme.text};font-weight:700;padding:0 .2rem;"
        f"border-bottom:3px solid {theme.accent};border-radius:.2rem .2rem 0 0"
    )
    mark = f"<mark style='{style}'>{_literal(differs) or '■'}</mark>"
    return f"<span style='color:{theme.muted}'>{_literal(before)}</span>{mark}{_literal(after)}"


def _literal(text: str) -> str:
    return html.escape(text)
