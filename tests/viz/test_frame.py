"""What stands over every view: the modes, the sentence's tokens, and the one token that every view is about."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from math import exp

import pytest
from streamlit.testing.v1 import AppTest

from model.examples import load_example, sentences
from model.folders import resolve
from model.trace import Label
from model.translator import Translator
from tests.pages import (
    APP,
    SENTENCE,
    charts,
    choose,
    components,
    go_to,
    markup,
    opened,
    prepared,
    reverse,
    sent,
    shipped,
)
from viz.core.models import entry_of
from viz.core.text import ENGLISH as STRINGS
from viz.core.text import text
from viz.core.views import SECTIONS, VIEWS
from viz.widgets.chips import chips

pytestmark = shipped


def line(at) -> dict:
    (shown,) = components(at, frame=True)
    return shown


def test_the_tokens_over_a_view_are_those_of_the_translation_with_what_the_model_gave_them(translation) -> None:
    shown = line(opened("beam"))
    assert "".join(chip["before"] + chip["text"] for chip in shown["source"][:-1]) == SENTENCE
    assert "".join(chip["text"] for chip in shown["target"][:-1]) == translation.text
    assert [chip["sure"] for chip in shown["target"]] == pytest.approx(
        [exp(each) for each in translation.log_probs], rel=1e-5
    )
    assert shown["target"][-1]["special"]


@pytest.mark.parametrize("view", ["step_by_step", "flow", "lens"])
def test_the_token_of_the_link_is_the_one_that_each_view_opens_on(view: str, translation) -> None:
    at = opened(view, step=5)
    assert line(at)["chosen"] == 4
    shown = sent(at)
    assert shown["start" if view == "step_by_step" else "step"] == 5
    go_to(at, "fork").run()
    assert sent(at)["written"] == translation.tgt_ids[4]


@pytest.mark.parametrize("said", ["0", "99", "-1", "<b>", "1.5", "٣", "9" * 50])
def test_a_link_that_names_no_token_is_like_none(said: str) -> None:
    at = prepared("lens", text=SENTENCE)
    at.query_params["step"] = said
    assert line(choose(at))["chosen"] == line(opened("lens"))["chosen"]


def test_another_sentence_has_no_chosen_token_yet() -> None:
    at = opened("flow", step=5)
    at.text_input(key="text").set_value("Two cats sleep.")
    next(button for button in at.button if button.label == "Translate").click().run()
    assert at.session_state["step"] == ""
    assert line(at)["chosen"] == line(opened("flow", text="Two cats sleep."))["chosen"]


def test_where_none_is_chosen_every_view_begins_with_the_same_telling_token() -> None:
    text = "The animal didn't cross the street because it was too tired."
    for view in ("flow", "lens", "beam"):
        shown = line(opened(view, text=text))
        assert shown["target"][shown["chosen"]]["text"] == "它"
    first = next(each for each in components(opened("translate", text=text)) if "written" in each)
    assert first["tgt"][first["chosen"]] == "它"
    assert line(opened("step_by_step", text=text))["chosen"] == 0


@reverse
def test_pieces_of_letters_are_chips_too() -> None:
    shown = line(opened("lens", checkpoint="reverse", text="abc"))
    assert [chip["text"] for chip in shown["target"]] == ["c", "b", "a", "<eos>"]


def test_chips_keep_what_stands_between_and_pinyin_is_for_chinese_alone() -> None:
    labels = [Label("它", 0, 0, 1), Label("!", 1, 2, 3), Label("<eos>")]
    assert [(each["before"], each["text"], each["reading"]) for each in chips("它 !", labels, pinyin=True)] == [
        ("", "它", "tā"),
        (" ", "!", ""),
        (" ", "<eos>", ""),
    ]
    assert {each["reading"] for each in chips("它 !", labels)} == {""}


def test_a_character_of_several_bytes_stands_once() -> None:
    bytes_ = [Label("<0xF0>", 0, 0, 1), Label("##▫", 0, 0, 1), Label("x", 1, 1, 2)]
    assert [each["text"] for each in chips("😀x", bytes_)] == ["😀", "##▫", "x"]


@pytest.mark.parametrize("view", ["translate", "fork", "about"])
def test_the_modes_are_over_every_view_and_the_views_of_its_mode_beside_it(view: str) -> None:
    at = opened(view)
    links = [link.proto.label for link in at.get("page_link")]
    modes = [text("en", f"section.{section}") for section in SECTIONS]
    own = [text("en", f"page.{name}") for name in SECTIONS[VIEWS[view].section]]
    assert links == modes + own


def test_the_examples_are_behind_a_button_over_the_first_view_alone() -> None:
    assert len(opened("translate").button_group(key="example").options) > 3
    assert not [group for group in opened("fork").button_group if group.key == "example"]


FIRST_VISIT = """
import sys
import streamlit as st
from streamlit.testing.v1 import AppTest
from viz.widgets.places import Component

told, mount, html = [], Component.mount, st.html

def mounted(self, *args, **kwargs):
    told.append((self.name, "torch" in sys.modules))
    return mount(self, *args, **kwargs)

def written(body, **kwargs):
    if "hl-translation" in str(body):
        told.append(("translation", "torch" in sys.modules))
    return html(body, **kwargs)

Component.mount, st.html = mounted, written
at = AppTest.from_file("router.py", default_timeout=300).run()
assert not at.exception
print(*told, "torch" in sys.modules, sep="\\n")
"""


def test_the_translation_and_the_first_picture_come_before_pytorch() -> None:
    found = subprocess.run(
        [sys.executable, "-c", FIRST_VISIT], cwd=APP.parent, capture_output=True, text=True, check=True
    )
    told = found.stdout.split("\n")
    assert "('translation', False)" in told
    assert "('token_links', False)" in told
    assert told[-2] == "True", "the model is loaded in the end"


def test_what_is_shown_before_the_model_is_there_is_what_the_model_computes(en_zh: Translator) -> None:
    text = sentences("english")[0]
    stored, made = load_example(resolve("en-zh"), text, entry_of("en-zh").sha256), en_zh.translate(text, capture=True)
    assert stored is not None
    assert (stored.text, stored.tgt_ids, stored.src, stored.tgt) == (made.text, made.tgt_ids, made.src, made.tgt)
    assert stored.log_probs == pytest.approx(made.log_probs, abs=1e-3)
    for kind, maps in made.trace.weights.items():
        assert abs(stored.trace.weights[kind] - maps).max() < 1e-3
    assert load_example(resolve("en-zh"), text, "other weights") is None
    assert load_example(resolve("en-zh"), f"{text} ", entry_of("en-zh").sha256) is None


def test_a_view_that_ends_early_does_not_say_for_ever_that_it_loads() -> None:
    at = prepared("lessons", lesson="8", l8_lines=" ").run()
    loading = STRINGS["app.status.loading"].split("·")[1].strip()
    assert 'role="alert"' in markup(at)
    assert loading not in markup(at)


CHOSEN: list[tuple[str, dict[str, object]]] = [
    ("translate", {"text": "I love you.", "picture": "head", "layer": 2, "head": 5}),
    ("translate", {"method": "norms", "picture": "head", "combine": "mean"}),
    ("alignment", {"align_from": "all", "align_links": "grow"}),
    ("alignment", {"align_view": "truth", "align_method": "norms"}),
    ("compare", {"other": "My brother bought a red bicycle yesterday.", "kind": "encoder_self"}),
    ("compare", {"other": "My sister bought a bicycle.", "method": "norms", "words": True, "special": True}),
    ("one_head", {"kind": "decoder_self", "layer": 1, "head": 3}),
    ("one_head", {"kind": "cross", "layer": 4, "head": 2, "shift": "read", "words": True}),
    ("one_head", {"text": "Two cats sleep.", "lang": "zh", "special": True}),
    ("one_head", {"lines": "model", "kind": "encoder_self"}),
    ("one_head", {"lines": "head", "layer": 3, "head": 1, "special": True}),
    ("heads", {"by": "entropy"}),
    ("heads", {"by": "previous", "scope": "corpus"}),
    ("heads", {"by": "first"}),
    ("heads", {"by": "aligned", "kind": "encoder_self", "layer": 2, "head": 2, "scope": "corpus"}),
    ("step_by_step", {"words": True, "layer": 2}),
    ("beam", {"beam": 4, "width": 3}),
    ("beam", {"beam": 3, "decoded": "ways"}),
    ("flow", {"flow_by": "weights"}),
    ("flow", {"words": True, "text": "I love you."}),
    ("lens", {"text": "Tom does not like tea."}),
    ("inside", {"kind": "encoder_self", "layer": 1, "head": 1, "inside": "3"}),
    ("inside", {"inside_view": "scaling", "layer": 2}),
    ("lessons", {"lesson": "4", "mask": "combined", "lang": "zh"}),
    ("lessons", {"lesson": "4", "mask": "steps", "layer": 2}),
    ("lessons", {"lesson": "5", "show": "similarity"}),
    ("training", {"course": "job", "kind": "encoder_self", "layer": 1, "head": 2}),
    ("trust", {"trust": "sentence"}),
    ("patching", {"checkpoint": "reverse", "text": "headlight", "donor": "model", "against": "reverse@300"}),
    ("mixing_desk", {"mix": "c0.0:0"}),
]


def seen(at: AppTest) -> str:
    """A sum of all that is on the page and of all that its components were sent."""
    sent = [each.proto.bytes for each in at.get("bidi_component") if each.proto.WhichOneof("data") == "bytes"]
    every = [markup(at), repr(charts(at)), repr(components(at)), repr(components(at, frame=True)), repr(sent)]
    frames = [each.proto.srcdoc for each in at.get("iframe")]
    return sha256("\n".join([*every, *frames]).encode()).hexdigest()


@pytest.mark.parametrize(("view", "choices"), CHOSEN, ids=[f"{n}-{view}" for n, (view, _) in enumerate(CHOSEN, 1)])
def test_a_link_shows_another_visitor_exactly_what_was_seen(view: str, choices: dict[str, object]) -> None:
    first = opened(view, **choices)
    link = {name: str(value) for name, value in first.query_params.items() for value in [_last(value)]}
    other = prepared(view)
    for name, value in link.items():
        other.query_params[name] = value
    choose(other)
    assert seen(other) == seen(first)
    assert {name: _last(value) for name, value in other.query_params.items()} == link
    assert seen(opened(view)) != seen(first), "the choices are to be seen"


def _last(value: object) -> object:
    return value[-1] if isinstance(value, list) else value


def test_there_are_thirty_of_them_and_the_sentence_is_in_each() -> None:
    assert len(CHOSEN) >= 30
    assert len({view for view, _ in CHOSEN}) >= 15
    assert opened("flow").query_params["text"] in (SENTENCE, [SENTENCE])
