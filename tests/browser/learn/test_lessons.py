"""The lessons in a browser: by keyboard alone, in the dark, and within the time that a slider may take."""

from __future__ import annotations

import pytest

RESULT = "text=result = "


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_the_query_moves_by_keyboard_and_the_result_with_it(visit, color_scheme):
    page = visit("lessons", text="Two cats sleep.")
    page.wait_for_selector(f"{RESULT}0.60·10 + 0.40·5 + 0.00·2 = 8.00")
    fruit = page.get_by_role("slider").first
    fruit.focus()
    page.keyboard.press("Home")
    page.wait_for_selector(f"{RESULT}0.00·10")
    assert "l1_fruit=-4" in page.url


def test_a_lesson_is_chosen_by_keyboard_and_its_answer_shown(visit, reopen):
    page = visit("lessons", text="Two cats sleep.", lesson=3)
    page.get_by_role("radio").nth(2).focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("h3:has-text('4 · Masks')")
    assert "lesson=4" in page.url
    answer = page.get_by_text("210: 1 + 2 + … + 20.")
    assert not answer.is_visible()
    page.get_by_text("How many of the 400 cells").focus()
    page.get_by_text("How many of the 400 cells").click()
    answer.wait_for(state="visible")
    again = reopen(page)
    again.wait_for_selector("h3:has-text('4 · Masks')")
