"""Whatever writes a file writes it aside: ``model/files.py`` says how, and nothing of the product does it otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.tree import sources

ASIDE = {"part", "told"}  # what the house calls a path that ``aside`` gave
ITSELF = "model/files.py"
WRITES = {"write_text", "write_bytes"}
TAKES_A_PATH = {"save_file": 1, "copyfile": 1, "copy": 1, "move": 1, "savez": 0, "savez_compressed": 0, "ZipFile": 0}
# Pipes, files in memory, and copies that are no files.
MAY = {
    ("model/attribution/export.py", "savez_compressed"),  # into memory
    ("model/analysis/atlas/book.py", "ZipFile"),  # reads; writes through ``part``
    ("model/saved/reading.py", "ZipFile"),  # reads
    ("viz/app/view_stills.py", "open"),  # the pipe to the process that started it
}


def direct(source: str) -> Iterator[str]:
    """Names of the calls of a file that write to a path that nobody renames."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        called, on = node.func, None
        if isinstance(called, ast.Attribute):
            name, on = called.attr, called.value
        else:
            name = called.id if isinstance(called, ast.Name) else ""
        if name in WRITES and on is not None and not _is_aside(on):
            yield name
        if name in TAKES_A_PATH and len(node.args) > TAKES_A_PATH[name] and _is_file(node, on):
            if not _is_aside(node.args[TAKES_A_PATH[name]]) and "r" not in _texts(node):
                yield name
        if name == "open" and any(each[:1] in "wax" for each in _texts(node) if each) and not _is_aside(on):
            yield name


def _is_aside(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Name) and node.id in ASIDE


def _is_file(node: ast.Call, on: ast.expr | None) -> bool:
    return not isinstance(node.func, ast.Attribute) or (isinstance(on, ast.Name) and on.id in ("shutil", "np", "zipfile"))


def _texts(node: ast.Call) -> list[str]:
    given = [*node.args, *(each.value for each in node.keywords)]
    return [each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def test_every_file_of_the_product_is_written_aside() -> None:
    product = {path: text for path, text in sources().items() if path.split("/")[0] in ("model", "viz", "headlight")}
    found = {(path, name) for path, text in product.items() for name in direct(text) if path != ITSELF}
    assert found - MAY == set()


def test_a_file_that_is_written_where_it_stands_is_seen() -> None:
    for line in (
        "path.write_text('x')",
        "(folder / META).write_bytes(b'')",
        "open(path, 'wb').write(b'')",
        "path.open('a')",
        "save_file(weights, path)",
        "shutil.copyfile(a, b)",
        "np.savez(path, a=a)",
    ):
        assert list(direct(line)), line
    for line in ("part.write_text('x')", "save_file(w, part)", "write_text(path, 'x')", "path.open()", "a.copy()"):
        assert not list(direct(line)), line
