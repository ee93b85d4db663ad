"""Every text of the interface is asked for somewhere, and a name means one thing."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from tests.architecture.tree import sources
from viz.core.text import LANGUAGES

# Names that stand in many files and mean the same in each.
COMMON = {"LABELS", "LESSON"}
# Known breaches, each of which must still be one: whoever mends it takes its line away.
OWED_TEXTS: set[str] = set()
OWED_NAMES = {
    "DECODER_KINDS",
    "MEASURES",
    "Measure",
    "Place",
    "STEPS",
    "Step",
    "Shift",
    "TOLERANCE",
}


def said(files: Iterable[str]) -> tuple[set[str], set[str]]:
    """What a key can be made of: whole strings and names of fields, and f-strings with a * for each value."""
    words: set[str] = set()
    patterns: set[str] = set()
    for source in files:
        tree = ast.parse(source)
        inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = [part.value if isinstance(part, ast.Constant) else "*" for part in node.values]
                patterns.add("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
                words.add(node.value)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                words.add(node.target.id)
    return words, {pattern for pattern in patterns if re.fullmatch(r"[\w.*-]*\.[\w.*-]*", pattern)}


def unused(keys: Iterable[str], files: Iterable[str]) -> set[str]:
    """Keys that nobody asks for: no string says them, and no f-string makes them of words that some string says.

    A number, or the name of an exception, is a word that needs no string.
    """
    words, patterns = said(files)

    @cache
    def known(word: str) -> bool:
        if word in words or word.lstrip("-").isdigit() or word.endswith("Error"):
            return True
        return any(word != pattern and fits(word, pattern.split("*")) for pattern in patterns)

    def fits(word: str, parts: list[str]) -> bool:
        """Whether the word is these parts with known words, or nothing, between them."""
        first, *others = parts
        if not others or not word.startswith(first):
            return word == first
        rest = word[len(first) :]
        ends = [end for end in range(len(rest) + 1) if end < len(word) and rest.startswith(others[0], end)]
        return any((end == 0 or known(rest[:end])) and fits(rest[end:], others) for end in ends)

    return {key for key in keys if not known(key)}


def repeated(files: Mapping[str, str]) -> dict[str, list[str]]:
    """Public constants, classes and aliases that are made at the top of more than one file."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, source in files.items():
        for node in ast.parse(source).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            targets = [*targets, node.target] if isinstance(node, ast.AnnAssign) else targets
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            names += [node.name] if isinstance(node, ast.ClassDef) else []
            for name in names:
                if name[0].isupper() and name not in COMMON:
                    found[name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def code(*folders: str) -> dict[str, str]:
    return {path: source for path, source in sources().items() if path.split("/")[0] in folders}


def test_every_text_is_asked_for() -> None:
    assert unused(LANGUAGES["en"], code("app.py", "router.py", "viz", "model").values()) == OWED_TEXTS


def test_a_text_that_nobody_asks_for_is_seen() -> None:
    source = "say('a.b'); say(f'c.{x}.d'); e = ('one', 'two')\nclass F:\n    field: str\nsay(f'{k}.help')"
    keys = {"a.b", "a.c", "c.one.d", "c.three.d", "c.field.d", "c.7.d", "c.one.e", "one.help", "three.help"}
    assert unused(keys, [source]) == {"a.c", "c.three.d", "c.one.e", "three.help"}


def test_a_name_has_one_meaning() -> None:
    found = {name: paths for name, paths in repeated(code("model", "viz")).items() if name not in OWED_NAMES}
    assert found == {}


def test_every_name_that_is_owed_still_has_several_meanings() -> None:
    assert sorted(set(OWED_NAMES) - set(repeated(code("model", "viz")))) == []


def test_a_name_with_two_meanings_is_seen() -> None:
    files = {
        "a.py": "SHARES = 1\nclass Place: ...\n_OWN = 1",
        "b.py": "SHARES: int = 2\nPlace = 3\n_OWN = 2\nLABELS = 1",
    }
    assert repeated(files) == {"SHARES": ["a.py", "b.py"], "Place": ["a.py", "b.py"]}
