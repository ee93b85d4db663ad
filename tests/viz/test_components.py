from __future__ import annotations

import re

import numpy as np
import pytest

from model.analysis.maps.reading import Reading
from model.trace import HeadRef, Label
from viz.components.shared import payload, registry
from viz.components.shared.bundle import bundle, scripts_of
from viz.components.shared.places import opened_place
from viz.components.token_links.token_links import links_payload
from viz.theme import LIGHT

HOSTILE = "</script><img src=x onerror=alert(1)>"


def labels(*texts: str) -> tuple[Label, ...]:
    return tuple(Label(text, word) for word, text in enumerate(texts))


def reading(weights: np.ndarray) -> Reading:
    rows, columns = (labels(*(f"t{i}" for i in range(size))) for size in weights.shape[-2:])
    return Reading(weights, rows, columns)


@pytest.fixture
def weights() -> np.ndarray:
    return np.random.default_rng(0).dirichlet(np.full(6, 0.3), size=(3, 4, 5)).astype(np.float32)


def test_packed_weights_come_back_within_their_step(weights):
    assert np.abs(payload.unpack_coarse(payload.pack_coarse(weights)) - weights.ravel()).max() <= 1 / 255
    assert np.abs(payload.unpack_fine(payload.pack_fine(weights)) - weights.ravel()).max() <= 0.5 / 32767 + 1e-9
    assert np.abs(payload.unpack_coarse(payload.pack_coarse(weights[::-1])) - weights.ravel()).max() > 0.1


def test_coarse_packing_keeps_small_weights_apart_and_the_ends_exact():
    small = np.array([0.0, 0.001, 0.002, 1.0])
    back = payload.unpack_coarse(payload.pack_coarse(small))
    assert np.abs(back - small).max() < 2e-4
    assert back[0] == 0
    assert back[3] == 1


def test_fine_packing_keeps_the_sign():
    values = np.array([-1.0, -0.25, 0.0, 0.5])
    np.testing.assert_allclose(payload.unpack_fine(payload.pack_fine(values)), values, atol=1e-4)


@pytest.mark.parametrize("bad", [[1.1], [-0.1], [np.nan], [np.inf]])
def test_values_that_are_no_weights_are_refused(bad):
    with pytest.raises(ValueError, match="from 0 to 1"):
        payload.pack_coarse(np.array(bad))


def test_rounding_just_above_one_is_no_error():
    assert payload.unpack_coarse(payload.pack_coarse(np.array([1.0000002]))) == [1.0]


def test_links_carry_tokens_words_and_weights(weights):
    src, tgt = [f"s{i}" for i in range(5)] + [HOSTILE], ["我", "爱", "你", "。", "<eos>"]
    sent = links_payload(src, tgt, weights[0, 0], [0.5] * 5, [0, 1, 1, 2, 3, -1], [0, 1, 2, 3, -1])
    assert (sent["src"], sent["tgt"]) == (src, tgt)
    back = payload.unpack_fine(str(sent["weights"])).reshape(5, 6)
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


def test_no_script_reads_data_as_markup_or_asks_another_host():
    scripts = sorted(registry.COMPONENTS.rglob("*.js"))
    assert len(scripts) >= 8
    forbidden = re.compile(
        r"innerHTML|insertAdjacentHTML|document\.write|eval\(|fetch\(|XMLHttpRequest|https?://(?!www\.w3\.org/)"
    )
    assert forbidden.search("e.innerHTML = x")
    for script in scripts:
        assert not forbidden.search(script.read_text(encoding="utf-8")), script.name


def test_a_component_without_its_files_is_refused():
    with pytest.raises(FileNotFoundError):
        registry.register("no_such_component", ())


def test_an_imported_script_brings_its_own_look(monkeypatch):
    looks = {}
    monkeypatch.setattr(registry.st.components.v2, "component", lambda name, html, css, js: looks.update({name: css}))
    for name in ("head_list", "score_grid"):
        registry.register(name, ())
    assert [".preview" in css for css in looks.values()] == [True, False]
    assert all(".root" in css for css in looks.values())
    assert ".card" in looks["headlight_head_list"]


def test_a_component_gets_the_words_that_it_declared_and_no_others(monkeypatch):
    sent = []
    renderer = lambda **given: lambda **more: sent.append(more["data"]) or {}  # noqa: E731
    monkeypatch.setattr(registry.st.components.v2, "component", lambda name, **files: renderer(**files))
    component = registry.register("score_grid", ("caption", "all"))
    component.mount({"here": 1}, labels={"caption": "c", "all": "a", "more": "m"}.__getitem__, key="k", theme=LIGHT)
    assert sent[0]["labels"] == {"caption": "c", "all": "a"}
    assert sent[0]["here"] == 1
    assert sent[0]["look"]["accent"] == LIGHT.accent
    with pytest.raises(KeyError, match="caption"):
        component.mount({}, labels={"all": "a"}.__getitem__, key="k")


@pytest.fixture
def scripts(tmp_path):
    """A script that imports another, written anew with what a test gives."""

    def write(**sources):
        for name, source in sources.items():
            (tmp_path / f"{name}.js").write_text(source, encoding="utf-8")
        return tmp_path / "a.js"

    return write


def test_a_bundle_has_every_script_once_after_those_that_it_imports(scripts):
    script = scripts(
        a='import { one } from "./b.js";\nimport {\n  two,\n} from "./c.js";\n\nexport default one + two;\n',
        b='import { two } from "./c.js";\nconst own = two;\nexport const one = own;\n',
        c="const own = 2;\nexport function two() {}\n",
    )
    assert [path.stem for path in scripts_of(script)] == ["c", "b", "a"]
    made = bundle(script)
    assert [made.count(f"$modules.{name} = ") for name in "abc"] == [1, 1, 1]
    assert made.count("const own") == 2  # each in a scope of its own
    assert "import" not in made
    assert made.endswith("export default $modules.a.$default;")


def test_a_script_that_imports_what_is_not_there_is_refused(scripts):
    imports = 'import { one, hidden } from "./b.js";\n'
    with pytest.raises(ValueError, match=r"a\.js imports hidden, which \./b\.js does not export"):
        bundle(scripts(a=imports, b="export const one = 1;\nconst hidden = 2;\n"))
    with pytest.raises(ValueError, match="imports itself by way of b"):
        bundle(scripts(a=imports, b='import { x } from "./a.js";\n'))
    with pytest.raises(FileNotFoundError):
        bundle(scripts(a='import { one } from "./nowhere.js";\n'))
