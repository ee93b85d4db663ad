"""Notebooks as people open them: JupyterLab and marimo on a free port, each with one notebook."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.browser import serving
from tests.architecture.tree import ROOT


def notebook(path: Path, cells: Sequence[str]) -> Path:
    """Write a Jupyter notebook of code."""
    made = [
        {
            "cell_type": "code",
            "id": f"cell{i}",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": source,
        }
        for i, source in enumerate(cells)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    facts = {"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(facts), encoding="utf-8")
    return path


@contextmanager
def served(command: Sequence[str], folder: Path, health: str) -> Iterator[str]:
    """The address of a server, while it runs in a folder from which the tree can be imported.

    Args:
        command: after the interpreter; ``{port}`` stands for the port.
        folder: where it runs.
        health: what answers once it is up.
    """
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    own = {name: str(folder / name.lower()) for name in names} | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    with (folder / "log.txt").open("wb") as log, serving(command, folder, log, health, **own) as (url, _):
        yield url
    shutil.rmtree(folder / "jupyter_runtime_dir", ignore_errors=True)


def jupyter_lab(folder: Path) -> list[str]:
    """The command of JupyterLab, open to this machine without a password."""
    return [
        *("-m", "jupyter", "lab", "--no-browser", "--allow-root", "--port", "{port}", "--ip", "127.0.0.1"),
        *("--IdentityProvider.token=", "--ServerApp.password=", f"--ServerApp.root_dir={folder}"),
        *("--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"),
    ]


def marimo_edit(file: str) -> list[str]:
    """The command of marimo's editor, open to this machine without a password."""
    return ["-m", "marimo", "edit", file, "--headless", "--no-token", "--port", "{port}", "--skip-update-check"]


def marimo_run(file: str) -> list[str]:
    """The command of a marimo notebook as an app."""
    return ["-m", "marimo", "run", file, "--headless", "--no-token", "--port", "{port}"]
