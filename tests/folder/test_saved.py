"""What is opened from one file: saved maps, and sounds; whatever is wrong with it is one sentence."""

from __future__ import annotations

import io
import json
import shutil
import struct
import zipfile
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

from model.attribution.export import trace_arrays, trace_npz
from model.common.scenes import shipped_picture
from model.errors import FolderError, MapsError, SoundError
from model.folder.sound import opened_sound, resampled
from model.folder.source import FolderSource
from model.passage import Ask
from model.saved import reading
from model.saved.reading import SavedSource, read_maps
from model.saved.watching import maps_of
from model.source import LacksAbilityError
from tests.folder import tiny

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


RATE = 16_000


def sung(seconds: float, rate: int = RATE, hz: float = 440.0) -> np.ndarray:
    """A tone, float64 [N], half as loud as can be."""
    return 0.5 * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)


def wav(samples: np.ndarray, rate: int = RATE, bits: int = 16, kind: int = 1) -> bytes:
    """A WAV file of samples [N] or [N, channels] between -1 and 1."""
    if kind == 3:
        data = samples.astype(f"<f{bits // 8}").tobytes()
    elif bits == 8:
        data = np.round(samples * 127 + 128).astype(np.uint8).tobytes()
    else:
        whole = np.round(samples * (2 ** (bits - 1) - 1)).astype("<i4")
        data = whole[..., None].view(np.uint8)[..., : bits // 8].tobytes()
    channels = samples.shape[1] if samples.ndim == 2 else 1
    width = channels * bits // 8
    told = struct.pack("<HHIIHH", kind, channels, rate, rate * width, width, bits)
    parts = b"WAVEfmt " + struct.pack("<I", 16) + told + b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(parts)) + parts


@pytest.fixture
def hears(folders):
    """A Whisper whose window is two seconds, and the sounds that it can be given by their names."""
    sounds = {"tone": wav(sung(0.8)), "long": wav(sung(1.6)), "full": wav(sung(2.0))}
    return FolderSource.open(folders("whisper"), pictures=lambda name: sounds.get(name) or shipped_picture(name) or b"")


@pytest.mark.parametrize(("name", "columns", "size"), [("tone", 40, 1), ("long", 40, 2), ("full", 50, 2)])
def test_what_is_shown_of_a_sound_are_the_frames_of_eager_attention_summed_as_keys_and_averaged_as_queries(
    hears, name, columns, size
):
    made = hears.trace(name, "the cat")
    assert (hears.anatomy.reads, list(made.trace.weights)) == ("sound", ["encoder_self", "decoder_self", "cross"])
    with torch.inference_mode():
        arguments = hears.core.form.arguments(hears.ids(name, made.tgt_ids))
        output = tiny.eager(hears.path)(**arguments, output_attentions=True)
    every = {
        kind: torch.cat(getattr(output, f"{kind[:7]}_attentions")).numpy() for kind in ("encoder_self", "decoder_self")
    }
    every["cross"] = torch.cat(output.cross_attentions).numpy()
    np.testing.assert_array_equal(made.trace.weights["decoder_self"], every["decoder_self"])
    ends = [min(100, place * size) for place in range(columns + 1)]
    ends += [100] if ends[-1] < 100 else []
    spans = list(pairwise(ends))
    cross = np.stack([every["cross"][..., start:end].sum(-1) for start, end in spans], -1)
    np.testing.assert_allclose(made.trace.weights["cross"], cross, atol=1e-6)
    keys = np.stack([every["encoder_self"][..., start:end].sum(-1) for start, end in spans], -1)
    queries = np.stack([keys[:, :, start:end].mean(2) for start, end in spans], 2)
    np.testing.assert_allclose(made.trace.weights["encoder_self"], queries, atol=1e-6)
    labels = [label.text for label in made.trace.src]
    assert labels == [f"{0.02 * start:.2f} s" if start < columns * size else "[PAD]" for start, _ in spans]
    assert [label.is_patch for label in made.trace.src] == [label != "[PAD]" for label in labels]


def test_a_spectrogram_is_bright_where_its_sound_is(hears):
    picture, grid = hears.seen("tone")
    values = np.asarray(Image.open(io.BytesIO(picture)), float)
    assert grid == (1, 40)
    loudest = 8 - np.arange(240)[values.mean(1).argmax()] * 8 / 240  # of eight bands, from the bottom
    assert loudest < 3
    assert values.max() == 255


@pytest.mark.parametrize(
    ("bits", "kind", "near"), [(8, 1, 2e-2), (16, 1, 1e-4), (24, 1, 1e-6), (32, 1, 1e-6), (32, 3, 1e-6), (64, 3, 1e-9)]
)
def test_every_sort_of_sample_is_the_same_sound(bits, kind, near):
    two = np.stack((sung(0.1, 44_100), 0.5 * sung(0.1, 44_100)), 1)
    found, rate = opened_sound(wav(two, 44_100, bits, kind), 30)
    assert rate == 44_100
    np.testing.assert_allclose(found, two.mean(1), atol=near)


def test_a_sound_of_another_rate_is_the_same_sound_and_what_is_too_high_for_the_model_is_gone(hears):
    eye = hears.core.form.eye
    found = eye.pixels(wav(np.stack((sung(1.0, 44_100),) * 2, 1), 44_100))
    ours = eye.pixels(wav(sung(1.0)))
    assert found.shape == ours.shape == (1, 200, 9)
    np.testing.assert_array_equal(found[..., -1], ours[..., -1])
    np.testing.assert_allclose(found[0, 2:96], ours[0, 2:96], atol=5e-3)  # not at its ends, where a tone breaks off
    for rate in (8_000, 11_025, 48_000, 44_101):
        middle = resampled(sung(1.0, rate), rate, RATE)
        assert len(middle) == RATE
        np.testing.assert_allclose(middle[2_000:-2_000], sung(1.0)[2_000:-2_000], atol=5e-3)
    high = resampled(sung(1.0, 48_000, 10_000), 48_000, RATE)
    assert np.abs(high[2_000:-2_000]).max() < 5e-3


GOOD = wav(sung(0.1))
REFUSED_SOUNDS = {
    "nothing": (b"", "nothing to hear"),
    "a text": (b"The old baker gives us bread.", "is no WAV file"),
    "an MP3": (b"ID3\x04" + bytes(400), "is no WAV file"),
    "another RIFF": (GOOD.replace(b"WAVE", b"AVI "), "is no WAV file"),
    "a beginning alone": (GOOD[:12], "is damaged"),
    "no samples": (wav(np.zeros(0)), "holds no sample"),
    "no format": (GOOD.replace(b"fmt ", b"tmf "), "is damaged"),
    "cut off": (GOOD[:-100], "is cut off"),
    "too long": (wav(sung(2.5)), "lasts 2.5 s; this model hears 2 s"),
    "too many bytes": (GOOD + bytes(21 * 2**20), "the limit is 20 MB"),
    "three channels": (wav(np.zeros((50, 3))), "has 3 channels"),
    "no channel": (GOOD[:22] + bytes(2) + GOOD[24:], "has 0 channels"),
    "A-law": (wav(sung(0.1), bits=8, kind=6), "of kind 6 with 8 bits"),
    "no rate": (wav(sung(0.1), rate=0), "has 0 samples a second"),
    "no number": (wav(np.array([0.0, np.nan]), bits=32, kind=3), "no sound"),
    "too loud": (wav(np.array([0.0, 1e30]), bits=32, kind=3), "no sound"),
}


@pytest.mark.parametrize("name", REFUSED_SOUNDS)
def test_what_is_no_sound_is_refused_in_one_sentence_and_the_next_is_heard(hears, name):
    data, said = REFUSED_SOUNDS[name]
    hears.core.form.pictures = lambda asked: data if asked == "wrong" else GOOD
    with pytest.raises(SoundError, match=said):
        hears.translate("wrong")
    assert len(hears.trace("right", "the cat").src) == 5


def test_any_cut_or_changed_byte_of_a_wav_file_is_a_sound_or_a_sentence():
    for place in range(44):
        for changed in (GOOD[:place], GOOD[:place] + bytes([GOOD[place] ^ 0xFF]) + GOOD[place + 1 :]):
            with suppress(SoundError):
                samples, rate = opened_sound(changed, 30)
                assert samples.ndim == 1
                assert 0 < len(samples) <= 30 * rate


def test_a_model_that_hears_is_told_a_language_and_writes_no_times(hears):
    assert hears.languages == ((), ("en", "zh"), "", "en")
    told = hears.in_languages("", "zh", "whisper@-zh").translate("tone", capture=True)
    assert [label.text for label in told.tgt[:3]] == ["<|zh|>", "<|transcribe|>", "<|notimestamps|>"]
    assert (told.given, told.trace.tgt_inputs[0].text) == (3, "<|startoftranscript|>")
    made = hears.translate("tone", beam=2)
    assert not set(made.tgt_ids[3:]) & set(hears.never_written)
    assert {40, 41, *range(605, 610)} <= set(hears.never_written)
    plain, muted = hears.log_probs(hears.ids("tone", made.tgt_ids), [{}, {("encoder_self", 1, 0): 0.0}])
    assert not torch.allclose(plain, muted)
    assert hears.anatomy.abilities == {"gains"}
    with pytest.raises(LacksAbilityError, match="shown several together"):
        hears.forced(hears.ids("tone", made.tgt_ids), Ask(("scores",), ("cross",)))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"chunk_length": 1}, "makes 100 × 8 numbers of a sound, but the encoder reads 200 × 8"),
        ({"chunk_length": 10**9}, "the most is 60"),
        ({"n_fft": "x"}, "says n_fft x"),
        (None, "has no preprocessor_config.json"),
    ],
)
def test_a_feature_extractor_that_does_not_fit_is_said(folders, tmp_path, changes, said):
    path = Path(shutil.copytree(folders("whisper"), tmp_path / "whisper"))
    file = path / "preprocessor_config.json"
    if changes is None:
        file.unlink()
    else:
        file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    with pytest.raises(FolderError, match=said):
        FolderSource.open(path)
