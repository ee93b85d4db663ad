"""What of a scene goes to phones: its question without the key, and the picture that a half of the hall sees."""

from __future__ import annotations

from dataclasses import replace

from model.errors import HeadlightError
from viz.core.classroom.halves import PhonePicture
from viz.core.classroom.questions import ClassQuestion
from viz.core.selection import Selection
from viz.core.text import text
from viz.export.show.sights import Sight, word_map
from viz.export.show.staged import Staged

HalvesPictures = tuple[PhonePicture | None, PhonePicture | None]


def question_of(scene: Staged) -> ClassQuestion | None:
    """A scene's question as phones get it, without the key."""
    if (predict := scene.predict) is None:
        return None
    return ClassQuestion(
        "choice",
        (predict.ask.of("en"), predict.ask.of("zh")),
        tuple((option.of("en"), option.of("zh")) for option in predict.options),
    )


def pictures_of(scene: Staged, split: str, is_asking: bool) -> HalvesPictures:
    """What each half sees of a scene: its map or none, or its first head by weights and by votes.

    While a question stands that the map itself answers, neither sees one.

    Args:
        scene: which, of a map.
        split: a key of ``HALVES``; "" where the hall is one.
        is_asking: whether its question stands.

    Raises:
        HeadlightError: the model has no votes, or the map is too large for a phone.
    """
    is_key = is_asking and scene.predict is not None and bool(scene.predict.row)
    if not split or scene.scene.view or is_key:
        return None, None
    if split == "picture":
        return phone_picture(scene.sight, scene.selection), None
    weights, votes = (replace(scene.selection, method=method, step=None) for method in ("weights", "votes"))
    return phone_picture(scene.sight, weights), phone_picture(scene.sight, votes)


def phone_picture(sight: Sight, selection: Selection) -> PhonePicture:
    """The first map that a selection shows, word by word.

    Raises:
        HeadlightError: the model does not offer the method, or the map is too large for a phone.
    """
    try:
        found = word_map(sight, selection)
    except ValueError as error:
        raise HeadlightError(str(error)) from error
    titles = [f"{selection.head.title} · {text(each, f'method.{selection.method}')}" for each in ("en", "zh")]
    return PhonePicture(
        (titles[0], titles[1]),
        tuple(label.text for label in found.rows),
        tuple(label.text for label in found.columns),
        tuple(tuple(round(100 * float(value)) for value in row) for row in found.weights),
    )
