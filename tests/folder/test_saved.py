"""Files of maps: our own export reads back, one kind alone will do, and whatever is wrong is one sentence."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from model.attribution.export import trace_arrays, trace_npz
from model.errors import MapsError
from model.saved import reading
from model.saved.reading import SavedSource, read_maps
from model.saved.watching import maps_of
from model.source import LacksAbilityError

EVEN = np.full((2, 4, 3, 3), 1 / 3, np.float32)
TOKENS = np.array(["<s>", "un", "##do"])


DOCS = Path(__file__).resolve().parents[2] / "docs" / "your_model.md"


def npz(**arrays: object) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def test_our_own_export_reads_back(translator):
    made = translator.trace("Tom didn't see it.", "汤姆没看见它。")
    back = read_maps(trace_npz(made))
    assert (back.source, back.text, back.log_probs) == (made.source, made.text, pytest.approx(made.log_probs))
    for kind, weights in made.trace.weights.items():
        np.testing.assert_array_equal(back.trace.weights[kind], weights)
        assert [each.text for each in back.trace.axis_labels(kind)[0]] == made.trace.axis_tokens(kind)[0]
    assert [(each.text, each.word) for each in back.src] == [(each.text, each.word) for each in made.src]
    assert trace_arrays(back).keys() == trace_arrays(made).keys()


@pytest.mark.parametrize("places", [[0, 4], [2, 1], [-1, 2], [0, 1, 2], [0.0, 2.0]])
def test_places_that_see_each_other_lie_among_the_tokens(places):
    with pytest.raises(MapsError, match="tgt_together must be two places among tgt_tokens"):
        read_maps(npz(decoder_self=EVEN, tgt_tokens=TOKENS, tgt_together=places))


def test_one_kind_alone_is_an_encoders_or_where_it_hides_the_future_a_decoders():
    found = read_maps(npz(self=EVEN, tokens=TOKENS))
    assert found.trace.kinds == ("encoder_self",)
    assert [(each.text, each.word) for each in found.trace.src] == [("<s>", -1), ("un", 0), ("##do", 0)]
    causal = np.tril(np.ones((1, 1, 3, 3), np.float32)) / np.array([[1], [2], [3]], np.float32)
    assert read_maps(npz(self=causal, tokens=TOKENS)).trace.kinds == ("decoder_self",)
    both = read_maps(npz(cross=EVEN, src_tokens=TOKENS, tgt_tokens=TOKENS, scores_cross=EVEN))
    assert (both.trace.kinds, both.trace.scores["cross"].shape) == (("cross",), EVEN.shape)


def test_the_script_in_the_documentation_writes_a_file_that_reads_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = DOCS.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    exec(compile(script, "docs", "exec"), {})
    found = SavedSource.open(tmp_path / "mine.npz").found
    assert found.trace.cross.shape == (2, 2, 3, 4)
    assert [(each.text, each.word) for each in found.src][-2:] == [("bi", 2), ("##cycle", 2)]


def test_a_file_lacks_everything_that_takes_a_model_and_says_so():
    source = SavedSource(read_maps(npz(self=EVEN, tokens=TOKENS)), "<b>mine</b>.npz")
    assert (source.anatomy.reads, source.anatomy.kinds["encoder_self"].heads) == ("maps", 4)
    for ask in (source.log_probs, source.forced, source.heads_out, source.search):
        with pytest.raises(LacksAbilityError, match="a file of maps holds no model"):
            ask()


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"self": EVEN}, "needs src_tokens|needs tgt_tokens"),
        ({"self": EVEN, "tokens": TOKENS[:2]}, "has 3 rows or columns, but src_tokens holds 2 texts"),
        ({"self": EVEN[0], "tokens": TOKENS}, "must be numbers \\[layer, head, query, key\\]"),
        ({"self": EVEN.astype(int), "tokens": TOKENS}, "must be numbers"),
        ({"self": EVEN * np.nan, "tokens": TOKENS}, "from 0 to 1"),
        ({"self": EVEN * 9, "tokens": TOKENS}, "from 0 to 1"),
        ({"other": EVEN}, "none of self, encoder_self"),
        ({"self": EVEN, "tokens": np.array(["a", {"b": 1}, None], dtype=object)}, "no NPZ file of maps"),
        (
            {"cross": EVEN, "src_tokens": TOKENS, "tgt_tokens": TOKENS, "scores_cross": EVEN[:1]},
            "of the shape of cross",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(arrays, sentence):
    with pytest.raises(MapsError, match=sentence):
        read_maps(npz(**arrays))


def test_a_bomb_a_cut_file_and_text_are_refused_before_they_are_unpacked(monkeypatch):
    whole = npz(self=EVEN, tokens=TOKENS)
    for data in (b"", b"hello", whole[: len(whole) // 2]):
        with pytest.raises(MapsError, match="no NPZ file of maps"):
            read_maps(data)
    monkeypatch.setattr(reading, "MOST_UNPACKED", 10_000)
    monkeypatch.setattr(np, "load", lambda *_, **__: pytest.fail("it was unpacked"))
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("self.npy", bytes(1_000_000))
    assert len(bomb.getvalue()) < 10_000
    with pytest.raises(MapsError, match="unpacks to 1 MB"):
        read_maps(bomb.getvalue())


def test_maps_of_any_model_with_multihead_attention_are_those_that_it_used():
    torch.manual_seed(1)
    model = nn.Transformer(16, 2, 1, 2, 32, batch_first=True).eval()
    src, tgt = torch.randn(1, 5, 16), torch.randn(1, 3, 16)
    with torch.inference_mode():
        plain = model(src, tgt)
        with maps_of(model) as seen:
            watched = model(src, tgt)
    assert {name: tuple(maps.shape) for name, maps in seen.items()} == {
        "encoder.layers.0.self_attn": (1, 2, 5, 5),
        **{f"decoder.layers.{n}.self_attn": (1, 2, 3, 3) for n in range(2)},
        **{f"decoder.layers.{n}.multihead_attn": (1, 2, 3, 5) for n in range(2)},
    }
    np.testing.assert_allclose(plain, watched, atol=1e-5)
    assert not any(each._forward_hooks for each in model.modules())
    cross = torch.cat([seen[f"decoder.layers.{n}.multihead_attn"] for n in range(2)]).numpy()
    made = read_maps(npz(cross=cross, src_tokens=np.array(list("abcde")), tgt_tokens=np.array(["<s>", "x", "y"])))
    np.testing.assert_allclose(made.trace.cross.sum(-1), 1, atol=1e-5)
