"""The tests of a lesson: three questions before, three parallel ones after, three for a week later.

One generator for all: it draws a sentence, lets a template of ``item_table`` make a question of it, and draws again
where two options are alike. Parallel forms are the same templates with other draws of sentence, head, row and size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from model.analysis.lessons.item_table import TEMPLATES
from model.analysis.lessons.traced_sentence import Displayed, Made, TracedSentence, shown
from model.errors import HeadlightError

MOST_TRIES = 60
APART = 0.06  # of the key: so far at least is another number from it
FEWEST_OPTIONS, MOST_OPTIONS = 3, 4


@dataclass(frozen=True)
class Item:
    """A question; its text is ``item.<name>``, the sentence on a wrong option ``item.why.<why>``."""

    name: str  # of its template: the lesson, a dot, and what is asked
    values: Mapping[str, str]  # fill its text
    options: tuple[str, ...]  # in the order in which they are shown
    whys: tuple[str, ...]  # the misconception behind each option; "" for the right one
    sentence: str  # of which it was made

    @property
    def key(self) -> int:
        """Place of the right option."""
        return self.whys.index("")


class ItemError(HeadlightError):
    """No sentence had what a question needs."""


def names_of(lesson: str) -> list[str]:
    """The templates of a lesson."""
    return [name for name in TEMPLATES if name.partition(".")[0] == lesson]


def form_items(
    lesson: str, form: str, seed: str, sentences: Sequence[str], draw: Callable[[str], TracedSentence]
) -> list[Item]:
    """A lesson's questions in one of its forms; the same for the same seed.

    Args:
        lesson: its number.
        form: before, after, or a week later.
        seed: of all draws; forms and lessons differ by themselves.
        sentences: to draw from: the learner's own first, of which each form's first question is.
        draw: the model's numbers of a sentence.

    Raises:
        ItemError: no sentence has what a question needs.
    """
    rng = Random(f"{seed}/{lesson}/{form}")
    others = rng.sample(sentences[1:], len(sentences) - 1)
    found = []
    for place, name in enumerate(names_of(lesson)):
        order = [sentences[0], *others] if place == 0 else [*others[place:], *others[:place], sentences[0]]
        items = (made_item(name, draw(sentence), rng) for sentence in order)
        if (item := next((each for each in items if each), None)) is None:
            raise ItemError(f"no sentence has what the question {name} of lesson {lesson} needs")
        found.append(item)
    return found


def made_item(name: str, traced: TracedSentence, rng: Random) -> Item | None:
    """A question of a template about a sentence; None where that has nothing to ask."""
    for _ in range(MOST_TRIES):
        if (made := TEMPLATES[name](traced, rng)) is not None and (wrong := told_apart(made)):
            order = ["", *wrong]
            rng.shuffle(order)
            options = {"": made.key, **made.wrong}
            return Item(
                name,
                {value: shown(each) for value, each in made.values.items()},
                tuple(shown(options[why]) for why in order),
                tuple(order),
                traced.found.source,
            )
    return None


def told_apart(made: Made) -> list[str]:
    """Misconceptions whose answers differ from the key and from each other; [] where they are too few."""
    taken: list[Displayed] = [made.key]
    found = []
    for why, value in made.wrong.items():
        if all(_differ(value, other) for other in taken):
            taken.append(value)
            found.append(why)
    return found[: MOST_OPTIONS - 1] if len(found) >= FEWEST_OPTIONS - 1 else []


def _differ(one: Displayed, other: Displayed) -> bool:
    """Whether nobody who rounds takes one for the other."""
    if isinstance(one, float) and isinstance(other, float):
        size = max(abs(one), abs(other))
        return math.isfinite(size) and abs(one - other) > APART * size
    return shown(one) != shown(other)
