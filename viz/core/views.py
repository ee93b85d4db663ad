"""The tables of views and of lessons: a new one is an entry here, its page or its module, and its texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from model.source import Need, Reads

_VIEWS = __name__.replace(".core.", ".")  # viz.views, wherever viz lies
Section = Literal["read", "heads", "decode", "layers", "learn", "evidence", "show"]  # in the order of the navigation
EVERY_FORM: tuple[Reads, ...] = ("text", "prompt", "sentence", "picture", "sound", "maps")
_WRITERS: tuple[Reads, ...] = ("text", "prompt")
_READ = ("words", "special")
_HEAD = ("kind", "layer", "head")
_DRAWN = ("method", "of", "shift")
_ASKED = ("method", "of")  # where a written token is asked about, its row is the step that writes it
_COMBINED = ("combine", "over")
BERTVIZ_PICKERS = (*_HEAD, *_READ, *_DRAWN)  # where BertViz draws; the viewer has its own choices

# By number, in their order: modules of viz/views/lessons, not imported here, so that links can name a lesson before.
LESSON_MODULES: Mapping[str, str] = {
    "1": "dictionary",
    "2": "six_steps",
    "3": "several",
    "4": "masks",
    "5": "order",
    "6": "norms",
    "7": "learning",
    "8": "data",
    "9": "two_sides",
    "10": "gradients",
    "11": "families",
    "12": "honest",
    "13": "vectors",
    "14": "feed_forward",
    "15": "recurrent",
}


@dataclass(frozen=True)
class ViewSpec:
    """One view."""

    name: str  # of its page and of its place in the link; ``page.<name>`` is its title
    section: Section  # of the navigation
    pickers: tuple[str, ...] = ()  # the frame's pickers that it uses
    # what a model must offer for any of it; what it lacks for a part is said when that is chosen
    needs: frozenset[Need] = frozenset()
    # which forms of model it is about, by what they are given; others do not have it in their navigation
    reads: tuple[Reads, ...] = EVERY_FORM
    sentence: bool = True  # it is about the sentence: where that cannot be translated, there is nothing to see
    chips: bool = True  # the frame shows the sentence's tokens; not where the view does so itself
    # of a model that translates, the view shows both sentences and draws the verdict under them
    draws_translation: bool = False
    fragment: bool = False  # it is redrawn by itself with its pickers, and not the frame around it
    own_pickers: bool = False  # which pickers it uses changes; its page says so, by ``own_pickers()``

    @property
    def module(self) -> str:
        """Of its page, which holds ``view(session)``."""
        return f"{_VIEWS}.{self.name}.page"


def _needs(*needs: Need) -> frozenset[Need]:
    return frozenset(needs)


VIEWS: Mapping[str, ViewSpec] = {
    spec.name: spec
    for spec in (
        ViewSpec("translate", "read", ("layer", "head", *_READ, *_ASKED, *_COMBINED), draws_translation=True),
        ViewSpec("alignment", "read", ("layer", "head", "shift"), _needs("internals", "gradients"), ("text",)),
        ViewSpec("compare", "read", (*_HEAD, *_READ, *_DRAWN), reads=("text", "prompt", "sentence")),
        ViewSpec("two_models", "read", _HEAD, reads=("text",)),
        ViewSpec("one_head", "heads", BERTVIZ_PICKERS, chips=False, fragment=True, own_pickers=True),
        ViewSpec("heads", "heads", (*_HEAD, *_READ)),
        ViewSpec("atlas", "heads", _HEAD, reads=("text", "prompt", "sentence")),
        ViewSpec("step_by_step", "decode", ("layer", "head", "words", *_COMBINED), reads=("text",)),
        ViewSpec("beam", "decode", reads=_WRITERS),
        ViewSpec("fork", "decode", ("words",), _needs("internals", "votes"), _WRITERS),
        ViewSpec("swap", "decode", reads=("text", "sentence")),
        ViewSpec("mixing_desk", "decode", ("words",), _needs("gains"), ("text", "prompt", "sentence")),
        ViewSpec("patching", "decode", (), _needs("patches"), ("text",)),
        ViewSpec("flow", "layers", ("words",), _needs("cross"), ("text", "maps")),
        ViewSpec("lens", "layers", _HEAD, _needs("internals", "finish"), _WRITERS),
        ViewSpec("inside", "layers", _HEAD, _needs("internals", "scores", "projections")),
        ViewSpec("lessons", "learn", _HEAD, sentence=False, own_pickers=True),
        ViewSpec("train_here", "learn", sentence=False),
        ViewSpec("training", "learn", (*_HEAD, "shift"), reads=("text",)),
        ViewSpec("trust", "evidence", ("layer", "head", *_DRAWN), reads=("text",)),
        ViewSpec("about", "evidence", sentence=False),
        ViewSpec("talk", "show", sentence=False, chips=False),
        ViewSpec("pinboard", "show", sentence=False),
    )
}
SECTIONS: Mapping[Section, tuple[str, ...]] = {
    section: tuple(name for name, spec in VIEWS.items() if spec.section == section)
    for section in dict.fromkeys(spec.section for spec in VIEWS.values())
}
