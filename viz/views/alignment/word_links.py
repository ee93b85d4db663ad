"""A sentence and its translation, with a line between words that belong together."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from viz.core.language import Labels
from viz.core.theme import Theme
from viz.widgets.registry import register

LABELS = ("hint", "linked", "alone")
_component = register("word_links", LABELS)


def word_links(
    src: Sequence[str],
    tgt: Sequence[str],
    links: Collection[tuple[int, int]],
    *,
    theme: Theme,
    labels: Labels,
    key: str,
) -> None:
    """Two lines of words, or two columns where lines would be too long; pointing at a word lights up its links.

    Args:
        src, tgt: the words.
        links: source word, target word; a word without one is drawn dashed.
        theme: the look.
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page.

    Raises:
        ValueError: a link names a word that is not there.
    """
    if any(not (0 <= i < len(src) and 0 <= j < len(tgt)) for i, j in links):
        raise ValueError(f"a link is outside the {len(src)} and {len(tgt)} words")
    ordered = sorted(links, key=lambda link: (link[1], link[0]))
    data = {"src": list(src), "tgt": list(tgt), "links": [list(link) for link in ordered]}
    _component.mount(data, theme=theme, labels=labels, key=key)
