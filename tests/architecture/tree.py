"""The tree of Python files as the tests of its architecture read it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HOUSE = ("app", "router", "headlight", "model", "viz", "bench", "tests")


@cache
def sources() -> dict[str, str]:
    """Every Python file of the house by its path from the root, and what it says."""
    folders = [sorted((ROOT / name).rglob("*.py")) for name in HOUSE]
    files = [ROOT / "app.py", ROOT / "router.py", *(file for files in folders for file in files)]
    return {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in files}


@cache
def imports(source: str) -> set[str]:
    """Dotted names of everything that a source file imports, at its top or inside a function."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def file_of(name: str, files: dict[str, str]) -> str | None:
    """The file that a dotted name stands in: its module's, or its package's; None where it is not of the house."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        stem = "/".join(parts[:length])
        for path in (f"{stem}.py", f"{stem}/__init__.py"):
            if path in files:
                return path
    return None


def used_files(path: str, files: dict[str, str]) -> set[str]:
    """Files of the house that a file imports from."""
    found = {file_of(name, files) for name in imports(files[path]) if name.split(".")[0] in HOUSE}
    return {file for file in found if file is not None}
