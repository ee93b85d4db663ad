from __future__ import annotations

import base64
import contextlib
import io
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from model.__main__ import main
from model.analysis.what_if.fork import decoding_steps
from model.attribution.methods import MethodName, attribution_maps
from model.errors import HeadlightError
from model.folders import CHECKPOINTS
from model.onnx.engine import OnnxEngine, compare
from model.onnx.packed import WeightStore, low_bits, without_weights
from model.onnx.quantize import codes_of, even_codes_of, fineness
from model.own.text.vocab import EOS_ID
from model.own.translator import Translator
from model.trace import HeadRef
from model.writing import LENGTH_ALPHA
from tests.live.asking import ask
from viz.export.live import ASKED_METHODS, ENGINE_METHODS, header_of
from viz.web.payload import pack

onnx = pytest.importorskip("onnx")

TEXTS = (
    "I love you.",
    "When I came home last night the lights were still on and my brother was sleeping on the sofa.",
    "Tom's 555-0012 isn't \u20ac3.50, \U0001f600 he said.",
)
GAINS = {HeadRef("cross", 2, 5): 0.0, HeadRef("encoder_self", 1, 1): 0.3, HeadRef("decoder_self", 0, 2): 2.0}


@pytest.fixture(scope="module")
def shipped() -> Translator:
    return Translator.from_checkpoint("en-zh", device="cpu")


@pytest.fixture(scope="module")
def said() -> list[str]:
    """What the command says while it makes ``folder``."""
    return []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, said: list[str]) -> Path:
    """The graphs of the shipped checkpoint, as the command makes them."""
    into = tmp_path_factory.mktemp("onnx")
    sentences = into / "two.tsv"
    sentences.write_text(f"{TEXTS[0]}\tx\n我爱你\n{TEXTS[1]}\n", encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(["export-onnx", "en-zh", "--out", str(into), "--check", str(sentences)]) == 0
    said.append(printed.getvalue())
    return into


@pytest.fixture(scope="module")
def engine(folder: Path) -> OnnxEngine:
    return OnnxEngine(folder)


def ids_of(translator: Translator, text: str) -> list[int]:
    return translator.encode_source(text)[1][0].tolist()


def test_graphs_write_the_same_tokens_with_the_same_maps_and_votes(shipped: Translator, engine: OnnxEngine) -> None:
    found = compare(shipped, engine, TEXTS, votes=True)
    assert (found.sentences, found.same) == (len(TEXTS), len(TEXTS))
    assert found.map_gap < 1e-4
    assert found.vote_gap < 1e-3


def test_gains_do_what_they_do_to_the_model(shipped: Translator, engine: OnnxEngine) -> None:
    found = compare(shipped, engine, TEXTS, GAINS)
    assert found.same == len(TEXTS)
    assert found.map_gap < 1e-4
    plain, changed = (engine.translate(ids_of(shipped, TEXTS[1]), gains) for gains in ({}, GAINS))
    assert np.abs(plain.maps["cross"][3, :, 0] - changed.maps["cross"][3, :, 0]).max() > 1e-3


def test_a_comparison_sees_what_differs(shipped: Translator, engine: OnnxEngine) -> None:
    muted = {HeadRef("cross", layer, head): 0.0 for layer in range(6) for head in range(8)}
    without = engine.translate(ids_of(shipped, TEXTS[1]), muted)
    assert without.ids != shipped.translate(TEXTS[1]).tgt_ids


def test_nothing_attends_to_a_hidden_source_position(shipped: Translator, engine: OnnxEngine) -> None:
    """What is written without a word has the probability that the model gives it without the word."""
    ids = ids_of(shipped, TEXTS[1])
    written = engine.translate(ids, hidden=[4, 5])
    deleted = np.zeros((1, len(ids)), bool)
    deleted[0, [4, 5]] = True
    expected = shipped.log_probs(shipped.ids(TEXTS[1], written.ids), hidden=deleted)[0].numpy()
    assert np.allclose(written.log_probs, expected, atol=1e-4)
    assert written.maps["cross"][..., [4, 5]].max() == 0
    assert written.maps["encoder_self"][..., [4, 5]].max() == 0
    assert not np.allclose(shipped.log_probs(shipped.ids(TEXTS[1], written.ids))[0].numpy(), expected, atol=1e-2)


def test_a_translation_that_the_cap_cuts_has_all_its_rows(shipped: Translator, engine: OnnxEngine) -> None:
    muted = {HeadRef("decoder_self", layer, head): 0.0 for layer in range(6) for head in range(8)}
    found = [engine.translate(ids_of(shipped, text), muted) for text in TEXTS]
    for written, text in zip(found, TEXTS, strict=True):
        expected = shipped.translate(text, gains=muted)
        assert (written.ids, written.finished) == (expected.tgt_ids, expected.finished)
        assert written.maps["cross"].shape[2] == len(written.ids) + 1


def test_rounded_weights_are_within_half_a_step() -> None:
    weight = np.random.default_rng(0).normal(size=(50, 300)).astype(np.float32)
    weight[7] = 0
    codes = codes_of(weight)
    assert np.abs(codes.whole).max() == 127
    assert (np.abs(codes.values - weight) <= 0.5001 * codes.scale[:, None]).all()
    assert not codes.whole[7].any()
    even = even_codes_of(weight, 300)
    assert (np.abs(even.values - weight) <= 0.5001 * even.scale).all()
    assert np.abs(even.values - weight).max() > 0.4 * even.scale
    assert (even.turned.values == even.values.T).all()
    weight[0, 0] = 1000  # what would not fit two bytes makes the steps larger
    assert even_codes_of(weight, 300).whole[0, 0] == np.iinfo(np.int16).max


def test_every_large_matrix_has_its_fineness(shipped: Translator) -> None:
    names = [name for name, weight in shipped.model.named_parameters() if weight.numel() >= 10_000]
    assert all(fineness(name) > 127 for name in names)
    first, second = (fineness(f"decoder.layers.{layer}.cross_attn.q_proj.weight") for layer in (0, 1))
    assert first > second
    with pytest.raises(KeyError):
        fineness("decoder.layers.0.cross_attn.gate.weight")


def test_a_page_stores_each_weight_once(compact_graphs: Path, folder: Path) -> None:
    store = WeightStore()
    sizes = {}
    for name in ("decoder", "votes"):
        graph = without_weights((compact_graphs / f"{name}.onnx").read_bytes(), store)
        sizes[name] = sum(count for count, _, _ in store.table)
        assert len(graph) < 600_000
    assert sizes["votes"] == sizes["decoder"] > 7_000_000
    plain = (folder / "votes.onnx").read_bytes()
    assert len(without_weights(plain, WeightStore())) > 0.9 * len(plain), "numbers without codes stay where they are"


def test_a_code_keeps_its_low_bits_apart() -> None:
    assert [low_bits(np.array(codes, np.int16)) for codes in ([127, -128], [128, 0], [0, -129], [32767, 5])] == [
        0,
        1,
        1,
        8,
    ]


def test_the_command_writes_a_folder_that_says_what_it_is(folder: Path, said: list[str]) -> None:
    assert "2 of 2 sentences" in said[0]
    facts = json.loads((folder / "engine.json").read_text())
    assert facts["precision"] == "float32"
    assert facts["weights"] == json.loads((CHECKPOINTS / "en-zh" / "meta.json").read_text())["sha256"]


def test_rounded_graphs_are_small_and_nearly_the_same(shipped: Translator, folder: Path, compact_graphs: Path) -> None:
    small, large = ((path / "decoder.onnx").stat().st_size for path in (compact_graphs, folder))
    assert small < 0.6 * large
    found = compare(shipped, OnnxEngine(compact_graphs), TEXTS, votes=True)
    assert found.same == len(TEXTS)
    assert 1e-6 < found.map_gap < 0.05


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_engine_sends_the_viewer_what_python_packs(shipped: Translator, folder: Path, tmp_path: Path) -> None:
    gains = {"c2.5": 0, "e1.1": 0.3, "d0.2": 2}
    template = header_of(message(shipped, TEXTS[0]))
    asked = [{"text": text, "gains": {}} for text in (*TEXTS, "我爱你", " ", "a " * 300)]
    asked += [{"text": TEXTS[1], "gains": gains}, {"text": TEXTS[1], "hidden": [4, 5]}]
    given = {"checkpoint": str(CHECKPOINTS / "en-zh"), "graphs": str(folder), "template": template, "translate": asked}
    answers = ask(given, tmp_path)["translations"]
    assert [answer.get("why") for answer in answers] == [None, None, None, "script", "empty", "tokens", None, None]
    for text, answer in zip(TEXTS, answers, strict=False):
        sent = message(shipped, text)
        expected = header_of(sent)
        assert {**answer["header"], "sorts": 0} == {**expected, "sorts": 0}
        for mine, theirs in zip(answer["header"]["sorts"], expected["sorts"], strict=True):
            for kind, part in theirs["maps"].items():
                assert mine["maps"][kind] == {**part, "high": pytest.approx(part["high"], abs=1e-3)}
        bytes_of = np.frombuffer(base64.b64decode(answer["bytes"]), np.uint8).astype(int)
        codes = np.frombuffer(sent[-len(bytes_of) :], np.uint8).astype(int)
        assert np.abs(bytes_of - codes).max() <= 1
    changed = shipped.translate(TEXTS[1], gains=GAINS)
    assert tuple(answers[-2]["ids"]) == changed.tgt_ids
    assert np.allclose(answers[-2]["logProbs"], changed.log_probs, atol=1e-4)
    assert not np.allclose(answers[1]["logProbs"][:5], changed.log_probs[:5], atol=1e-3)
    assert answers[-1]["ids"] == list(OnnxEngine(folder).translate(ids_of(shipped, TEXTS[1]), hidden=[4, 5]).ids)
    assert answers[-1]["ids"] != answers[1]["ids"]


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_what_deleting_words_costs_is_what_python_says_and_comes_where_it_is_asked_for(
    shipped: Translator, folder: Path, tmp_path: Path
) -> None:
    template = header_of(message(shipped, TEXTS[0], (*ENGINE_METHODS, *ASKED_METHODS)))
    asked = [{"text": TEXTS[1], "costs": costs} for costs in (True, False)]
    given = {"checkpoint": str(CHECKPOINTS / "en-zh"), "graphs": str(folder), "template": template, "translate": asked}
    with_costs, without = ask(given, tmp_path)["translations"]
    assert [sort["name"] for sort in without["header"]["sorts"]] == list(ENGINE_METHODS)
    assert [sort["name"] for sort in without["header"]["more"]] == list(ASKED_METHODS)
    assert with_costs["header"]["more"] == []
    translation = shipped.translate(TEXTS[1], capture=True)
    expected = attribution_maps(shipped, translation, "leave_one_out")["cross"][0, 0]
    (part,) = next(each for each in with_costs["header"]["sorts"] if each["name"] == "leave_one_out")["maps"].values()
    codes = np.frombuffer(base64.b64decode(with_costs["bytes"]), np.uint8)[part["offset"] :][: expected.size]
    found = (codes.astype(float) - 128) / 127 * part["high"]
    assert np.allclose(found.reshape(expected.shape), expected, atol=part["high"] / 127)
    assert np.abs(expected).max() > 1


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_beams_forks_and_candidates_are_those_of_python(shipped: Translator, folder: Path, tmp_path: Path) -> None:
    plain = shipped.translate(TEXTS[1])
    steps = decoding_steps(shipped, TEXTS[1], plain.tgt_ids)
    fork = next((*plain.tgt_ids[:1], each.id) for each in steps[1].candidates if each.id != plain.tgt_ids[1])
    asked = [{"text": text, "beam": beam} for text in TEXTS for beam in (2, 4)]
    asked += [{"text": TEXTS[1], "prefix": fork}, {"text": TEXTS[1], "prefix": [*fork, EOS_ID]}]
    given = {"checkpoint": str(CHECKPOINTS / "en-zh"), "graphs": str(folder), "translate": asked}
    template = header_of(message(shipped, TEXTS[0]))
    *beams, forked, ended = ask({**given, "template": template}, tmp_path)["translations"]
    for each, found in zip(asked, beams, strict=False):
        expected = shipped.search(each["text"], each["beam"], lambda _: None)
        assert [tuple(one["ids"][: len(other.ids)]) for one, other in zip(found["beam"], expected, strict=True)] == [
            other.ids for other in expected
        ]
        assert np.allclose(
            [one["score"] for one in found["beam"]], [h.score(LENGTH_ALPHA) for h in expected], atol=1e-3
        )
        assert tuple(found["ids"]) == shipped.translate(each["text"], each["beam"]).tgt_ids
    assert tuple(forked["ids"]) == shipped.translate(TEXTS[1], prefix=fork).tgt_ids != plain.tgt_ids
    assert (tuple(ended["ids"]), ended["finished"]) == (fork, True)
    likely = [[(each.id, pytest.approx(each.probability, abs=1e-4)) for each in step.candidates] for step in steps[:2]]
    assert [[(c["id"], np.exp(c["logProb"])) for c in step] for step in forked["candidates"][:2]] == likely


def message(translator: Translator, text: str, methods: Sequence[MethodName] = ENGINE_METHODS) -> bytes:
    translation = translator.translate(text, capture=True)
    maps = {method: attribution_maps(translator, translation, method) for method in methods}
    return pack(translation, maps, language="en", model="en-zh")


def test_what_cannot_become_graphs_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export-onnx", "reverse", "--out", str(tmp_path / "x")]) == 2
    assert "letter by letter" in capsys.readouterr().err
    assert main(["export-onnx", "tiny-gpt", "--out", str(tmp_path / "y")]) == 2
    assert "checkpoint of our own" in capsys.readouterr().err
    with pytest.raises(HeadlightError, match="holds no graphs"):
        OnnxEngine(tmp_path)
