"""What may be shown: BertViz's arguments, what models return, TransformerLens' caches, files; and what may not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import traitlets

import headlight
from model.attribution.export import trace_npz
from model.trace import HeadRef
from model.translator import Translator
from tests.folder import tiny
from tests.pages import shipped
from viz.core.selection import Selection
from viz.export.notebook import shown_maps
from viz.export.notebook.show import MOST_CELLS

RNG = np.random.default_rng(27)
TOKENS = ["[CLS]", "un", "##do", "it", "[SEP]"]


def weights(layers: int = 2, heads: int = 3, queries: int = 5, keys: int = 5, causal: bool = False) -> list[np.ndarray]:
    """Layers [1, head, query, key] whose rows sum to 1."""
    raw = RNG.random((layers, 1, heads, queries, keys), dtype=np.float32) + 0.01
    raw = np.tril(raw) if causal else raw
    return list(raw / raw.sum(-1, keepdims=True))


def test_attentions_of_one_kind() -> None:
    given = weights()
    shown = headlight.show(attentions=given, tokens=TOKENS)
    assert shown.shown.trace.kinds == ("encoder_self",)
    np.testing.assert_array_equal(shown.map("e1.2"), given[1][0, 2])
    assert shown.selection == Selection((HeadRef("encoder_self", 0, 0),), shift="read")
    causal = headlight.show(attentions=weights(causal=True), tokens=["Ġthe", "Ġanim", "al", "Ġis", "<eos>"])
    assert causal.shown.trace.kinds == ("decoder_self",)
    assert [label.text for label in causal.shown.trace.tgt_inputs] == ["the", "anim", "##al", "is", "<eos>"]


@pytest.mark.parametrize("as_given", [list, tuple, np.stack, lambda layers: [torch.tensor(each) for each in layers]])
def test_lists_arrays_and_tensors_are_the_same(as_given) -> None:
    given = weights()
    shown = headlight.show(as_given(given), TOKENS)
    np.testing.assert_array_equal(shown.map("e0.1"), given[0][0, 1])


def test_bertviz_arguments() -> None:
    en, de = ["▁I", "▁love", "▁you", "</s>"], ["<pad>", "▁Ich", "▁liebe"]
    encoder, decoder, cross = weights(2, 3, 4, 4), weights(2, 3, 3, 3, causal=True), weights(2, 3, 3, 4)
    shown = headlight.show(
        encoder_attention=encoder,
        decoder_attention=decoder,
        cross_attention=cross,
        encoder_tokens=en,
        decoder_tokens=de,
        layer=1,
        heads=[0, 2],
    )
    assert shown.shown.trace.kinds == ("encoder_self", "decoder_self", "cross")
    assert shown.selection.heads == (HeadRef("cross", 1, 0), HeadRef("cross", 1, 2))
    np.testing.assert_array_equal(shown.map("c1.2"), cross[1][0, 2])
    assert shown.shown.trace.axis_tokens("cross") == (["<pad>", "Ich", "liebe"], ["I", "love", "you", "</s>"])
    shown.selection = ("c1.1", 2, 3)
    assert "p=t1&q=s3" in shown.link, "the viewer counts what a decoder reads from -1"
    assert (shown.token, shown.key) == (2, 3)
    kept = headlight.show(cross_attention=cross, encoder_tokens=en, decoder_tokens=de, include_layers=[1])
    np.testing.assert_array_equal(kept.map("c0.0"), cross[1][0, 0])
    plain = headlight.show(encoder_attention=encoder, encoder_tokens=en, prettify_tokens=False, display_mode="dark")
    assert plain.shown.trace.src[0].text == "▁I"
    assert "c=dark" in plain.link


def test_what_models_of_transformers_return(tmp_path: Path) -> None:
    import transformers

    folder = tiny.made("bert", tmp_path)
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager")
    outputs = model(torch.tensor([[1, 2, 3, 4, 5]]), output_attentions=True)
    shown = headlight.show(outputs, TOKENS)
    np.testing.assert_allclose(shown.map("e1.0"), outputs.attentions[1][0, 0].detach(), atol=1e-6)
    with pytest.raises(ValueError, match="output_attentions=True"):
        headlight.show(model(torch.tensor([[1, 2, 3, 4, 5]])), TOKENS)


def test_a_cache_of_transformer_lens() -> None:
    given = weights(causal=True)
    cache = {f"blocks.{i}.attn.hook_pattern": torch.tensor(each) for i, each in enumerate(given)}
    shown = headlight.show({**cache, "blocks.0.attn.hook_q": torch.zeros(1)}, ["<|bos|>", " the", " anim", "al", "."])
    np.testing.assert_array_equal(shown.map("d1.2"), given[1][0, 2])
    assert [label.text for label in shown.shown.trace.tgt_inputs] == ["<|bos|>", "the", "anim", "##al", "."]
    with pytest.raises(ValueError, match="no attention in a dict"):
        headlight.show({"blocks.0.attn.hook_q": 1}, ["a"])


def test_a_file_of_maps(tmp_path: Path, translator: Translator) -> None:
    found = translator.translate("Tom is tired.", capture=True)
    (tmp_path / "mine.npz").write_bytes(trace_npz(found))
    shown = headlight.show(tmp_path / "mine.npz")
    np.testing.assert_array_equal(shown.map("c1.3"), found.trace.map("cross", 1, 3))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"attentions": weights(), "tokens": ["a"]}, "5 rows or columns, but 1 encoder_tokens"),
        ({"attentions": weights()}, "but 0 encoder_tokens"),
        ({"attentions": [None, None], "tokens": TOKENS}, "attn_implementation='eager'"),
        ({"attentions": [np.full((1, 1, 2, 2), 1.5)], "tokens": ["a", "b"]}, "from 0 to 1"),
        ({"attentions": [np.full((1, 1, 2, 2), np.nan)], "tokens": ["a", "b"]}, "from 0 to 1"),
        ({"attentions": [np.ones((2, 1, 2, 2))], "tokens": ["a", "b"]}, r"must be \[1, head"),
        ({"attentions": [*weights(1, 3), *weights(1, 4)], "tokens": TOKENS}, "the same sizes"),
        ({"attentions": [tuple(weights())], "tokens": TOKENS}, "call the model once"),
        ({"attentions": weights(), "tokens": TOKENS, "include_layers": [7]}, "no layer 7"),
        ({"attentions": weights(), "tokens": TOKENS, "head": "e9.9"}, "layers 0–1"),
        ({"cross_attention": weights(), "encoder_tokens": TOKENS}, "needs decoder_tokens"),
    ],
)
def test_what_does_not_fit_is_said(arguments: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        headlight.show(**arguments)


@pytest.mark.parametrize(
    "arguments", [{}, {"attentoins": weights()}, {"attentions": weights(), "tokens": TOKENS, "sentence_b_start": 2}]
)
def test_arguments_that_are_none(arguments: dict) -> None:
    with pytest.raises(TypeError):
        headlight.show(**arguments)


@shipped
def test_a_sentence(en_zh: Translator) -> None:
    shown = headlight.show("I love you.", model=en_zh, methods=("weights", "norms"), head="c2.5")
    found = en_zh.translate("I love you.", capture=True)
    np.testing.assert_allclose(shown.map(), found.trace.map("cross", 2, 5), atol=1e-6)
    assert b'"name":"norms"' in shown._message
    assert repr(shown).startswith('HeadlightWidget(["I love you."')


def test_selection_is_set_and_told(translator: Translator) -> None:
    shown = headlight.show(translator.translate("Tom is tired.", capture=True), methods=())
    heard = []
    shown.observe(lambda change: heard.append(change["new"]), "selection")
    shown.selection = "c1.3"
    shown.link = "h=e0.2&p=s1&w=1"  # as the browser tells it
    looked = Selection((HeadRef("encoder_self", 0, 2),), words=True, rows=("s1",))
    assert heard == [Selection((HeadRef("cross", 1, 3),)), looked]
    assert (shown.token, shown.key) == (1, None)
    shown.selection = ("c0.1", 0)
    assert shown.link == "h=c0.1&w=1&p=t0", "the rest of what is chosen stays"
    for wrong in ("c9.9", ("c0.0", 99), ("c0.0", "t1"), "nonsense", 5, [], Selection((HeadRef("cross", 9, 9),))):
        with pytest.raises(traitlets.TraitError):
            shown.selection = wrong
    chosen = Selection((HeadRef("cross", 0, 1),), words=True, rows=("t0",))
    assert shown.selection == chosen
    shown.link = "h=c9.9"  # no browser of ours says this
    assert shown.selection == chosen
    shown.selection = replace(chosen, view="lines", rows=())
    assert shown.link == "h=c0.1&v=lines&w=1"
    assert shown.token is None


@pytest.mark.parametrize(("head", "token", "key"), [("e0.1", 2, 3), ("d0.1", 0, 1), ("c1.1", 1, None)])
def test_tokens_are_numbered_as_they_were_chosen(
    translator: Translator, head: str, token: int, key: int | None
) -> None:
    cross, decoder = weights(2, 4, 5, 5), weights(2, 4, 5, 5, causal=True)
    names = {"encoder_tokens": TOKENS, "decoder_tokens": TOKENS}
    given = headlight.show(encoder_attention=weights(2, 4), decoder_attention=decoder, cross_attention=cross, **names)
    for shown in (headlight.show(translator.translate("Tom is tired.", capture=True), methods=()), given):
        shown.selection = (head, token, key)
        shown.link = f"{shown.link}&v=lines"
        assert (shown.selection.head.code, shown.token, shown.key) == (head, token, key)


def test_many_cells_are_sent_when_they_are_looked_at() -> None:
    length = 200
    given = weights(4, 30, length, length)
    assert 4 * 30 * length * length > MOST_CELLS
    shown = headlight.show(attentions=given, tokens=[f"t{i}" for i in range(length)])
    assert len(shown._message) < 4 * 30 * shown_maps.SIDE**2 + 50_000
    sent = []
    shown.send = lambda content, buffers: sent.append((content, buffers))
    for asked in ({"ask": "e2.7"}, {"ask": "e9.9"}, {"ask": 5}, "junk"):
        shown._answer(None, asked, [])
    ((said, (data,)),) = sent
    assert said == {"head": "e2.7"}
    found = np.frombuffer(data, np.uint8).reshape(length, length)
    np.testing.assert_allclose((found / 255.0) ** 2, given[2][0, 7], atol=1 / 255)
    small = shown_maps.pooled(given[0][0])
    assert small.shape == (30, shown_maps.SIDE, shown_maps.SIDE)
    assert small.max() == given[0].max()


def test_a_widget_is_saved_as_a_page(tmp_path: Path) -> None:
    shown = headlight.show(attentions=weights(), tokens=TOKENS)
    shown.selection = "e1.2"
    assert shown.save(tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_what_a_model_gave_is_never_changed() -> None:
    given = weights()
    before = [each.copy() for each in given]
    headlight.show(SimpleNamespace(attentions=given), TOKENS)
    np.testing.assert_array_equal(given, before)
    assert all(each.flags.writeable for each in given)
