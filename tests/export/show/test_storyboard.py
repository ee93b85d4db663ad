"""Storyboards as files: what is read, what is written again, and one sentence for whatever is wrong."""

from __future__ import annotations

import doctest
import re

import pytest

from viz.export.show import storyboard as module
from viz.export.show.reading import MOST_NODES, read_storyboard, shipped, shipped_storyboard, storyboard_in
from viz.export.show.storyboard import (
    MOST_FILE_BYTES,
    MOST_SCENES,
    Both,
    Expectation,
    Light,
    Pointing,
    Predict,
    Step,
    Storyboard,
    StoryboardError,
    TalkScene,
    parse_expectation,
    write_storyboard,
)

HOSTILE = "</script><img src=x onerror=alert(1)> 动物 *&!"
WHOLE = Storyboard(
    Both("A talk: of two", "演讲"),
    (
        TalkScene("I love you.", "我爱你。", "en-zh", "h=best&w=1&t=0.05", "one_head?text=I+love+you.&kind=cross"),
        TalkScene(
            HOSTILE,
            title=Both(HOSTILE, "标题"),
            note=Both("one [click] two\nthree", ""),
            steps=(Step("h=c2.5"), Step(light=Light("it", "animal")), Step("w=0", Light(row="它"))),
            predict=Predict(Both("?"), (Both("a"), Both("b", "乙")), 1),
            expect=("translation contains 猫", "argmax row it column animal method votes"),
        ),
        TalkScene("x", predict=Predict(Both("where?"), row="it#2"), minutes=1.5, live=True, phones="open"),
        TalkScene("x", point=Pointing(Both("Which word?", "哪个词？"), Both(HOSTILE)), phones="none"),
        TalkScene("I love you.", view="flow?step=2&flow_by=norms", points=(Both("one", "一"), Both(HOSTILE))),
    ),
    "en-zh",
    10,
)


def scene(more: str) -> str:
    return f"format: 1\nscenes:\n- text: I love you.\n{more}"


def test_what_is_written_is_read_again_as_it_was() -> None:
    assert read_storyboard(write_storyboard(WHOLE)) == WHOLE
    assert read_storyboard(write_storyboard(Storyboard(Both(), ()))) == Storyboard(Both(), ())
    assert HOSTILE not in str(StoryboardError("x"))


def test_a_view_is_one_of_the_app_and_its_link_leaves_to_the_scene_what_that_says() -> None:
    [found] = read_storyboard(scene("  view: flow?step=2&text=other&checkpoint=x&lang=zh\n")).scenes
    assert found.choices == {"step": "2"}
    for view in ("nothing?step=2", "talk", "flow?<img>", "../flow"):
        with pytest.raises(StoryboardError, match=r"Line 4, scenes\[1\].view"):
            read_storyboard(scene(f"  view: '{view}'\n"))
    with pytest.raises(StoryboardError, match="either a view, or a link with steps"):
        read_storyboard(scene("  view: flow\n  link: h=best\n"))


def test_a_talk_lasts_as_long_as_it_says_or_as_its_scenes_together() -> None:
    scenes = (TalkScene("x", minutes=1.5), TalkScene("y", minutes=2.0), TalkScene("z"))
    assert Storyboard(Both(), scenes).planned == 3.5
    assert Storyboard(Both(), scenes, minutes=10).planned == 10
    assert Storyboard(Both(), ()).planned == 0


def test_a_note_is_cut_at_its_clicks_and_one_language_stands_for_the_other() -> None:
    first, second, third = WHOLE.scenes[:3]
    assert second.fragments("en") == second.fragments("zh") == ["one", "two three"]
    assert first.fragments("en") == []
    assert second.title.of("zh") == "标题"
    assert Both("a").of("zh") == Both(zh="a").of("en") == "a"
    assert third.predict is not None


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("format: 2\nscenes: []", 1, "format"),
        ("format: 1", 1, "scenes is missing"),
        ("format: 1\nscenes: {}", 2, "scenes: must be a list, not a mapping"),
        ("- 1", 1, "must be a mapping, not a list"),
        ("format: 1\nmodel: x\nscenes: []", 2, "'model' is unknown"),
        ("format: 1\nminutes: 99999999999999999999\nscenes: []", 2, "minutes: must be a whole number"),
        ("format: 1\nminutes: 1e3\nscenes: []", 2, "minutes"),
        ("format: 1\nformat: 1\nscenes: []", 2, "format: stands twice"),
        ("format: 1\nscenes:\n- title: x", 3, "scenes[1]: text is missing"),
        ("format: 1\nscenes:\n- text: [1]", 3, "scenes[1].text: must be text, not a list"),
        ("format: 1\nscenes:\n- text: ~", 3, "scenes[1].text: must be text, not nothing"),
        (f"format: 1\nscenes:\n- text: {'a' * 2000}", 3, "scenes[1].text: must have 1 to 1,000 characters"),
        (f"format: 1\nscenes: [{'{text: a}, ' * (MOST_SCENES + 1)}]", 2, "scenes: must have 0 to 40 entries"),
        (scene("  link: h=<img>"), 4, "scenes[1].link: 'h=<img>' is no choice"),
        (scene("  link: z=1"), 4, "scenes[1].link"),
        (scene("  app: javascript:alert(1)"), 4, "scenes[1].app: is no place in the app"),
        (scene("  app: //example.org/"), 4, "scenes[1].app"),
        (scene("  steps: [{run: rm}]"), 4, "'run' is unknown"),
        (scene("  predict: {ask: x}"), 4, "scenes[1].predict: needs options"),
        (scene("  predict: {ask: x, options: [a, b], answer: C}"), 4, "scenes[1].predict.answer: must be one of A, B"),
        (scene("  predict: {ask: x, options: [a], answer: A}"), 4, "options: must have 2 to 4 entries"),
        (scene("  minutes: soon"), 4, "scenes[1].minutes: must be a number from 0 to 600"),
        (scene("  point: {token: [Which]}"), 4, "scenes[1].point.token: must be a mapping, not a list"),
        (scene("  point: {head: {zh: [1]}}"), 4, "scenes[1].point.head.zh: must be text, not a list"),
        (scene("  point: {head: ~}"), 4, "scenes[1].point.head: must be text, not nothing"),
        (scene(f"  point: {{token: {{en: {'x' * 301}}}}}"), 4, "point.token.en: must have 0 to 300 characters"),
        (scene("  point: {word: Which}"), 4, "'word' is unknown; known are token, head"),
        (scene("  view: flow\n  point: {token: Which}"), 3, "has either a view, or words that ask a class to point"),
        (scene("  phones: later"), 4, "scenes[1].phones: must be one of tap, open, none, not 'later'"),
        (scene("  live: maybe"), 4, "scenes[1].live: must be true or false, not 'maybe'"),
        (scene("  live: [true]"), 4, "scenes[1].live: must be text, not a list"),
        (scene("  view: flow\n  live: true"), 3, "has either a view, or is live"),
        (scene("  minutes: -1"), 4, "scenes[1].minutes"),
        (scene("  minutes: 601"), 4, "scenes[1].minutes"),
        (scene("  minutes: .inf"), 4, "scenes[1].minutes"),
        (scene("  expect: [the cat sits]"), 4, "scenes[1].expect[1]: 'the cat sits' is no expectation"),
        (scene("  expect: [argmax row a column b method <img>]"), 4, "scenes[1].expect[1]"),
        (scene("  title: {de: x}"), 4, "'de' is unknown"),
        ("format: 1\nscenes: [", 2, "this is no YAML"),
        ("format: !!python/object/apply:os.system [ls]\nscenes: []", 1, "tags"),
        ("a: &a [1]\nb: *a", 1, "anchors and aliases"),
        ("a: " + "[" * 20, 1, "8 levels deep"),
        ("format: 1\n---\nformat: 1", 2, "one document"),
        (f"a: [{'1, ' * MOST_NODES}]", 1, "10,000 entries"),
    ],
)
def test_whatever_is_wrong_is_one_sentence_with_its_line_and_field(text: str, line: int, field: str) -> None:
    with pytest.raises(StoryboardError) as caught:
        read_storyboard(text)
    said = str(caught.value)
    assert said.startswith(f"Line {line}")
    assert field in said
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) < 400


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "The file is empty."),
        (b"\xff\xfe\x00", "The file is no text in UTF-8."),
        (b"a" * (MOST_FILE_BYTES + 1), "The file has 131,073 bytes; a storyboard has at most 131,072."),
        (b"a: \x00", "no YAML"),
    ],
)
def test_a_file_that_is_no_text_is_one_sentence(data: bytes, said: str) -> None:
    with pytest.raises(StoryboardError, match=re.escape(said)):
        read_storyboard(data)


def test_a_bomb_is_refused_before_it_grows() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60))
    with pytest.raises(StoryboardError, match="anchors and aliases"):
        read_storyboard(bomb)


def test_expectations_are_read_and_others_refused() -> None:
    assert parse_expectation("argmax row 它 column it  method votes") == Expectation(
        "argmax", "它", "it", link="d=votes"
    )
    assert parse_expectation("value row a column b above 0.5 heads c.all together mean") == Expectation(
        "value", "a", "b", than="above", number=0.5, link="h=c.all&x=mean"
    )
    assert parse_expectation("translation is 我 爱你。").text == "我 爱你。"
    for bad in (
        "argmax row a",
        "value row a column b",
        "argmax row a column b above 1",
        "argmax row a column b size 3",
    ):
        with pytest.raises(StoryboardError):
            parse_expectation(bad)


def test_three_talks_ship_in_both_languages() -> None:
    assert set(shipped()) == {"attention", "off-by-one", "which-picture"}
    for name in shipped():
        board = shipped_storyboard(name)
        assert 6 <= len(board.scenes) <= 10
        assert sum(each.minutes for each in board.scenes) == board.minutes
        texts = [board.title, *(text for each in board.scenes for text in (each.title, each.note))]
        texts += [each.predict.ask for each in board.scenes if each.predict]
        assert all(text.en and text.zh for text in texts)
        for each in board.scenes:
            assert len(each.fragments("en")) == len(each.fragments("zh"))
            assert len(each.steps) <= len(each.fragments("en")) - 1
    with pytest.raises(StoryboardError, match="There is no talk 'x'; there are: attention"):
        shipped_storyboard("x")


def test_the_command_line_names_a_file() -> None:
    assert str(storyboard_in(["--models", "m", "--storyboard", "a.yaml"])) == "a.yaml"
    assert str(storyboard_in(["--storyboard=b.yaml"])) == "b.yaml"
    assert storyboard_in(["--models", "m"]) is None
    assert doctest.testmod(module).failed == 0
