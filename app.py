"""Headlight: see what every attention head of a translator looks at."""

from __future__ import annotations

from importlib import import_module

import streamlit as st

from viz import frame, garbage, pickers
from viz.session import say

SECTIONS = {
    "": ("translate", "all_heads", "one_head", "side_by_side", "lines"),
    "decoding": ("step_by_step", "beam", "fork", "swap", "mixing_desk"),
    "trust": ("heads", "find", "alignment", "flow", "lens", "trust"),
    "learn": ("inside", "masks", "positions", "about"),
}
FRAGMENTS = ("one_head",)  # views that redraw themselves with their pickers, and not the frame around them

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
name = next(name for name in pages if pages[name] == page)
frame.draw(name)
if name in FRAGMENTS:
    import_module(f"viz.pages.{name}").view()
else:
    with st.container(), st.container():  # where a fragment has its pickers: they stay the same widgets
        pickers.draw(name)
    page.run()
frame.status_line()
garbage.freeze_what_stays()
