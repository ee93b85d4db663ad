"""A text of several sentences in the app: which one every view is about."""

from __future__ import annotations

import re

from model.errors import MAX_PARTS
from tests.pages import choose, markup, opened, prepared, shipped, words
from viz.core.text import ENGLISH as STRINGS

pytestmark = shipped
TEXT = "I love you. The old *dog* sleeps! You love me."


def line(at) -> str:
    return re.search(r'<p class="hl-translation parts"[^>]*>(.*?)</p>', markup(at), re.DOTALL)[1]


def test_the_whole_translation_is_shown_and_the_views_are_about_the_sentence_that_is_chosen(en_zh) -> None:
    at = opened("one_head", text=TEXT)
    parts = [en_zh.translate(text).text for text in ("I love you.", "The old *dog* sleeps!", "You love me.")]
    assert line(at) == f"<mark>{parts[0]}</mark>{parts[1]}{parts[2]}"
    buttons = at.button_group(key="part_shown")
    assert list(buttons.options) == [
        r"1 · I love you\.",
        r"2 · The old \*dog\* sleeps\!",
        r"3 · You love me\.",
    ]
    buttons.set_value(2).run()
    assert not at.exception
    assert line(at) == f"{parts[0]}{parts[1]}<mark>{parts[2]}</mark>"
    assert at.session_state["part"] == "3"
    assert at.session_state["text"] == TEXT
    assert choose(at, part="7").session_state["part_shown"] == 0, "there is no such sentence"


def test_a_link_names_the_sentence_and_another_text_begins_at_its_first() -> None:
    at = prepared("one_head", text=TEXT)
    at.query_params["part"] = "3"
    choose(at)
    assert line(at).endswith("</mark>")
    at.text_input(key="text").set_value("You love me. I love you.")
    next(button for button in at.button if button.label == "Translate").click().run()
    assert line(at).startswith("<mark>")
    assert at.session_state["part"] == ""


def test_one_sentence_has_no_buttons() -> None:
    at = opened("one_head", text="I love you.")
    assert "<mark>" not in markup(at)
    assert not [group for group in at.get("button_group") if group.key == "part_shown"]


def test_too_many_sentences_are_refused_in_one_sentence() -> None:
    at = opened("one_head", text="I love you. " * (MAX_PARTS + 1))
    assert f"The text has {MAX_PARTS + 1} sentences; the limit is {MAX_PARTS}" in words(at)


def test_the_about_page_says_how_the_checkpoint_was_trained() -> None:
    at = choose(prepared("about"))
    name, value = STRINGS["about.name"], STRINGS["about.value"]
    tables = [table.value.to_dict("records") for table in at.dataframe]
    rows = {row[name]: row[value] for table in tables for row in table if name in row}
    assert {"optimizer", "weights_kept", "steps_done"} <= set(rows)
