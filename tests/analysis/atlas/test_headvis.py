"""An atlas written as HeadVis reads it: the files that its loaders want, and in them what the atlas says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from model.analysis.atlas.book import ATLAS, read_atlas
from model.commands.atlas import write_other
from model.errors import HeadlightError
from model.folders import resolve

NEEDED = {"model_name", "dataset_name", "n_sequences", "seq_len", "dtype", "attn_implementation"}  # by their loaders


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("headvis")
    write_other(resolve("en-zh"), out)
    return out


def read(path: Path):
    return json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)  # NaN is no JSON


def test_every_kind_is_a_model_with_a_file_a_head(written):
    atlas = read_atlas(resolve("en-zh"))
    assert atlas is not None
    runs = {path.parent.parent.parent.name: path.parent for path in written.glob("*/headvis/*/config.json")}
    assert sorted(runs) == ["en-zh-cross", "en-zh-decoder-self", "en-zh-encoder-self"]
    for run in runs.values():
        config, rows = read(run / "config.json"), read(run / "scatter_data.json")
        assert set(config) | set(config["pipeline_config"]) >= NEEDED
        assert [[row["layer"], row["head"]] for row in rows] == config["heads"]
        assert all(list(row)[2:] == config["metrics"] for row in rows)
        assert len(list((run / "heads").glob("L*H*.json"))) == len(config["heads"])


def test_a_stored_map_is_the_atlas_own(written):
    atlas = read_atlas(resolve("en-zh"))
    assert atlas is not None
    head = next(each for each in atlas.heads if each.code == "c0.0")
    page = atlas.page(head)
    assert page is not None
    ours = page["strongest"][0]
    data = read(next(written.glob("en-zh-cross/headvis/*/heads/L0H0.json")))
    theirs = data["sequences"][0]  # sorted: the strongest of all
    assert theirs["tokens"] == [*ours["columns"], *ours["rows"]]
    square = np.zeros((theirs["seq_len"], theirs["seq_len"]))
    square.flat[theirs["attention_indices"]] = theirs["attention_values"]
    source = len(ours["columns"])
    assert not square[:source].any()
    assert not square[:, source:].any()
    for row, cells in enumerate(ours["cells"]):
        found = square[source + row]
        assert {int(key) for key in np.flatnonzero(found)} == set(cells[::2])
        assert np.allclose(found[cells[::2]], np.array(cells[1::2]) / 255, atol=1e-4)
    strengths = [each["max_activation"] for each in data["sequences"]]
    assert strengths == sorted(strengths, reverse=True)
    assert {each["interval"] for each in data["sequences"]} == {1, 2, 3, 4, 5}


def test_scores_of_self_attention_are_means_of_weight(written):
    data = read(next(written.glob("en-zh-encoder-self/headvis/*/heads/L0H2.json")))
    rows = read(next(written.glob("en-zh-encoder-self/headvis/*/scatter_data.json")))
    bins = data["qk_distance_histogram"]
    assert len(bins["bin_edges"]) == len(bins["bin_values"]) + 1
    # All weight lies at some distance.
    assert sum(bins["bin_values"]) == pytest.approx(1, abs=2e-3)
    assert rows[2]["self_attention_score"] == pytest.approx(bins["bin_values"][0], abs=1e-4)
    assert sum(data["histogram"]["bin_values"]) > 1_000


def test_a_folder_without_an_atlas_is_told_in_a_sentence(tmp_path):
    (tmp_path / ATLAS).write_bytes(b"no zip")
    with pytest.raises(HeadlightError, match="has no atlas"):
        write_other(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()
