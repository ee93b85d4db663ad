"""The example notebook runs from its first cell to its last, and shows the viewer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from tests.architecture.tree import ROOT
from tests.pages import shipped


def cells(path: Path) -> list[str]:
    """What its cells of code say."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_a_notebook_that_breaks_is_seen() -> None:
    with pytest.raises(NameError):
        InteractiveShell().run_cell("there_is_no_such_thing").raise_error()


@shipped
def test_the_notebook_of_the_widget_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shell = InteractiveShell()
    results = []
    for cell in cells(ROOT / "docs" / "show.ipynb"):
        ran = shell.run_cell(cell)
        ran.raise_error()
        results.append(ran.result)
    shown, (head, shape), given, page = results
    assert "application/vnd.jupyter.widget-view+json" in shown._repr_mimebundle_()[0]
    assert head == ("cross", 2, 5)
    assert shape == tuple(map(len, shown.shown.trace.axis_labels("cross")))
    assert [head.code for head in given.selection.heads] == ["e1.2"]
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
