"""Numbers beside sentences of the lessons are the numbers that those sentences are about."""

from __future__ import annotations

import re

import numpy as np
import pytest

from model.analysis.lessons.normalising import by_depth
from model.attribution.per_head import gradient_maps
from tests.pages import SENTENCE, opened, plain_charts, shipped, words
from viz.core.answers.translations import translation
from viz.core.models import entry_of
from viz.core.session import Subject
from viz.core.text import text

pytestmark = shipped


def test_lesson_1_asks_the_row_that_writes_the_chosen_token() -> None:
    made = translation(Subject(SENTENCE, "en-zh")).trace
    weights = made.map("cross", 4, 1)[2]
    said = " ".join(words(opened("lessons", lesson="1", kind="cross", layer=4, head=1, step=3)).split())
    assert f"the query that writes “{made.tgt_outputs[2].text}” over your sentence" in said
    best = made.src[int(weights.argmax())].text
    assert f"comes from “{best}” ({weights.max():.2f})" in said
    own = made.axis_labels("decoder_self")[0]
    said = " ".join(words(opened("lessons", lesson="1", kind="decoder_self", layer=4, head=1, step=3)).split())
    assert f"the query “{own[3].text}” over your sentence" in said


@pytest.mark.parametrize("layer", [1, 4])
def test_lesson_10_names_no_gradient_of_a_key_that_the_mask_hides(layer: int) -> None:
    at = opened("lessons", lesson="10", kind="decoder_self", layer=layer, head=0, l10_token=4)
    made = translation(Subject(SENTENCE, "en-zh"))
    expected = gradient_maps(entry_of("en-zh").opened, made, 4)["decoder_self"][layer, 0]
    drawn = plain_charts(at)[1]["cells"]["values"]
    assert (drawn[np.triu_indices(len(drawn), 1)] == 0).all()
    row, key = np.unravel_index(np.abs(expected).argmax(), expected.shape)
    rows, columns = made.trace.axis_tokens("decoder_self")
    value = f"{expected[row, key]:+.3f}".replace("-", "−")
    assert f"is {value}, at row “{rows[row]}” and key “{columns[key]}”" in " ".join(words(at).split())


@pytest.mark.parametrize("kind", ["encoder_self", "decoder_self", "cross"])
def test_an_even_share_is_of_the_keys_that_a_row_may_see(kind: str) -> None:
    made = translation(Subject(SENTENCE, "en-zh")).trace
    weights = made.weights[kind]
    rows, keys = weights.shape[2:]
    even = sum(1 / (t + 1) for t in range(rows)) / rows if kind == "decoder_self" else 1 / keys
    said = " ".join(words(opened("lessons", lesson="12", kind=kind)).split())
    assert f"even share of the keys that each row may see would be {100 * even:.0f} %" in said


def test_lesson_7_says_the_score_of_what_ships_and_the_highest_apart() -> None:
    entry = entry_of("en-zh")
    judged = {each["step"]: each["dev_bleu"] for each in entry.training_log if "dev_bleu" in each}
    done = int(entry.meta["training"]["steps_done"])
    step = min(judged, key=lambda each: abs(each - done))
    said = " ".join(words(opened("lessons", lesson="7")).split())
    assert f"At step {step:,}, which ships, dev BLEU is {judged[step]:.2f}" in said
    assert f"the highest in the log is {max(judged.values()):.2f}" in said


def test_the_gradients_of_other_seeds_are_as_the_lesson_says() -> None:
    stated = re.search(r"other seeds (\d\.\d) to (\d\.\d)", text("en", "lesson.6.answer.2"))
    assert stated
    ratios = [(found := by_depth(12, seed).gradient)["post"][-1] / found["pre"][-1] for seed in range(1, 5)]
    assert (min(ratios), max(ratios)) == pytest.approx(tuple(map(float, stated.groups())), abs=0.05)


def test_no_lesson_says_what_was_found_wrong() -> None:
    for part in ("lesson.6.idea", "lesson.5.apart.lead", "lesson.2.answer.1", "lesson.12.see"):
        for wrong in ("soon become one", "far ones are not", "hardly learn", "needs a place"):
            assert wrong not in text("en", part)
