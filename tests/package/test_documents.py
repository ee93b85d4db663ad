"""What documents and docstrings tell a reader to type exists and is true: commands, examples, container, lock."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from bench.__main__ import BENCHES
from hatch_build import files_of, place_of, requirements
from headlight.__main__ import app_file, commands, main, parser, streamlit_arguments
from model.__main__ import COMMANDS
from tests.architecture.tree import ROOT
from tests.pages import shipped

DOCUMENTS = sorted((*ROOT.glob("README*.md"), *(ROOT / "docs").glob("*.md")))
_LINE = re.compile(r"^(?:headlight|python -m (?:model|viz|bench)|headlight) .*$", re.MULTILINE)
_QUOTED = re.compile(r"`((?:headlight|python -m (?:model|viz|bench)) [^`]*)`")
_OPTION = re.compile(r"--[a-z][a-z-]*")


def told(text: str) -> set[str]:
    """The commands of a document: lines of its code, and what stands between backticks."""
    fenced = "\n".join(re.findall(r"```\w*\n(.*?)```", text, re.DOTALL))
    found = {*_LINE.findall(fenced), *(each.replace("\n", " ") for each in _QUOTED.findall(text))}
    return {each.partition(" #")[0].split(" -- ")[0].strip() for each in found}


def said_of(name: str) -> str:
    """What a command's help says."""
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
        main([name, "--help"])
    return printed.getvalue()


def missing(line: str) -> list[str]:
    """What a documented line names that there is not: its command, or options of it."""
    words = line.split()
    program, name = (
        ("headlight", words[1]) if words[0] == "headlight" else (words[2], words[3] if len(words) > 3 else "")
    )
    if program == "bench":
        return [] if name in BENCHES else [name]
    if name in ("COMMAND", "--help", "--version", "…", ""):
        return []
    if name not in commands():
        return [name]
    help_text = said_of(name)
    return [option for option in _OPTION.findall(line) if option not in help_text and not option.startswith("--server")]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_commands_and_options_of_documents_exist(path: Path) -> None:
    lines = told(path.read_text(encoding="utf-8"))
    assert {line: gone for line in lines if (gone := missing(line))} == {}


def test_a_command_and_an_option_that_are_not_there_are_seen() -> None:
    text = (
        "```\nheadlight sevre --port 1\nheadlight serve --prot 1  # x\n```\n`python -m bench speed`, `headlight demo`"
    )
    found = {line: missing(line) for line in told(text)}
    assert found == {
        "headlight sevre --port 1": ["sevre"],
        "headlight serve --prot 1": ["--prot"],
        "python -m bench speed": ["speed"],
        "headlight demo": [],
    }


@shipped
def test_the_exports_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [line for line in told((ROOT / "README.md").read_text(encoding="utf-8")) if " export " in line]
    assert len(lines) == 3
    for line in lines:
        assert main(shlex.split(line)[1:]) == 0, capsys.readouterr().err
    assert (tmp_path / "map.pdf").read_bytes().startswith(b"%PDF")
    assert all(
        (tmp_path / each).read_text(encoding="utf-8").startswith("<!doctype") for each in ("page.html", "talk.html")
    )


def copied() -> list[str]:
    """What the Dockerfile copies from the tree before it builds the wheel."""
    first, _, _ = (ROOT / "Dockerfile").read_text(encoding="utf-8").partition("RUN python -m hatchling")
    lines = re.findall(r"^COPY (.+)$", first, re.MULTILINE)
    return [word for line in lines for word in line.split()[:-1]]


def test_the_container_builds_the_same_wheel_from_the_files_that_it_copies(tmp_path: Path) -> None:
    sources, tree = copied(), files_of(ROOT)
    for path in tree:
        if any(path == source or path.startswith(f"{source}/") for source in sources):
            target = tmp_path / "src" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(ROOT / path)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "wheel")]
    subprocess.run(command, cwd=tmp_path / "src", check=True, stdout=subprocess.DEVNULL)
    (wheel,) = (tmp_path / "wheel").glob("*.whl")
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert inside == {place for path in tree if (place := place_of(path))}
    allowed = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(sources) <= set(allowed), "what is copied is not ignored"


def test_the_lock_holds_a_release_of_everything_within_its_range() -> None:
    lines = (line.partition(";")[0].strip() for line in (ROOT / "requirements.lock").read_text().splitlines())
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    for line in (*requirements(ROOT), *requirements(ROOT, "requirements-dev.txt")):
        asked = Requirement(line)
        assert asked.specifier.contains(pins[asked.name]), line


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


FOLDERS = ("headlight", "model", "viz", "bench")
WITH_EXAMPLES = [
    file.relative_to(ROOT)
    for file in (ROOT / "hatch_build.py", *(file for name in FOLDERS for file in sorted((ROOT / name).rglob("*.py"))))
    if ">>>" in file.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("file", WITH_EXAMPLES, ids=str)
def test_examples_are_true(file: Path) -> None:
    module = importlib.import_module(".".join(file.with_suffix("").parts))
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_a_false_example_fails() -> None:
    false = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "false", None, None)
    assert doctest.DocTestRunner(verbose=False).run(false, out=lambda _: None).failed == 1
