"""Folders of every family, made once a session, and models of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from model.folder.source import FolderSource
from tests.folder import tiny


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a family, by its name."""
    root = tmp_path_factory.mktemp("folders")
    return lambda name: tiny.made(name, root)


@pytest.fixture(scope="session")
def opened(folders: Callable[[str], Path]) -> Callable[[str], FolderSource]:
    """The model of a family, by its name."""
    kept: dict[str, FolderSource] = {}

    def of(name: str) -> FolderSource:
        if name not in kept:
            kept[name] = FolderSource.open(folders(name), pictures=drawing)
        return kept[name]

    return of


def drawing(name: str) -> bytes:
    from model.common.scenes import drawing as method

    return method(name)
