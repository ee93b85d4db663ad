"""Our scripts: the bundles are made of them, they pass what node checks, and no text of a visitor becomes markup."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from viz.web.bundles import COMPONENTS, DIST, SOURCES, VIEWER, WEB

NODE, NPM = shutil.which("node"), shutil.which("npm")
needs_packages = pytest.mark.skipif(
    NPM is None or not (WEB / "node_modules").is_dir(), reason="no node, or no packages of it"
)
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|document\.write|eval\(|new Function|\bfetch\("
    r"|XMLHttpRequest|WebSocket|https?://(?!www\.w3\.org/)"
)


def source_sum(sources: Path) -> str:
    """The sum of scripts and style sheets, as build.js makes it."""
    found = hashlib.sha256()
    files = {file.relative_to(sources).as_posix(): file for end in ("js", "css") for file in sources.rglob(f"*.{end}")}
    for name in sorted(files):
        found.update(f"{name}\n".encode() + files[name].read_bytes())
    return found.hexdigest()


@pytest.mark.parametrize("bundle", [VIEWER, COMPONENTS])
def test_a_bundle_is_made_of_these_sources(bundle: Path) -> None:
    assert source_sum(SOURCES) in bundle.read_text(encoding="utf-8").splitlines()[0], "run make web"


def test_another_source_is_seen(tmp_path: Path) -> None:
    shutil.copytree(SOURCES, tmp_path / "src")
    assert source_sum(tmp_path / "src") == source_sum(SOURCES)
    (tmp_path / "src" / "ui" / "component.css").write_text(".root {}\n", encoding="utf-8")
    assert source_sum(tmp_path / "src") != source_sum(SOURCES)


@needs_packages
def test_the_bundles_are_what_esbuild_makes(tmp_path: Path) -> None:
    subprocess.run([str(NODE), "build.js", str(tmp_path)], cwd=WEB, check=True, stdin=subprocess.DEVNULL)
    made, committed = (
        {file.relative_to(folder): file.read_bytes() for file in folder.rglob("*.*")} for folder in (tmp_path, DIST)
    )
    assert len(made) > 20
    assert made == committed


@needs_packages
def test_the_scripts_pass_tsc_eslint_and_prettier() -> None:
    ran = subprocess.run(
        [str(NPM), "run", "check"], cwd=WEB, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-4000:]


@pytest.mark.skipif(NODE is None, reason="no node")
def test_the_scripts_pass_their_own_tests() -> None:
    files = sorted(str(file) for file in (WEB / "tests").glob("*.test.js"))
    assert len(files) >= 4
    ran = subprocess.run([str(NODE), "--test", *files], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-4000:]
    assert int(re.search(r"(?:#|ℹ) pass (\d+)", ran.stdout)[1]) >= 20


def test_no_script_reads_data_as_markup_or_asks_another_host() -> None:
    scripts = sorted(SOURCES.rglob("*.js"))
    assert len(scripts) >= 60
    for bad in ("e.innerHTML = x", "fetch(x)", "'https://example.org'"):
        assert FORBIDDEN.search(bad)
    assert {path.name: found[0] for path in scripts if (found := FORBIDDEN.search(path.read_text("utf-8")))} == {}


def test_the_list_of_packages_names_no_registry() -> None:
    lock = (WEB / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
    assert "registry" not in lock
