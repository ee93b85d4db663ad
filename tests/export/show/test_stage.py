"""Talks on stage: expectations against the model, pages, handouts and the commands."""

from __future__ import annotations

import copy
import html
import json
import re
from pathlib import Path

import numpy as np
import pytest

from model.attribution.labelled_map import LabelledMap, merge_words
from model.translator import Translator, open_model
from tests.pages import shipped as needs_en_zh
from viz.__main__ import main
from viz.export.show import talk as talk_module
from viz.export.show.reading import shipped, shipped_storyboard
from viz.export.show.staged import stage
from viz.export.show.storyboard import Both, Light, Predict, Step, Storyboard, StoryboardError, TalkScene
from viz.export.show.talk import talk_page

pytestmark = needs_en_zh
SENTENCE, TARGET = "The black cat is sleeping on the bed.", "黑猫在床上睡觉。"
HOSTILE = "</script><img src=x onerror=alert(1)>"


def one(**changes: object) -> Storyboard:
    return Storyboard(Both("t"), (TalkScene(**{"text": SENTENCE, "target": TARGET, **changes}),))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", shipped())
def test_the_talks_that_ship_show_what_they_expect(opens, name: str) -> None:
    found = stage(shipped_storyboard(name), opens)
    assert [str(problem) for problem in found.problems] == []
    assert sum(len(scene.scene.expect) for scene in found.scenes) >= 10


def test_an_expectation_is_held_against_the_map(opens, en_zh: Translator) -> None:
    trace = en_zh.trace(SENTENCE, TARGET).trace
    reading = merge_words(LabelledMap(trace.map("cross", 1, 3), trace.tgt_inputs, trace.src))
    row = [label.text for label in reading.rows].index("猫")
    most, least = (reading.columns[int(at(reading.weights[row]))].text for at in (np.argmax, np.argmin))
    value = float(reading.weights[row].max())
    said = {
        f"argmax row 猫 column {most}": True,
        f"argmax row 猫 column {least}": False,
        f"value row 猫 column {most} above {value - 0.001:.4f}": True,
        f"value row 猫 column {most} below {value - 0.001:.4f}": False,
        "translation contains 猫": True,
        "translation is 猫": False,
    }
    found = stage(one(link="h=c1.3&r=read", expect=tuple(said)), opens)
    assert {problem.expected for problem in found.problems} == {each for each, holds in said.items() if not holds}
    assert str(found.problems[0]).startswith(
        f"scene 1: expected argmax row 猫 column {least}, but the largest is {most}"
    )


def test_a_map_gives_its_own_question_and_answer(opens, en_zh: Translator) -> None:
    [scene] = stage(one(link="h=c1.3&r=read", predict=Predict(Both("?"), row="猫")), opens).scenes
    weights = en_zh.trace(SENTENCE, TARGET).trace.map("cross", 1, 3)[2][:-1]
    words = [label.text for label in en_zh.trace(SENTENCE, TARGET).trace.src]
    assert scene.predict
    options = [option.en for option in scene.predict.options]
    assert 2 <= len(options) <= 4
    assert options == sorted(options, key=words.index)
    assert options[scene.predict.answer] == words[int(weights.argmax())]


def test_light_falls_on_the_tokens_that_are_named(opens) -> None:
    steps = (Step(light=Light("猫", "cat")), Step("r=read", Light("猫")), Step(light=Light(column="the#2")))
    [scene] = stage(one(link="h=c1.3", steps=steps), opens).scenes
    assert list(scene.steps) == ["p=t1&q=s2", "r=read&q=", "p=&q=s6"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"link": "h=c9.9"}, "there is no head c9.9"),
        ({"link": "h=e.cleverness"}, "'cleverness' is no measure"),
        ({"link": "d=integrated"}, "'integrated' is no attribution method"),
        ({"link": "d=votes&h=e0.0"}, "there are no votes of e0.0"),
        ({"checkpoint": "/etc/passwd"}, "there is no model '/etc/passwd'"),
        ({"steps": (Step(light=Light("dog")),)}, "'dog' is not among"),
        ({"predict": Predict(Both("?"), row="the#9")}, "'the#9' is not among"),
        ({"expect": ("argmax row x column cat",)}, "'x' is not among"),
        ({"text": "word " * 190, "target": "猫" * 900}, ""),
    ],
)
def test_what_is_not_there_is_one_sentence_that_names_the_scene(opens, changes, said: str) -> None:
    with pytest.raises(StoryboardError, match=r"^Scene 1: ") as caught:
        stage(one(**changes), opens)
    assert said in str(caught.value)
    with pytest.raises(StoryboardError, match="has no scene"):
        stage(Storyboard(Both(), ()), opens)


def test_a_talk_of_many_long_sentences_is_refused(opens) -> None:
    scenes = tuple(TalkScene(f"{number} {'word ' * 150}", "猫" * 150) for number in range(6))
    assert len(stage(Storyboard(Both(), scenes[:1]), opens).scenes) == 1
    with pytest.raises(StoryboardError, match=r"Scene \d: up to here the sentences are too long"):
        stage(Storyboard(Both(), scenes), opens)


def test_a_talk_is_one_page_that_shares_what_its_scenes_share(opens) -> None:
    scenes = (
        TalkScene(SENTENCE, TARGET, link="h=best", title=Both(HOSTILE), note=Both(f"one [click] {HOSTILE}")),
        TalkScene(SENTENCE, TARGET, steps=(Step("d=votes"),)),
        TalkScene("I love you.", minutes=1.5),
    )
    page = talk_page(stage(Storyboard(Both(HOSTILE), scenes, minutes=7), opens), "en")
    [data] = re.findall(r'<script type="application/json" id="scenes">(.*?)</script>', page, re.DOTALL)
    talk = json.loads(data)
    assert [scene["message"] for scene in talk["scenes"]] == [0, 0, 1]
    assert len(talk["messages"]) == 2
    assert (talk["minutes"], talk["scenes"][2]["minutes"]) == (7, 1.5)
    assert talk["scenes"][0]["note"] == ["one", HOSTILE]
    assert HOSTILE not in page
    assert f"<title>{html.escape(HOSTILE)} · Headlight</title>" in page
    assert page.count("<script") == 2
    assert "default-src 'none'" in html.unescape(page)
    assert not re.search(r"<(?:link|img|iframe|script src)", page)
    assert len(page) < 400_000


LIVE = (
    TalkScene(SENTENCE, TARGET),
    TalkScene(SENTENCE, TARGET, live=True),
    TalkScene("I love you.", link="v=all", live=True),
)


def test_live_scenes_share_one_translator_and_other_talks_have_none(opens, monkeypatch) -> None:
    monkeypatch.setattr(talk_module, "engine_parts", lambda *_: {"wasm": b"runtime", "texts": b"vocabulary"})
    shown, plain = (stage(Storyboard(Both(), scenes), opens) for scenes in (LIVE, LIVE[:1]))
    page = talk_page(shown, "en")
    policy = "'wasm-unsafe-eval'; worker-src blob:"
    for name in ("engine", "wasm", "texts"):
        assert page.count(f'<script type="application/octet-stream" id="{name}">') == 1
    assert policy in html.unescape(page)
    said = json.loads(re.findall(r'id="scenes">(.*?)</script>', page, re.DOTALL)[0])
    assert [scene["live"] for scene in said["scenes"]] == [False, True, True]
    assert said["live"]["parts"] == ["wasm", "texts"]
    assert [sort["name"] for sort in said["live"]["header"]["sorts"]] == ["weights", "votes", "rollout"]
    for without in (talk_page(plain, "en"), talk_page(shown, "en", alone=False)):
        assert policy not in html.unescape(without)
        assert 'id="engine"' not in without
        assert json.loads(re.findall(r'id="scenes">(.*?)</script>', without, re.DOTALL)[0])["live"] is None
    monkeypatch.setattr(talk_module, "engine_parts", lambda *_: {"wasm": bytes(27_000_000)})
    with pytest.raises(StoryboardError, match="would bring a translator of 31 MB along; 30 MB is the most"):
        talk_page(shown, "en")
    assert 'id="engine"' not in talk_page(plain, "en")


def test_a_live_scene_needs_a_checkpoint_of_our_own_and_the_talk_one_of_them(opens, en_zh, models: Path) -> None:
    marian = open_model(str(models / "marian"))
    scene = TalkScene("a b c", live=True)
    with pytest.raises(StoryboardError, match=r"^Scene 1: only a checkpoint of our own can be live, and .* is none\.$"):
        stage(Storyboard(Both(), (scene,)), lambda _: marian)
    assert stage(Storyboard(Both(), (TalkScene("a b c"),)), lambda _: marian).scenes
    other = copy.copy(en_zh)
    other.name = "second"
    both = (LIVE[1], TalkScene("I love you.", checkpoint="second", live=True))
    with pytest.raises(StoryboardError, match=r"^Scene 2: live scenes of one talk have one model"):
        stage(Storyboard(Both(), both, "en-zh"), lambda name: other if name == "second" else en_zh)


def test_the_commands_write_check_and_complain(tmp_path: Path, capsys) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(
        "format: 1\nscenes:\n- text: I love you.\n  target: 我爱你。\n  expect: [translation contains 爱]\n", "utf-8"
    )
    bad.write_text(good.read_text("utf-8").replace("contains 爱", "contains 猫"), "utf-8")
    for ending in ("html", "pdf"):
        assert main(["export", str(good), "--output", str(tmp_path / f"talk.{ending}"), "--lang", "zh"]) == 0
        assert (tmp_path / f"talk.{ending}").stat().st_size > 5_000
    assert main(["storyboard", "check", str(good)]) == 0
    assert "expectations that hold: 1 of 1" in capsys.readouterr().out
    for words in (["storyboard", "check", str(bad)], ["export", str(bad), "--output", str(tmp_path / "no.html")]):
        assert main(words) == 2
        assert (
            "scene 1 (line 3): expected translation contains 猫, but the translation is 我爱你"
            in capsys.readouterr().err
        )
    assert not (tmp_path / "no.html").exists()
    assert main(["export", str(bad), "--output", str(tmp_path / "no.html"), "--anyway"]) == 0
    for words in (["export", str(good), "--output", "talk.png"], ["storyboard", "check", "nowhere.yaml"]):
        assert main(words) == 2
        assert capsys.readouterr().err.count("\n") == 1
