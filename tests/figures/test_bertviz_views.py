from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib import metadata

import numpy as np
import pytest

from viz.charts.lines import bertviz_code
from viz.charts.lines.bertviz_code import ASSETS, BertVizError, frame_scripts
from viz.core.theme import DARK, HEAD_COLOURS, LIGHT
from viz.views.one_head import bertviz_lines as bertviz_views
from viz.views.one_head.bertviz_lines import SAY, Drawing, Lines, head_view, inert_json, model_view, sealed_document

TEXTS = dict.fromkeys(SAY, "text")
HOSTILE = ["</script><script>window.__pwned=1</script>", "<img src=x onerror=alert(1)>", "$x$ :red[y]", "\u2028&", "猫"]


def maps(*shape: int, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).random(shape).astype(np.float32) ** 4
    return values / values.sum(-1, keepdims=True)


def lines(layers: int = 3, heads: int = 4, queries: int = 2, keys: int = 5) -> Lines:
    return Lines(maps(layers, heads, queries, keys), [f"q{n}" for n in range(queries)], [f"k{n}" for n in range(keys)])


def given(drawing: Drawing) -> dict:
    found = re.findall(r'<script type="application/json" id="given">(.*?)</script>', drawing.html, re.DOTALL)
    assert len(found) == 1
    return json.loads(found[0])


def decoded(data: dict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(data["weights"]), np.uint8).reshape(data["shape"]) / 255


def test_the_head_view_holds_one_layer_of_a_non_square_map_to_half_a_step() -> None:
    shown = lines()
    data = given(head_view(shown, theme=LIGHT, layer=2, shown=[1, 3], say=TEXTS))
    assert data["shape"] == [1, 4, 2, 5]
    np.testing.assert_allclose(decoded(data)[0], shown.weights[2], atol=0.5 / 255 + 1e-6)
    assert (data["rows"], data["columns"]) == (["q0", "q1"], ["k0", "k1", "k2", "k3", "k4"])
    assert (data["layer"], data["layers"], data["shown"]) == (2, [2], [1, 3])
    assert data["colours"] == list(HEAD_COLOURS[:4])


@pytest.mark.parametrize("layers", [1, 2, 6])
def test_the_model_view_holds_every_layer_however_many_there_are(layers: int) -> None:
    shown = lines(layers)
    data = given(model_view(shown, theme=DARK, layer=layers - 1, head=3, say=TEXTS))
    np.testing.assert_allclose(decoded(data), shown.weights, atol=0.5 / 255 + 1e-6)
    assert data["layers"] == list(range(layers))
    assert data["dark"] is True


def test_the_same_state_gives_the_same_document_and_another_theme_another() -> None:
    def draw(theme: object) -> str:
        return head_view(lines(), theme=theme, layer=0, shown=[0], say=TEXTS).html

    assert draw(LIGHT) == draw(LIGHT) != draw(DARK)


def test_hostile_tokens_arrive_whole_and_end_no_script() -> None:
    hostile = Lines(maps(1, 2, 5, 5), HOSTILE, HOSTILE)
    plain = Lines(hostile.weights, ["a"] * 5, ["a"] * 5)
    for draw in (
        lambda one: head_view(one, theme=LIGHT, layer=0, shown=[0], say=TEXTS),
        lambda one: model_view(one, theme=LIGHT, layer=0, head=0, say=TEXTS),
    ):
        assert given(draw(hostile))["rows"] == HOSTILE
        for part in ("<script", "</script", "<img", "<!--", "\u2028"):
            assert draw(hostile).html.count(part) == draw(plain).html.count(part)


def test_inert_json_is_ascii_without_markup_even_for_a_lone_surrogate() -> None:
    text = inert_json({"token": "<b>&\u2029\ud800猫"})
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert json.loads(text)["token"] == "<b>&\u2029\ud800猫"


def test_the_policy_allows_exactly_the_scripts_in_the_document() -> None:
    page = head_view(lines(), theme=LIGHT, layer=0, shown=[0], say=TEXTS).html
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    hashes = [base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() for code in scripts(page)]
    assert re.findall(r"'sha256-([^']*)'", policy[1].split("style-src")[0]) == hashes
    assert "unsafe" not in policy[1]


def scripts(page: str) -> list[str]:
    return re.findall(r"<script>(.*?)</script>", page, re.DOTALL)


def test_the_drawing_code_is_the_installed_packages_own_but_for_sizes() -> None:
    installed = metadata.distribution("bertviz").locate_file("bertviz/head_view.js").read_text(encoding="utf-8")
    own = scripts(head_view(lines(), theme=LIGHT, layer=0, shown=[0], say=TEXTS).html)[-1]
    changed = [(old, new) for old, new in zip(installed.splitlines(), own.splitlines(), strict=True) if old != new]
    assert 0 < len(changed) <= 6
    assert all(re.fullmatch(r"\s*const [A-Z_]+ = [\d.]+;", new) for _, new in changed)


def test_sixty_tokens_stay_small() -> None:
    long = lines(6, 8, 60, 60)
    assert len(head_view(long, theme=LIGHT, layer=0, shown=[0], say=TEXTS).html) < 450_000
    assert len(model_view(long, theme=LIGHT, layer=0, head=0, say=TEXTS).html) < 650_000


def test_where_there_are_too_many_lines_the_strongest_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = lines(2, 2, 3, 10)
    assert shown.weakest() == pytest.approx(0.5 / 255)
    monkeypatch.setattr(bertviz_views, "MAX_LINES", 7)
    kept = shown.steps()
    assert 0 < np.count_nonzero(kept) <= 7
    assert shown.weights[kept > 0].min() >= shown.weakest() >= shown.weights[kept == 0].max()


def test_the_strongest_lines_of_a_head_name_query_key_and_weight() -> None:
    weights = np.zeros((1, 1, 2, 3), np.float32)
    weights[0, 0] = [[0.1, 0.9, 0.0], [0.6, 0.0, 0.4]]
    found = Lines(weights, ["a", "b"], ["x", "y", "z"]).strongest(0, 0, 2)
    assert [(row, key, round(weight, 3)) for row, key, weight in found] == [("a", "y", 0.9), ("b", "x", 0.6)]


@pytest.mark.parametrize(
    ("weights", "rows", "message"),
    [
        (np.zeros((2, 2, 3, 3)), 2, "tokens"),
        (np.zeros((2, 3, 3)), 3, "tokens"),
        (np.zeros((2, 2, 0, 3)), 0, "nothing to draw"),
        (np.full((1, 1, 3, 3), np.nan), 3, "between 0 and 1"),
        (np.full((1, 1, 3, 3), 1.5), 3, "between 0 and 1"),
    ],
)
def test_wrong_weights_are_refused(weights: np.ndarray, rows: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Lines(weights, ["a"] * rows, ["a"] * 3)


@pytest.mark.parametrize(("layer", "shown"), [(3, [0]), (-1, [0]), (0, [4]), (0, [])])
def test_a_layer_or_head_that_is_not_there_is_refused(layer: int, shown: list[int]) -> None:
    with pytest.raises(ValueError, match="layers 0–2 and heads 0–3"):
        head_view(lines(), theme=LIGHT, layer=layer, shown=shown, say=TEXTS)


def test_missing_texts_are_named() -> None:
    with pytest.raises(ValueError, match="summary"):
        head_view(lines(), theme=LIGHT, layer=0, shown=[0], say={name: "" for name in SAY if name != "summary"})


def test_another_bertviz_is_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bertviz_code, "_bertviz_source", lambda _name: "const params = PYTHON_PARAMS;")
    with pytest.raises(BertVizError, match="not the version"):
        head_view(lines(), theme=LIGHT, layer=0, shown=[0], say=TEXTS)
    assert frame_scripts() == []


def test_no_document_holds_a_script_that_is_not_announced() -> None:
    for shown in (lines(), lines(1, 2, 9, 9), lines(6, 8, 61, 40)):
        for made in (
            head_view(shown, theme=DARK, layer=0, shown=[1], say=TEXTS),
            model_view(shown, theme=LIGHT, layer=0, head=1, say=TEXTS),
        ):
            scripts = re.findall("<script>(.*?)</script>", made.html, re.DOTALL)
            assert len(scripts) == 4
            assert set(scripts) < set(frame_scripts())


@pytest.mark.parametrize(("style", "script"), [("</STYLE>", ""), ("", "'</script>'"), ("", "'<!--'")])
def test_code_that_would_end_its_own_element_is_refused(style: str, script: str) -> None:
    with pytest.raises(ValueError, match="holds"):
        sealed_document("", style, {}, [script])


@pytest.mark.parametrize(("name", "version"), [("d3/d3.min.js", "5.16.0"), ("jquery/jquery.min.js", "3.7.1")])
def test_vendored_libraries_are_what_their_note_says(name: str, version: str) -> None:
    note = (ASSETS / "ORIGIN.txt").read_text(encoding="utf-8")
    content = (ASSETS / name).read_bytes()
    assert f"sha256 {hashlib.sha256(content).hexdigest()}" in note
    assert version in note
    assert version.encode() in content[:100]
    assert (ASSETS / name).with_name("LICENSE").stat().st_size > 500
