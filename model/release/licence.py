"""The table of sources in a checkpoint's LICENSE.md, and their credits in its meta.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from model.errors import HeadlightError

LICENCE, CREDITS = "LICENSE.md", "credits.json"
START, END = "<!-- sources -->", "<!-- /sources -->"


def source_table(counts: dict[str, int], sources: dict[str, dict[str, str]]) -> str:
    """Pairs, licence and credit of every source that the weights were trained on, in the order of the credits.

    Raises:
        HeadlightError: a source has no credit.
    """
    if missing := sorted(set(counts) - set(sources)):
        raise HeadlightError(f"{CREDITS} has no credit for {', '.join(missing)}")
    lines = ["| source | pairs | licence | credit |", "|---|--:|---|---|"]
    for name, facts in sources.items():
        if name in counts:
            lines.append(f"| {name} | {counts[name]:,} | {facts['licence']} | {facts['credit']} |")
    return "\n".join(lines)


def trained_on(meta: dict[str, Any]) -> dict[str, int]:
    """Pairs of each source that the weights have seen: of this run, and of those whose weights it began with."""
    counts = dict(meta["data"]["pairs_by_source"])
    began = meta.get("began_with")
    while began:
        for name, count in began.get("pairs_by_source", {}).items():
            counts[name] = max(count, counts.get(name, 0))
        began = began.get("began_with")
    return counts


def credited(folder: Path, meta: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """LICENSE.md with its table between the marks, and meta with the credits of credits.json.

    Raises:
        HeadlightError: a file is missing, a source has no credit, or LICENSE.md lacks the marks.
    """
    try:
        credits = json.loads((folder / CREDITS).read_text(encoding="utf-8"))
        text = (folder / LICENCE).read_text(encoding="utf-8")
    except OSError as error:
        raise HeadlightError(f"the licence needs {LICENCE} and {CREDITS} in {folder.name}: {error.strerror}") from None
    before, mark, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not (mark and end):
        raise HeadlightError(f"{LICENCE} in {folder.name} has no {START} … {END} for its table")
    counts = trained_on(meta)
    used = {name: facts for name, facts in credits["sources"].items() if name in counts}
    table = source_table(counts, credits["sources"])
    new = {**meta, "data": {**meta["data"], "credits": {**credits, "sources": used}}}
    return f"{before}{START}\n\n{table}\n\n{END}{after}", new
