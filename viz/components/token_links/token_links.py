"""The sentence and its translation as tokens that light each other up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from viz.components.shared.messages import message, part
from viz.components.shared.registry import register
from viz.state.language import Labels
from viz.theme import Theme
from viz.web.codes import check_shape, pack_fine

LABELS = (
    "src_title",
    "tgt_title",
    "hint",
    "attends",
    "attended",
    "nothing",
    "confidence",
    "legend_weight",
    "legend_confidence",
)
_component = register("token_links", LABELS)


def token_links(
    src: list[str],
    tgt: list[str],
    weights: np.ndarray,
    probabilities: list[float],
    *,
    theme: Theme,
    labels: Labels,
    key: str,
    src_words: list[int],
    tgt_words: list[int],
    chosen: int | None = None,
    on_pick: Callable[[int | None], None] | None = None,
) -> None:
    """Two rows of tokens; pointing at one, or reaching it by keyboard, lights up what it is linked with.

    Args:
        src, tgt: tokens; a piece inside a word begins with ``##``.
        weights: cross-attention [T, S]; row t belongs to the step that writes tgt[t].
        probabilities: of each target token, [T].
        theme: the look.
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page; the same key keeps what the visitor pinned.
        src_words, tgt_words: the word of each token; neighbours of one word are joined; -1 is special.
        chosen: the target token that is pinned before anybody points at one.
        on_pick: called with the target token that was clicked, None where it was let go, before the script runs again.

    Raises:
        ValueError: weights, probabilities or words do not fit the tokens.
    """

    def picked() -> None:
        place = part(message(key, "pick"), "place")
        if on_pick and type(place) is int and -1 <= place < len(tgt):
            on_pick(place if place >= 0 else None)

    data = {**links_payload(src, tgt, weights, probabilities, src_words, tgt_words), "chosen": chosen}
    _component.mount(data, theme=theme, labels=labels, key=key, on_pick_change=picked)


def links_payload(
    src: Sequence[str],
    tgt: Sequence[str],
    weights: np.ndarray,
    probabilities: Sequence[float],
    src_words: Sequence[int],
    tgt_words: Sequence[int],
) -> dict[str, object]:
    """What ``token_links`` sends to the browser, less look and labels; weights as ``pack_fine`` packs them.

    Raises:
        ValueError: as ``token_links``.
    """
    check_shape("weights", weights, tgt, src)
    for name, values, tokens in (
        ("probabilities", probabilities, tgt),
        ("src_words", src_words, src),
        ("tgt_words", tgt_words, tgt),
    ):
        if len(values) != len(tokens):
            raise ValueError(f"{name} has {len(values)} entries, but there are {len(tokens)} tokens")
    return {
        "src": list(src),
        "tgt": list(tgt),
        "weights": pack_fine(weights),
        "probabilities": [round(float(value), 4) for value in probabilities],
        "src_words": [int(word) for word in src_words],
        "tgt_words": [int(word) for word in tgt_words],
    }
