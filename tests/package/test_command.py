"""One command with one help: what the tree's two programs do, the server and the demonstration."""

from __future__ import annotations

from pathlib import Path

import pytest

from headlight.__main__ import commands, main
from headlight.serve import app_file, parser, streamlit_arguments
from model.__main__ import COMMANDS
from tests.architecture.tree import ROOT
from tests.pages import shipped


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    printed = capsys.readouterr().out
    assert {"serve", "demo", "export", "storyboard", *COMMANDS} <= set(commands())
    for name, text in commands().items():
        assert f"  {name} " in printed
        assert text in printed


@pytest.mark.parametrize("name", ["serve", "demo", "export", "translate", "trace", "inspect"])
def test_each_command_explains_itself_by_its_own_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([name, "--help"])
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: headlight {name}")


def test_no_such_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sevre"]) == 2
    assert "there is no command 'sevre'" in capsys.readouterr().err


def test_the_server_gets_its_options_and_the_app_its_own() -> None:
    args = parser().parse_args(["--port", "8600", "--models", "mine", "--prefix", "attention"])
    found = streamlit_arguments(args, ["--server.maxUploadSize", "20"])
    own = found.index("--")
    assert found[:2] == ["run", str(ROOT / "app.py")]
    assert found[found.index("--server.port") + 1] == "8600"
    assert found[found.index("--server.address") + 1] == "127.0.0.1", "nobody else may look unless asked"
    assert found[found.index("--server.baseUrlPath") + 1] == "attention"
    assert found.index("--server.maxUploadSize") < own
    assert found[own + 1 :] == ["--models", "mine"]
    assert app_file() == ROOT / "app.py"


@pytest.mark.parametrize("wrong", [["--models", "nowhere"], ["--storyboard", "nothing.yaml"], ["--embed-from", "*"]])
def test_the_server_says_what_is_not_there(
    wrong: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_MODELS", "")
    monkeypatch.setenv("HEADLIGHT_EMBED_FROM", "")
    assert main(["serve", *wrong]) == 2
    assert wrong[1] in capsys.readouterr().err


@shipped
def test_the_demonstration_is_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert main(["demo", "I love you.", "--no-open", "--output", str(page)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "I love you. → " in capsys.readouterr().out
    assert main(["demo", "--no-open", "--output", str(tmp_path / "no" / "page.html")]) == 2
    assert "No such file" in capsys.readouterr().err
