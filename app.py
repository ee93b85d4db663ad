"""Headlight: see what every attention head of a translator looks at."""

from __future__ import annotations

import streamlit as st

from viz import frame
from viz.session import say

HEAD = ("kind", "layer", "head", "words", "special")
DRAWN, COMBINE = ("drawn", "of"), ("combine", "over")
SECTIONS: dict[str, dict[str, tuple[str, ...]]] = {  # each view, and the shared choices that it uses
    "": {
        "translate": ("layer", "head", "words", "special", *DRAWN, "shift", *COMBINE),
        "all_heads": ("words", "special", *DRAWN, "shift"),
        "one_head": (*HEAD, *DRAWN, "shift", *COMBINE),
        "side_by_side": ("words", "special", *DRAWN, "shift"),
        "lines": (*HEAD, *DRAWN, "shift"),
    },
    "decoding": {
        "step_by_step": ("layer", "head", "words", *COMBINE),
        "beam": (),
        "fork": ("words",),
        "swap": (),
        "mixing_desk": ("words",),
    },
    "trust": {
        "heads": ("words", "special"),
        "find": HEAD,
        "alignment": ("layer", "head", "shift"),
        "flow": ("words",),
        "lens": ("kind", "layer", "head"),
        "trust": ("layer", "head", *DRAWN, "shift"),
    },
    "learn": {
        "inside": ("kind", "layer", "head"),
        "masks": ("kind", "layer", "head"),
        "positions": (),
        "about": (),
    },
}

st.set_page_config(page_title="Headlight", page_icon="🔦", layout="wide", initial_sidebar_state="collapsed")
pages = {
    name: st.Page(f"viz/pages/{name}.py", title=say(f"page.{name}"), url_path=name, default=name == "translate")
    for views in SECTIONS.values()
    for name in views
}
sections = {
    say(f"section.{section}") if section else "": [pages[name] for name in views] for section, views in SECTIONS.items()
}
page = st.navigation(sections, position="top")
name, pickers = next(
    (name, pickers) for views in SECTIONS.values() for name, pickers in views.items() if pages[name] == page
)
frame.draw(name, pickers)
page.run()
frame.status_line()
