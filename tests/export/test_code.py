"""This view as code: the lines are run, and make the numbers that are drawn."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable

import numpy as np
import pytest

from model.analysis.what_if.patching import Sweep
from model.attribution.labelled_map import LabelledMap
from model.trace import HeadRef
from tests.pages import opened, reverse, sent, shipped, viewed, words
from viz.__main__ import main
from viz.core.selection import Selection
from viz.export.code import ModelCode, command, patching_lines, python_lines
from viz.export.shown import check

pytestmark = shipped
HOSTILE = "I love 'you'\"; import os #\\n {x} \n$(rm)"
HEADS = (HeadRef("cross", 2, 5), HeadRef("cross", 3, 1))
EN_ZH = ModelCode("en-zh")


def run(lines: str) -> LabelledMap:
    """What the lines call ``reading``."""
    names: dict[str, object] = {}
    exec(lines, names)
    found = names["reading"]
    assert isinstance(found, LabelledMap)
    return found


@pytest.mark.parametrize(
    ("choices", "together"),
    [
        ({"kind": "cross", "layer": 2, "head": 5, "shift": "written"}, None),
        ({"kind": "decoder_self", "layer": 1, "head": 0, "viewer": "h=d1.0,d2.3&x=max"}, [(1, 0), (2, 3)]),
        ({"method": "norms", "kind": "encoder_self", "layer": 0, "head": 1, "beam": 4}, None),
        ({"method": "gradient_weight", "of": "2", "kind": "cross", "layer": 3, "head": 2}, None),
    ],
)
def test_the_lines_make_the_numbers_that_the_viewer_draws(choices, together) -> None:
    at = opened("one_head", **choices)
    found = run(next(each.value for each in at.code if "open_model" in each.value)).weights
    name = choices.get("method", "weights") + (f"@{choices['of']}" if "of" in choices else "")
    shape = (6, 8, *found.shape)
    maps = viewed(at).maps(name, choices["kind"], shape)
    if together:
        expected = np.max([maps[place] for place in together], axis=0)
    else:
        expected = maps[choices["layer"], choices["head"]]
    high = viewed(at).sorts[name]["maps"][choices["kind"]]["high"]
    np.testing.assert_allclose(found, expected, atol=high / 200)
    assert np.abs(found - maps[5, 7]).max() > high / 50


@reverse
@pytest.mark.parametrize("other", [{"donor": "model", "against": "reverse@300"}, {"other": "headnight"}])
def test_the_lines_of_patching_carry_what_the_page_carries(other: dict[str, str]) -> None:
    at = opened("patching", checkpoint="reverse", text="headlight", carry="c0.2", **other)
    names: dict[str, object] = {}
    exec(next(each.value for each in at.code), names)
    found = names["found"]
    assert isinstance(found, Sweep)
    for kind in sent(at)["kinds"]:
        np.testing.assert_allclose(kind["values"], found.heads[kind["kind"]], atol=1e-3)
    assert str(names["written"]) in "".join(words(at).split())
    assert f"{100 * found.heads['cross'][0, 2]:.0f}\xa0%".replace("-", "−") in words(at)


def test_a_hostile_sentence_is_a_literal_in_both() -> None:
    shown = Selection(HEADS[:1], words=True)
    lines = python_lines(shown, HOSTILE, EN_ZH)
    assert f"translate({HOSTILE!r}, beam=1" in lines
    compile(lines, "lines", "exec")
    assert shlex.split(command(shown, HOSTILE, EN_ZH))[4] == HOSTILE
    carried = patching_lines(("a", EN_ZH), (HOSTILE, ModelCode(HOSTILE, HOSTILE)), HOSTILE, forced=(5,))
    assert carried.count(repr(HOSTILE)) == 4
    assert shlex.split(command(shown, "a", ModelCode(HOSTILE, HOSTILE))).count(HOSTILE) == 2
    assert "prefix=(5,)" in carried
    compile(carried, "lines", "exec")


@pytest.mark.parametrize(
    "shown",
    [
        Selection(HEADS[:1]),
        Selection(HEADS, together="mean", words=True, hide_special=True, shift="read"),
        Selection(HEADS[:1], method="scores"),
    ],
)
def test_the_command_writes_what_the_lines_make(shown: Selection, tmp_path, capsys) -> None:
    argv = shlex.split(command(shown, "I love you.", EN_ZH))
    assert argv[:3] == ["python", "-m", "viz"]
    path = tmp_path / "map.json"
    assert main([str(path) if word == "map.csv" else word for word in argv[3:]]) == 0
    (found,) = json.loads(path.read_text(encoding="utf-8"))["maps"]
    reading = run(python_lines(shown, "I love you.", EN_ZH))
    np.testing.assert_allclose(found["values"], reading.weights, atol=1e-5)
    assert found["rows"] == [label.text for label in reading.rows]
    assert "我爱你" in capsys.readouterr().out


def test_what_no_command_can_do_has_none() -> None:
    asked: list[Callable[[], str]] = [
        lambda: command(Selection(HEADS[:1], step=1, method="gradient"), "a", EN_ZH),
        lambda: command(Selection(HEADS[:1]), "a", EN_ZH, forced=(5,)),
    ]
    assert [each() for each in asked] == ["", ""]
    assert "prefix=(5,)" in python_lines(Selection(HEADS[:1]), "a", EN_ZH, forced=(5,))


def test_heads_that_cannot_be_one_are_refused() -> None:
    mixed = (HEADS[0], HeadRef("encoder_self", 0, 0))
    with pytest.raises(ValueError, match="cannot be combined"):
        check(Selection(mixed, together="mean"))
    with pytest.raises(ValueError, match="two heads of one kind"):
        check(Selection(mixed, together="difference"))
    with pytest.raises(ValueError, match="no head"):
        check(Selection())
