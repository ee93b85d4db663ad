"""Two halves of a hall: who is in which, and the picture that a half sees on its phones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from secrets import choice

from model.errors import HeadlightError

HALF_LETTERS = ("A", "B")
MOST_PHONE_CELLS = 600  # of a picture on a phone


def half_for(taken: Iterable[str]) -> str:
    """The half of whoever comes next: the smaller one, or one by lot where both are equal.

    So two who come one after the other are put apart by lot (blocks of two; Friedman, Furberg and DeMets 2010), and
    sizes never differ by more than one.
    """
    counted = Counter(taken)
    first, second = HALF_LETTERS
    if counted[first] == counted[second]:
        return choice(HALF_LETTERS)
    return first if counted[first] < counted[second] else second


class PhonePictureError(HeadlightError):
    """A map is too large for a phone."""


@dataclass(frozen=True)
class PhonePicture:
    """A map as a phone draws it."""

    title: tuple[str, str]  # in English and in Chinese
    # rows, columns: labels
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[int, ...], ...]  # [row, column], in hundredths

    def __post_init__(self) -> None:
        """Refuse what is too large.

        Raises:
            PhonePictureError: it is.
        """
        if len(self.rows) * len(self.columns) > MOST_PHONE_CELLS:
            raise PhonePictureError(f"a map of {len(self.rows)} × {len(self.columns)} is too large for phones")


def packed_pictures(pictures: Sequence[PhonePicture | None]) -> str:
    """As JSON."""
    return json.dumps([each and asdict(each) for each in pictures], ensure_ascii=False)
