"""The site: built from the documents, it asks no other host for anything, and its links and pictures lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT
from tests.pages import shipped

pytestmark = shipped
_LINK = re.compile(r"<(?P<tag>a|link|script|img|iframe)\b[^>]*?\s(?:href|src)=\"(?P<to>[^\"]*)\"")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a build writes."""
    pytest.importorskip("mkdocs_static_i18n", reason="pip install --group site")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    subprocess.run(
        command, cwd=ROOT, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    )
    return folder


def links(page: Path) -> list[tuple[str, str]]:
    """Tags of a page with where they lead, without what stands behind # or ?."""
    found = _LINK.finditer(page.read_text(encoding="utf-8"))
    return [(each["tag"], unescape(each["to"]).split("#")[0].split("?")[0]) for each in found]


def test_nothing_is_fetched_from_anywhere(site: Path) -> None:
    pages = [page for page in site.rglob("*.html") if page.parent.name != "gallery"]
    assert {"index.html", "gallery.html", "api.html"} <= {page.name for page in pages}
    asked = {to for page in pages for tag, to in links(page) if tag in ("script", "img", "iframe")}
    asked |= {
        match[1]
        for page in pages
        for match in re.finditer(r'<link rel="(?:stylesheet|preconnect|icon)" href="([^"]*)"', page.read_text())
    }
    assert [to for to in asked if to.startswith(("http:", "https:", "//"))] == []


def test_links_and_live_pictures_lead_somewhere(site: Path) -> None:
    lost = set()
    for page in (page for page in site.rglob("*.html") if page.parent.name != "gallery" and page.name != "404.html"):
        for _, to in links(page):
            inside = to and not re.match(r"[a-z]+:|/", to)
            target = (page.parent / to).resolve()
            if inside and site in target.parents and not target.exists():
                lost.add(f"{page.relative_to(site)} -> {to}")
    assert lost == set()
    frames = re.findall(r'<iframe src="([^"]+)"', (site / "gallery.html").read_text(encoding="utf-8"))
    assert len(frames) == 3
    assert all((site / each).read_text(encoding="utf-8").startswith("<!doctype html>") for each in frames)
    chinese = re.findall(r'<iframe src="([^"]+)"', (site / "zh" / "gallery.html").read_text(encoding="utf-8"))
    assert all((site / "zh" / each).resolve().is_file() for each in chinese)


def test_the_interface_for_programs_is_described_from_docstrings(site: Path) -> None:
    text = unescape(re.sub(r"<[^>]+>", "", (site / "api.html").read_text(encoding="utf-8")))
    for said in ("The viewer of every head, as the result of a notebook's cell.", "include_layers", "open_model"):
        assert said in text
    assert "@api" not in text
