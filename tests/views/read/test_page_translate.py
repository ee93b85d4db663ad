"""Translate: the sentence can be saved as a page of its own."""

from __future__ import annotations

import subprocess
import sys

from tests.pages import opened, shipped

pytestmark = shipped


def test_the_sentence_can_be_saved_as_a_page() -> None:
    at = opened("translate")
    assert not at.exception
    assert [each.proto.label for each in at.get("download_button")] == ["Save as page"]
    assert [each.proto.label for each in opened("translate", lang="zh").get("download_button")] == ["存为网页"]


def test_what_draws_the_first_picture_loads_no_pytorch() -> None:
    parts = ", ".join(f"viz.views.translate.{part}" for part in ("page", "panel", "token_links"))
    asked = f"import sys, {parts}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, check=False).returncode == 0
