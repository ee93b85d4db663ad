"""The figures in docs/results.md and the licence are those of the shipped tables."""

from __future__ import annotations

import copy
import dataclasses
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from model.__main__ import main
from model.analysis.alignment.error_table import score_links, table_of
from model.analysis.alignment.known_pairs import truth_pairs
from model.commands.release.history import beginnings, earlier_history, head_rates, tokens_at
from model.errors import CheckpointError, HeadlightError
from model.examples import sentences
from model.folders import CHECKPOINTS, META
from model.history import LEVELS, PAST, coded, load_history, save_history, snapshots, spread
from model.own.network.config import TransformerConfig
from model.pairs import PairScores
from model.release.figures import FIGURES, Tables
from model.release.parts import BLOCK, LICENCE, RESULTS, ROOT, credited, filled, source_table, trained_on
from model.trace import KINDS
from model.training.loop import Trainer
from model.training.prepare import prepare_reversal
from model.training.settings import TrainingSettings
from model.translator import Translator, open_model


@pytest.fixture
def reverse(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    shutil.copytree(CHECKPOINTS / "reverse", folder)
    return folder


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    path = tmp_path / "letters.tsv"
    path.write_text("".join(f"{text}\t{text[::-1]}\n" for text in ("abc", "q1", "zebra")), encoding="utf-8")
    return path


def said(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    lines = [line.split(": ", 2) for line in capsys.readouterr().err.splitlines() if "model tables: " in line]
    return {name: what for _, name, what in lines}


def test_what_other_weights_made_is_made_anew_and_nothing_else(reverse: Path, letters: Path, capsys) -> None:
    (reverse / "examples/0.npz").unlink()
    heads = json.loads((reverse / "heads.json").read_text(encoding="utf-8"))
    (reverse / "heads.json").write_text(json.dumps(heads | {"sha256": "0"}), encoding="utf-8")
    before = (reverse / "alignment.json").read_bytes()
    files = ["--dev", str(letters), "--test", str(letters)]
    assert main(["tables", "--checkpoint", f"{reverse}/", *files, "--again", "--only", "scores"]) == 0
    assert main(["tables", "--checkpoint", f"{reverse}/", *files]) == 0
    what = said(capsys)
    assert what["examples"].endswith(" s")
    assert what["heads"].endswith(" s")
    assert what["alignment"] == what["scores"] == what["faithfulness"] == "is there already"
    assert what["news"] == "left out: it needs --news"
    assert what["licence"].startswith("left out: ")
    assert what["results"] == "left out: docs/results.md is about en-zh"
    assert (reverse / "examples/0.npz").is_file()
    assert (reverse / "alignment.json").read_bytes() == before
    assert json.loads((reverse / "heads.json").read_text(encoding="utf-8"))["sentences"] == 3
    scores = json.loads((reverse / "meta.json").read_text(encoding="utf-8"))["scores"]
    assert (scores["test_exact_percent"], scores["test_pairs"], scores["test_unfinished"]) == (100.0, 3, 0)
    assert main(["tables", "--checkpoint", f"{reverse}/", *files]) == 0
    assert "is there already" in said(capsys)["heads"]


def test_a_part_that_fails_stops_the_command_with_its_reason(reverse: Path, tmp_path: Path, capsys) -> None:
    missing = str(tmp_path / "none.tsv")
    argv = ["tables", "--checkpoint", f"{reverse}/", "--again", "--test", missing, "--only", "scores"]
    assert main(argv) == 2
    assert "there is no file" in capsys.readouterr().err


FOLDER = CHECKPOINTS / "en-zh"


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables.of(FOLDER)


@pytest.mark.parametrize("language", RESULTS)
def test_the_results_say_what_the_tables_say(language: str, tables: Tables) -> None:
    text = RESULTS[language].read_text(encoding="utf-8")
    assert filled(text, tables, language) == text
    assert {match["name"] for match in BLOCK.finditer(text)} == set(FIGURES)
    other = text.replace(f"{tables.alignment['best']['aer']:.1f} %", "0.1 %")
    assert other != text
    assert filled(other, tables, language) == text


def test_the_figures_are_in_the_tables(tables: Tables) -> None:
    """Read from the files by hand, not by the code that writes the document."""
    text = RESULTS["en"].read_text(encoding="utf-8")
    meta = json.loads((FOLDER / META).read_text(encoding="utf-8"))
    assert f"greedy BLEU {meta['scores']['test_bleu_greedy']:.1f}" in text
    assert f"{sum(meta['data']['pairs_by_source'].values()):,}<!--" in text
    facts = json.loads((FOLDER / "faithfulness.json").read_text(encoding="utf-8"))
    norms = re.search(r"\| norms \| (.*?) \| (.*?) \|", text)
    assert norms is not None
    masked, averaged = (facts["settings"][place]["rows"]["norms"]["comprehensiveness"] for place in (0, 2))
    assert [facts["settings"][place]["way"] for place in (0, 2)] == ["mask", "average"]
    means = [masked["mean"], averaged["mean"]]
    assert [float(cell.strip("*")) for cell in norms.groups()] == [round(mean, 2) for mean in means]
    table = text[text.index("| what is drawn") : text.index("| leave-one-out")]
    assert len(re.findall(r"\*\*[\d.]+\*\*", table)) >= 7, "the best of each of the seven columns is bold"


def test_a_method_without_a_score_is_a_dash_and_one_without_a_title_goes_by_its_name(tables: Tables) -> None:
    older = copy.deepcopy(tables)
    for part in (older.faithfulness["pairs"], *(each["rows"] for each in older.faithfulness["settings"])):
        del part["alti"]
    lines = {line.split(" | ")[0]: line for line in FIGURES["faithfulness"](older, "en").splitlines()}
    assert lines["| ALTI+"] == "| ALTI+ |" + " – |" * 7
    assert "–" not in lines["| norms"]
    older.alignment["best"] |= {"method": "newest", "layer": "all", "head": "all"}
    assert "the best setting, newest over all layers" in FIGURES["alignment"](older, "en").replace("\n", " ")


def test_what_lies_within_the_standard_error_of_the_best_is_bold_too(tables: Tables) -> None:
    changed = copy.deepcopy(tables)
    rows = changed.faithfulness["settings"][0]["rows"]
    rows["votes"]["token_cost"] = {"mean": 9.0, "se": 0.05}
    rows["chefer"]["token_cost"]["mean"], rows["frozen"]["token_cost"]["mean"] = 8.96, 8.94
    text = FIGURES["faithfulness"](changed, "en")
    assert "**9.00**" in text
    assert "**8.96**" in text
    assert "| 8.94 |" in text


def test_marks_without_a_figure_and_tables_of_other_weights_are_refused(tables: Tables, tmp_path: Path) -> None:
    with pytest.raises(HeadlightError, match="there is no figure 'luck'"):
        filled("a <!-- figures: luck -->7<!-- /figures -->", tables, "en")
    with pytest.raises(HeadlightError, match="lack what the figure 'scores' needs"):
        filled("<!-- figures: scores --><!-- /figures -->", Tables({"scores": {}}, {}, {}, {}), "en")
    for name in ("meta.json", "config.json", "alignment.json", "faithfulness.json"):
        value = json.loads((FOLDER / name).read_text(encoding="utf-8"))
        if name == "alignment.json":
            value["sha256"] = "0"
        (tmp_path / name).write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(HeadlightError, match=r"alignment.json .* other weights"):
        Tables.of(tmp_path)
    assert filled("no mark 7", tables, "en") == "no mark 7"


def test_the_licence_lists_every_source_of_the_weights() -> None:
    meta = json.loads((FOLDER / META).read_text(encoding="utf-8"))
    text = (FOLDER / LICENCE).read_text(encoding="utf-8")
    assert credited(FOLDER, meta) == (text, meta)
    assert set(meta["data"]["pairs_by_source"]) <= set(trained_on(meta))
    for name, count in trained_on(meta).items():
        assert f"| {name} | {count:,} |" in text
        assert meta["data"]["credits"]["sources"][name]["licence"]
    with pytest.raises(HeadlightError, match="no credit for mystery"):
        source_table({"mystery": 1}, {})


def test_sources_of_the_runs_that_a_run_began_with_are_credited_too() -> None:
    first = {"pairs_by_source": {"old": 7, "both": 3}}
    meta = {"data": {"pairs_by_source": {"new": 5, "both": 4}}, "began_with": {"began_with": first}}
    assert trained_on(meta) == {"new": 5, "both": 4, "old": 7}
    assert trained_on({"data": {"pairs_by_source": {"new": 5}}}) == {"new": 5}


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_a_newcomer_reads_ninety_lines_and_no_figure_that_ages(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 90
    assert BLOCK.search(text) is None
    assert not re.search(r"BLEU|chrF|\d %", text)


DOCUMENTS = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"\]\((?!https?:)([^)#\s]+)", text)
    made = ("gallery/",)  # by the build of the site, which has a test of its own
    assert [link for link in found if not link.startswith(made) and not (path.parent / link).exists()] == []


def test_the_older_name_of_the_results_is_still_known(reverse: Path, capsys) -> None:
    assert main(["tables", "--checkpoint", f"{reverse}/", "--only", "readme"]) == 0
    assert "results" in said(capsys)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 60 steps on the toy task, which leaves snapshots at 0, 25 and 50."""
    folder = tmp_path_factory.mktemp("past")
    prepare_reversal(folder / "data", n_pairs=300)
    sizes = {"d_model": 16, "d_ff": 32, "n_heads": 2, "n_encoder_layers": 1, "n_decoder_layers": 2}
    settings = TrainingSettings(steps=60, batch_tokens=300, warmup=5, eval_every=60, peak=1e-2, seed=3)
    torch.manual_seed(0)
    config = TransformerConfig(40, 40, dropout=0.0, **sizes)
    Trainer(folder / "data", folder / "run", config, settings, torch.device("cpu")).run()
    return folder / "run"


@pytest.fixture(scope="module")
def made(run: Path) -> Path:
    """Its checkpoint, with its history."""
    folder = run.parent / "made"
    shutil.copytree(run, folder, ignore=shutil.ignore_patterns("history", "state"))
    dev = str(run.parent / "data/dev.tsv")
    assert main(["history", "--run", str(run), "--checkpoint", f"{folder}/", "--dev", dev, "--weights"]) == 0
    return folder


def test_the_history_says_what_each_snapshot_could_do(run: Path, made: Path) -> None:
    finished = Translator.from_checkpoint(f"{made}/", "cpu")
    history, why = load_history(f"{made}/", finished.meta["sha256"])
    assert why == ""
    assert history is not None
    assert history.step.tolist() == [0, 25, 50, 60]
    assert history.tokens[0] == 0
    assert history.tokens[-1] == finished.meta["training"]["tgt_tokens_seen"]
    assert np.all(np.diff(history.tokens) > 0)
    assert history.aer.shape == (4, 2, 2, 2)
    assert [each["source"] for each in history.examples] == list(sentences("characters"))
    assert history.facts["dev"] == {"file": "dev.tsv", "sentences": 200}
    for point, path in enumerate([*sorted((run / "history").iterdir()), None]):
        then = finished if path is None else finished.at_snapshot(path)
        first = history.examples[0]
        assert history.translation(point, 0) == then.translate(first["source"]).text
        trace = then.trace(first["source"], first["target"]).trace
        for kind in KINDS:
            np.testing.assert_allclose(history.maps(0, kind)[point], trace.weights[kind], atol=0.034)
            assert (first["rows"][kind], first["columns"][kind]) == tuple(trace.axis_tokens(kind))
    assert not np.allclose(history.maps(0, "cross")[0], history.maps(0, "cross")[-1], atol=0.05)
    names = sorted(path.name for path in (made / "history").iterdir())
    assert names == [path.name for path in sorted((run / "history").iterdir())]


def test_a_run_that_goes_on_prolongs_the_history_of_the_one_it_began_with(
    run: Path, made: Path, tmp_path: Path
) -> None:
    settings = TrainingSettings(steps=30, batch_tokens=300, warmup=5, eval_every=30, peak=1e-2, ema_decay=0.5, seed=4)
    first = Translator.from_checkpoint(f"{made}/", "cpu")
    later = Trainer(run.parent / "data", tmp_path / "run", first.model.config, settings, torch.device("cpu"))
    later.start_from(made)
    later.progress.best_score = -1.0
    later.run()
    log = [json.loads(line) for line in (tmp_path / "run/training_log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert log[-1]["step"] == 60 + 30, "the log goes on"
    assert log[-1]["tgt_tokens"] > first.meta["training"]["tgt_tokens_seen"]
    folder = tmp_path / "made"
    shutil.copytree(tmp_path / "run", folder, ignore=shutil.ignore_patterns("history", "state"))
    shutil.copyfile(made / PAST, folder / PAST)
    last = Translator.from_checkpoint(f"{folder}/", "cpu")
    assert last.meta["training"]["steps_done"] == 90
    assert last.meta["began_with"]["training"]["steps_done"] == 60
    dev = str(run.parent / "data/dev.tsv")
    assert main(["history", "--run", str(tmp_path / "run"), "--checkpoint", f"{folder}/", "--dev", dev]) == 0
    earlier, _ = load_history(f"{made}/", first.meta["sha256"])
    history, why = load_history(f"{folder}/", last.meta["sha256"])
    assert earlier is not None
    assert history is not None, why
    assert history.step.tolist() == [0, 25, 50, 60, 85, 90]
    np.testing.assert_array_equal(history.coded[0]["cross"][:4], earlier.coded[0]["cross"])
    forced = history.examples[0]
    trace = last.trace(forced["source"], forced["target"]).trace
    np.testing.assert_allclose(history.maps(0, "cross")[-1], trace.weights["cross"], atol=0.034)
    assert history.translation(5, 0) == last.translate(forced["source"]).text
    assert earlier_history(first, folder) is None, "its run began with nothing"
    assert beginnings({"began_with": {**last.meta, "training": {"steps_done": 90}}}) == [90, 60]


def test_of_an_earlier_history_only_examples_in_the_same_tokens_are_prolonged(made: Path, tmp_path: Path) -> None:
    shutil.copyfile(made / PAST, tmp_path / PAST)
    translator = Translator.from_checkpoint(f"{made}/", "cpu")
    translator.meta["began_with"] = {"training": {"steps_done": 60}}
    whole = earlier_history(translator, tmp_path)
    assert whole is not None
    facts = json.loads(json.dumps(whole.facts))
    facts["examples"][0]["rows"]["cross"][1] = "another cut"
    save_history(tmp_path, dataclasses.replace(whole, facts=facts))
    fewer = earlier_history(translator, tmp_path)
    assert fewer is not None
    assert [each["source"] for each in fewer.examples] == [each["source"] for each in whole.examples[1:]]
    assert fewer.translation(2, 0) == whole.translation(2, 1)
    np.testing.assert_array_equal(fewer.maps(0, "cross"), whole.maps(1, "cross"))
    for each in facts["examples"]:
        each["rows"]["cross"][1] = "another cut"
    save_history(tmp_path, dataclasses.replace(whole, facts=facts))
    assert earlier_history(translator, tmp_path) is None


def test_head_rates_are_those_of_the_alignment_table(made: Path) -> None:
    translator = Translator.from_checkpoint(f"{made}/", "cpu")
    gold = truth_pairs("characters")
    found = PairScores.of(gold, lambda _, pair: score_links(translator, pair))
    table = table_of(translator, found).percents()["argmax"]["weights"]
    ours = 100 * head_rates(translator, gold)
    for number, shift in enumerate(("written", "read")):
        np.testing.assert_allclose(ours[number], np.array(table[shift]["layers"])[:, :-1], atol=0.006)


def test_a_history_of_other_weights_or_half_a_file_is_not_shown(made: Path, tmp_path: Path) -> None:
    assert load_history(f"{made}/", "0" * 64) == (None, "stale")
    assert load_history(f"{tmp_path}/", "x") == (None, "missing")
    (tmp_path / PAST).write_bytes((made / PAST).read_bytes()[:500])
    assert load_history(f"{tmp_path}/", "x") == (None, "damaged")
    with np.load(made / PAST) as arrays:
        kept = {name: arrays[name] for name in arrays.files}
    np.savez(tmp_path / PAST, **(kept | {"step": kept["step"][:2]}))
    assert load_history(f"{tmp_path}/", "x") == (None, "damaged")


def test_bytes_keep_small_weights_apart() -> None:
    weights = np.linspace(0, 1, 5000, dtype=np.float32)
    codes = coded(weights)
    assert (codes.min(), codes.max()) == (0, LEVELS)
    assert np.abs((codes / LEVELS) ** 2 - weights).max() < 0.033
    assert coded(np.array([0.002]))[0] > 0


def test_points_are_spread_over_the_run_with_its_ends() -> None:
    assert spread([0, 1, 2, 4, 8, 16], 4) == [0, 2, 4, 16]
    assert spread([0, 1], 4) == [0, 1]


def test_tokens_between_two_entries_of_the_log_lie_on_a_line(tmp_path: Path) -> None:
    entries = [{"step": 50, "tgt_tokens": 1000}, {"step": 100, "tgt_tokens": 3000}]
    (tmp_path / "log").write_text("\n".join(json.dumps(entry) for entry in entries), encoding="utf-8")
    assert tokens_at(tmp_path / "log", np.array([0, 25, 75, 100])).tolist() == [0, 500, 2000, 3000]


def test_a_run_without_snapshots_or_of_other_sizes_is_refused(made: Path, run: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no snapshot"):
        snapshots(tmp_path)
    other = Translator.from_checkpoint("reverse", "cpu")
    with pytest.raises(CheckpointError, match="cannot be loaded"):
        other.at_snapshot(snapshots(run)[25])


@pytest.mark.parametrize("after", ["", "-1", "x", "1.5", "２５", "9" * 5000, "25@50"])
def test_what_is_no_step_is_one_sentence(after: str) -> None:
    with pytest.raises(CheckpointError, match=r"no snapshot|no checkpoint") as told:
        open_model(f"reverse@{after}")
    assert len(str(told.value)) < 300


def test_a_checkpoint_at_a_step_is_its_snapshot_and_one_that_it_does_not_keep_is_refused(made: Path) -> None:
    finished = Translator.from_checkpoint(f"{made}/", "cpu")
    then = open_model(f"{made}@25")
    assert then.name == "made@25"
    expected = load_file(made / "history" / "00000025.safetensors")["decoder.norm.weight"]
    assert torch.equal(then.model.decoder.norm.weight, expected.float())
    assert not torch.equal(then.model.decoder.norm.weight, finished.model.decoder.norm.weight)
    with pytest.raises(CheckpointError, match="no snapshot of step 26; it keeps: 0, 25, 50"):
        open_model(f"{made}@26")
