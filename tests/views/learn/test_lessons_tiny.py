"""Lessons 10 and 11, and the truth meter of a picture: what stands there is what other code finds."""

from __future__ import annotations

import numpy as np
import pytest

from model.analysis.faithfulness.table import share_on
from model.attribution.per_head import gradient_maps
from model.common.scenes import scene
from tests.pages import SENTENCE, choose, components, markup, opened, plain_charts, prepared, shipped, words
from viz.core.answers.translations import translation
from viz.core.models import entry_of
from viz.core.session import Subject
from viz.core.text import text

pytestmark = shipped


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
