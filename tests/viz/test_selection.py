"""One table of what is chosen: the app's link, the viewer's link and what Python holds are read and written by it."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from model.attribution.methods import METHODS, SHIFTS
from model.trace import HeadRef
from viz.core.choice import PICKED, UNSEEN
from viz.core.selection import DEFAULTS, LINK_FIELDS, REST, Selection, read_link, write_link

HEADS = (HeadRef("cross", 2, 5), HeadRef("encoder_self", 0, 1))
FULL = Selection(
    HEADS,
    view="lines",
    words=True,
    hide_special=True,
    method="gradient",
    step=3,
    shift="read",
    threshold=0.05,
    log=True,
    scale="own",
    together="mean",
    rows=("s0", "t-1"),
    columns=("t3",),
    theme="dark",
    present=True,
)


def test_the_table_says_what_a_selection_holds() -> None:
    assert {field.name for field in fields(Selection)} == {*LINK_FIELDS, "step"}
    letters = [field.letter for field in LINK_FIELDS.values() if field.letter]
    assert len(set(letters)) == len(letters)
    for name, field in LINK_FIELDS.items():
        default = getattr(DEFAULTS, name)
        assert (list(default) if isinstance(default, tuple) else default) == field.default
    assert LINK_FIELDS["shift"].options == SHIFTS
    assert set(PICKED) <= {name for field in LINK_FIELDS.values() for name in field.app} <= {*PICKED, *UNSEEN}


def test_a_link_is_read_as_it_was_written_whatever_it_starts_from() -> None:
    for start in (DEFAULTS, Selection(words=True, rows=("s4",), threshold=0.1), FULL):
        for field in fields(Selection):
            if field.name not in ("combine", "over"):
                chosen = replace(start, **{"method": FULL.method, field.name: getattr(FULL, field.name)})
                assert read_link(write_link(chosen, start), start) == chosen, field.name
        assert read_link(write_link(DEFAULTS, start), start) == DEFAULTS
    assert DEFAULTS.link == ""


@pytest.mark.parametrize(
    "wrong",
    [
        *("h=<img>", "v=pie", "d=a%20b", "d=luck", "d=weights@2", "d=gradient@0", "w=yes", "s=2", "r=x", "t=7", "t=.5"),
        *("g=", "o=none", "x=sum", "p=s0,<b>", "c=pink", "z=1", "=", "h", "w=1\n", "w=１"),
    ],
)
def test_what_a_link_says_wrongly_is_as_it_was_and_an_error_in_a_storyboard(wrong: str) -> None:
    assert read_link(f"{wrong}&v=all", FULL) == replace(FULL, view="all")
    with pytest.raises(ValueError, match=r"is no (choice of the viewer's link|attribution method)"):
        read_link(wrong, strict=True)


def test_the_apps_choices_are_those_of_a_link() -> None:
    assert read_link("h=d1.5&w=1&r=read&p=t2").app == {
        **HeadRef("decoder_self", 1, 5)._asdict(),
        "method": "weights",
        "shift": "read",
        "words": True,
        "special": False,
        "step": "3",
        REST: "",
    }
    assert replace(FULL, rows=("t1", "t4")).app == {
        **HEADS[0]._asdict(),
        "method": "gradient",
        "of": "4",
        "shift": "read",
        "words": True,
        "special": True,
        "step": "2",
        REST: "h=c2.5,e0.1&v=lines&t=0.05&g=1&o=own&x=mean&p=t1,t4&q=t3",
    }
    assert not {"kind", "of"} & set(DEFAULTS.app)


def test_what_a_step_writes_names_its_rows_where_the_method_is_about_that() -> None:
    for name, method in METHODS.items():
        chosen = Selection(method=name, shift="read")
        assert chosen.row_shift == ("written" if method.of_written else "read")
        assert ("shift" in chosen.app) != method.of_written


def test_heads_go_together_where_they_are_of_one_kind() -> None:
    other = (HEADS[0], HeadRef("cross", 0, 0), HEADS[1])
    assert Selection(other, together="max").fitting.heads == other[:2]
    assert Selection(HEADS, together="difference").fitting == Selection(HEADS)
    assert Selection(HEADS).fitting == Selection(HEADS)
