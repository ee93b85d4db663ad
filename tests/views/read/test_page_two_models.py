"""The page of two models, through Streamlit's AppTest: no browser."""

from __future__ import annotations

import pytest
import torch

from model.folders import MODELS, resolve
from model.history import load_history
from model.own import checkpoint
from tests.folder import tiny
from tests.pages import charts, choose, markup, opened, reverse, sent, shipped, words
from viz.core import models as listed
from viz.core.text import text

pytestmark = shipped
SENTENCE = "I love you."


@pytest.fixture(scope="module", autouse=True)
def models(tmp_path_factory):
    """A folder with the shipped checkpoint, its cross heads in another order, and with a model of another family."""
    root = tmp_path_factory.mktemp("models")
    tiny.made("marian", root)
    loaded = checkpoint.load(resolve("en-zh"), "cpu")
    with torch.no_grad():
        for layer in loaded.model.decoder.layers:
            block = layer.cross_attn
            for each in (block.q_proj, block.k_proj, block.v_proj):
                each.weight.copy_(each.weight.unflatten(0, (block.n_heads, -1)).flip(0).flatten(0, 1))
                each.bias.copy_(each.bias.unflatten(0, (block.n_heads, -1)).flip(0).flatten(0, 1))
            weight = block.out_proj.weight
            weight.copy_(weight.unflatten(1, (block.n_heads, -1)).flip(1).flatten(1, 2))
    meta = {key: value for key, value in loaded.meta.items() if key != "sha256"}
    checkpoint.save(root / "flipped", loaded.model, (loaded.src_tokenizer, loaded.tgt_tokenizer), meta)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MODELS, str(root))
        listed.forget()
        yield root
    listed.forget()


def test_heads_that_changed_places_find_each_other(en_zh):
    at = opened("two_models", text=SENTENCE, kind="cross", layer=2, head=1, against="flipped")
    n_heads = en_zh.model.config.n_heads
    assert f"flipped · L2 H{n_heads - 2}" in str(charts(at)[0]["layout"]["annotations"])
    board = sent(at)["kinds"][0]
    assert board["values"][2][1] == pytest.approx(1, abs=1e-3)
    assert board["texts"][2][1].endswith(f"→2.{n_heads - 2}")
    assert words(at).count(en_zh.translate(SENTENCE).text) >= 2
    assert f"{sum(en_zh.translate(SENTENCE).log_probs):.2f}".replace("-", "−") in words(at)
    assert text("en", "two.missing") in words(at)


def test_a_folder_that_cuts_words_otherwise_stands_beside_it(en_zh):
    at = opened("two_models", text=SENTENCE, against="marian")
    assert "marian" in words(at)
    assert len(charts(at)) == 1
    assert charts(choose(at, kind="encoder_self", lang="zh"))


@reverse
def test_the_toy_stands_beside_itself_at_a_step_of_its_training():
    at = opened("two_models", checkpoint="reverse", text="headlight")
    assert at.session_state["against"] == "reverse@600"
    assert "reverse · step 600" in words(at)
    past, _ = load_history("reverse", listed.entry_of("reverse").sha256)
    assert past.translation(past.step.tolist().index(600), 0) in words(at)
    finished, _ = listed.entry_of("reverse").alignment
    assert words(at).count(f"{finished['best_head']['aer']:.1f} % (L") == 1, "the table is of the finished weights"
    assert text("en", "two.missing") in words(at)


@reverse
def test_a_model_that_cannot_read_the_sentence_gets_one_sentence():
    at = opened("two_models", text=SENTENCE, against="reverse")
    assert markup(at).count('role="alert"') == 1
    assert not charts(at)


def test_nonsense_in_the_link_is_the_first_choice():
    at = opened("two_models", text=SENTENCE, against="<img src=x>")
    assert at.session_state["against"] == "flipped"
    assert "<img" not in markup(at)


def test_without_a_model_of_its_own_kind_nothing_is_chosen(monkeypatch):
    from viz.widgets import compared_models

    monkeypatch.setattr(compared_models, "others", lambda _name: ["reverse"])
    at = opened("two_models", text=SENTENCE)
    assert text("en", "two.none") in [each.value for each in at.info]
