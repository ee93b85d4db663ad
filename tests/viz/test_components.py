from __future__ import annotations

import re

import numpy as np
import pytest

from model.attribution.labelled_map import LabelledMap
from model.trace import HeadRef, Label
from viz.core.theme import LIGHT
from viz.views.translate.token_links import links_payload
from viz.web import bundles, message
from viz.widgets import places
from viz.widgets.places import opened_place

HOSTILE = "</script><img src=x onerror=alert(1)>"


def labels(*texts: str) -> tuple[Label, ...]:
    return tuple(Label(text, word) for word, text in enumerate(texts))


def reading(weights: np.ndarray) -> LabelledMap:
    rows, columns = (labels(*(f"t{i}" for i in range(size))) for size in weights.shape[-2:])
    return LabelledMap(weights, rows, columns)


@pytest.fixture
def weights() -> np.ndarray:
    return np.random.default_rng(0).dirichlet(np.full(6, 0.3), size=(3, 4, 5)).astype(np.float32)


def test_packed_weights_come_back_within_their_step(weights):
    assert np.abs(message.unpack_coarse(message.pack_coarse(weights)) - weights.ravel()).max() <= 1 / 255
    assert np.abs(message.unpack_fine(message.pack_fine(weights)) - weights.ravel()).max() <= 0.5 / 32767 + 1e-9
    assert np.abs(message.unpack_coarse(message.pack_coarse(weights[::-1])) - weights.ravel()).max() > 0.1


def test_coarse_packing_keeps_small_weights_apart_and_the_ends_exact():
    small = np.array([0.0, 0.001, 0.002, 1.0])
    back = message.unpack_coarse(message.pack_coarse(small))
    assert np.abs(back - small).max() < 2e-4
    assert back[0] == 0
    assert back[3] == 1


def test_fine_packing_keeps_the_sign():
    values = np.array([-1.0, -0.25, 0.0, 0.5])
    np.testing.assert_allclose(message.unpack_fine(message.pack_fine(values)), values, atol=1e-4)


@pytest.mark.parametrize("bad", [[1.1], [-0.1], [np.nan], [np.inf]])
def test_values_that_are_no_weights_are_refused(bad):
    with pytest.raises(ValueError, match="from 0 to 1"):
        message.pack_coarse(np.array(bad))


def test_rounding_just_above_one_is_no_error():
    assert message.unpack_coarse(message.pack_coarse(np.array([1.0000002]))) == [1.0]


def test_links_carry_tokens_words_and_weights(weights):
    src, tgt = [f"s{i}" for i in range(5)] + [HOSTILE], ["我", "爱", "你", "。", "<eos>"]
    sent = links_payload(src, tgt, weights[0, 0], [0.5] * 5, [0, 1, 1, 2, 3, -1], [0, 1, 2, 3, -1])
    assert (sent["src"], sent["tgt"]) == (src, tgt)
    back = message.unpack_fine(str(sent["weights"])).reshape(5, 6)
    np.testing.assert_allclose(back, weights[0, 0], atol=1e-4)


def test_links_of_the_wrong_shape_are_refused_with_both_shapes(weights):
    src, tgt = ["a"] * 6, ["b"] * 5
    with pytest.raises(ValueError, match=re.escape("(6, 5)") + ".*" + re.escape("(5, 6)")):
        links_payload(src, tgt, weights[0, 0].T, [0.5] * 5, [0] * 6, [0] * 5)
    with pytest.raises(ValueError, match=r"probabilities has 4 entries.* 5 tokens"):
        links_payload(src, tgt, weights[0, 0], [0.5] * 4, [0] * 6, [0] * 5)


def test_only_a_head_that_exists_can_be_opened():
    places = [HeadRef("cross", layer, head) for layer in range(3) for head in range(4)]
    assert opened_place({"kind": "cross", "layer": 2, "head": 3}, places) == ("cross", 2, 3)
    for bad in (None, "cross", [], {"kind": "cross"}, {"kind": "evil", "layer": 0, "head": 0}):
        assert opened_place(bad, places) is None
    for layer, head in ((3, 0), (0, 4), (-1, 0), (True, 0), ("0", 0), (0.0, 0)):
        assert opened_place({"kind": "cross", "layer": layer, "head": head}, places) is None


def test_a_component_without_its_files_is_refused():
    with pytest.raises(FileNotFoundError):
        places.register("no_such_component", ())


def test_a_component_has_the_look_of_all_that_its_script_imports():
    assert [".preview" in bundles.style(name) for name in ("head_list", "score_grid")] == [True, False]
    assert all(".readout" in bundles.style(name) for name in ("head_list", "score_grid"))
    assert ".card" in bundles.style("head_list")


def test_every_component_is_exported_by_a_bundle_and_mounted_by_its_name():
    names = {folder.name for folder in (bundles.SOURCES / "components").iterdir()}
    assert len(names) >= 20
    exports = {
        path: set(re.findall(r"(\w+)(?=[,}])", path.read_text(encoding="utf-8").rsplit("export{", 1)[1]))
        for path in (bundles.VIEWER, bundles.COMPONENTS)
    }
    assert exports[bundles.VIEWER] | exports[bundles.COMPONENTS] == names
    assert exports[bundles.VIEWER] == {"workbench"}
    for name in names:
        assert f'data-component="{name}"' in bundles.markup(name)


def test_streamlit_gets_a_line_that_imports_the_bundle_which_the_server_has():
    line = bundles.module(bundles.COMPONENTS, "beam_tree")
    address = re.search(r'new URL\("(.*?)", location\.href\)', line)[1]
    assert bundles.served()[address] == bundles.COMPONENTS.read_bytes()
    assert address != bundles.address(bundles.VIEWER)
    assert "beam_tree: mount" in line
    assert len(line) < 200


def test_a_component_gets_the_words_that_it_declared_and_no_others(monkeypatch):
    sent = []
    renderer = lambda **given: lambda **more: sent.append(more["data"]) or {}  # noqa: E731
    monkeypatch.setattr(places.st.components.v2, "component", lambda name, **files: renderer(**files))
    component = places.register("score_grid", ("caption", "all"))
    component.mount({"here": 1}, labels={"caption": "c", "all": "a", "more": "m"}.__getitem__, key="k", theme=LIGHT)
    assert sent[0]["labels"] == {"caption": "c", "all": "a"}
    assert sent[0]["here"] == 1
    assert sent[0]["look"]["accent"] == LIGHT.accent
    with pytest.raises(KeyError, match="caption"):
        component.mount({}, labels={"all": "a"}.__getitem__, key="k")
