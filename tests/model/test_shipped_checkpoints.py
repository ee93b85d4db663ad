"""Every checkpoint that ships: whole, small, honest about its weights, and translating as it did."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path

import numpy as np
import pytest

from model.evaluation.corpus import evaluate
from model.examples import load_example, sentences
from model.folders import CHECKPOINTS, LOG, META, WEIGHTS, available, families, shelf
from model.trace import KINDS
from model.training.prepare import REVERSAL_ALPHABET
from model.translator import Translator

GOLDEN = Path(__file__).resolve().parent / "golden"  # <checkpoint>.tsv: source, tab, greedy translation
MIB = 2**20


@pytest.fixture(scope="module")
def reverse() -> Translator:
    return Translator.from_checkpoint("reverse", device="cpu")


def test_both_checkpoints_ship_and_are_small() -> None:
    assert {"en-zh", "reverse"} <= set(available())
    sizes = {name: sum(file.stat().st_size for file in (CHECKPOINTS / name).glob("*.*")) for name in available()}
    assert max(sizes.values()) <= 36 * MIB
    assert max((CHECKPOINTS / name / WEIGHTS).stat().st_size for name in available()) <= 32 * MIB
    assert sum(sizes.values()) <= 60 * MIB


def test_three_tiny_models_of_other_families_ship_beside_them_in_3_mb() -> None:
    assert families() == ["tiny-bert", "tiny-gpt", "tiny-vit"]
    assert {name: shelf()[name].sort for name in families()} == dict.fromkeys(families(), "folder")
    assert not set(families()) & set(available())
    assert sum(file.stat().st_size for name in families() for file in (CHECKPOINTS / name).iterdir()) <= 3_000_000


@pytest.mark.parametrize("name", families())
def test_a_tiny_model_says_how_it_was_made_and_how_well_it_does(name: str) -> None:
    folder = CHECKPOINTS / name
    meta = json.loads((folder / META).read_text(encoding="utf-8"))
    assert meta["command"].startswith(f"python -m model tiny {name.removeprefix('tiny-')}")
    assert meta["training"]["seed"] == 1
    credits, counts = meta["data"]["credits"], meta["data"].get("sentences_by_source", {})
    assert set(credits["sources"]) == set(counts)
    assert all(each["licence"] and each["credit"] for each in credits["sources"].values())
    log = [json.loads(line) for line in (folder / LOG).read_text(encoding="utf-8").splitlines()]
    assert (log[-1]["step"], log[-1]["loss"] < log[0]["loss"]) == (meta["training"]["steps"], True)
    scores = meta["scores"]
    assert scores.get("right_percent", 100) >= 95
    assert scores.get("masked_first_percent", 100) >= 25
    assert scores.get("perplexity", 1) <= 60


def test_a_config_that_names_no_type_of_transformers_is_a_checkpoint_of_our_own(tmp_path: Path) -> None:
    for name, config in (("ours", {"d_model": 8}), ("theirs", {"model_type": "bert"}), ("broken", "no object")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(config), encoding="utf-8")
        (tmp_path / name / META).write_text("{}", encoding="utf-8")
        (tmp_path / name / WEIGHTS).touch()
    assert (available(tmp_path), families(tmp_path)) == (["broken", "ours"], ["theirs"])


@pytest.mark.parametrize("name", [*available(), *families()])
def test_meta_tells_the_truth_about_the_weights(name: str) -> None:
    meta = json.loads((CHECKPOINTS / name / META).read_text(encoding="utf-8"))
    assert meta["sha256"] == hashlib.sha256((CHECKPOINTS / name / WEIGHTS).read_bytes()).hexdigest()
    assert {"training", "data", "scores"} <= set(meta)
    assert meta["data"]["credits"]["weights_licence"]


@pytest.mark.parametrize("name", available())
def test_golden_translations(name: str) -> None:
    translator = Translator.from_checkpoint(name, device="cpu")
    lines = (GOLDEN / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) >= 5
    expected = dict(line.split("\t") for line in lines)
    assert {source: translator.translate(source).text for source in expected} == expected


@pytest.mark.parametrize("name", available())
def test_stored_examples_are_what_the_checkpoint_says_now(name: str) -> None:
    translator = Translator.from_checkpoint(name, device="cpu")
    kind = translator.src_tokenizer.kind
    assert sentences(kind)
    for sentence in sentences(kind):
        stored = load_example(CHECKPOINTS / name, sentence, translator.meta["sha256"])
        fresh = translator.translate(sentence, capture=True)
        assert stored is not None
        assert (stored.text, stored.src, stored.tgt) == (fresh.text, fresh.src, fresh.tgt)
        assert stored.trace is not None
        assert fresh.trace is not None
        for of_kind in KINDS:
            np.testing.assert_allclose(stored.trace.weights[of_kind], fresh.trace.weights[of_kind], atol=2e-3)
    assert load_example(CHECKPOINTS / name, sentences(kind)[0], "0" * 64) is None, "other weights made it"


def test_reverse_reverses(reverse: Translator) -> None:
    rng = random.Random(2024)
    texts = ["".join(rng.choices(REVERSAL_ALPHABET, k=length)) for length in range(1, 25) for _ in range(10)]
    result = evaluate(reverse, [(text, text[::-1]) for text in texts])
    right = sum(found == text[::-1] for found, text in zip(result.translations, texts, strict=True))
    assert right >= 0.99 * len(texts)


def test_a_cross_attention_head_of_reverse_is_an_anti_diagonal(reverse: Translator) -> None:
    hits, rows = np.zeros((2, 4)), 0
    for text in ("headlight", "stressed", "attention", "abc123", "thequickbrownfox", "zzzzaaaa"):
        trace = reverse.trace(text, text[::-1]).trace
        assert trace is not None
        mirrored = len(text) - 1 - np.arange(len(text))  # row t writes the letter that stands there
        hits += (trace.cross[:, :, : len(text)].argmax(-1) == mirrored).sum(-1)
        rows += len(text)
    assert (hits / rows).max() >= 0.9
    assert (hits / rows).min() < 0.9, "not every head is one, so that the measure tells them apart"
