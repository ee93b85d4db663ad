"""No file and no function is too long. Of scripts, eslint says so."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.tree import ROOT, sources

MOST_LINES = 400
MOST_OF_A_FUNCTION = 40  # from its head to its last line, docstring included
MOST_OF_THE_APP = 60
OTHERS = {"assets", "dist", "node_modules"}  # folders of what others wrote, or was built
# Known breaches, each of which must still be one: whoever mends it takes its line away.
OWED: set[str] = set()


def looks() -> dict[str, str]:
    """Every style sheet and markup of our own, by its path from the root."""
    files = [file for end in ("css", "html") for file in (ROOT / "viz").rglob(f"*.{end}")]
    paths = {str(file.relative_to(ROOT)): file for file in sorted(files)}
    return {
        path: file.read_text(encoding="utf-8") for path, file in paths.items() if not OTHERS & set(Path(path).parts)
    }


def long_functions(path: str, source: str) -> Iterator[str]:
    """Path and name of each function that is too long."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    measured = [(node.name, node.end_lineno - node.lineno + 1) for node in nodes if node.end_lineno]
    yield from (f"{path}: {name}" for name, lines in measured if lines > MOST_OF_A_FUNCTION)


def test_no_file_is_too_long() -> None:
    files = sources() | looks()
    lengths = {path: len(text.splitlines()) for path, text in files.items()}
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}
    assert lengths["router.py"] <= MOST_OF_THE_APP


def test_no_function_is_too_long() -> None:
    assert {name for path, text in sources().items() for name in long_functions(path, text)} == OWED


def test_a_long_function_is_seen() -> None:
    short = "def f():\n    def g():\n" + "        1\n" * (MOST_OF_A_FUNCTION - 1)
    assert list(long_functions("x.py", short)) == ["x.py: f"]


def reads_model(source: str) -> bool:
    """Whether a source file reads anybody's attribute ``model``."""
    return any(isinstance(node, ast.Attribute) and node.attr == "model" for node in ast.walk(ast.parse(source)))


def test_analysis_does_not_reach_for_a_translators_first_model() -> None:
    assert reads_model("block = attention_block(translator.model, kind, layer)")
    assert not reads_model("with translator.running() as model: model.encode(ids)")
    files = {path: source for path, source in sources().items() if path.startswith("model/analysis/")}
    assert [path for path, source in files.items() if reads_model(source)] == []


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
        if isinstance(node, ast.Call) and (name := _writes(node)):
            yield name


def _writes(node: ast.Call) -> str | None:
    called = node.func
    on = called.value if isinstance(called, ast.Attribute) else None
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    if name in WRITES:
        return name if on is not None and not _is_aside(on) else None
    if name in TAKES_A_PATH and (on is None or _named(on) in ("shutil", "np", "zipfile")):
        place = node.args[TAKES_A_PATH[name]] if len(node.args) > TAKES_A_PATH[name] else None
        return None if place is None or _is_aside(place) else name
    writing = any(each[:1] in ("w", "a", "x") for each in _texts(node))
    return name if name == "open" and writing and not _is_aside(on) else None


def _named(node: ast.expr | None) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _is_aside(node: ast.expr | None) -> bool:
    return _named(node) in ASIDE


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
