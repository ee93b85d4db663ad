"""A storyboard put on stage: every scene traced, its link made of what is there, and its expectations checked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from model.errors import HeadlightError
from model.own.translator import Translator
from viz.core.selection import Selection, write_link
from viz.export.show.sights import Opens, Sight, Sights, highlight, place_of, said_of, selected, word_map
from viz.export.show.storyboard import (
    OPTIONS,
    Both,
    Expectation,
    Predict,
    Storyboard,
    StoryboardError,
    TalkScene,
    parse_expectation,
)

CHECKPOINT = "en-zh"


@dataclass(frozen=True)
class Problem:
    """An expectation that does not hold: of which scene, from 1, on which line, what was expected, what is."""

    scene: int
    line: int
    expected: str
    found: str

    def __str__(self) -> str:
        place = f"scene {self.scene}" + (f" (line {self.line})" if self.line else "")
        return f"{place}: expected {self.expected}, but {self.found}"


@dataclass(frozen=True)
class Staged:
    """A scene that can be played."""

    scene: TalkScene  # as it was written
    sight: Sight  # its sentence and maps
    selection: Selection  # what it shows first
    steps: tuple[str, ...]  # the links of its clicks, which change the first
    predict: Predict | None  # its question, with options; None where nothing is asked
    problems: tuple[Problem, ...]  # what it expected and is not so


@dataclass(frozen=True)
class Stage:
    """A storyboard with all its scenes on stage."""

    storyboard: Storyboard
    scenes: tuple[Staged, ...]

    @property
    def problems(self) -> list[Problem]:
        """Of all scenes."""
        return [problem for scene in self.scenes for problem in scene.problems]


def stage(storyboard: Storyboard, opens: Opens) -> Stage:
    """Everything that a talk or a handout needs.

    Args:
        storyboard: as it was read.
        opens: gives the model of a name.

    Raises:
        StoryboardError: there is no scene, or one names what is not there.
    """
    if not storyboard.scenes:
        raise StoryboardError("The storyboard has no scene.")
    sights = Sights(opens, storyboard.checkpoint or CHECKPOINT)
    found: list[Staged] = []
    for number, scene in enumerate(storyboard.scenes, 1):
        try:
            found.append(_staged(scene, number, sights.of(scene)))
            _check_live(found)
        except HeadlightError as error:
            place = f"Scene {number}" + (f", line {scene.line}" if scene.line else "")
            raise StoryboardError(f"{place}: {said_of(error)}.") from error
    return Stage(storyboard, tuple(found))


def _check_live(scenes: list[Staged]) -> None:
    """Nothing, where the last scene is not live, or can be: its model runs in a page, and is that of all live ones."""
    *before, last = scenes
    if not last.scene.live:
        return
    source = last.sight.source
    if not isinstance(source, Translator):
        raise StoryboardError(f"only a checkpoint of our own can be live, and {source.name} is none")
    for each in before:
        if each.scene.live and each.sight.source.name != source.name:
            raise StoryboardError(
                f"live scenes of one talk have one model, and {source.name} is another than {each.sight.source.name}"
            )


def _staged(scene: TalkScene, number: int, sight: Sight) -> Staged:
    first = now = selected(sight, scene.link)
    steps = []
    for step in scene.steps:
        after = selected(sight, step.link, now)
        after = highlight(sight, after, step.light) if step.light else after
        steps.append(write_link(after, now))
        now = after
    problems = [
        Problem(number, scene.line, said, wrong)
        for said in scene.expect
        if (wrong := _wrong(parse_expectation(said), sight, first))
    ]
    predict = _options(scene.predict, sight, first) if scene.predict else None
    return Staged(scene, sight, first, tuple(steps), predict, tuple(problems))


def _wrong(expected: Expectation, sight: Sight, shown: Selection) -> str:
    """What is the case instead; "" where it is as expected."""
    if expected.what in ("contains", "is"):
        said = sight.translation.text
        holds = said == expected.text if expected.what == "is" else expected.text in said
        return "" if holds else f"the translation is {said}"
    reading = word_map(sight, selected(sight, expected.link, shown))
    row, column = place_of(reading.rows, expected.row), place_of(reading.columns, expected.column)
    values = reading.weights[row]
    if expected.what == "argmax":
        most = int(values.argmax())
        return "" if most == column else f"the largest is {reading.columns[most].text} with {values[most]:.2f}"
    value = float(values[column])
    holds = value > expected.number if expected.than == "above" else value < expected.number
    return "" if holds else f"it is {value:.3f}"


def _options(predict: Predict, sight: Sight, shown: Selection) -> Predict:
    """The question with its options; a map's own are the strongest columns of the row, in the order of the sentence."""
    if not predict.row:
        return predict
    reading = word_map(sight, replace(shown, hide_special=True))
    values = reading.weights[place_of(reading.rows, predict.row)]
    best: dict[str, int] = {}
    for place in sorted(range(len(values)), key=lambda place: -values[place]):
        best.setdefault(reading.columns[place].text, place)
    words = [place for name, place in best.items() if any(sign.isalnum() for sign in name)]
    places = (words if len(words) >= OPTIONS[0] and words[0] == next(iter(best.values())) else list(best.values()))[
        : OPTIONS[1]
    ]
    if len(places) < OPTIONS[0]:
        raise StoryboardError("the sentence is too short for a question about where a head sights")
    asked = sorted(places)
    options = tuple(Both(reading.columns[place].text) for place in asked)
    return replace(predict, options=options, answer=asked.index(places[0]))
