"""No file and no function is too long, in Python and in JavaScript; tables of texts are excepted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.javascript import functions
from tests.architecture.tree import ROOT, sources

MOST_LINES = 250
MOST_OF_A_FUNCTION = 40  # from its head to its last line, docstring included
MOST_OF_THE_APP = 60
OTHERS = {"assets", "dist", "node_modules"}  # folders of what others wrote, or a program
# Known breaches, each of which must still be one: whoever mends it takes its line away.
OWED: set[str] = set()


def scripts() -> dict[str, str]:
    """Every script of our own, with looks and markup beside it, by its path from the root."""
    files = [file for end in ("js", "css", "html") for file in (ROOT / "viz").rglob(f"*.{end}")]
    paths = {str(file.relative_to(ROOT)): file for file in sorted(files)}
    return {
        path: file.read_text(encoding="utf-8") for path, file in paths.items() if not OTHERS & set(Path(path).parts)
    }


def long_functions(path: str, source: str) -> Iterator[str]:
    """Path and name of each function that is too long."""
    if Path(path).suffix == ".js":
        measured = [(each.name, each.lines) for each in functions(source)]
    else:
        nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
        measured = [(node.name, node.end_lineno - node.lineno + 1) for node in nodes if node.end_lineno]
    yield from (f"{path}: {name}" for name, lines in measured if lines > MOST_OF_A_FUNCTION)


def test_no_file_is_too_long() -> None:
    files = sources() | scripts()
    lengths = {path: len(text.splitlines()) for path, text in files.items() if not path.startswith("viz/text/")}
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}
    assert lengths["router.py"] <= MOST_OF_THE_APP


def test_no_function_is_too_long() -> None:
    files = sources() | {path: text for path, text in scripts().items() if path.endswith(".js")}
    assert {name for path, text in files.items() for name in long_functions(path, text)} == OWED


def test_a_long_function_is_seen_in_both_languages() -> None:
    body = "\n".join(["  1;"] * MOST_OF_A_FUNCTION)
    for head in ("function f()", "const f = (a, { b }) =>", "const f = async a =>", "class A { f(a = `${[`}`]}`)"):
        end = "}}" if head.startswith("class") else "}"
        assert list(long_functions("x.js", f"{head} {{\n{body}\n{end}")) == ["x.js: f"]
        assert list(long_functions("x.js", f"{head} {{\n{body[6:]}{end}")) == []
    short = "def f():\n    def g():\n" + "        1\n" * (MOST_OF_A_FUNCTION - 1)
    assert list(long_functions("x.py", short)) == ["x.py: f"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("const s = '}{'; // {\n/* { */ const r = /[/{]/g;\nfunction f() { return 1 / 2 / 3; }", ["f"]),
        ("class A { get b() { return `{${this.c({})}`; } static d() {} }", ["b", "d"]),
        ("if (a) { b(); } else { for (const x of y) { z(); } } while (1) {}", []),
        ("const o = { m() {}, n: () => {}, p: (q) => ({ q }) };", ["m", "n"]),
    ],
)
def test_the_reader_of_scripts_knows_a_function_when_it_sees_one(script: str, expected: list[str]) -> None:
    assert [each.name for each in functions(script)] == expected
