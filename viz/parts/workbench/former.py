"""Links of pages that the viewer took the place of: what they meant in it."""

from __future__ import annotations

from collections.abc import Mapping

from model.trace import HeadRef
from viz.parts.workbench.chosen import KEY
from viz.web.link import read_link, write_link

MOST_HEADS = 6
FORMER = ("own", "log", "min", "common", "difference", "heads")


def renewed(page: str, link: Mapping[str, str]) -> dict[str, str]:
    """A link of ``one_head`` as it is now: all that the page was, and its own choices, in ``viewer``.

    >>> renewed("side_by_side", {"text": "a", "heads": "c2.5,c.3.1", "difference": "true"})
    {'text': 'a', 'kind': 'cross', 'layer': '2', 'head': '5', 'viewer': 'h=c2.5,c3.1&x=difference'}
    """
    is_on = {name: link.get(name) == "true" for name in FORMER}
    asked = link.get("heads", "").split(",") if page == "side_by_side" else []
    heads = list(dict.fromkeys(head.code for head in map(HeadRef.parse, asked) if head))[:MOST_HEADS]
    choices = read_link(link.get(KEY, "")) | {
        "h": ",".join(heads),
        "v": "all" if page == "all_heads" else "",
        "t": link.get("min", "").rstrip("0").rstrip("."),
        "g": "1" if is_on["log"] else "",
        "o": "own" if is_on["own"] else "common" if is_on["common"] else "",
        "x": "difference" if is_on["difference"] else "",
    }
    first = HeadRef.parse(heads[0]) if heads else None
    own = {name: str(value) for name, value in first._asdict().items()} if first else {}
    kept = {name: value for name, value in link.items() if name not in (*FORMER, *own)}
    return kept | own | {KEY: write_link(choices)}
