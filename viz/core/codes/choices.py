"""Choices of one among a few: what the link calls each option, in every language, and what the visitor reads.

The link holds the option's own name, the same in every language: ``kind=cross``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from model.analysis.alignment.gold import RULES
from model.analysis.alignment.word_maps import ALIGN_METHODS
from model.analysis.faithfulness.table import TARGETS, WAYS_SCORED
from model.analysis.heads.patterns import PATTERNS
from model.analysis.lessons.gains import FORMS
from model.analysis.residual.flow import MEASURES
from model.attribution.methods import METHOD_NAMES
from model.trace import KINDS
from viz.core.selection import LINK_FIELDS
from viz.core.text import LANGUAGES
from viz.core.views import LESSON_MODULES

ATLAS_MEASURES = (
    "entropy", "evenness", "distance", "peak", "confidence", "previous", "itself", "next", "offset", "sink", "special",
    "punctuation", "rare", "aligned", "coverage", "vote", "cost", "aer", "layer",
)  # fmt: skip
ALIGNED, PAINTED = "aligned", "painted"  # patterns that no template says
HEAD_MEASURES = ("importance", "previous", "next", "sink", "rare", "entropy", "distance", "confidence")


@dataclass(frozen=True)
class Choice:
    """One of a few options."""

    name: str  # of the parameter in the link
    # their codes, which are also what the app calls them; the first is the default where nobody says another
    options: tuple[str, ...]
    key: str  # ``<key>.<option>`` are the interface strings of what the visitor reads
    label: str  # the interface string that says what is chosen; ``<label>.help`` explains it

    def read(self, said: object) -> str | None:
        """The option that a link means; None where it means none."""
        code = str(said)
        return code if code in self.options else None


def _choice(name: str, options: tuple[str, ...], key: str = "", label: str = "") -> Choice:
    return Choice(name, options, key or name, label or key or name)


CHOICES: Mapping[str, Choice] = {
    choice.name: choice
    for choice in (
        _choice("lang", tuple(LANGUAGES), label="app.language"),
        # over every view
        _choice("kind", KINDS, label="app.kind"),
        _choice("method", METHOD_NAMES, label="app.method"),
        _choice("shift", LINK_FIELDS["shift"].options, label="app.shift"),
        _choice("combine", LINK_FIELDS["combine"].options, label="app.combine"),
        # of one view, or two
        _choice("picture", ("trusted", "head")),
        _choice("lines", ("viewer", "head", "model"), "lines.view"),
        _choice("decoded", ("tree", "ways"), "beam.view"),
        _choice("scope", ("sentence", "corpus")),
        _choice("by", tuple(dict.fromkeys(("importance", ALIGNED, *HEAD_MEASURES, *PATTERNS, PAINTED)))),
        _choice("atlas_x", ATLAS_MEASURES, "atlas.measure", "atlas.x"),
        _choice("atlas_y", ATLAS_MEASURES, "atlas.measure", "atlas.y"),
        _choice("atlas_by", ("kind", "layer", "role", "cost"), "atlas.by"),
        _choice("atlas_show", ("strongest", "sample"), "atlas.show"),
        _choice("align_view", ("sentence", "truth")),
        _choice("align_from", ("head", "layer", "all")),
        _choice("align_method", ALIGN_METHODS, "method", "align_method"),
        _choice("align_links", tuple(RULES)),
        _choice("donor", ("sentence", "model"), "carry.from"),
        _choice("flow_by", MEASURES, "flow.by"),
        _choice("trust", ("table", "sentence"), "trust.view"),
        _choice("way", WAYS_SCORED),
        _choice("target", TARGETS),
        _choice("lesson", tuple(LESSON_MODULES), label="lesson.choose"),
        _choice("form", ("off", *FORMS), "lesson.form"),
        _choice("task", ("copy", "reverse")),
        _choice("course", ("aer", "job", "importance"), "past.by"),
        _choice("inside_view", ("steps", "reasons", "scaling"), "inside.view"),
        _choice("inside", ("1", "2", "3", "4", "5", "6"), "inside.step"),
        _choice("mask", ("leak", "padding", "combined", "steps"), "lesson.4.view"),
        _choice("show", ("curves", "matrix", "similarity", "rotation"), "lesson.5.view"),
    )
}


def read_token(said: object) -> int | None:
    """The output token that a link means by ``of``, counted from 1; 0 is the whole translation, None is nothing.

    >>> read_token("3"), read_token("x")
    (3, None)
    """
    number = str(said)
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 6 else None
