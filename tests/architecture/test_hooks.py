"""Analysis watches the model that ``running`` gives them, not the first of its kind."""

from __future__ import annotations

import ast

from tests.architecture.tree import sources


def reads_model(source: str) -> bool:
    """Whether a source file reads anybody's attribute ``model``."""
    return any(isinstance(node, ast.Attribute) and node.attr == "model" for node in ast.walk(ast.parse(source)))


def test_analysis_does_not_reach_for_a_translators_first_model() -> None:
    assert reads_model("block = attention_block(translator.model, kind, layer)")
    assert not reads_model("with translator.running() as model: model.encode(ids)")
    files = {path: source for path, source in sources().items() if path.startswith("model/analysis/")}
    assert [path for path, source in files.items() if reads_model(source)] == []
