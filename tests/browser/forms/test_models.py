"""One model of each form in a real browser: its first view, one head, and nothing that fails."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from bench.browser import running_app
from model.folders import MODELS
from tests.folder import tiny

NAMES = ("marian", "gpt2", "bert", "vit")


@pytest.fixture(scope="module")
def app_url(tmp_path_factory):
    """The app, started with a folder of models."""
    root = tmp_path_factory.mktemp("models")
    for name in NAMES:
        tiny.made(name, root)
    log = tmp_path_factory.mktemp("app") / "server.log"
    with pytest.MonkeyPatch.context() as patch, log.open("wb") as file:
        patch.setenv(MODELS, str(root))
        with running_app(file) as url:
            yield url


def test_a_translator_of_ones_own_is_read_and_its_heads_are_opened(visit, wait_idle):
    page = visit(checkpoint="marian", text="The old baker gives us bread.")
    expect(page.get_by_text("Source", exact=True)).to_be_visible()
    expect(page.get_by_text(">>cmn<<", exact=True).first).to_be_visible()
    page = visit("one_head", checkpoint="marian", text="The old baker gives us bread.", viewer="v=all")
    expect(page.locator(".room .kind canvas").first).to_be_visible()
    assert page.locator(".room .kind").count() == 3


def test_a_decoder_goes_on_and_has_one_triangle(visit):
    page = visit("one_head", checkpoint="gpt2", text="The old baker")
    expect(page.locator(".hl-translation mark")).to_be_attached()
    expect(page.locator(".panel-title").first).to_contain_text("Decoder self · L1 H0")
    expect(page.get_by_text("Alignment", exact=True)).to_have_count(0)


def test_an_encoder_fills_in_its_mask(visit):
    page = visit(checkpoint="bert", text="The old [MASK] sleeps.")
    expect(page.get_by_text("What the model would fill in at [MASK] 1")).to_be_visible()
    expect(page.get_by_text(re.compile("^Most probable: "))).to_be_visible()


def test_a_click_on_a_patch_looks_from_there_and_stays_in_the_link(visit, wait_idle, reopen):
    page = visit(checkpoint="vit")
    cells = page.locator(".patches .cell")
    expect(cells).to_have_count(9)
    expect(page.locator('.patches .cell[aria-selected="true"]')).to_have_count(0)
    cells.nth(4).click()
    wait_idle(page)
    expect(page.locator('.patches .cell[aria-selected="true"]')).to_have_count(1)
    expect(page.get_by_text("looking from r1 c1")).to_be_visible()
    assert "patch=" in page.url
    expect(reopen(page).get_by_text("looking from r1 c1")).to_be_visible()


def test_a_file_of_maps_is_uploaded_and_nobody_else_sees_it(visit, wait_idle, reopen):
    data = io.BytesIO()
    np.savez(data, self=np.full((1, 2, 3, 3), 1 / 3, np.float32), tokens=np.array(["[CLS]", "one", "two"]))
    page = visit(text="I love you.")
    page.get_by_text("Settings", exact=True).click()
    chooser = page.locator('input[type="file"]')
    chooser.set_input_files({"name": "my maps.npz", "mimeType": "application/zip", "buffer": data.getvalue()})
    expect(page.get_by_text("Kinds of attention in this file: Encoder self 1 × 2.")).to_be_visible(timeout=20_000)
    wait_idle(page)
    other = reopen(page)
    expect(other.get_by_role("alert").filter(has_text="my maps.npz")).to_contain_text("is not here")
    expect(other.get_by_text("The maps in my maps.npz")).to_have_count(0)
    expect(other.get_by_text("Kinds of attention in this file")).to_have_count(0)
