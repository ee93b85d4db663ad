from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from model.__main__ import main
from model.analysis.heads.ablation import ablate
from model.analysis.heads.corpus import corpus_heads
from model.analysis.heads.patterns import PATTERNS, pattern_scores
from model.analysis.heads.roles import MEASURES, profile
from model.analysis.heads.table import FILE, load_head_table
from model.folders import available, resolve
from model.trace import KINDS
from model.translator import Translator


@pytest.fixture
def two(pairs):
    return pairs[1], pairs[3]


def test_a_corpus_is_the_mean_of_its_sentences(translator, two):
    table, refused = corpus_heads(translator, two, {"sha256": "0"})
    forced = [translator.trace(*pair) for pair in two]
    tokens = [len(each.log_probs) for each in forced]
    assert refused == {}
    assert table.facts["sentences"] == 2
    assert table.facts["tokens"] == sum(tokens)
    assert table.facts["nats_per_token"] == pytest.approx(sum(sum(f.log_probs) for f in forced) / sum(tokens), abs=1e-3)
    for kind in KINDS:
        total = sum(ablate(translator, each).importance[kind] for each in forced)
        np.testing.assert_allclose(table.importance[kind], total / sum(tokens), atol=1e-6)
        for name in PATTERNS:
            mean = sum(pattern_scores(each.trace, kind, name) for each in forced) / 2
            np.testing.assert_allclose(table.patterns[kind][name], mean, atol=1e-9)
        profiles = [profile(f.trace, kind, translator.rarity(f.source)) for f in forced]
        rows = [each.rows for each in profiles]
        entropy = sum(each.measures["entropy"] * each.rows for each in profiles) / sum(rows)
        np.testing.assert_allclose(table.measures[kind]["entropy"], entropy, atol=1e-9)


def test_what_is_saved_is_read_again(translator, two, tmp_path):
    table, _ = corpus_heads(translator, two, {"sha256": "7", "file": "a.tsv", "command": "c"})
    table.save(tmp_path)
    again = load_head_table(tmp_path)
    assert again is not None
    assert again.facts == table.facts
    for kind in KINDS:
        np.testing.assert_allclose(again.importance[kind], table.importance[kind], atol=5.1e-5)
        assert again.roles[kind] == table.roles[kind]
        for name in MEASURES:
            np.testing.assert_allclose(again.measures[kind][name], table.measures[kind][name], atol=5.1e-5)


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"kinds": {}}', '{"kinds": {"cross": 1}}'])
def test_a_damaged_table_is_no_table(tmp_path, content):
    if content is not None:
        (tmp_path / FILE).write_text(content)
    assert load_head_table(tmp_path) is None


def printed(capsys, *argv: object) -> dict:
    assert main(["heads", *map(str, argv), "--json"]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_the_command_ranks_every_head(checkpoint_folder, tsv, two, translator, tmp_path, capsys):
    folder = shutil.copytree(checkpoint_folder, tmp_path / "copy")
    found = printed(capsys, "--tsv", tsv, "--checkpoint", f"{folder}", "--limit", 3, "--save")
    values = [head["nats_per_token"] for head in found["heads"]]
    assert len(values) == 24
    assert values == sorted(values, reverse=True)
    assert found["sentences"] == 3
    assert found["sha256"] == translator.meta["sha256"] == json.loads((folder / FILE).read_text())["sha256"]
    assert str(tmp_path) not in (folder / FILE).read_text()
    head = found["heads"][0]
    assert head["nats_per_sentence"] == pytest.approx(head["nats_per_token"] * found["tokens"] / 3, abs=1e-3)


def test_without_json_a_table_and_without_save_no_file(checkpoint_folder, tsv, capsys):
    assert main(["heads", "--tsv", str(tsv), "--checkpoint", f"{checkpoint_folder}", "--limit", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 25
    assert lines[0].split()[:2] == ["head", "nats/token"]
    assert not (checkpoint_folder / FILE).exists()


def test_a_bad_line_is_named_and_an_unusable_one_left_out(checkpoint_folder, tmp_path, capsys):
    path = tmp_path / "bad.tsv"
    path.write_text("I love you.\t我爱你。\nno tab here\n", encoding="utf-8")
    assert main(["heads", "--tsv", str(path), "--checkpoint", f"{checkpoint_folder}"]) == 2
    assert "line 2" in capsys.readouterr().err
    path.write_text("I love you.\t我爱你。\n" + "word " * 3000 + "\t我\n", encoding="utf-8")
    assert main(["heads", "--tsv", str(path), "--checkpoint", f"{checkpoint_folder}", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["sentences"] == 1
    assert "line 2 was left out" in err
    path.write_text("word " * 3000 + "\t我\n", encoding="utf-8")
    assert main(["heads", "--tsv", str(path), "--checkpoint", f"{checkpoint_folder}"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize("name", [name for name in available() if (resolve(name) / FILE).is_file()])
def test_a_shipped_table_fits_its_checkpoint(name):
    table, translator = load_head_table(resolve(name)), Translator.from_checkpoint(name, "cpu")
    assert table is not None
    config = translator.model.config
    for kind in KINDS:
        depth = config.n_encoder_layers if kind == "encoder_self" else config.n_decoder_layers
        assert table.importance[kind].shape == (depth, config.n_heads)
        assert set(table.measures[kind]) == set(MEASURES)
        assert set(table.patterns[kind]) == set(PATTERNS)
    assert table.facts["sha256"] == translator.meta["sha256"]
    assert table.facts["sentences"] >= 100
