"""This view as code: the lines of Python, or the command, that make the same numbers."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from viz.export.shown import Shown

SHAPES = "  # [query, key]; reading.rows and reading.columns are its labels"


def python_lines(shown: Shown, text: str, checkpoint: str, beam: int = 1, forced: Sequence[int] = ()) -> str:
    """Lines that end with ``reading``: the values of the first map, with its labels.

    Args:
        shown: the choices.
        text: the sentence; whatever stands in it becomes a literal.
        checkpoint: name of the model.
        beam: hypotheses kept.
        forced: target ids under inspection; () for the model's own choice.
    """
    kind = shown.heads[0].kind
    how = f"prefix={tuple(forced)}" if forced else f"beam={beam}"
    step = "" if shown.step is None else f", step={shown.step}"
    lines = [
        "from model.analysis.maps.reading import combine, read, shifted_rows",
        "from model.analysis.maps.sorts import drawn_maps",
        "from model.translator import Translator",
        "",
        f"translator = Translator.from_checkpoint({checkpoint!r})",
        f"translation = translator.translate({text!r}, {how}, capture=True)",
        f"maps = drawn_maps(translator, translation, {shown.drawn!r}{step})[{kind!r}]  # [layer, head, query, key]",
        *_values(shown),
        f"rows, columns = translation.trace.axis_labels({kind!r})",
        *([f"rows = shifted_rows(translation.trace, {shown.shift!r})[0]"] if kind == "cross" else []),
        f"reading = read(values, rows, columns, {shown.words}, {shown.hide_special}, {shown.drawn!r})",
        f"reading.weights{SHAPES}",
    ]
    unused = {"combine, ": shown.how == "head", ", shifted_rows": kind != "cross"}
    for name in (name for name, is_unused in unused.items() if is_unused):
        lines[0] = lines[0].replace(name, "")
    return "\n".join(lines)


def patching_lines(
    one: tuple[str, str], other: tuple[str, str], site: str, beam: int = 1, forced: Sequence[int] = ()
) -> str:
    """Lines that carry a site from one pass into another: ``found`` is the sweep over all, ``written`` what one does.

    Args:
        one: the sentence and the model's name; ``other``: those that the site is carried from.
        site: its code.
        beam: hypotheses kept.
        forced: target ids under inspection; () for the model's own choice.
    """
    is_model = one[1] != other[1]
    giver, last = ("donor", ", donor") if is_model else ("translator", "")
    how = f"prefix={tuple(forced)}" if forced else f"beam={beam}"
    lines = [
        "from model.analysis.what_if.patching import Carried, contrast, log_probs_at, patched_ids, sweep",
        "from model.translator import Translator",
        "",
        f"translator = Translator.from_checkpoint({one[1]!r})",
        *([f"donor = Translator.from_checkpoint({other[1]!r})"] if is_model else []),
        f"other = {giver}.translate({other[0]!r}, beam={beam})",
        f"about = contrast(translator.translate({one[0]!r}, {how}), other)",
        f"found = sweep(translator, about{last})  # .heads[kind][layer, head], .states[side][level, place]: 1 is 100 %",
        f"site = Carried.parse({site!r})",
        f"log_probs = log_probs_at(translator, about, [about.patch(site)]{last})",
        f"written = translator.decode_target(patched_ids(translator, about, site{last}))",
        "found.share(site), log_probs, written",
    ]
    return "\n".join(lines)


def _values(shown: Shown) -> list[str]:
    """One head's values, or those of several as one."""
    if shown.how == "head":
        return [f"values = maps[{shown.heads[0].layer}, {shown.heads[0].head}]"]
    layers, heads = [head.layer for head in shown.heads], [head.head for head in shown.heads]
    places = f"[{layers}, {heads}]"
    return [f"values = combine(maps{places}, {shown.how!r})"]


def command(shown: Shown, text: str, checkpoint: str, beam: int = 1, forced: Sequence[int] = ()) -> str:
    """The command that writes the same numbers to a file; "" where no command does."""
    if forced or shown.step is not None:
        return ""
    words = ["python", "-m", "viz", "export", text, "--output", "map.csv", "--checkpoint", checkpoint]
    words += ["--head", *(head.code for head in shown.heads), "--drawn", shown.drawn, "--shift", shown.shift]
    words += ["--beam", str(beam)] if beam != 1 else []
    words += ["--together", shown.how] if shown.how != "head" else []
    words += ["--words"] if shown.words else []
    words += ["--hide-special"] if shown.hide_special else []
    return shlex.join(words)
