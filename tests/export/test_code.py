"""This view as code: the lines are run, and make the numbers that are drawn."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable

import numpy as np
import pytest

from model.analysis.maps.reading import Reading
from model.trace import HeadRef
from tests.pages import array, charts, opened, shipped
from viz.__main__ import main
from viz.export.code import command, python_lines
from viz.export.shown import Shown

pytestmark = shipped
HOSTILE = "I love 'you'\"; import os #\\n {x} \n$(rm)"
HEADS = (HeadRef("cross", 2, 5), HeadRef("cross", 3, 1))


def run(lines: str) -> Reading:
    """What the lines call ``reading``."""
    names: dict[str, object] = {}
    exec(lines, names)
    found = names["reading"]
    assert isinstance(found, Reading)
    return found


def drawn(at) -> np.ndarray:
    return array(charts(at)[0]["data"][0]["text"])


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"kind": "decoder_self", "words": True, "special": True},
        {"pick_combine": "max", "over": ["L1", "L2 H3"], "pick_shift": "read"},
        {"pick_combine": "importance"},
        {"pick_drawn": "norms", "beam": 4},
        {"pick_drawn": "gradient_weight", "pick_of": "2"},
    ],
)
def test_the_lines_on_one_head_make_the_numbers_that_are_drawn(choices) -> None:
    at = opened("one_head", **choices)
    code = next(each.value for each in at.code if "from_checkpoint" in each.value)
    values = drawn(at)
    np.testing.assert_allclose(run(code).weights, values, atol=1e-5)
    if choices:
        plain = run(python_lines(Shown((HeadRef("cross", 0, 0),)), "I love you.", "en-zh")).weights
        assert plain.shape != values.shape or np.abs(plain - values).max() > 0.01


def test_a_hostile_sentence_is_a_literal_in_both() -> None:
    shown = Shown(HEADS[:1], words=True)
    lines = python_lines(shown, HOSTILE, "en-zh")
    assert f"translate({HOSTILE!r}, beam=1" in lines
    compile(lines, "lines", "exec")
    assert shlex.split(command(shown, HOSTILE, "en-zh"))[4] == HOSTILE


@pytest.mark.parametrize(
    "shown",
    [
        Shown(HEADS[:1]),
        Shown(HEADS, how="mean", words=True, hide_special=True, shift="read"),
        Shown(HEADS[:1], drawn="scores"),
    ],
)
def test_the_command_writes_what_the_lines_make(shown: Shown, tmp_path, capsys) -> None:
    argv = shlex.split(command(shown, "I love you.", "en-zh"))
    assert argv[:3] == ["python", "-m", "viz"]
    path = tmp_path / "map.json"
    assert main([str(path) if word == "map.csv" else word for word in argv[3:]]) == 0
    found = json.loads(path.read_text(encoding="utf-8"))
    reading = run(python_lines(shown, "I love you.", "en-zh"))
    np.testing.assert_allclose(found["values"], reading.weights, atol=1e-5)
    assert found["rows"] == [label.text for label in reading.rows]
    assert "我爱你" in capsys.readouterr().out


def test_what_no_command_can_do_has_none() -> None:
    asked: list[Callable[[], str]] = [
        lambda: command(Shown(HEADS[:1], step=1, drawn="gradient"), "a", "en-zh"),
        lambda: command(Shown(HEADS, how="importance"), "a", "en-zh"),
        lambda: command(Shown(HEADS[:1]), "a", "en-zh", forced=(5,)),
    ]
    assert [each() for each in asked] == ["", "", ""]
    assert "prefix=(5,)" in python_lines(Shown(HEADS[:1]), "a", "en-zh", forced=(5,))


def test_heads_that_cannot_be_one_are_refused() -> None:
    mixed = (HEADS[0], HeadRef("encoder_self", 0, 0))
    with pytest.raises(ValueError, match="cannot be combined"):
        Shown(mixed, how="mean")
    with pytest.raises(ValueError, match="two heads of one kind"):
        Shown(mixed, difference=True)
    with pytest.raises(ValueError, match="no head"):
        Shown(())
