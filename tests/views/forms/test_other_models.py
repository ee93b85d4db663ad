"""Models of one's own in the app: every view of every form works, or says in one sentence why not."""

from __future__ import annotations

import io
import json
import re
from html import unescape

import numpy as np
import pytest

from model.attribution.methods import METHOD_NAMES, METHODS
from model.folders import MODELS
from tests.folder import tiny
from tests.pages import FRAME, HOSTILE, choose, components, markup, prepared, viewed, words
from viz.core import models as listed
from viz.core.text import text
from viz.core.views import VIEWS
from viz.web.message import unpack_fine

FORMS = {
    "marian": "text",
    "gpt2": "prompt",
    "bert": "sentence",
    "vit": "picture",
    "vit_gpt2": "picture",
    "llava": "picture",
    "whisper": "sound",
    "mine.npz": "maps",
}
BAD_NAME = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module", autouse=True)
def models(tmp_path_factory):
    """A folder of models in the environment, with a broken one whose name is markup."""
    root = tmp_path_factory.mktemp("models")
    for name, reads in FORMS.items():
        if reads != "maps":
            tiny.made(name, root)
    even = np.full((2, 3, 4, 4), 0.25, np.float32)
    np.savez(root / "mine.npz", self=even, tokens=np.array(["[CLS]", "a", "##b", HOSTILE]))
    (root / BAD_NAME).mkdir()
    (root / BAD_NAME / "config.json").write_text(json.dumps({"model_type": "none-such"}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MODELS, str(root))
        listed.forget()
        yield root
    listed.forget()


def alerts(at) -> list[str]:
    """The sentences that say what is wrong."""
    return [unescape(each) for each in re.findall(r'role="alert"[^>]*>(.*?)</p>', markup(at))]


def pictures(at) -> int:
    """How much there is to see."""
    own = [each for each in at.get("bidi_component") if each.proto.component_name not in FRAME]
    return len(own) + sum(len(at.get(kind)) for kind in ("plotly_chart", "iframe", "arrow_data_frame"))


@pytest.mark.parametrize(("name", "language"), [(name, ("en", "zh")[at % 2]) for at, name in enumerate(FORMS)])
def test_every_view_shows_something_or_says_why_not(name, language):
    for view, spec in VIEWS.items():
        at = choose(prepared(view if view != "translate" else "", checkpoint=name, lang=language))
        said = [each for each in alerts(at) if "64" not in each]  # a tiny model does not finish its translation
        assert len(said) <= 1, (view, said)
        if FORMS[name] not in spec.reads:
            assert said, view
            assert text(language, f"reads.{FORMS[name]}") in said[0]
        if said:
            assert name in said[0]
            assert not [each for each in components(at) if "own" in each], view
        elif view not in (
            "translate",
            "swap",
            "trust",
            "about",
            "train_here",
            "atlas",
            "pinboard",
        ):  # words and tables here
            assert pictures(at), view


PARTS = (
    ("gpt2", "beam", {"decoded": "ways"}),
    ("gpt2", "mixing_desk", {"mix": "d0.1:0"}),
    ("gpt2", "one_head", {"method": "gradient", "of": "2"}),
    ("bert", "mixing_desk", {"mix": "e0.1:0"}),
    ("gpt2", "mixing_desk", {"repair": "1"}),
    ("bert", "mixing_desk", {"repair": "1"}),
    ("bert", "swap", {"swap_with": "brother"}),
    ("bert", "one_head", {"method": "rollout"}),
    ("vit", "one_head", {"method": "norms", "viewer": "h=e0.0,e0.1&x=mean"}),
    ("marian", "alignment", {"align_view": "truth"}),
    ("marian", "trust", {"trust": "sentence"}),
    ("marian", "flow", {"flow_by": "norms"}),
    ("mine.npz", "one_head", {"method": "rollout"}),
)


@pytest.mark.parametrize(("name", "view", "choices"), PARTS)
def test_parts_of_views_that_have_to_be_chosen_work_as_well(name, view, choices):
    at = choose(prepared(view, checkpoint=name, **choices))
    assert [each for each in alerts(at) if "64" not in each] == []
    assert pictures(at) or view in ("swap", "beam")  # which are tables of words here


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_token_that_was_given_has_no_head_to_find(language):
    given = listed.entry_of("gpt2").opened.translate(listed.entry_of("gpt2").default_text).given
    for step, is_given in ((given, True), (given + 1, False)):
        at = choose(prepared("mixing_desk", checkpoint="gpt2", repair="1", step=str(step), lang=language))
        (desk,) = [each for each in components(at) if "alone" in each]
        assert (desk["alone"] is None) == is_given
        assert desk["tint"] == {"said": text(language, "mix.cost.none", checkpoint="gpt2"), "boxes": []}
        assert (text(language, "repair.no_token") in words(at)) == is_given


@pytest.mark.parametrize(("name", "beam", "fork"), [("gpt2", True, True), ("bert", False, False)])
def test_the_views_of_a_mode_are_those_that_are_about_such_models(name, beam, fork):
    at = choose(prepared("mixing_desk", checkpoint=name))
    links = [link.proto.label for link in at.get("page_link")]
    assert (text("en", "page.beam") in links, text("en", "page.fork") in links) == (beam, fork)


def test_a_part_that_the_model_cannot_give_says_why():
    at = choose(prepared("one_head", checkpoint="mine.npz", method="gradient"))
    assert alerts(at) == [
        text(
            "en",
            "view.lacks.why",
            checkpoint="mine.npz",
            ability=text("en", "ability.gradients"),
            why=text("en", "why.saved"),
        )
    ]


def test_bert_fills_in_what_is_masked_and_says_what_is_missing_without_it():
    at = choose(prepared("", checkpoint="bert", text="The old [MASK] sleeps."))
    assert text("en", "seen.candidates", place="[MASK] 1") in words(at)
    at = choose(prepared("", checkpoint="bert", text="The old cat sleeps."))
    assert text("en", "told.sentence.nothing", mask="[MASK]") in words(at)
    heads = choose(prepared("heads", checkpoint="bert", text="The old cat sleeps."))
    assert text("en", "why.no_mask") in alerts(heads)[0]
    assert pictures(choose(prepared("one_head", checkpoint="bert", text="The old cat sleeps.")))


def test_a_prompt_and_what_was_written_are_told_apart():
    at = choose(prepared("", checkpoint="gpt2", text="The old baker"))
    said = next(each for each in markup(at).split("\n") if "hl-translation" in each and "<mark" in each)
    assert re.search(r"The old baker<mark>.+</mark>", said)


def test_a_line_stands_between_a_prompt_and_what_was_written():
    given = listed.entry_of("gpt2").opened.translate("The old baker").given
    assert viewed(choose(prepared("one_head", checkpoint="gpt2", text="The old baker"))).header["given"] == given + 1
    assert viewed(choose(prepared("one_head", checkpoint="marian", text="The old baker"))).header["given"] == 0


@pytest.mark.parametrize("name", [*FORMS])
def test_the_viewer_is_sent_every_map_of_every_form(name):
    at = choose(prepared("one_head", checkpoint=name))
    seen, anatomy = viewed(at), listed.entry_of(name).facts.anatomy
    assert {each["kind"]: (each["layers"], each["heads"]) for each in seen.header["kinds"]} == {
        kind: (each.layers, each.heads) for kind, each in anatomy.kinds.items()
    }
    offered = {*seen.sorts, *(each["name"] for each in seen.header["more"])}
    assert offered == {method for method in METHOD_NAMES if anatomy.abilities.issuperset(METHODS[method].needs)} & {
        method for method in METHOD_NAMES if set(METHODS[method].kinds) & set(anatomy.kinds)
    }
    assert ("picture" in str(components(at))) == (FORMS[name] in ("picture", "sound"))


def test_a_patch_is_looked_from_and_a_head_lies_over_the_picture():
    at = choose(prepared("", checkpoint="vit"))
    sent = next(each for each in components(at) if "picture" in each)
    assert (sent["rows"], sent["columns"], sent["selected"]) == (3, 3, -1)
    assert sent["picture"].startswith("data:image/png;base64,")
    at = choose(at, patch=5)
    sent = next(each for each in components(at) if "picture" in each)
    assert sent["selected"] == 4
    assert text("en", "picture.house") in str(at.get("button_group"))
    assert not next(each for each in components(choose(at, method="weights")) if "picture" in each)["signed"]
    assert next(each for each in components(choose(at, method="gradient")) if "picture" in each)["signed"]


def test_what_is_written_of_a_picture_shows_where_it_comes_from():
    at = choose(prepared("", checkpoint="vit_gpt2", step="2", layer=1, head=3))
    sent = next(each for each in components(at) if "picture" in each)
    made = listed.entry_of("vit_gpt2").opened.translate("house", capture=True)
    row = made.trace.weights["cross"][1, 3, 1, 1:]
    assert (sent["high"], sent["selected"]) == (pytest.approx(float(row.max())), -1)
    np.testing.assert_allclose(unpack_fine(sent["values"]), row / row.max(), atol=1e-3)
    at = choose(at, step="1")
    other = next(each for each in components(at) if "picture" in each)
    assert other["high"] == pytest.approx(float(made.trace.weights["cross"][1, 3, 0, 1:].max()))
    at = choose(at, kind="decoder_self")
    plain = next(each for each in components(at) if "picture" in each)
    assert not unpack_fine(plain["values"]).any()
    assert text("en", "patch.none") in markup(at)


def test_a_written_token_s_own_attention_lies_over_a_picture_that_was_read_within_the_text():
    at = choose(prepared("", checkpoint="llava", layer=1, head=3))
    made = listed.entry_of("llava").opened.translate("house", capture=True)
    patches = [place for place, label in enumerate(made.trace.tgt_inputs) if label.is_patch]
    row = made.trace.weights["decoder_self"][1, 3, made.given, patches]
    sent = next(each for each in components(at) if "picture" in each)
    assert (sent["rows"], sent["columns"], sent["selected"]) == (3, 3, -1)
    np.testing.assert_allclose(unpack_fine(sent["values"]), row / row.max(), atol=1e-3)
    assert text("en", "patch.none") not in markup(at)


def test_a_head_lies_over_the_spectrogram_of_a_sound_and_its_columns_are_named_by_their_seconds():
    at = choose(prepared("", checkpoint="whisper", step="5", layer=1, head=3))
    made = listed.entry_of("whisper").opened.translate("tones", capture=True)
    sent = next(each for each in components(at) if "picture" in each)
    row = made.trace.weights["cross"][1, 3, 4, :-1]
    assert (sent["rows"], sent["columns"], sent["names"][:3]) == (1, 38, ["0.00 s", "0.04 s", "0.08 s"])
    np.testing.assert_allclose(unpack_fine(sent["values"]), row / row.max(), atol=1e-3)
    assert text("en", "sound.tones") in str(at.get("button_group"))
    assert text("en", "heard.how") in markup(at)
    at = choose(at, kind="encoder_self", patch=3)
    assert next(each for each in components(at) if "picture" in each)["selected"] == 3
    assert "no sound is called so" in alerts(choose(at, text="house"))[0] or "no WAV file" in alerts(at)[0]
    assert "kept for its visitor alone" in alerts(choose(at, text="sound-0123456789abcdef"))[0]


def test_a_picture_of_another_visitor_cannot_be_seen():
    at = choose(prepared("", checkpoint="vit", text="picture-0123456789abcdef"))
    assert "kept for its visitor alone" in alerts(at)[0]
    assert "There is no picture" in alerts(choose(at, text=HOSTILE))[0] or "not here" in alerts(at)[0]


def test_a_broken_folder_is_one_sentence_on_every_page_and_its_name_is_data():
    for page in ("", "one_head", "about"):
        at = choose(prepared(page, checkpoint=BAD_NAME))
        assert alerts(at) == [alerts(at)[0]]
        assert "none-such" in alerts(at)[0]
        assert BAD_NAME not in markup(at)
    assert at.selectbox(key="checkpoint").value == BAD_NAME
    assert choose(at, checkpoint="bert", text="A [MASK].").session_state["checkpoint"] == "bert"


def test_an_uploaded_file_of_maps_is_its_visitors_alone():
    data = io.BytesIO()
    np.savez(data, self=np.full((1, 2, 3, 3), 1 / 3, np.float32), tokens=np.array(["a", HOSTILE, "c"]))
    source = listed.uploaded("<b>x</b>.npz", data.getvalue())
    at = prepared("one_head")
    at.session_state[listed.UPLOADED] = source
    choose(at, checkpoint=source.name)
    assert pictures(at)
    assert HOSTILE not in markup(at)
    assert "<b>x</b>" not in markup(at)
    other = choose(prepared("one_head", text="I love you.", checkpoint=source.name))
    assert source.name not in words(other)


def test_a_model_is_named_by_its_name_and_never_by_a_path(models):
    at = choose(prepared("", text="I love you.", checkpoint=str(models / "bert")))
    assert "en-zh" in words(at) or "reverse" in words(at)
    assert listed.entry_of("marian").kind == "folder"


def test_choices_that_do_not_apply_are_out_of_sight():
    drawn = markup(choose(prepared("compare", checkpoint="bert")))
    hidden = re.findall(r"<style>(\.st-key.*?) \{ display: none", drawn)[-1]
    assert ".st-key-pick_kind" in hidden
    assert ".st-key-pick_shift" in hidden
    at = choose(prepared("one_head", checkpoint="mine.npz"))
    assert [each.value for each in at.selectbox if each.key == "pick_method"] == ["weights"]
    assert at.selectbox(key="pick_method").options == [text("en", "method.weights"), text("en", "method.rollout")]
    assert viewed(at).header["more"] == []
