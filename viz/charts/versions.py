"""Translations of one sentence under each other, the first difference marked."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from viz.core.theme import Theme


@dataclass(frozen=True)
class Version:
    """One translation as the comparison shows it.

    Attributes:
        title: where it comes from.
        text: the translation.
        mark: character span of its first token that differs; None where none does. An empty span at
            the end of the text marks that it ended there.
        numbers: what is said of its probability.
    """

    title: str
    text: str
    mark: tuple[int, int] | None
    numbers: str


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
