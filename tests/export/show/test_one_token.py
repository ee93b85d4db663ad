"""A gradient of one token, ``d=gradient@3`` as the viewer writes it, in talks, handouts, pins and saved pages."""

from __future__ import annotations

import base64
import gzip
import json
import re
import struct

import numpy as np
import pytest

from model.attribution.methods import attribution_maps
from model.trace import HeadRef
from model.translator import Translator
from tests.pages import SENTENCE, choose, opened, shipped
from viz.charts.sheet.sheet import SheetStyle, Write
from viz.core.selection import Selection
from viz.export.pages import page_of
from viz.export.show.handout import picture
from viz.export.show.reading import read_storyboard
from viz.export.show.staged import stage
from viz.export.show.storyboard import Both, Step, Storyboard, StoryboardError, TalkScene, parse_link, write_storyboard
from viz.export.show.talk import talk_page
from viz.widgets import pins

pytestmark = shipped
TARGET = "黑猫在床上睡觉。"
SCENE = TalkScene("The black cat is sleeping on the bed.", TARGET, link="h=c1.3&d=gradient@3&r=read")


def one(**changes: object) -> Storyboard:
    return Storyboard(Both("t"), (TalkScene(SCENE.text, TARGET, **changes),))  # type: ignore[arg-type]


def sorts_in(packed: str) -> dict[str, dict]:
    """The sorts of a message in a page, by name, each with its map of L1 H3 of cross-attention as bytes."""
    sent = gzip.decompress(base64.b64decode(packed))
    length = struct.unpack_from("<I", sent)[0]
    header, values = json.loads(sent[4 : 4 + length]), np.frombuffer(sent, np.uint8, offset=4 + length)
    rows, columns = len(header["tokens"]["inputs"]["texts"]), len(header["tokens"]["src"]["texts"])
    found = {}
    for sort in header["sorts"]:
        part = sort["maps"]["cross"]
        size = rows * columns
        start = part["offset"] + (min(part["layers"] - 1, 1) * part["heads"] + min(part["heads"] - 1, 3)) * size
        raw = values[start : start + size].astype(float).reshape(rows, columns)
        found[sort["name"]] = {**sort, "values": (raw - 128) / 127 * part["high"], "high": part["high"]}
    return found


def test_a_link_of_one_token_is_read_and_nonsense_is_not() -> None:
    assert parse_link("h=c1.3&d=gradient@3") == ("c1.3", Selection(method="gradient", step=2))
    for bad in ("gradient@", "@3", "gradient@x", "gradient@3@4", "gradient@12345", "gradient @3", "gradient@0", "luck"):
        with pytest.raises(ValueError, match=r"is no (choice|attribution method)"):
            parse_link(f"d={bad}")


def test_a_talk_shows_the_gradient_of_that_token(opens, en_zh: Translator) -> None:
    scene = TalkScene(SCENE.text, TARGET, link=SCENE.link, steps=(Step("d=gradient@5"), Step("d=gradient")))
    page = talk_page(stage(Storyboard(Both("t"), (scene,)), opens), "en")
    [data] = re.findall(r'id="scenes">(.*?)</script>', page, re.DOTALL)
    talk = json.loads(data)
    assert "d=gradient@3" in talk["scenes"][0]["link"]
    sorts = sorts_in(talk["messages"][0])
    assert list(sorts) == ["weights", "gradient@3", "gradient@5", "gradient"]
    assert sorts["gradient@3"]["title"] == "gradient of 3 在"
    translation = en_zh.trace(SCENE.text, TARGET)
    for name, step in (("gradient@3", 2), ("gradient@5", 4), ("gradient", None)):
        expected = attribution_maps(en_zh, translation, "gradient", step)["cross"][1, 3]
        np.testing.assert_allclose(sorts[name]["values"], expected, atol=sorts[name]["high"] / 200)


def test_an_expectation_is_held_against_the_gradient_of_its_token(opens, en_zh: Translator) -> None:
    maps = attribution_maps(en_zh, en_zh.trace(SCENE.text, TARGET), "gradient", 2)["cross"][1, 3]
    value = float(maps[1, 2])  # after 黑 was read, at "cat"
    said = (f"value row 黑 column cat above {value - 1e-4:.6f}", f"value row 黑 column cat above {value + 1e-4:.6f}")
    for link, method in (("h=c1.3&d=gradient@3&r=read", ""), ("h=c1.3&r=read", " method gradient@3")):
        found = stage(one(link=link, expect=tuple(f"{each}{method}" for each in said)), opens)
        assert [problem.expected for problem in found.problems] == [f"{said[1]}{method}"]


def test_a_handout_names_the_token(opens) -> None:
    [scene] = stage(one(link="h=c1.3&d=gradient@3"), opens).scenes
    for link in (scene.selection, stage(one(link="v=all&d=gradient@3"), opens).scenes[0].selection):
        said = " ".join(
            mark.text for mark in picture(scene.sight, link, "en", SheetStyle()).marks if isinstance(mark, Write)
        )
        assert "gradient of 3 在" in said


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("gradient@99", "'gradient@99' is of a token that is not written"),
        ("gradient@0", "'gradient@0' is no attribution method"),
        ("weights@2", "'weights@2' is no attribution method"),
        ("cleverness@2", "'cleverness@2' is no attribution method"),
    ],
)
def test_a_token_that_is_not_there_is_said_in_one_sentence(opens, method: str, said: str) -> None:
    with pytest.raises(StoryboardError, match=r"^Scene 1: ") as caught:
        stage(one(link=f"d={method}"), opens)
    assert said in str(caught.value)


def test_a_pin_of_one_tokens_gradient_stays_that(opens) -> None:
    at = opened("one_head", kind="cross", layer=1, head=3, method="gradient", of="3")
    at.button(key="pin").click()
    choose(at)
    kept = write_storyboard(Storyboard(Both("t"), at.session_state[pins._PINS]))
    [scene] = read_storyboard(kept).scenes
    assert "d=gradient@3" in scene.link.split("&")
    assert scene.text == SENTENCE
    [staged] = stage(Storyboard(Both("t"), (scene,)), opens).scenes
    assert staged.selection.map_name == "gradient@3"


def test_a_saved_page_holds_the_gradient_that_it_opens_on(en_zh: Translator) -> None:
    translation = en_zh.trace(SCENE.text, TARGET)
    shown = Selection((HeadRef("cross", 1, 3),), method="gradient", step=2)
    page = page_of(en_zh, translation, shown, "en").html
    [message] = re.findall(r'id="message">(.*?)</script>', page, re.DOTALL)
    sorts = sorts_in(message)
    assert "gradient" not in sorts
    expected = attribution_maps(en_zh, translation, "gradient", 2)["cross"][1, 3]
    np.testing.assert_allclose(sorts["gradient@3"]["values"], expected, atol=sorts["gradient@3"]["high"] / 200)
    sent = gzip.decompress(base64.b64decode(message))
    assert b"d=gradient@3" in sent
