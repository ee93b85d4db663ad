"""Shipped tables that lack a method which was added later, and tables that are broken in truth."""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from model.__main__ import main
from model.analysis.alignment.known_pairs import ALIGNMENT, load_alignment, unaligned_methods
from model.analysis.faithfulness.table import FAITHFULNESS, MEASURES, load_faithfulness, rows_of, unscored_methods
from model.commands.shared.options import made_by
from model.errors import CorpusError, EmptySentenceError
from model.evaluation.corpus import evaluate
from model.examples import load_example, sentences
from model.folders import CHECKPOINTS, LOG, META, WEIGHTS, available, families, shelf
from model.own.checkpoint import BACKWARD
from model.pairs import score_pairs
from model.release.parts import PARTS, Job
from model.tables import load_table, save_table
from model.trace import KINDS
from model.training.prepare import REVERSAL_ALPHABET
from model.translator import Translator


def test_a_table_is_only_for_the_weights_that_made_it(tmp_path: Path) -> None:
    folder = f"{tmp_path}/"
    assert load_table(folder, "t.json", "a", bool) == (None, "missing")
    table = {"sha256": "a", "x": 1}
    assert save_table(folder, "t.json", table) == tmp_path / "t.json"
    assert load_table(folder, "t.json", "a", lambda found: found["x"] == 1) == (table, "")
    assert load_table(folder, "t.json", "b", lambda found: found["x"] == 1) == (None, "stale")
    assert load_table(folder, "t.json", "a", lambda found: found["y"] == 1) == (None, "damaged")
    (tmp_path / "t.json").write_text("{", encoding="utf-8")
    assert load_table(folder, "t.json", "a", bool) == (None, "damaged")


def test_pairs_that_cannot_be_read_are_left_out_by_number() -> None:
    done, scored = [], []

    def score(pair: int) -> None:
        if pair < 0:
            raise EmptySentenceError("nothing there")
        scored.append(pair)

    assert score_pairs([5, -1, 7], score, done.append) == {2: "nothing there"}
    assert (scored, done) == ([5, 7], [1, 2, 3])
    with pytest.raises(CorpusError, match="the first: nothing there"):
        score_pairs([-1, -2], score)
    with pytest.raises(CorpusError, match="there is none"):
        score_pairs([], score)


def test_the_command_that_is_saved_holds_no_path(translator, tmp_path: Path) -> None:
    tsv, folder = tmp_path / "dev.tsv", tmp_path / "tiny"
    argv = ["heads", "--tsv", str(tsv), "--checkpoint", str(folder), "--save"]
    made = made_by(argparse.Namespace(tsv=tsv, checkpoint=str(folder), argv=argv), translator)
    assert made["command"] == f"python -m model heads --tsv dev.tsv --checkpoint {translator.name} --save"
    assert str(tmp_path) not in json.dumps(made)


def test_options_are_typed_in_full_since_some_are_left_out_by_name(capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["heads", "--tsv", "dev.tsv", "--par", "1/3"])
    assert ended.value.code == 2
    assert "unrecognized arguments: --par 1/3" in capsys.readouterr().err


Table = dict[str, Any]
LATER = "alti"  # stands for a method that was added after the table was made


@pytest.fixture
def reverse(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    folder.mkdir()
    for name in (FAITHFULNESS, ALIGNMENT, "meta.json"):
        shutil.copy(CHECKPOINTS / "reverse" / name, folder)
    return folder


def changed(folder: Path, file: str, change: Callable[[Table], object]) -> tuple[Table | None, str]:
    """What is loaded once a table was changed."""
    path = folder / file
    table = json.loads(path.read_text(encoding="utf-8"))
    change(table)
    path.write_text(json.dumps(table), encoding="utf-8")
    load = load_faithfulness if file == FAITHFULNESS else load_alignment
    return load(f"{folder}/", table["sha256"])


def drop_scores(table: Table) -> None:
    for part in (table["pairs"], table["seconds"], *(each["rows"] for each in table["settings"])):
        del part[LATER]


def drop_rates(table: Table) -> None:
    for by_method in (*table["aer"].values(), table["named"]):
        del by_method[LATER]


def test_an_older_table_of_faithfulness_is_read_and_the_newer_method_is_not_measured(reverse: Path) -> None:
    whole, _ = load_faithfulness(f"{reverse}/", json.loads((reverse / "meta.json").read_text())["sha256"])
    assert unscored_methods(whole) == set()
    table, why = changed(reverse, FAITHFULNESS, drop_scores)
    assert why == ""
    assert unscored_methods(table) == {LATER}
    rows, before = rows_of(table), rows_of(whole)
    assert list(rows) == list(before)
    missing = rows.pop(LATER)
    assert {part for measure in MEASURES for part in missing[measure].values()} == {None}
    assert rows == {name: cells for name, cells in before.items() if name != LATER}
    assert rows_of(table, "nobody asked for") == {}


def test_an_older_alignment_table_is_read(reverse: Path) -> None:
    table, why = changed(reverse, ALIGNMENT, drop_rates)
    assert (unaligned_methods(table), why) == ({LATER}, "")


@pytest.mark.parametrize(("part", "drop"), [("faithfulness", drop_scores), ("alignment", drop_rates)])
def test_a_table_without_a_newer_method_is_made_anew_by_the_release(reverse: Path, part: str, drop) -> None:
    job = Job(f"{reverse}/", reverse, None)
    assert PARTS[part].is_fresh(job)
    changed(reverse, f"{part}.json", drop)
    assert not PARTS[part].is_fresh(job)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table["settings"][1]["rows"].pop(LATER),  # in the other settings it is there
        lambda table: table["settings"][0]["rows"].pop("random"),
        lambda table: table["settings"][0]["rows"]["norms"].pop("sufficiency"),
        lambda table: table["settings"][0]["rows"]["norms"]["sufficiency"].update(mean="0.5"),
        lambda table: table["pairs"].pop(LATER),
        lambda table: table.update(best="nonsense"),
        lambda table: table.update(settings=[]),
        lambda table: [part.pop("norms") for part in (table["pairs"], table["seconds"])],
    ],
)
def test_a_broken_table_of_faithfulness_is_damaged(reverse: Path, change) -> None:
    assert changed(reverse, FAITHFULNESS, change) == (None, "damaged")


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table["aer"]["grow"].pop(LATER),  # the other rule has it
        lambda table: table["aer"].pop("grow"),
        lambda table: [rates.pop("weights") for rates in table["aer"].values()],
        lambda table: table["aer"]["argmax"]["norms"]["read"].pop("layers"),
        lambda table: table["best"].update(method="nonsense"),
        lambda table: table["best_head"].update(layer="0"),
    ],
)
def test_a_broken_alignment_table_is_damaged(reverse: Path, change) -> None:
    assert changed(reverse, ALIGNMENT, change) == (None, "damaged")


GOLDEN = Path(__file__).resolve().parent / "golden"  # <checkpoint>.tsv: source, tab, greedy translation
MIB = 2**20


@pytest.fixture(scope="module")
def reverse_model() -> Translator:
    return Translator.from_checkpoint("reverse", device="cpu")


def test_both_checkpoints_ship_and_are_small() -> None:
    assert {"en-zh", "reverse"} <= set(available())
    sizes = {name: sum(file.stat().st_size for file in (CHECKPOINTS / name).glob("*.*")) for name in available()}
    assert max(sizes.values()) <= 36 * MIB
    assert max((CHECKPOINTS / name / WEIGHTS).stat().st_size for name in available()) <= 32 * MIB
    assert sum(sizes.values()) <= 60 * MIB
    assert (CHECKPOINTS / "en-zh" / BACKWARD / WEIGHTS).stat().st_size <= 21 * MIB


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


def test_reverse_reverses(reverse_model: Translator) -> None:
    rng = random.Random(2024)
    texts = ["".join(rng.choices(REVERSAL_ALPHABET, k=length)) for length in range(1, 25) for _ in range(10)]
    result = evaluate(reverse_model, [(text, text[::-1]) for text in texts])
    right = sum(found == text[::-1] for found, text in zip(result.translations, texts, strict=True))
    assert right >= 0.99 * len(texts)


def test_a_cross_attention_head_of_reverse_is_an_anti_diagonal(reverse_model: Translator) -> None:
    hits, rows = np.zeros((2, 4)), 0
    for text in ("headlight", "stressed", "attention", "abc123", "thequickbrownfox", "zzzzaaaa"):
        trace = reverse_model.trace(text, text[::-1]).trace
        assert trace is not None
        mirrored = len(text) - 1 - np.arange(len(text))  # row t writes the letter that stands there
        hits += (trace.cross[:, :, : len(text)].argmax(-1) == mirrored).sum(-1)
        rows += len(text)
    assert (hits / rows).max() >= 0.9
    assert (hits / rows).min() < 0.9, "not every head is one, so that the measure tells them apart"
