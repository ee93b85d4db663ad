"""Numbers beside sentences of the lessons are the numbers that those sentences are about."""

from __future__ import annotations

import re

import numpy as np
import pytest

from model.analysis.faithfulness.table import share_on
from model.analysis.lessons.normalising import by_depth
from model.attribution.per_head import gradient_maps
from model.common.scenes import scene
from tests.pages import SENTENCE, choose, components, markup, opened, plain_charts, prepared, shipped, words
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


def pictures(at) -> list[dict]:
    return [each for each in components(at) if "picture" in each]


def test_lesson_10_shows_the_map_and_the_gradient_that_other_code_finds() -> None:
    at = opened("lessons", lesson="10", kind="cross", layer=2, head=1, l10_token=1, l10_scene=4)
    map_, gradient = plain_charts(at)
    subject = Subject(SENTENCE, "en-zh")
    seen = translation(subject)
    np.testing.assert_allclose(map_["cells"]["values"], seen.trace.weights["cross"][2, 1], atol=2e-3)
    expected = gradient_maps(entry_of("en-zh").opened, seen, 1)["cross"][2, 1]
    np.testing.assert_allclose(gradient["cells"]["values"], expected, atol=1e-5)
    assert f"Rows with a gradient here: {int((np.abs(expected).max(1) > 0).sum())}." in words(at)
    assert "weights.register_hook(" in at.code[0].value
    assert [each["signed"] for each in pictures(at)] == [False, True]
    assert all(each["marked"] == np.flatnonzero(scene(4).decides).tolist() for each in pictures(at))


def test_lesson_10_says_which_share_falls_on_the_patches_that_decide() -> None:
    at = opened("lessons", lesson="10", kind="cross", layer=0, head=3, l10_scene=9)
    seen = translation(Subject("scene-9", "tiny-vit"))
    share = float(share_on(seen.trace.weights["encoder_self"][0, 3, 0], scene(9).decides))
    assert f"{share:.0%} of the attention on patches falls on those that decide “{scene(9).answer}”" in words(at)


def test_lesson_11_hides_a_word_from_bert_and_all_that_follows_from_gpt() -> None:
    at = opened("lessons", lesson="11", l11_word=2, l11_layer=1, l11_head=2, l11_scene=3)
    reader = translation(Subject("My sister [MASK] a red bicycle yesterday.", "tiny-bert"))
    writer = translation(Subject("My sister", "tiny-gpt"))
    both, left = plain_charts(at)
    np.testing.assert_allclose(both["cells"]["values"], reader.trace.weights["encoder_self"][1, 2], atol=1e-6)
    shown = left["cells"]["values"]
    size = len(shown)
    assert (shown[np.triu_indices(size, 1)] == 0).all()
    said = words(at)
    assert f"{(size + 1) / (2 * size):.0%} of the pairs" in said
    assert reader.tgt[0].text in said
    assert writer.tgt[writer.given].text.replace("Ġ", "").strip() in said
    assert pictures(at)[0]["marked"] == np.flatnonzero(scene(3).decides).tolist()
    assert "[4, 37, 37]" in at.code[2].value


@pytest.mark.parametrize("typed", ["Hi.", "word " * 60, "<b>bold</b> & <i>so</i> on"])
def test_lesson_11_takes_a_sentence_of_its_own_where_the_visitors_cannot_be_read(typed: str) -> None:
    at = choose(prepared("lessons", text=typed, lesson="11"))
    assert len(plain_charts(at)) == 2
    assert "<b>" not in markup(at)


def test_a_scene_is_seen_with_its_patches_outlined_and_a_drawing_without() -> None:
    at = choose(prepared("", checkpoint="tiny-vit", text="scene-8", layer=0, head=3))
    decides = scene(8).decides
    sent = pictures(at)[0]
    assert sent["marked"] == np.flatnonzero(decides).tolist()
    row = translation(Subject("scene-8", "tiny-vit")).trace.weights["encoder_self"][0, 3, 0, 1:].astype(float)
    assert f"{row[decides.ravel()].sum() / row.sum():.0%} falls on them" in words(at)
    assert text("en", "picture.scene-8") in str(at.get("button_group"))
    plain = choose(at, text="house")
    assert pictures(plain)[0]["marked"] == []
    assert "falls on them" not in words(plain)


def test_about_tells_where_a_tiny_model_comes_from() -> None:
    at = choose(prepared("about", checkpoint="tiny-bert", text="A [MASK]."))
    assert any("tatoeba" in each.value.to_string() for each in at.dataframe)
