"""This view as code, of models of one's own: the lines and the command are run, and make the maps that are shown."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.common.scenes import drawing
from model.folder.source import FolderSource
from model.folders import MODELS
from tests.pages import choose, prepared, shipped
from viz.__main__ import main
from viz.core import models as listed

FORMS = {
    "marian": ("The old baker.", "cross", (1, 2)),
    "gpt2": ("The old baker", "decoder_self", (0, 3)),
    "bert": ("The old [MASK] sleeps.", "encoder_self", (1, 1)),
    "vit": ("house", "encoder_self", (0, 1)),
}


@pytest.fixture
def app(models: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The folder that code is run in, while the app was started with these models."""
    monkeypatch.setenv(MODELS, str(models))
    monkeypatch.chdir(tmp_path)
    listed.forget()
    yield tmp_path
    listed.forget()


def code_of(at: AppTest) -> tuple[list[str], str]:
    """The command's words, and the lines of Python."""
    shown = {each.language: each.value for each in at.code}
    return shlex.split(shown["bash"]), shown["python"]


def ran(at: AppTest, patch: pytest.MonkeyPatch) -> tuple[np.ndarray, list[str]]:
    """Values and columns of the map that the lines make, as in another process; the command writes the same."""
    argv, lines = code_of(at)
    patch.setenv(MODELS, "")
    names: dict = {}
    exec(lines, names)
    patch.setenv(MODELS, "")
    assert argv[:3] == ["python", "-m", "viz"]
    assert main(["map.json" if word == "map.csv" else word for word in argv[3:]]) == 0
    (found,), reading = json.loads(Path("map.json").read_text(encoding="utf-8"))["maps"], names["reading"]
    np.testing.assert_allclose(found["values"], reading.weights, atol=1e-5)
    assert found["columns"] == [label.text for label in reading.columns]
    return reading.weights, found["columns"]


def view(name: str, text: str, kind: str, head: tuple[int, int], **choices: object) -> AppTest:
    return prepared("one_head", checkpoint=name, text=text, kind=kind, layer=head[0], head=head[1], **choices)


@pytest.mark.parametrize("name", FORMS)
def test_the_code_of_a_folder_runs_and_makes_the_models_own_map(app, models, monkeypatch, name) -> None:
    text, kind, head = FORMS[name]
    at = choose(view(name, text, kind, head, shift="written"))
    own = FolderSource.open(models / name, pictures=drawing).translate(text, capture=True).trace
    values, columns = ran(at, monkeypatch)
    np.testing.assert_allclose(values, own.weights[kind][head], atol=1e-5)
    assert columns == own.axis_tokens(kind)[1]
    assert np.abs(values - own.weights[kind][head[0], head[1] - 1]).max() > 1e-3


def test_the_code_names_the_languages_that_are_chosen(app, monkeypatch) -> None:
    at = choose(view("nllb", "早上好。", "encoder_self", (1, 0), **{"from": "zho_Hans", "into": "fra_Latn"}))
    assert "nllb@zho_Hans-fra_Latn" in code_of(at)[0]
    assert ran(at, monkeypatch)[1][0] == "zho_Hans"


@shipped
def test_the_code_of_a_shipped_model_names_no_folder(app, monkeypatch) -> None:
    at = choose(view("tiny-gpt", "The", "decoder_self", (0, 0)))
    assert "--models" not in code_of(at)[0]
    assert "set_models" not in code_of(at)[1]
    assert ran(at, monkeypatch)[0].shape[0] > 0


def test_a_picture_of_ones_own_is_read_from_its_file(app, monkeypatch) -> None:
    data = drawing("ball")
    at = view("vit", "picture-0", "encoder_self", (0, 1))
    monkeypatch.setattr("viz.core.pictures.own", lambda: {"picture-0": data})
    (app / "picture.png").write_bytes(data)
    values, _ = ran(choose(at), monkeypatch)
    np.testing.assert_allclose(
        values, ran(choose(view("vit", "ball", "encoder_self", (0, 1))), monkeypatch)[0], atol=1e-5
    )


def test_uploaded_maps_are_read_from_their_file(app, models, monkeypatch) -> None:
    shutil.copy(models / "mine.npz", app / "brought.npz")
    source = listed.uploaded("brought.npz", (app / "brought.npz").read_bytes())
    at = prepared("one_head")
    at.session_state[listed.UPLOADED] = source
    values, columns = ran(choose(at, checkpoint=source.name), monkeypatch)
    assert (values.tolist(), columns) == ([[0.25] * 4] * 4, ["[CLS]", "a", "b", "c"])
