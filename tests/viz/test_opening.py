"""What a first visit sees before PyTorch is there, and how a view that ends early leaves the frame."""

from __future__ import annotations

import subprocess
import sys

import pytest

from model.examples import load_example, sentences
from model.folders import resolve
from model.translator import Translator
from tests.pages import APP, markup, prepared, shipped
from viz.core.models import entry_of
from viz.core.text import ENGLISH as STRINGS

pytestmark = shipped
FIRST_VISIT = """
import sys
import streamlit as st
from streamlit.testing.v1 import AppTest
from viz.widgets.registry import Component

told, mount, html = [], Component.mount, st.html

def mounted(self, *args, **kwargs):
    told.append((self.name, "torch" in sys.modules))
    return mount(self, *args, **kwargs)

def written(body, **kwargs):
    if "hl-translation" in str(body):
        told.append(("translation", "torch" in sys.modules))
    return html(body, **kwargs)

Component.mount, st.html = mounted, written
at = AppTest.from_file("router.py", default_timeout=300).run()
assert not at.exception
print(*told, "torch" in sys.modules, sep="\\n")
"""


def test_the_translation_and_the_first_picture_come_before_pytorch() -> None:
    found = subprocess.run(
        [sys.executable, "-c", FIRST_VISIT], cwd=APP.parent, capture_output=True, text=True, check=True
    )
    told = found.stdout.split("\n")
    assert "('translation', False)" in told
    assert "('token_links', False)" in told
    assert told[-2] == "True", "the model is loaded in the end"


def test_what_is_shown_before_the_model_is_there_is_what_the_model_computes(en_zh: Translator) -> None:
    text = sentences("english")[0]
    stored, made = load_example(resolve("en-zh"), text, entry_of("en-zh").sha256), en_zh.translate(text, capture=True)
    assert stored is not None
    assert (stored.text, stored.tgt_ids, stored.src, stored.tgt) == (made.text, made.tgt_ids, made.src, made.tgt)
    assert stored.log_probs == pytest.approx(made.log_probs, abs=1e-3)
    for kind, maps in made.trace.weights.items():
        assert abs(stored.trace.weights[kind] - maps).max() < 1e-3
    assert load_example(resolve("en-zh"), text, "other weights") is None
    assert load_example(resolve("en-zh"), f"{text} ", entry_of("en-zh").sha256) is None


def test_a_view_that_ends_early_does_not_say_for_ever_that_it_loads() -> None:
    at = prepared("lessons", lesson="8", l8_lines=" ").run()
    loading = STRINGS["app.status.loading"].split("·")[1].strip()
    assert 'role="alert"' in markup(at)
    assert loading not in markup(at)
