from __future__ import annotations

from collections.abc import Callable

import pytest

from model.errors import HeadlightError
from model.translator import Translator


@pytest.fixture(scope="session")
def opens(en_zh: Translator) -> Callable[[str], Translator]:
    def opens(name: str) -> Translator:
        if name != "en-zh":
            raise HeadlightError(f"there is no model {name!r}")
        return en_zh

    return opens
