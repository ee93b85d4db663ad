"""Our scripts: the bundles are made of them, they pass what node checks, and no text of a visitor becomes markup."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from viz.web.bundles import COMPONENTS, DIST, ENGINE, LIVE, NOTEBOOK, PHONE, RUNTIME, SOURCES, STAGE, VIEWER, WEB

NODE, NPM = shutil.which("node"), shutil.which("npm")
needs_packages = pytest.mark.skipif(
    NPM is None or not (WEB / "node_modules").is_dir(), reason="no node, or no packages of it"
)
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|document\.write|eval\(|new Function|\bfetch\("
    r"|XMLHttpRequest|WebSocket|https?://(?!www\.w3\.org/)"
)


def source_sum(sources: Path) -> str:
    """The sum of scripts, style sheets and markup, as build.js makes it."""
    found = hashlib.sha256()
    files = {
        file.relative_to(sources).as_posix(): file
        for end in ("js", "css", "html")
        for file in sources.rglob(f"*.{end}")
    }
    for name in sorted(files):
        found.update(f"{name}\n".encode() + files[name].read_bytes())
    found.update(WEB.with_name("core").joinpath("selection.json").read_bytes())
    return found.hexdigest()


@pytest.mark.parametrize("bundle", [VIEWER, COMPONENTS, NOTEBOOK, STAGE, LIVE, ENGINE, PHONE])
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
    names = ("components", "viewer", "notebook", "stage", "live", "engine", "phone")
    assert {str(path) for path in made} == {*(f"{name}.js" for name in names), "styles.json"}
    assert made == committed


@needs_packages
def test_the_scripts_pass_tsc_eslint_and_prettier() -> None:
    ran = subprocess.run(
        [str(NPM), "run", "check"], cwd=WEB, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-4000:]


def complaints(source: str, path: str) -> str:
    """What eslint says of a source that stood at a path of ours."""
    command = [str(NODE), "node_modules/eslint/bin/eslint.js", "--stdin", "--stdin-filename", path]
    return subprocess.run(command, cwd=WEB, input=source, capture_output=True, text=True, check=False).stdout


@needs_packages
def test_what_outlives_an_element_is_seen_but_in_the_base_that_ends_it() -> None:
    outlive = ("new ResizeObserver(f);", "window.addEventListener('a', f);", "setTimeout(f);", "window.setInterval(f);")
    source = "\n".join(["export default (f) => {", *outlive, "};"])
    assert complaints(source, "src/components/x/x.js").count("no-restricted-syntax") == len(outlive)
    assert complaints(source, "src/ui/component.js") == ""


@needs_packages
def test_what_is_imported_for_nothing_and_what_is_too_long_is_seen() -> None:
    assert "no-unused-vars" in complaints('import { make } from "../../ui/dom.js";\n', "src/components/x/x.js")
    long = "\n".join(["export function f() {", *["  1;"] * 39, "}"])
    assert "max-lines-per-function" in complaints(long, "src/core/x.js")
    assert "max-lines-per-function" not in complaints(long.replace("  1;\n", "", 1), "src/core/x.js")


@needs_packages
def test_a_name_that_was_not_asked_for_and_a_value_of_another_type_are_seen(tmp_path: Path) -> None:
    (tmp_path / "x.js").write_text("export const a = percent(1);\n/** @type {string} */\nexport const b = 1;\n")
    settings = {"extends": str(WEB / "tsconfig.json"), "include": [str(tmp_path / "x.js")]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings))
    ran = subprocess.run(
        [str(NODE), "node_modules/typescript/bin/tsc", "-p", str(tmp_path)],
        cwd=WEB,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Cannot find name 'percent'" in ran.stdout
    assert "Type 'number' is not assignable to type 'string'" in ran.stdout


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
    found = {path.name: FORBIDDEN.findall(path.read_text("utf-8")) for path in scripts}
    # A site's engine reads the files that lie beside its page, a phone asks its class: policy holds both to their host.
    assert {name: what for name, what in found.items() if what} == {"worker.js": ["fetch("], "news.js": ["fetch("]}


def test_the_runtime_is_the_one_that_its_table_names() -> None:
    table = (RUNTIME.parent / "README.md").read_text(encoding="utf-8")
    assert hashlib.sha256(gzip.decompress(RUNTIME.read_bytes())).hexdigest() in table
    assert (RUNTIME.parent / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


def test_the_list_of_packages_names_no_registry() -> None:
    lock = (WEB / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
    assert "registry" not in lock
