from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from model.__main__ import main
from model.analysis.alignment.error_table import error_table
from model.analysis.alignment.known_pairs import truth_pairs
from model.commands.release.history import beginnings, earlier_history, head_rates, tokens_at
from model.errors import CheckpointError
from model.examples import sentences
from model.history import LEVELS, PAST, coded, load_history, save_history, snapshots, spread
from model.own.network.config import TransformerConfig
from model.trace import KINDS
from model.training.loop import Trainer
from model.training.prepare import prepare_reversal
from model.training.settings import TrainingSettings
from model.translator import Translator, open_model


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
    table = error_table(translator, gold).percents()["argmax"]["weights"]
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
