"""Who may import whom, as the design says."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
VIEWS = {"torch", "plotly", "nltk", "bertviz"}
FORBIDDEN = {
    "model": {"viz", "streamlit", "plotly", "bertviz", "bench", "tests"},
    "viz/figures": {"model", "streamlit", "viz.pages", "viz.session", "viz.components", "viz.frame"},
    "viz/pages": VIEWS,
    "viz/components": VIEWS | {"viz.pages"},
    "viz/session.py": VIEWS,
    "viz/frame.py": VIEWS,
    "app.py": VIEWS,
    "model/attention.py": {"model.capture", "model.layers", "model.transformer", "model.decoding"},
    "model/capture.py": {"model.translator", "model.training"},
    "model/trace.py": {"torch"},
    "model/folders.py": {"torch"},
    "model/examples.py": {"torch"},
}


def imports(source: str) -> set[str]:
    """Dotted names of everything that a source file imports, at its top or inside a function."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found |= {str(node.module)} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def breaches(source: str, forbidden: set[str]) -> list[str]:
    return sorted(
        name for name in imports(source) if any(name == rule or name.startswith(f"{rule}.") for rule in forbidden)
    )


@pytest.mark.parametrize("place", FORBIDDEN)
def test_nobody_imports_what_the_design_forbids(place: str) -> None:
    path = ROOT / place
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    assert files
    found = {str(file): breaches(file.read_text(encoding="utf-8"), FORBIDDEN[place]) for file in files}
    assert {name: names for name, names in found.items() if names} == {}


def test_bertviz_and_its_torch_are_imported_in_one_file_of_the_figures() -> None:
    files = (ROOT / "viz/figures").rglob("*.py")
    users = [file.name for file in files if breaches(file.read_text(encoding="utf-8"), {"bertviz", "torch"})]
    assert len(users) <= 1


def test_a_breach_is_seen_wherever_it_stands() -> None:
    hidden = "def f():\n    import torch.nn as n\n"
    assert breaches(hidden, {"torch"}) == ["torch.nn"]
    assert breaches("from viz import session\n", {"viz.session"}) == ["viz.session"]
    assert breaches("import torchvision\n", {"torch"}) == []


def test_no_file_is_too_long() -> None:
    files = [file for folder in ("model", "viz", "bench", "tests") for file in (ROOT / folder).rglob("*.py")]
    files = [file for file in files if file.parent.name != "text"]  # lists of strings, one file a language
    long = {
        str(file.relative_to(ROOT)): lines
        for file in files
        if (lines := len(file.read_text(encoding="utf-8").splitlines())) > 250
    }
    assert long == {}
    assert len((ROOT / "app.py").read_text(encoding="utf-8").splitlines()) <= 60
