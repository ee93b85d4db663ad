"""What stands over every view: the modes, the sentence's tokens, and the one token that every view is about."""

from __future__ import annotations

from math import exp

import pytest

from model.trace import Label
from tests.pages import SENTENCE, choose, components, go_to, opened, prepared, reverse, sent, shipped
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
    bytes_ = [Label("<0xF0>", 0, 0, 1), Label("##<0x9F>", 0, 0, 1), Label("x", 1, 1, 2)]
    assert [each["text"] for each in chips("😀x", bytes_)] == ["😀", "##<0x9F>", "x"]


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
