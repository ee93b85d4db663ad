"""The export of models of one's own: named in a folder, by a path, with languages."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from model.common.scenes import drawing
from model.folder.source import FolderSource
from model.folders import CHECKPOINTS
from tests.pages import shipped
from viz.__main__ import main

pytestmark = pytest.mark.usefixtures("alone")
TEXT = "The old baker."


def exported(path: Path, *argv: str) -> dict:
    """The one map of the JSON that the command writes."""
    assert main(["export", *argv, "--output", str(path)]) == 0
    (found,) = json.loads(path.read_text(encoding="utf-8"))["maps"]
    return dict(found)


@pytest.mark.parametrize(
    ("name", "text", "head", "kind"),
    [
        ("marian", TEXT, "c1.2", "cross"),
        ("gpt2", TEXT, "d0.3", "decoder_self"),
        ("vit", "house", "e1.0", "encoder_self"),
    ],
)
def test_a_models_folder_and_a_path_give_the_models_own_maps(models, tmp_path, name, text, head, kind) -> None:
    own = FolderSource.open(models / name, pictures=drawing).translate(text, capture=True)
    maps = own.trace.weights[kind][int(head[1]), int(head[3])]
    by_name = ("--models", str(models), "--checkpoint", name)
    for where in (by_name, ("--checkpoint", str(models / name))):
        found = exported(tmp_path / "map.json", text, *where, "--head", head)
        np.testing.assert_allclose(found["values"], maps, atol=1e-5)
        assert found["columns"] == own.trace.axis_tokens(kind)[1]


def test_languages_stand_after_the_name(models, tmp_path) -> None:
    asked = ("早上好。", "--models", str(models), "--checkpoint")
    first = exported(tmp_path / "map.json", *asked, "nllb@zho_Hans-fra_Latn")
    other = exported(tmp_path / "map.json", *asked, "nllb@zho_Hans-eng_Latn")
    assert first["columns"][0] == other["columns"][0] == "zho_Hans"
    assert (first["rows"][0], other["rows"][0]) == ("fra_Latn", "eng_Latn")


def test_saved_maps_are_exported_by_their_name_and_by_their_path(models, tmp_path) -> None:
    for where in (("--models", str(models), "--checkpoint", "mine.npz"), ("--checkpoint", f"{models}/mine.npz")):
        found = exported(tmp_path / "map.json", "a b c", *where)
        assert np.asarray(found["values"]).tolist() == [[0.25] * 4] * 4
        assert found["columns"] == ["[CLS]", "a", "b", "c"]


@shipped
@pytest.mark.parametrize("ending", ["html", "svg", "npz"])
def test_a_shipped_model_of_another_family_is_exported(ending: str, tmp_path) -> None:
    path = tmp_path / f"map.{ending}"
    assert main(["export", "The", "--checkpoint", "tiny-gpt", "--output", str(path)]) == 0
    assert path.stat().st_size > 1000


def test_a_checkpoint_by_its_path_opens_on_the_best_head_of_its_own_table(tmp_path) -> None:
    best = json.loads((CHECKPOINTS / "reverse/alignment.json").read_text(encoding="utf-8"))["best_head"]
    code = f"c{best['layer']}.{best['head']}"
    asked = ("abc", "--checkpoint", f"{CHECKPOINTS}/reverse", "--shift", best["shift"])
    assert exported(tmp_path / "a.json", *asked) == exported(tmp_path / "b.json", *asked, "--head", code)
    other = f"c{best['layer']}.{(best['head'] + 1) % 2}"
    assert exported(tmp_path / "a.json", *asked) != exported(tmp_path / "b.json", *asked, "--head", other)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--checkpoint", "marian"], "there is no checkpoint 'marian'"),
        (["--checkpoint", "./nowhere.npz"], "there is no checkpoint './nowhere.npz'"),
        (["--models", "/nowhere", "--checkpoint", "marian"], "There is no folder of models /nowhere."),
        (["--checkpoint", "en-zh@eng-fra"], "is no snapshot"),
        (["--checkpoint", "tiny-gpt", "--head", "c0.0"], "is no head"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(argv, said, capsys, tmp_path) -> None:
    path = tmp_path / "map.json"
    assert main(["export", TEXT, *argv, "--output", str(path)]) == 2
    out = capsys.readouterr().err
    assert said in out
    assert out.count("\n") == 1
    assert not path.exists()


def test_a_storyboard_may_name_a_model_of_ones_own_with_its_languages_but_no_path(models, tmp_path, capsys) -> None:
    talk, page = tmp_path / "talk.yaml", tmp_path / "talk.html"
    argv = ["export", str(talk), "--models", str(models), "--output", str(page)]
    for name, status in (("nllb@eng_Latn-zho_Hans", 0), ("marian", 0), (f"{models}/marian", 2), ("none@a-b", 2)):
        talk.write_text(
            json.dumps({"format": 1, "checkpoint": name[:60], "scenes": [{"text": TEXT}]}), encoding="utf-8"
        )
        assert main(argv) == status, name
    assert "there is no model" in capsys.readouterr().err
    assert page.stat().st_size > 10_000
