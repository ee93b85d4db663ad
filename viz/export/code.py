"""This view as code: the lines of Python, or the command, that make the same numbers."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from viz.core.selection import Selection

SHAPES = "  # [query, key]; reading.rows and reading.columns are its labels"


@dataclass(frozen=True)
class ModelCode:
    """How code and commands open a model; every text becomes a literal.

    Attributes:
        name: as the app lists it, after ``@`` with its languages or a step; or a path that holds a ``/``.
        models: the folder of one's own models that it lies in; "" where it ships or is a path.
        reads_file: it is given a picture or a sound by the path of its file.
    """

    name: str
    models: str = ""
    reads_file: bool = False

    def lines(self, variable: str) -> list[str]:
        """Lines that open it as a variable."""
        pictures = ", lambda path: Path(path).read_bytes()" if self.reads_file else ""
        known = [f"set_models(['--models', {self.models!r}])"] if self.models else []
        return [*known, f"{variable} = open_model({self.name!r}{pictures})"]

    @property
    def imports(self) -> list[str]:
        """What ``lines`` use."""
        folders = ["from model.folders import set_models"] if self.models else []
        return [*folders, "from model.translator import open_model"]

    @property
    def options(self) -> list[str]:
        """The same for a command line."""
        return [*(["--models", self.models] if self.models else []), "--checkpoint", self.name]


def python_lines(shown: Selection, text: str, model: ModelCode, beam: int = 1, forced: Sequence[int] = ()) -> str:
    """Lines that end with ``reading``: the values of the first map, with its labels.

    Args:
        shown: the choices.
        text: what the model is given; whatever stands in it becomes a literal.
        model: that is opened.
        beam: hypotheses kept.
        forced: target ids under inspection; () for the model's own choice.
    """
    kind = shown.heads[0].kind
    how = f"prefix={tuple(forced)}" if forced else f"beam={beam}"
    step = "" if shown.step is None else f", step={shown.step}"
    lines = [
        *(["from pathlib import Path", ""] if model.reads_file else []),
        f"from model.attribution.labelled_map import {_used(shown)}",
        "from model.attribution.methods import attribution_maps",
        *model.imports,
        "",
        *model.lines("translator"),
        f"translation = translator.translate({text!r}, {how}, capture=True)",
        f"maps = attribution_maps(translator, translation, {shown.method!r}{step})[{kind!r}]",
        *_values(shown),
        f"rows, columns = translation.trace.axis_labels({kind!r})",
        *([f"rows = shifted_rows(translation.trace, {shown.row_shift!r})[0]"] if kind == "cross" else []),
        f"reading = read(values, rows, columns, {shown.words}, {shown.hide_special}, {shown.method!r})",
        f"reading.weights{SHAPES}",
    ]
    return "\n".join(lines)


def _used(shown: Selection) -> str:
    """What the lines of a map use of ``model.attribution.labelled_map``."""
    used = {"combine": shown.merges, "read": True, "shifted_rows": shown.heads[0].kind == "cross"}
    return ", ".join(name for name, is_used in used.items() if is_used)


def patching_lines(
    one: tuple[str, ModelCode], other: tuple[str, ModelCode], site: str, beam: int = 1, forced: Sequence[int] = ()
) -> str:
    """Lines that carry a site from one pass into another: ``found`` is the sweep over all, ``written`` what one does.

    Args:
        one: the sentence and the model; ``other``: those that the site is carried from.
        site: its code.
        beam: hypotheses kept.
        forced: target ids under inspection; () for the model's own choice.
    """
    is_model = one[1] != other[1]
    giver, last = ("donor", ", donor") if is_model else ("translator", "")
    how = f"prefix={tuple(forced)}" if forced else f"beam={beam}"
    lines = [
        "from model.analysis.what_if.patching import Carried, contrast, log_probs_at, patched_ids, sweep",
        *max(one[1].imports, other[1].imports, key=len),
        "",
        *one[1].lines("translator"),
        *(other[1].lines("donor") if is_model else []),
        f"other = {giver}.translate({other[0]!r}, beam={beam})",
        f"about = contrast(translator.translate({one[0]!r}, {how}), other)",
        f"found = sweep(translator, about{last})  # .heads[kind][layer, head], .states[side][level, place]: 1 is 100 %",
        f"site = Carried.parse({site!r})",
        f"log_probs = log_probs_at(translator, about, [about.patch(site)]{last})",
        f"written = translator.decode_target(patched_ids(translator, about, site{last}))",
        "found.share(site), log_probs, written",
    ]
    return "\n".join(lines)


def _values(shown: Selection) -> list[str]:
    """One head's values, or those of several as one."""
    if not shown.merges:
        return [f"values = maps[{shown.heads[0].layer}, {shown.heads[0].head}]"]
    layers, heads = [head.layer for head in shown.heads], [head.head for head in shown.heads]
    places = f"[{layers}, {heads}]"
    return [f"values = combine(maps{places}, {shown.together!r})"]


def command(shown: Selection, text: str, model: ModelCode, beam: int = 1, forced: Sequence[int] = ()) -> str:
    """The command that writes the same numbers to a file; "" where no command does."""
    if forced or shown.step is not None:
        return ""
    words = ["export", text, "--output", "map.csv", *model.options]
    words += ["--head", *(head.code for head in shown.heads), "--method", shown.method, "--shift", shown.row_shift]
    words += ["--beam", str(beam)] if beam != 1 else []
    words += ["--together", shown.together] if shown.merges else []
    words += ["--words"] if shown.words else []
    words += ["--hide-special"] if shown.hide_special else []
    return f"python -m viz {shlex.join(words)}"
