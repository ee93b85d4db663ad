"""The wheel, installed somewhere else beside a model.py of the user's own: it answers, and collides with nothing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect, sync_playwright

from bench.browser import HOW_TO_GET, find_chromium, launch, wait_until_healthy
from model.translator import Translator
from tests.architecture.tree import ROOT
from tests.pages import SENTENCE, shipped

pytestmark = shipped
NEW = "She loves this song."  # no stored example: the model itself must answer


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that a build makes."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder with files of the user's own whose names are those of our tree, and an environment with the wheel."""
    site, work = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("work")
    zipfile.ZipFile(wheel).extractall(site)  # which is how pip installs one that is pure Python
    for name in ("model.py", "viz.py", "app.py", "router.py"):
        (work / name).write_text("MINE = True\n", encoding="utf-8")
    return work, {**os.environ, "PYTHONPATH": str(site), "PYTHONSAFEPATH": ""}


def ran(elsewhere: tuple[Path, dict[str, str]], *words: str) -> str:
    """What Python says there."""
    work, environment = elsewhere
    done = subprocess.run(
        [sys.executable, *words], cwd=work, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_installs_one_package_and_no_second_top_level(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"headlight"}
    assert "headlight/checkpoints/en-zh/model.safetensors" in names
    assert not [name for name in names if "/tests/" in name or "node_modules" in name or name.endswith(".pyc")]
    (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
    said = zipfile.ZipFile(wheel).read(metadata).decode()
    assert "Requires-Dist: torch==2.13.0" in said
    assert "Requires-Dist: anywidget" in said


def test_a_model_and_a_viz_of_the_users_own_stay_theirs(
    elsewhere: tuple[Path, dict[str, str]], en_zh: Translator
) -> None:
    code = (
        "import model, viz, app, router; assert model.MINE and viz.MINE and app.MINE and router.MINE;"
        "from headlight.model.translator import Translator; from headlight.viz.core.views import VIEWS;"
        "print(Translator.from_checkpoint('en-zh').translate('I love you.').text, VIEWS['beam'].module);"
        "import sys; assert model is sys.modules['model'] and model.MINE;"
        "print(sorted(name for name in sys.modules if name.startswith(('model.', 'viz.'))))"
    )
    answer, left = ran(elsewhere, "-c", code).splitlines()
    assert answer == f"{en_zh.translate('I love you.').text} headlight.viz.views.beam.page"
    assert left == "[]"


def test_the_command_translates_and_names_itself(elsewhere: tuple[Path, dict[str, str]], en_zh: Translator) -> None:
    expected = f"{en_zh.translate(SENTENCE).text}\n"
    assert ran(elsewhere, "-m", "headlight", "translate", SENTENCE) == expected
    assert ran(elsewhere, "-m", "headlight.model", "translate", SENTENCE) == expected
    said = ran(elsewhere, "-m", "headlight", "translate", "--help")
    assert said.startswith("usage: headlight translate")
    assert "python -m" not in ran(elsewhere, "-m", "headlight", "--help")
    ran(elsewhere, "-m", "headlight", "export", "I love you.", "--output", "map.pdf")
    assert (elsewhere[0] / "map.pdf").read_bytes().startswith(b"%PDF")


def test_helpers_of_a_crowd_find_the_package(elsewhere: tuple[Path, dict[str, str]]) -> None:
    code = (
        "from headlight.viz.core.crowd.sharing import Helper; helper = Helper();"
        "print(helper.ask('headlight.model.folders', 'available', (), {})); helper.leave()"
    )
    assert "en-zh" in ran(elsewhere, "-c", code)


@pytest.mark.browser
def test_the_app_is_served_and_translates(
    elsewhere: tuple[Path, dict[str, str]], tmp_path: Path, en_zh: Translator
) -> None:
    work, environment = elsewhere
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "headlight", "serve", "--port", str(port)]
    with (tmp_path / "log").open("wb") as log, sync_playwright() as playwright:
        server = subprocess.Popen(command, cwd=work, env=environment, stdout=log, stderr=log)
        try:
            wait_until_healthy(server, f"http://127.0.0.1:{port}/_stcore/health")
            executable = find_chromium(playwright)
            if executable is None:
                pytest.skip(HOW_TO_GET)
            page = launch(playwright, executable).new_page()
            page.goto(f"http://127.0.0.1:{port}/?{urlencode({'text': NEW})}")
            expect(page.locator(".hl-translation")).to_have_text(en_zh.translate(NEW).text, timeout=180_000)
        finally:
            server.terminate()
            server.wait(10)
    assert "Traceback" not in (tmp_path / "log").read_text(encoding="utf-8")
