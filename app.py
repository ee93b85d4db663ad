"""Headlight: see what every attention head of a translator looks at."""

from __future__ import annotations

import streamlit as st

from viz import frame
from viz.session import say

HEAD = ("kind", "layer", "head", "words", "special")
PAGES: dict[str, tuple[str, ...]] = {  # each view, and the shared choices that it uses
    "translate": ("layer", "head", "words", "special"),
    "all_heads": ("words", "special"),
    "one_head": HEAD,
    "side_by_side": ("words", "special"),
    "lines": HEAD,
    "step_by_step": ("layer", "head", "words"),
    "swap": (),
    "beam": (),
    "fork": ("words",),
    "mixing_desk": ("words",),
    "inside": ("kind", "layer", "head"),
    "masks": ("kind", "layer", "head"),
    "positions": (),
    "about": (),
}

st.set_page_config(page_title="Headlight", page_icon="🔦", layout="wide", initial_sidebar_state="collapsed")
pages = {
    name: st.Page(f"viz/pages/{name}.py", title=say(f"page.{name}"), url_path=name, default=name == "translate")
    for name in PAGES
}
page = st.navigation(list(pages.values()), position="top")
name = next(name for name, candidate in pages.items() if candidate == page)
frame.draw(name, PAGES[name])
page.run()
frame.status_line()
