"""Headlight: see what every attention head of a translator looks at."""

from __future__ import annotations

from importlib import import_module

import streamlit as st

from viz.shell import frame, garbage, navigation, pickers
from viz.shell.errors import told
from viz.shell.navigation import form, titles, visibility
from viz.shell.views import VIEWS
from viz.state.choice import tidy_link
from viz.state.language import say, speak

st.set_page_config(page_title="Headlight", page_icon="🔦", layout="wide", initial_sidebar_state="collapsed")
speak()
reads = form()
pages = {
    name: st.Page(
        spec.file,
        title=say(titles(name, reads)),
        url_path=name,
        default=name == "translate",
        visibility=visibility(spec, reads),
    )
    for name, spec in VIEWS.items()
}
page = st.navigation(list(pages.values()), position="hidden")
tidy_link()  # not before the page is known, or it would be forgotten
spec = next(spec for name, spec in VIEWS.items() if pages[name] == page)
asked = navigation.asked()
came_back = navigation.arrive(spec)
if not frame.opened():
    st.stop()
frame.draw(spec)
with told():
    frame.check(spec)
    if spec.fragment:
        import_module(spec.module).view()
    else:
        with st.container(), st.container():  # where a fragment has its pickers: they stay the same widgets
            pickers.draw(spec)
        page.run()
navigation.follow(asked)
if came_back:
    st.rerun()
frame.status_line()
frame.verdict_line()
garbage.freeze_what_stays()
