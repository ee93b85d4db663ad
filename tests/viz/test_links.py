"""Links of many different views: whoever opens one sees exactly what the visitor saw who was given it."""

from __future__ import annotations

from hashlib import sha256

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import SENTENCE, charts, choose, components, markup, opened, prepared, shipped

pytestmark = shipped
CHOSEN: list[tuple[str, dict[str, object]]] = [
    ("translate", {"text": "I love you.", "picture": "head", "layer": 2, "head": 5}),
    ("translate", {"method": "norms", "picture": "head", "combine": "mean"}),
    ("alignment", {"align_from": "all", "align_links": "grow"}),
    ("alignment", {"align_view": "truth", "align_method": "norms"}),
    ("compare", {"other": "My brother bought a red bicycle yesterday.", "kind": "encoder_self"}),
    ("compare", {"other": "My sister bought a bicycle.", "method": "norms", "words": True, "special": True}),
    ("one_head", {"kind": "decoder_self", "layer": 1, "head": 3}),
    ("one_head", {"kind": "cross", "layer": 4, "head": 2, "shift": "read", "words": True}),
    ("one_head", {"text": "Two cats sleep.", "lang": "zh", "special": True}),
    ("one_head", {"viewer": "v=all", "kind": "encoder_self"}),
    ("one_head", {"viewer": "v=lines", "layer": 3, "head": 1, "special": True}),
    ("heads", {"by": "entropy"}),
    ("heads", {"by": "previous", "scope": "corpus"}),
    ("heads", {"by": "first"}),
    ("heads", {"by": "aligned", "kind": "encoder_self", "layer": 2, "head": 2, "scope": "corpus"}),
    ("step_by_step", {"words": True, "layer": 2}),
    ("beam", {"beam": 4}),
    ("beam", {"beam": 3, "decoded": "ways"}),
    ("flow", {"flow_by": "weights"}),
    ("flow", {"words": True, "text": "I love you."}),
    ("lens", {"text": "Tom does not like tea."}),
    ("inside", {"kind": "encoder_self", "layer": 1, "head": 1, "inside": "3"}),
    ("inside", {"inside_view": "scaling", "layer": 2}),
    ("lessons", {"lesson": "4", "mask": "combined", "lang": "zh"}),
    ("lessons", {"lesson": "4", "mask": "steps", "layer": 2}),
    ("lessons", {"lesson": "5", "show": "similarity"}),
    ("training", {"course": "job", "kind": "encoder_self", "layer": 1, "head": 2}),
    ("trust", {"trust": "sentence"}),
    ("patching", {"checkpoint": "reverse", "text": "headlight", "donor": "model", "against": "reverse@300"}),
    ("mixing_desk", {"mix": "c0.0:0"}),
]


def seen(at: AppTest) -> str:
    """A sum of all that is on the page and of all that its components were sent."""
    sent = [each.proto.bytes for each in at.get("bidi_component") if each.proto.WhichOneof("data") == "bytes"]
    every = [markup(at), repr(charts(at)), repr(components(at)), repr(components(at, frame=True)), repr(sent)]
    frames = [each.proto.srcdoc for each in at.get("iframe")]
    return sha256("\n".join([*every, *frames]).encode()).hexdigest()


@pytest.mark.parametrize(("view", "choices"), CHOSEN, ids=[f"{n}-{view}" for n, (view, _) in enumerate(CHOSEN, 1)])
def test_a_link_shows_another_visitor_exactly_what_was_seen(view: str, choices: dict[str, object]) -> None:
    first = opened(view, **choices)
    link = {name: str(value) for name, value in first.query_params.items() for value in [_last(value)]}
    other = prepared(view)
    for name, value in link.items():
        other.query_params[name] = value
    choose(other)
    assert seen(other) == seen(first)
    assert {name: _last(value) for name, value in other.query_params.items()} == link
    assert seen(opened(view)) != seen(first), "the choices are to be seen"


def _last(value: object) -> object:
    return value[-1] if isinstance(value, list) else value


def test_there_are_thirty_of_them_and_the_sentence_is_in_each() -> None:
    assert len(CHOSEN) >= 30
    assert len({view for view, _ in CHOSEN}) >= 15
    assert opened("flow").query_params["text"] in (SENTENCE, [SENTENCE])
