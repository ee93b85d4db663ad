"""What a class has learned: the share of what could still be gained that was, by lesson, with its interval."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from model.errors import HeadlightError

FormName = Literal["before", "after", "week"]
FORMS: tuple[FormName, ...] = get_args(FormName)
# What each half of a divided hall saw, by what the halves differ in; as a class's table names them.
HALVES: Mapping[str, tuple[str, str]] = {
    "picture": ("A picture", "B no picture"),
    "votes": ("A weights", "B votes"),
}
_COLUMNS = 9  # of a class's table; the last five are item, form, right (1 or 0), learner, half
_DRAWS = 2000
_SEED = 0


class AnswersError(HeadlightError):
    """A file is no table of answers."""


@dataclass(frozen=True)
class LessonAnswer:
    """Whether a learner answered one of a lesson's questions rightly, in which form, and in which half of the hall."""

    lesson: str
    form: FormName
    learner: str
    is_right: bool
    half: str = ""


@dataclass(frozen=True)
class Gain:
    """What was gained in a lesson: (post − pre) / (1 − pre) (Hake 1998), of the class's means."""

    lesson: str  # its number
    form: FormName  # of the test after: "after" or "week"
    learners: int  # who answered before or after
    # pre, post: shares of right answers
    pre: float
    post: float
    gain: float  # nan where everything was right before
    # low, high: 95 % interval of the gain, from a bootstrap over learners
    low: float
    high: float


@dataclass(frozen=True)
class HalvesGain:
    """The gains of two halves of a hall in a lesson, and how much more the first one gained."""

    names: tuple[str, str]  # of the halves, as in ``HALVES``
    gains: tuple[Gain, Gain]  # of each
    difference: float  # of the first's gain and the second's
    # low, high: its 95 % interval, from a bootstrap over the learners of each half by themselves
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
    item, form, right, learner, half = row[4:]
    form_found = next((each for each in FORMS if each == form), None)
    if form_found is None or right not in ("0", "1") or not learner:
        raise AnswersError(f"{path}, line {number}: {form[:20]!r}, {right[:20]!r} is no form with 1 or 0")
    if half and not any(half in names for names in HALVES.values()):
        raise AnswersError(f"{path}, line {number}: {half[:20]!r} is no half")
    return LessonAnswer(item.partition(".")[0], form_found, learner, right == "1", half)


def gains(answers: Iterable[LessonAnswer]) -> list[Gain]:
    """The gain of every lesson that was asked before and after, or before and a week later."""
    known = list(answers)
    lessons = sorted({each.lesson for each in known}, key=lambda name: (len(name), name))
    found = (gain(known, lesson, form) for lesson in lessons for form in FORMS[1:])
    return [each for each in found if each is not None]


def gain(answers: Sequence[LessonAnswer], lesson: str, form: FormName) -> Gain | None:
    """The gain from before to a later form, where both were asked.

    Learners are resampled with all their answers (Efron and Tibshirani 1993), so that three answers of one head are not
    three heads. Samples in which a form is empty, or all was right before, have no gain and are left out.
    """
    counted = _counted(answers, lesson, form)
    if not counted[..., 1].sum(0).all():
        return None
    pre, post = _shares(counted.sum(0)[None])[0]
    low, high = _interval(_resampled(counted, np.random.default_rng(_SEED)))
    whole = float(_gain(np.array([pre]), np.array([post]))[0])
    return Gain(lesson, form, len(counted), float(pre), float(post), whole, low, high)


def halves_gains(answers: Iterable[LessonAnswer]) -> list[HalvesGain]:
    """Both halves' gains of every lesson that both were asked before and after, or before and a week later.

    A learner is of the half in which he was asked first, also when a later class was divided anew.
    """
    known = sorted(answers, key=lambda each: FORMS.index(each.form))
    halves: dict[str, str] = {}
    for each in known:
        if each.half:
            halves.setdefault(each.learner, each.half)
    lessons = sorted({each.lesson for each in known}, key=lambda name: (len(name), name))
    found = []
    for names in HALVES.values():
        first, second = ([each for each in known if halves.get(each.learner) == name] for name in names)
        found += [_halves_gain(names, first, second, lesson, form) for lesson in lessons for form in FORMS[1:]]
    return [each for each in found if each is not None]


def _halves_gain(
    names: tuple[str, str], first: list[LessonAnswer], second: list[LessonAnswer], lesson: str, form: FormName
) -> HalvesGain | None:
    gained = gain(first, lesson, form), gain(second, lesson, form)
    if gained[0] is None or gained[1] is None:
        return None
    rng = np.random.default_rng(_SEED)
    resampled = [_resampled(_counted(each, lesson, form), rng) for each in (first, second)]
    low, high = _interval(resampled[0] - resampled[1])
    return HalvesGain(names, (gained[0], gained[1]), gained[0].gain - gained[1].gain, low, high)


def _counted(answers: Iterable[LessonAnswer], lesson: str, form: FormName) -> np.ndarray:
    """Right answers and all answers of each learner, before and in the form: [learner, 2, 2]."""
    mine = [each for each in answers if each.lesson == lesson and each.form in (FORMS[0], form)]
    places = {learner: place for place, learner in enumerate(sorted({each.learner for each in mine}))}
    counted = np.zeros((len(places), 2, 2))
    for each in mine:
        counted[places[each.learner], int(each.form == form)] += (each.is_right, 1)
    return counted


def _resampled(counted: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The gain of each of many samples of as many learners."""
    samples = rng.integers(len(counted), size=(_DRAWS, len(counted)))
    return _gain(*_shares(np.array([counted[each].sum(0) for each in samples])).T)


def _interval(resampled: np.ndarray) -> tuple[float, float]:
    """Of the samples that have a gain; nan where none has."""
    found = resampled[np.isfinite(resampled)]
    low, high = np.percentile(found, [2.5, 97.5]) if len(found) else (np.nan, np.nan)
    return float(low), float(high)


def _shares(counted: np.ndarray) -> np.ndarray:
    """Shares of right answers, [..., 2]; nan where nobody answered."""
    with np.errstate(invalid="ignore"):
        return np.asarray(counted[..., 0] / counted[..., 1])


def _gain(pre: np.ndarray, post: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(pre < 1, (post - pre) / (1 - pre), np.nan)


def as_table(found: Iterable[Gain], halves: Iterable[HalvesGain] = ()) -> str:
    """For people: a line a lesson and form; then, of a divided hall, a line a half and their difference."""
    head = f"{'lesson':<8}{'form':<8}{'learners':>9}{'before':>8}{'then':>8}{'gain':>8}  95 % interval"
    lines = [head, *map(_line, found)]
    for place, each in enumerate(halves):
        lines += [] if place else ["", f"{head}  half"]
        lines += [f"{_line(gained)}  {name}" for gained, name in zip(each.gains, each.names, strict=True)]
        difference = f"{each.difference:>8.2f}  [{each.low:.2f}, {each.high:.2f}]"
        lines.append(f"{'':<41}{difference}  {each.names[0]} − {each.names[1]}")
    return "\n".join(lines)


def _line(each: Gain) -> str:
    shares = f"{each.pre:>8.2f}{each.post:>8.2f}{each.gain:>8.2f}  [{each.low:.2f}, {each.high:.2f}]"
    return f"{each.lesson:<8}{each.form:<8}{each.learners:>9}{shares}"
