"""A folder of models of one's own, as ``--models`` names it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from model.errors import HeadlightError
from model.folders import MODELS
from model.translator import Translator
from tests.folder import tiny


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models of every form, and a file of saved maps."""
    root = tmp_path_factory.mktemp("models")
    for name in ("marian", "nllb", "gpt2", "bert", "vit"):
        tiny.made(name, root)
    even = np.full((2, 3, 4, 4), 0.25, np.float32)
    np.savez(root / "mine.npz", self=even, tokens=np.array(["[CLS]", "a", "b", "c"]))
    return root


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No folder of models but what a test names, and none left behind."""
    monkeypatch.setenv(MODELS, "")


@pytest.fixture(scope="session")
def opens(en_zh: Translator) -> Callable[[str], Translator]:
    def opens(name: str) -> Translator:
        if name != "en-zh":
            raise HeadlightError(f"there is no model {name!r}")
        return en_zh

    return opens
