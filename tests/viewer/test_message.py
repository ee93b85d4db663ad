"""What Python sends is what the viewer's scripts read: the fixture is fresh, the types agree."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
import struct
from typing import get_type_hints

import numpy as np
import pytest

from model.attribution.methods import traced_maps
from model.trace import HeadRef, TracedTranslation
from tests.viewer import fixture
from viz.core.selection import Selection
from viz.export.pages import TRACED, traced_page
from viz.web import message as types
from viz.web.bundles import SOURCES, VIEWER, VIEWER_STYLE
from viz.web.message import coded
from viz.web.page import page
from viz.web.payload import pack


def unpacked(sent: bytes) -> tuple[dict, np.ndarray]:
    length = struct.unpack_from("<I", sent)[0]
    return json.loads(sent[4 : 4 + length]), np.frombuffer(sent, np.uint8, offset=4 + length)


def typedefs(source: str) -> dict[str, set[str]]:
    """Names of the types that a script declares, and of their properties."""
    parts = re.findall(r"@typedef \{object\} (\w+)(.*?)\*/", source, re.DOTALL)
    return {name: set(re.findall(r"@property \{.*\} (\w+)", body)) for name, body in parts}


def test_the_fixture_of_the_scripts_is_what_python_writes_today() -> None:
    written = json.loads(fixture.PATH.read_text(encoding="utf-8"))
    today = json.loads(fixture.text())
    sent, now = (gzip.decompress(base64.b64decode(each.pop("message"))) for each in (written, today))
    assert written == today, "run python -m tests.viewer.fixture"
    assert unpacked(sent)[0] == unpacked(now)[0], "run python -m tests.viewer.fixture"
    assert sent == now


def test_both_ends_declare_the_same_types() -> None:
    declared = typedefs((SOURCES / "types.js").read_text(encoding="utf-8"))
    for name in ("Tokens", "KindPart", "MapsPart", "SortPart", "MorePart", "Look", "Header", "Envelope"):
        assert declared[name] == set(get_type_hints(getattr(types, name))), name
    assert typedefs("/** @typedef {object} A\n * @property {number} b\n */") == {"A": {"b"}}


def test_the_header_says_what_is_in_the_bytes() -> None:
    header, sent = unpacked(fixture.message())
    assert set(header) == set(get_type_hints(types.Header))
    assert header["start"] == "h=c0.1&t=0.05"
    assert [kind["kind"] for kind in header["kinds"]] == ["encoder_self", "decoder_self", "cross"]
    part = next(sort for sort in header["sorts"] if sort["name"] == "weights")["maps"]["cross"]
    found = sent[part["offset"] : part["offset"] + 100].reshape(2, 2, 5, 5)
    np.testing.assert_allclose((found / 255) ** 2, fixture.made("weights")["cross"], atol=1e-6)
    assert next(sort for sort in header["sorts"] if sort["name"] == "rollout")["maps"]["cross"]["heads"] == 1


def test_codes_are_within_what_the_page_says_and_refuse_what_is_no_number() -> None:
    weights = np.random.default_rng(0).random((3, 4, 5, 6), dtype=np.float32)
    assert np.abs((coded(weights, False) / 255.0) ** 2 - weights).max() <= 1 / 255
    signed = 2 * weights - 1
    assert np.abs((coded(signed, True).astype(float) - 128) / 127 - signed).max() <= 1 / 254 + 1e-6
    for bad in (np.nan, np.inf, 1.1, -0.1):
        with pytest.raises(ValueError, match="from 0 to 1"):
            coded(np.array([bad]), False)


def test_a_head_that_is_not_there_and_maps_that_do_not_fit_are_refused() -> None:
    made = fixture.translation()
    maps = {"weights": made.trace.weights}
    with pytest.raises(ValueError, match="L7 H0"):
        pack(made, maps, language="en", model="m", start=Selection((HeadRef("cross", 7, 0),)))
    wrong = {"weights": {**made.trace.weights, "cross": made.trace.weights["cross"][:, :1]}}
    with pytest.raises(ValueError, match=r"weights has shape \(2, 1, 5, 5\)"):
        pack(made, wrong, language="en", model="m")


def test_a_page_allows_its_own_script_and_nothing_else() -> None:
    found = page(fixture.message(), f"{fixture.HOSTILE} & more", "zh")
    policy = html.unescape(re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', found)[1])
    assert policy.startswith("default-src 'none'; ")
    for tag, path in (("script", VIEWER), ("style", VIEWER_STYLE)):
        code = re.findall(rf"<{tag}(?: type=\"module\")?>(.*?)</{tag}>", found, re.DOTALL)
        assert code == [path.read_text(encoding="utf-8")]
        digest = base64.b64encode(hashlib.sha256(code[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert "http:" not in policy
    assert fixture.HOSTILE not in found
    assert html.escape(fixture.HOSTILE) in found
    assert not re.search(r"<(?:link|img|iframe|script src)", found)


def test_pages_are_small(translation: TracedTranslation) -> None:
    assert len(traced_page(translation).html) < 400_000
    maps = {method: traced_maps(translation.trace, method) for method in TRACED}
    header, sent = unpacked(pack(translation, maps, language="en", model="en-zh"))
    sizes = [weights.size for weights in translation.trace.weights.values()]
    shared = [weights[:, :1].size for weights in translation.trace.weights.values()]
    assert len(sent) == sum(sizes) + sum(shared)
    assert header["words"]["map"] == "Map"
