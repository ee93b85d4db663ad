"""What a class has learned: the share of what could still be gained that was, by lesson, with its interval."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from model.errors import HeadlightError

FormName = Literal["before", "after", "week"]
FORMS: tuple[FormName, ...] = get_args(FormName)
_COLUMNS = 8  # of a class's table; the last four are item, form, right (1 or 0), learner
_DRAWS = 2000
_SEED = 0


class AnswersError(HeadlightError):
    """A file is no table of answers."""


@dataclass(frozen=True)
class LessonAnswer:
    """Whether a learner answered one of a lesson's questions rightly, and in which form."""

    lesson: str
    form: FormName
    learner: str
    is_right: bool


@dataclass(frozen=True)
class Gain:
    """What was gained in a lesson: (post − pre) / (1 − pre) (Hake 1998), of the class's means.

    Attributes:
        lesson: its number.
        form: of the test after: "after" or "week".
        learners: who answered before or after.
        pre, post: shares of right answers.
        gain: nan where everything was right before.
        low, high: 95 % interval of the gain, from a bootstrap over learners.
    """

    lesson: str
    form: FormName
    learners: int
    pre: float
    post: float
    gain: float
    low: float
    high: float


def read_answers(path: Path) -> list[LessonAnswer]:
    """The lessons' answers in a class's table; other rows are passed over.

    Raises:
        AnswersError: it is no such table.
        OSError: it cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
    except (csv.Error, UnicodeDecodeError) as error:
        raise AnswersError(f"{path} is no table of answers: {error}") from error
    if not rows or any(len(row) != _COLUMNS for row in rows):
        raise AnswersError(f"{path} is no table of answers: each line must have {_COLUMNS} columns")
    return [_answer(row, path, number) for number, row in enumerate(rows[1:], 2) if row[4]]


def _answer(row: Sequence[str], path: Path, number: int) -> LessonAnswer:
    item, form, right, learner = row[4:]
    form_found = next((each for each in FORMS if each == form), None)
    if form_found is None or right not in ("0", "1") or not learner:
        raise AnswersError(f"{path}, line {number}: {form[:20]!r}, {right[:20]!r} is no form with 1 or 0")
    return LessonAnswer(item.partition(".")[0], form_found, learner, right == "1")


def gains(answers: Iterable[LessonAnswer]) -> list[Gain]:
    """The gain of every lesson that was asked before and after, or before and a week later."""
    known = list(answers)
    lessons = sorted({each.lesson for each in known}, key=lambda name: (len(name), name))
    found = (gain(known, lesson, form) for lesson in lessons for form in FORMS[1:])
    return [each for each in found if each is not None]


def gain(answers: Sequence[LessonAnswer], lesson: str, form: FormName) -> Gain | None:
    """The gain from before to a later form, where both were asked.

    Learners are drawn with all their answers (Efron and Tibshirani 1993), so that three answers of one head are not
    three heads. Draws in which a form is empty, or all was right before, have no gain and are left out.
    """
    mine = [each for each in answers if each.lesson == lesson and each.form in (FORMS[0], form)]
    learners = sorted({each.learner for each in mine})
    counted = np.zeros((len(learners), 2, 2))  # [learner, form, right answers and all answers]
    for each in mine:
        counted[learners.index(each.learner), int(each.form == form)] += (each.is_right, 1)
    if not learners or not counted[..., 1].sum(0).all():
        return None
    pre, post = _shares(counted.sum(0)[None])[0]
    samples = np.random.default_rng(_SEED).integers(len(learners), size=(_DRAWS, len(learners)))
    rates = np.array([counted[each].sum(0) for each in samples])
    found = _gain(*_shares(rates).T)
    found = found[np.isfinite(found)]
    low, high = np.percentile(found, [2.5, 97.5]) if len(found) else (np.nan, np.nan)
    whole = float(_gain(np.array([pre]), np.array([post]))[0])
    return Gain(lesson, form, len(learners), float(pre), float(post), whole, float(low), float(high))


def _shares(counted: np.ndarray) -> np.ndarray:
    """Shares of right answers, [..., 2]; nan where nobody answered."""
    with np.errstate(invalid="ignore"):
        return np.asarray(counted[..., 0] / counted[..., 1])


def _gain(pre: np.ndarray, post: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(pre < 1, (post - pre) / (1 - pre), np.nan)


def as_table(found: Iterable[Gain]) -> str:
    """For people: a line a lesson and form."""
    lines = [f"{'lesson':<8}{'form':<8}{'learners':>9}{'before':>8}{'then':>8}{'gain':>8}  95 % interval"]
    for each in found:
        shares = f"{each.pre:>8.2f}{each.post:>8.2f}{each.gain:>8.2f}  [{each.low:.2f}, {each.high:.2f}]"
        lines.append(f"{each.lesson:<8}{each.form:<8}{each.learners:>9}{shares}")
    return "\n".join(lines)
