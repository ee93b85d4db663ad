"""The READMEs: what stands between the marks that BLOCK finds is written from a checkpoint's tables."""

from __future__ import annotations

import re

from model.errors import HeadlightError
from model.folders import CHECKPOINTS
from model.release.figures import FIGURES, Tables

ROOT = CHECKPOINTS.parent
READMES = {"en": ROOT / "README.md", "zh": ROOT / "README.zh.md"}
BLOCK = re.compile(r"(<!-- figures: (?P<name>\w+) -->)(?P<old>.*?)(<!-- /figures -->)", re.DOTALL)


def filled(text: str, tables: Tables, language: str) -> str:
    """A README with every figure between its marks as the tables have it.

    Raises:
        HeadlightError: a mark has a name that no figure has, or a table lacks what a figure needs.
    """

    def figure(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in FIGURES:
            raise HeadlightError(f"there is no figure {name!r}; there are: {', '.join(FIGURES)}")
        try:
            new = FIGURES[name](tables, language)
        except (KeyError, TypeError) as error:
            raise HeadlightError(f"the tables lack what the figure {name!r} needs: {error}") from None
        block = match["old"].startswith("\n")
        return f"{match[1]}\n{new}\n{match[4]}" if block else f"{match[1]}{new}{match[4]}"

    return BLOCK.sub(figure, text)
